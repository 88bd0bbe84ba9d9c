"""A server on stdin and stdout, under MicroPython: try_stdio.py. It prints a dot to stderr every few milliseconds."""

import asyncio
import sys

import net.runtime
from net.lines import LineServer
from net.stdio import stdio
from umcp.server import Server
from umcp.tool import Tool
from umcp.types import Integer, Object


def log(level, text, exception=None):
    print("%s: %s: %s" % (level, text, exception), file=sys.stderr)


async def tick():
    while True:
        sys.stderr.write(".")
        await asyncio.sleep_ms(5)


async def late():
    await asyncio.sleep_ms(20)
    return "late"


async def fail():
    raise ValueError("unseen")


tasks = []


def spoil():
    tasks.append(asyncio.create_task(fail()))
    return "spoilt"


def many(size):
    return "x" * size


async def main():
    server = Server("stdio", "1", log=log, runtime=net.runtime)
    server.add_tool(Tool("late", "Answer late.", None, late))
    server.add_tool(Tool("spoil", "Leave a task that fails.", None, spoil))
    server.add_tool(Tool("many", "Say much.", Object((("size", Integer()),)), many))
    tasks.append(asyncio.create_task(tick()))
    await LineServer(server, log, *stdio(log)).serve()
    sys.stderr.write("served")


asyncio.run(main())
