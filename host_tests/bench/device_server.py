"""The tools of the example served as a device does it, without a command line: device_server.py PORT."""

import asyncio
import sys

import dummy_tools

from mcpserver import McpServer


def log(level, text, exception=None):
    if exception:
        sys.print_exception(exception)


async def main():
    port = sys.argv[1]
    server = McpServer(
        "tsumiki-dummy",
        "1.0",
        dummy_tools.tools(),
        token="test-token",
        test_token=True,
        host="127.0.0.1",
        port=int(port),
        sessions="ram",
        log=log,
    )
    if not await server.start():
        sys.exit(server.error)
    print("listening on 127.0.0.1:" + port)
    while True:
        await asyncio.sleep(3600)


if __name__ == "__main__":
    asyncio.run(main())
