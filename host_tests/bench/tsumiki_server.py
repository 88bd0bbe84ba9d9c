"""Our server as deployed: examples/dummy_server.py, with the tools of the measure in place of its own four.

tsumiki_server.py PORT SESSIONS
"""

import asyncio
import sys

import dummy_server
from bench_tools import TOOLS, handler

from umcp.tool import Tool
from umcp.types import Integer, Number, Object, String

KINDS = {"string": String, "integer": Integer, "number": Number}
OPTIONS = {"minimum": "min", "maximum": "max", "maxLength": "max_length"}


def field(name, kind, limits):
    options = {}
    for keyword, value in limits.items():
        options[OPTIONS[keyword]] = value
    return name, KINDS[kind](**options)


def tools():
    return [
        Tool(name, description, Object([field(*one) for one in fields]), handler(name))
        for name, description, fields in TOOLS
    ]


async def main():
    port, sessions = sys.argv[1:]
    sys.argv[1:] = ["--port", port, "--token", "test-token", "--sessions", sessions]
    dummy_server.tools = tools
    await dummy_server.main()


if __name__ == "__main__":
    asyncio.run(main())
