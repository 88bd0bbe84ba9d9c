"""A server as it is by default, which keeps its preferences in a file: reboot_server.py PORT PREFERENCES

`count` tells how often it was called since the start, `wait` takes ten seconds, `ask` asks the user for a name.
Prints `listening on HOST:PORT`.
"""

import asyncio
import sys

sys.path.insert(0, __file__.rsplit("/", 1)[0] + "/../../firmware")

from config import Preferences
from mcpserver import McpServer
from umcp.tool import Tool
from umcp.types import Object, String

_calls = []


def count():
    _calls.append(True)
    return str(len(_calls))


async def wait():
    await asyncio.sleep(10)
    return "waited"


async def ask(context):
    answer = await context.elicit("What is your name?", Object((("name", String()),)))
    return "Hello, " + answer["content"]["name"]


async def main():
    port, path = sys.argv[1:]
    server = McpServer(
        "tsumiki-reboot", "1.0.0", host="127.0.0.1", port=int(port), preferences=Preferences(path)
    )
    server.add_tool(Tool("count", "Count the calls since the start.", None, count))
    server.add_tool(Tool("wait", "Take ten seconds.", None, wait))
    server.add_tool(Tool("ask", "Ask the user for a name.", None, ask, context=True))
    if not await server.start():
        sys.exit(server.error)
    print("listening on 127.0.0.1:" + port)
    while True:
        await asyncio.sleep(3600)


if __name__ == "__main__":
    asyncio.run(main())
