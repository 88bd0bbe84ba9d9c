"""A server on the process's own console as a board has it, under MicroPython: try_serial.py dummy|robot FOLDER [PORT]

Beside the tools of the dummy server or the robot there are a few for the tests; FOLDER/called counts `move`.
"""

import asyncio
import sys

sys.path.insert(0, __file__.rsplit("/", 3)[0] + "/examples")

import app
from mcpserver import McpServer
from net.serial import Serial
from umcp import VERSION
from umcp.resources import Resource
from umcp.tool import Tool
from umcp.types import Integer, Object

MS = Object((("ms", Integer()),))


class Moves:
    """Tools for the tests.  folder: str, where the moves are counted."""

    def __init__(self, folder):
        self._path = folder + "/called"

    async def move(self, ms):
        self._count()
        await asyncio.sleep_ms(ms)
        return "moved"

    def _count(self):
        with open(self._path, "a") as f:
            f.write("x")

    def much(self, size):
        return "0123456789" * (size // 10)

    def say(self, count):
        for i in range(count):
            app.log("warning", "something to log %d" % i)
        return "said"

    async def steps(self, context, ms):
        for i in range(3):
            await context.progress(i + 1, 3)
            await asyncio.sleep_ms(ms)
        return "stepped"

    def tools(self):
        size = Object((("size", Integer()),))
        return (
            Tool("move", "Move.", MS, self.move),
            Tool("much", "Say much.", size, self.much),
            Tool("say", "Log.", Object((("count", Integer()),)), self.say),
            Tool("steps", "Report.", MS, self.steps, context=True),
        )


async def dummy(folder):
    from dummy_tools import tools

    serial = Serial(app.log)
    server = McpServer("tsumiki-dummy", VERSION, tools(), log=serial.log, token="x", test_token=True)
    if folder != "-":
        offer(server, folder)
    print("tsumiki %s: MCP on this line" % VERSION)
    while await serial.begun():
        await server.serve_lines(serial, serial, True)


def offer(server, folder):
    for tool in Moves(folder).tools():
        server.add_tool(tool)

    def change():
        server.remove_tool("later")
        server.add_tool(Tool("later", "Is new.", None, lambda: "x"))
        server.publish("test://thing")
        return "changed"

    server.add_tool(Tool("change", "Change the tools, and a resource.", None, change))
    server.add_resource(Resource("test://thing", "thing", lambda: "the thing"))


async def robot(folder):
    from boards.unix.board import Board

    from config import Preferences

    preferences = Preferences(folder + "/config.json", app.log)
    one = app.App(Board(), preferences, host="127.0.0.1", port=int(sys.argv[3]), serial=True)
    offer(one.server, folder)
    assert await one.start(), one.server.error
    while True:
        await asyncio.sleep(3600)


asyncio.run({"dummy": dummy, "robot": robot}[sys.argv[1]](sys.argv[2]))
