"""A server for people who write MCP clients: four tools, one of which always fails.

micropython examples/dummy_server.py [--host H] [--port N] [--token T] [--sessions ram|sealed|off]
micropython examples/dummy_server.py --stdio
"""

import asyncio
import sys

sys.path.insert(0, __file__.rsplit("/", 1)[0] + "/../firmware")

from dummy_tools import tools

from mcpserver import McpServer
from umcp import VERSION

# MicroPython keeps no docstrings.
_USAGE = """Serve four tools over MCP until Ctrl-C: echo, add, get_status, and fail, which always fails.

    dummy_server.py [--host 127.0.0.1] [--port 8081] [--token test-token] [--sessions ram|sealed|off]
    dummy_server.py --stdio

With --stdio it serves the program that started it, over stdin and stdout, until its input ends.
To serve other machines, give this one's own address as the host: requests for any other are refused.
`--token new` makes a random token and prints it.
"""


def log(level, text, exception=None):
    if level != "info":
        print("%s: %s" % (level, text), file=sys.stderr)
    if exception is not None:
        sys.print_exception(exception, sys.stderr)


async def start(given, log=log):
    """A running server, or exit with 1 and the reason."""
    server = McpServer(
        "tsumiki-dummy",
        VERSION,
        tools(),
        token=given["--token"],
        test_token=True,
        host=given["--host"],
        port=int(given["--port"]),
        sessions=given["--sessions"],
        log=log,
    )
    if not await server.start():
        hint = "; try --port" if " port " in server.error else ""
        print("error: %s%s" % (server.error, hint), file=sys.stderr)
        sys.exit(1)
    return server


async def serve_stdio():
    """The same tools for whoever started this process: it needs no token."""
    import net.runtime
    from net.lines import LineServer
    from net.stdio import stdio
    from umcp.server import Server

    server = Server("tsumiki-dummy", VERSION, log=log, runtime=net.runtime)
    for tool in tools():
        server.add_tool(tool)
    await LineServer(server, log, *stdio(log)).serve()


async def main():
    import command_line

    if "--stdio" in sys.argv:
        if len(sys.argv) > 2:
            command_line.refuse("--stdio goes without other options")
        return await serve_stdio()
    given = command_line.options(sys.argv[1:], _USAGE)
    del sys.modules["command_line"]  # A device has none, and this server is measured as one.
    del command_line
    await start(given)
    print("listening on %s:%s" % (given["--host"], given["--port"]))
    while True:
        await asyncio.sleep(3600)


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
