"""A server on the network, under MicroPython: try_network.py PORT SESSIONS FOLDER

Its session key is kept, as a robot's is; the tools are those of `moves`.
"""

import asyncio
import sys

sys.path.insert(0, __file__.rsplit("/", 3)[0] + "/examples")

from dummy_tools import tools
from moves import offer

import app
from mcpserver import McpServer
from umcp import VERSION

_PREFERENCES = {"mcp.session_key": "0123456789abcdef" * 4}


async def main():
    port, sessions, folder = sys.argv[1:]
    server = McpServer(
        "tsumiki-dummy",
        VERSION,
        tools(),
        token="test-token",
        test_token=True,
        host="127.0.0.1",
        port=int(port),
        sessions=sessions,
        preferences=_PREFERENCES,
        streams=2,
        log=app.log,
    )
    if folder != "-":
        offer(server, folder, app.log)
    assert await server.start(), server.error
    print("listening on 127.0.0.1:" + port)
    while True:
        await asyncio.sleep(3600)


asyncio.run(main())
