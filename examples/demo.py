"""The dummy server and a client of it, in one MicroPython process: six steps in each era, then what goes wrong.

    micropython examples/demo.py [--host H] [--port N] [--token T] [--sessions ram|sealed|off]

Ends with 0 only if every line has its tick.
"""

import asyncio
import sys

sys.path.insert(0, __file__.rsplit("/", 1)[0] + "/../firmware")

import command_line
import dummy_server

from net.mcpclient import McpClient
from umcp import VERSION
from umcp.client_errors import AlreadyInitialized, AuthError, NotInitialized, RpcError
from umcp.errors import ToolError
from umcp.version import LEGACY, MODERN

_USAGE = """Run the dummy server and a client of it in one process: six steps in each era, then the error handling.

    demo.py [--host 127.0.0.1] [--port 8081] [--token test-token] [--sessions ram|sealed|off]
"""


class Report:
    """Prints a line a step and counts those that failed."""

    def __init__(self):
        self.failed = 0

    def line(self, passed, text):
        self.failed += not passed
        print("  %s %s" % ("\u2713" if passed else "\u2717", text))

    async def step(self, title, awaitable, check):
        """Await, then print what `check(value)` makes of it: (passed, what was seen)."""
        try:
            passed, seen = check(await awaitable)
        except Exception as e:
            passed, seen = False, "%s: %s" % (type(e).__name__, e)
        self.line(passed, "%s: %s" % (title, seen))

    async def refusal(self, title, awaitable, kind, text):
        """Await what must raise `kind` with `text` in its message."""
        try:
            await awaitable
            self.line(False, "%s: nothing was refused" % title)
        except kind as e:
            self.line(text in str(e), "%s: %s: %s" % (title, type(e).__name__, e))
        except Exception as e:
            self.line(False, "%s: unexpected %s: %s" % (title, type(e).__name__, e))


# The older eras tell who they are in the result of `initialize`, the newest in the _meta of every result.
def _identity(client, version):
    def check(result):
        server = result.get("serverInfo") or result["_meta"]["io.modelcontextprotocol/serverInfo"]
        seen = "protocol %s, server %s %s" % (client.protocol_version, server["name"], server["version"])
        return (server["name"], client.protocol_version) == ("tsumiki-dummy", version), seen

    return check


def _tools(tools):
    names = [tool["name"] for tool in tools]
    return names == ["echo", "add", "get_status", "fail"], ", ".join(names)


def _text(wanted):
    def check(result):
        seen = result["content"][0]["text"]
        return seen == wanted, seen

    return check


async def _again(client):
    client.reset()
    await client.initialize()
    return await client.call_tool("echo", {"text": "again"})


async def six_steps(report, client, version):
    print("six steps, MCP " + version)
    await report.step("1 initialize", client.initialize(), _identity(client, version))
    await report.step("2 list tools", client.list_tools(), _tools)
    hello = "Hello, \u30b9\u30bf\u30c3\u30af\u30c1\u30e3\u30f3 \U0001f916"
    await report.step("3 call echo", client.call_tool("echo", {"text": hello}), _text("Echo: " + hello))
    await report.step("4 call add", client.call_tool("add", {"a": 2, "b": 3}), _text("2 + 3 = 5"))
    running = _text("Server is running normally")
    await report.step("5 call get_status", client.call_tool("get_status"), running)
    await report.step("6 reset, initialize and call again", _again(client), _text("Echo: again"))


async def errors(report, client, url):
    stranger = McpClient(url, "wrong-token")
    await report.refusal("wrong token", stranger.initialize(), AuthError, "401")
    await report.refusal("unknown tool", client.call_tool("fly"), RpcError, "Unknown tool: fly")
    bad = client.call_tool("add", {"a": 2, "b": "three"})
    await report.refusal("add with a bad number", bad, ToolError, "invalid_arguments: /b: must be a number")
    failing = "Tool execution failed: this tool always fails"
    await report.refusal("failing handler", client.call_tool("fail"), ToolError, failing)
    early = McpClient(url, "test-token")
    await report.refusal("call before initialize", early.call_tool("echo"), NotInitialized, "not initialized")
    await report.refusal("initialize twice", client.initialize(), AlreadyInitialized, "already initialized")
    await report.step(
        "and the next call works", client.call_tool("add", {"a": 1, "b": 1}), _text("1 + 1 = 2")
    )


def _quiet(level, text, exception=None):
    pass


async def main():
    given = command_line.options(sys.argv[1:], _USAGE)
    version = sys.implementation.version
    print("tsumiki %s on %s %d.%d.%d" % ((VERSION, sys.implementation.name) + tuple(version[:3])))
    server = await dummy_server.start(given, _quiet)
    url = "http://%s:%s/mcp" % (given["--host"], given["--port"])
    print("server at %s, sessions: %s" % (url, given["--sessions"]))
    report = Report()
    old = McpClient(url, given["--token"], only="legacy")
    await six_steps(report, old, LEGACY[-1])
    await old.close()
    client = McpClient(url, given["--token"])
    await six_steps(report, client, MODERN)
    print("error handling")
    await errors(report, client, url)
    await client.close()
    await server.close()
    print("all passed" if not report.failed else "%d failed" % report.failed)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
