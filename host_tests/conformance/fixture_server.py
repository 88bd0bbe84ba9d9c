"""The server that the official conformance suite is run against, on MicroPython: all that its scenarios ask for.

micropython host_tests/conformance/fixture_server.py --port N [--token T] [--sessions ram] [--streams 3]

It has no special cases: what a scenario asks of the protocol is a feature of the library.
Prints `listening on HOST:PORT`.
"""

import asyncio
import gc
import sys

sys.path.insert(0, __file__.rsplit("/", 1)[0] + "/../../firmware")

import fixture_offers
import fixture_tools

from mcpserver import McpServer
from net.http_server import Limits

_HOST = "127.0.0.1"


def options(arguments):
    given = {"--port": "8081", "--token": "conformance-token", "--sessions": "ram", "--streams": "3"}
    for i in range(0, len(arguments), 2):
        if arguments[i] not in given:
            raise ValueError("unknown option " + arguments[i])
        given[arguments[i]] = arguments[i + 1]
    return given


def log(level, text, exception=None):
    print("%s: %s" % (level, text), file=sys.stderr)
    if exception is not None:
        sys.print_exception(exception, sys.stderr)


async def main():
    # As a device should run when memory is short: what stays is close together.
    gc.threshold(4096)
    given = options(sys.argv[1:])
    streams = int(given["--streams"])
    server = McpServer(
        "tsumiki-conformance",
        "1.0.0",
        token=given["--token"],
        host=_HOST,
        port=int(given["--port"]),
        sessions=given["--sessions"],
        streams=streams,
        limits=Limits(connections=streams + 2),
        log=log,
    )
    fixture_tools.add(server)
    fixture_offers.add(server)
    if not await server.start():
        sys.exit(1)
    print("listening on %s:%s" % (_HOST, given["--port"]))
    while True:
        await asyncio.sleep(3600)


if __name__ == "__main__":
    asyncio.run(main())
