"""A server out of a fixture, on MicroPython: what `tsumiki serve` is on CPython, with the same code.

micropython examples/stub_server.py FIXTURE

It serves the program that started it, over stdin and stdout, until its input ends.
"""

import asyncio
import sys

sys.path.insert(0, __file__.rsplit("/", 1)[0] + "/../firmware")

import net.runtime
from net.lines import LineServer
from net.stdio import stdio
from stub.answers import FixtureError
from stub.fixture import Fixture, load
from stub.server import StubServer
from umcp.errors import RemoteError


def log(level, text, exception=None):
    print("%s: %s" % (level, text), file=sys.stderr)


def fixture(path):
    """The `Fixture` in a file, or exit with 2 and the reason."""
    try:
        with open(path, "rb") as f:
            return Fixture(load(f.read()), sleep_ms=asyncio.sleep_ms)
    except (OSError, FixtureError, RemoteError) as e:
        print("error: %s: %s" % (path, e), file=sys.stderr)
        sys.exit(2)


async def main():
    if len(sys.argv) != 2:
        print("stub_server.py FIXTURE", file=sys.stderr)
        sys.exit(2)
    server = StubServer(fixture(sys.argv[1]), runtime=net.runtime, log=log)
    await LineServer(server, log, *stdio(log)).serve()


if __name__ == "__main__":
    asyncio.run(main())
