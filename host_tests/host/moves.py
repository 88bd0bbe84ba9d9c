"""Tools for the tests of the bridge: MicroPython."""

import asyncio

from umcp.resources import Resource
from umcp.tool import Tool
from umcp.types import Integer, Object, String

MS = Object((("ms", Integer()),))


class Moves:
    """Tools for the tests.  folder: str, where the moves are counted.  log: of the server's."""

    def __init__(self, folder, log):
        self._folder = folder
        self._log = log

    async def move(self, ms):
        self._count("called")
        try:
            await asyncio.sleep_ms(ms)
        except asyncio.CancelledError:
            self._count("cancelled")
            raise
        return "moved"

    def _count(self, what):
        with open(self._folder + "/" + what, "a") as f:
            f.write("x")

    def much(self, size):
        return "0123456789" * (size // 10)

    async def say(self, count):
        for i in range(count):
            self._log("warning", "something to log %d" % i)
            await asyncio.sleep_ms(20)
        return "said"

    async def steps(self, context, ms):
        for i in range(3):
            await context.progress(i + 1, 3)
            await asyncio.sleep_ms(ms)
        return "stepped"

    async def ask(self, context):
        answer = await context.elicit("Who?", Object((("who", String()),)))
        return answer["content"]["who"]

    def tools(self):
        size = Object((("size", Integer()),))
        return (
            Tool("move", "Move.", MS, self.move),
            Tool("much", "Say much.", size, self.much),
            Tool("say", "Log.", Object((("count", Integer()),)), self.say),
            Tool("steps", "Report.", MS, self.steps, context=True),
            Tool("ask", "Ask.", None, self.ask, context=True),
        )


def offer(server, folder, log):
    for tool in Moves(folder, log).tools():
        server.add_tool(tool)

    def change():
        server.remove_tool("later")
        server.add_tool(Tool("later", "Is new.", None, lambda: "x"))
        server.publish("test://thing")
        return "changed"

    server.add_tool(Tool("change", "Change the tools, and a resource.", None, change))
    server.add_resource(Resource("test://thing", "thing", lambda: "the thing"))
