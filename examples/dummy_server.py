"""A server for people who write MCP clients: four tools, one of which always fails.

micropython examples/dummy_server.py [--host H] [--port N] [--token T] [--sessions ram|sealed|off]
"""

import asyncio
import sys

sys.path.insert(0, __file__.rsplit("/", 1)[0] + "/../firmware")

from http1.bearer import new_token
from mcpserver import McpServer
from umcp import VERSION
from umcp.tool import Tool
from umcp.types import Number, Object, String

# MicroPython keeps no docstrings.
_USAGE = """Serve four tools over MCP until Ctrl-C: echo, add, get_status, and fail, which always fails.

    dummy_server.py [--host 127.0.0.1] [--port 8081] [--token test-token] [--sessions ram|sealed|off]

`--token new` makes a random token and prints it.
"""

DEFAULTS = {"--host": "127.0.0.1", "--port": "8081", "--token": "test-token", "--sessions": "ram"}


def echo(text):
    return "Echo: " + text


def add(a, b):
    return "%s + %s = %s" % (a, b, a + b)


def get_status():
    return "Server is running normally"


def fail():
    raise RuntimeError("this tool always fails")


def tools():
    return (
        Tool("echo", "Return the text.", Object((("text", String(max_length=2000)),)), echo),
        Tool("add", "Add two numbers.", Object((("a", Number()), ("b", Number()))), add),
        Tool("get_status", "Tell how the server is.", None, get_status),
        Tool("fail", "Fail, to show what a client makes of it.", None, fail),
    )


def log(level, text, exception=None):
    if level != "info":
        print("%s: %s" % (level, text), file=sys.stderr)
    if exception is not None:
        sys.print_exception(exception, sys.stderr)


def options(arguments, usage):
    """The command line as a dict; prints what is wrong and exits with 2 otherwise."""
    given = dict(DEFAULTS)
    if arguments and arguments[0] in ("-h", "--help"):
        print(usage.strip())
        sys.exit(0)
    for i in range(0, len(arguments), 2):
        if arguments[i] not in given or i + 1 == len(arguments):
            refuse("unknown or incomplete option %s; try --help" % arguments[i])
        given[arguments[i]] = arguments[i + 1]
    if not given["--port"].isdigit() or not 0 < int(given["--port"]) < 65536:
        refuse("--port takes a number from 1 to 65535")
    if given["--sessions"] not in ("ram", "sealed", "off"):
        refuse("--sessions takes ram, sealed or off")
    if not given["--token"] or not all("!" <= c <= "~" for c in given["--token"]):
        refuse("--token takes visible ASCII characters")
    if given["--token"] == "new":
        given["--token"] = new_token()
        print("token: " + given["--token"])
    return given


def refuse(why, status=2):
    print("error: " + why, file=sys.stderr)
    sys.exit(status)


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
        refuse("%s; try --port" % server.error, 1)
    return server


async def main():
    given = options(sys.argv[1:], _USAGE)
    await start(given)
    print("listening on %s:%s" % (given["--host"], given["--port"]))
    while True:
        await asyncio.sleep(3600)


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        print("stopped")
