"""The servers that the robot uses: connected, lost, found again, with a policy each, and what the status says."""

import asyncio

from robots import Log, Preferences, until

from chat import servers
from chat.servers import Servers, configured
from harness import araises, eq, port
from mcpserver import McpServer
from umcp.client_errors import AuthError, ClientError
from umcp.errors import ToolError
from umcp.tool import Tool
from umcp.types import Object, String

TOKEN = "a-token-of-a-server"


def echo(text):
    return "echo " + text


def fails():
    raise ToolError("no_luck", "none today")


class Remote:
    """An MCP server that may come and go."""

    def __init__(self, *names):
        self.port = port()
        self.url = "http://127.0.0.1:%d/mcp" % self.port
        self._names = names or ("echo", "fails")
        self._server = None

    async def __aenter__(self):
        await self.start()
        return self

    async def __aexit__(self, *error):
        await self.stop()

    async def start(self):
        text = Object((("text", String()),))
        tools = [
            Tool(name, "It.", None if name == "fails" else text, fails if name == "fails" else echo)
            for name in self._names
        ]
        self._server = McpServer("r", "1", tools, token=TOKEN, host="127.0.0.1", port=self.port)
        assert await self._server.start(), self._server.error

    async def stop(self):
        await self._server.close()


class Hub:
    """`Servers` of these preferences, running.  tables: list of what it gave."""

    def __init__(self, names=None, has_date=True, **preferences):
        self.log = Log()
        self.tables = []
        self.rests = 0
        self.servers = Servers(
            configured(Preferences(**preferences), self.log, "1"),
            {} if names is None else names,
            self.tables.append,
            self._rest,
            lambda: has_date,
            self.log,
        )

    async def _rest(self):
        self.rests += 1

    async def __aenter__(self):
        self._task = asyncio.create_task(self.servers.run())
        return self

    async def __aexit__(self, *error):
        self._task.cancel()
        await self.servers.close()

    def states(self):
        return {name: told["state"] for name, told in self.servers.state().items()}

    async def are(self, **states):
        await until(lambda: self.states() == states)


def named(*remotes, **more):
    names = ["a", "b", "c"][: len(remotes)]
    found = {
        "servers__names": names,
        "servers__urls": [remote if isinstance(remote, str) else remote.url for remote in remotes],
        "servers__tokens": [TOKEN] * len(remotes),
    }
    found.update(more)
    return found


async def test_they_are_connected_and_their_tools_are_there():
    async with Remote() as one, Remote() as two:
        async with Hub(**named(one, two)) as hub:
            await until(lambda: hub.tables)
            table = hub.tables[0]
            eq(sorted(table), ["a_echo", "a_fails", "b_echo", "b_fails"])
            eq(await table["b_echo"].execute({"text": "hi"}), "echo hi")
            eq((await araises(ToolError, table["a_fails"].execute({}))).code, "no_luck")
            up = {"state": "up", "tools": 2}
            eq(hub.servers.state(), {"a": up, "b": up})
            eq((hub.rests, hub.log.texts("error")), (2, []))


async def test_one_that_is_not_there_keeps_none_away_and_may_come_later():
    two = Remote("hum")
    async with Remote("echo") as one:
        async with Hub(**named(one, two)) as hub:
            await hub.are(a="up", b="down")
            eq(sorted(hub.tables[-1]), ["echo"])
            assert hub.servers.state()["b"]["error"].startswith("Disconnected"), hub.servers.state()
            eq(len(hub.log.texts("warning")), 1)
            await two.start()
            await until(lambda: sorted(hub.tables[-1]) == ["echo", "hum"])
            await two.stop()


async def test_one_that_is_lost_is_found_again():
    async with Remote("echo") as one:
        async with Hub(**named(one)) as hub:
            await until(lambda: hub.tables)
            tool = hub.tables[-1]["echo"]
            await one.stop()
            await araises(ClientError, tool.execute({"text": "hi"}))
            eq(hub.states(), {"a": "down"})
            await until(lambda: hub.tables[-1] == {})
            await one.start()
            await until(lambda: list(hub.tables[-1]) == ["echo"])
            eq((hub.states(), await tool.execute({"text": "hi"})), ({"a": "up"}, "echo hi"))


async def test_another_network_is_a_reason_to_try_at_once():
    one = Remote("echo")
    async with Hub(**named(one)) as hub:
        server = hub.servers.servers[0]
        await until(lambda: server.wait_s == 4)  # It waits for two seconds now.
        await one.start()
        hub.servers.hurry()
        eq(server.wait_s, 1)
        await until(lambda: hub.states() == {"a": "up"}, 1600)
        await one.stop()


async def test_a_failure_of_a_call_is_no_loss():
    async with Remote("echo") as one:
        async with Hub(**named(one)) as hub:
            await until(lambda: hub.tables)
            await araises(ToolError, hub.tables[-1]["echo"].execute({}))
            server = hub.servers.servers[0]
            await araises(ClientError, server.call_tool("nothing", {}))
            eq(hub.states(), {"a": "up"})
            # A tool that is gone is a reason to look what there is.
            await until(lambda: len(hub.tables) == 2)


async def test_a_policy_for_each():
    async with Remote("echo", "fails", "get_one", "get_two") as one:
        async with Hub(**named(one, servers__tools=["echo get_*"])) as hub:
            await until(lambda: hub.tables)
            eq(sorted(hub.tables[-1]), ["echo", "get_one", "get_two"])
            # Whoever has kept a tool from before does not get round it either.
            server = hub.servers.servers[0]
            eq((await araises(ToolError, server.call_tool("fails", {}))).code, "not_allowed")


async def test_a_wrong_token_is_told_and_the_token_is_not():
    async with Remote() as one:
        async with Hub(**named(one, servers__tokens=["a-wrong-token-for-it"])) as hub:
            await hub.are(a="down")
            told = hub.servers.state()["a"]
            assert "401" in told["error"] and "wrong-token" not in str(told), told
            assert "wrong-token" not in str(hub.log.lines)
            assert AuthError


def test_preferences_that_make_no_server():
    log = Log()
    found = configured(
        Preferences(
            servers__names=["a", "", "a", "tls", "nofile", "ftp", "short"],
            servers__urls=[
                "http://h/mcp",
                "http://h/mcp",
                "http://h/mcp",
                "https://h/mcp",
                "https://h/",
                "ftp://h/",
            ],
            servers__ca=["", "", "", "", "/no/such/file.der"],
        ),
        log,
        "1",
    )
    states = [(server.name, server.state) for server in found]
    wrong = servers.WRONG
    eq(states, [("a", "connecting"), ("tls", wrong), ("nofile", wrong), ("ftp", wrong), ("short", wrong)])
    eq(len(log.texts("error")), 6)
    many = Preferences(servers__names=[str(i) for i in range(20)], servers__urls=["http://h/"] * 20)
    eq(len(configured(many, log, "1")), 8)


async def test_one_that_is_misconfigured_is_left_alone():
    async with Remote("echo") as one:
        async with Hub(**named("ftp://x/", one)) as hub:
            await hub.are(a="misconfigured", b="up")
            eq(sorted(hub.tables[-1]), ["echo"])


async def test_tls_waits_for_the_clock():
    ca = __file__.rsplit("/", 1)[0] + "/ca.der"
    preferences = named("https://127.0.0.1:1/", servers__ca=[ca])
    async with Hub(has_date=False, **preferences) as hub:
        await hub.are(a="down")
        assert "clock" in hub.servers.state()["a"]["error"]
        eq(hub.rests, 0)
    async with Hub(**preferences) as hub:
        await hub.are(a="down")
        assert "Disconnected" in hub.servers.state()["a"]["error"]
        eq(hub.rests, 1)


async def test_one_whose_list_fails_is_asked_ever_more_rarely():
    async with Remote("echo") as one:
        async with Hub(**named(one)) as hub:
            server = hub.servers.servers[0]
            asked = []

            async def broken():
                asked.append(server.wait_s)
                raise ClientError("no list")

            server.list_tools = broken
            await until(lambda: len(asked) == 3)
            eq((asked, hub.tables[-1], server.error), ([1, 2, 4], {}, "no list"))
