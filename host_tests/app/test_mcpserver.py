"""The MCP server put together: tokens, sessions, routes, status, over loopback."""

import asyncio
import time

from serving import INITIALIZE, PING, TOKEN, Log, Preferences, Served

from harness import araises, eq, port, raises
from mcpserver import McpServer
from net.http_server import Limits
from umcp.tool import Tool

OTHER = "another-secret-token"
SITE = "https://app.example"


async def status(served, **options):
    return (await served.ask(body=PING, **options))[0]


async def test_the_constructor_s_token_comes_before_the_preference():
    async with Served(sessions="off", preferences=Preferences(mcp__token=OTHER)) as served:
        eq((await status(served), await status(served, token=OTHER)), (200, 401))
    for blank in (None, "", "  "):
        async with Served(
            token=blank, sessions="off", preferences=Preferences(mcp__token=" %s\n" % OTHER)
        ) as served:
            eq((await status(served), await status(served, token=OTHER)), (401, 200))


async def test_without_a_token_everything_is_refused():
    for preferences in (None, Preferences(), Preferences(mcp__token=" "), Preferences(mcp__token=5)):
        async with Served(token=None, sessions="off", preferences=preferences) as served:
            eq(
                (await status(served), await status(served, token=None), await status(served, token="")),
                (401, 401, 401),
            )
            eq((await served.ask("GET", "/health", token=None))[0], 200)
            assert "no token is configured" in served.log.texts("warning")[0]


async def test_a_short_token_is_refused_with_the_reason_in_the_log():
    short = "fifteen-letters"
    async with Served(token=short, sessions="off") as served:
        eq((await status(served, token=short), await status(served)), (401, 401))
        eq(served.log.texts("error"), ["the token is refused: it has fewer than 16 characters"])
        served.server.set_token(short)
        eq((await status(served, token=short), len(served.log.texts("error"))), (401, 2))
    async with Served(token=short, sessions="off", test_token=True) as served:
        eq((await status(served, token=short), served.log.texts("error")), (200, []))
    async with Served(token="sixteen-letters!", sessions="off") as served:
        eq(await status(served, token="sixteen-letters!"), 200)


async def test_another_token_makes_old_sessions_unknown():
    for kind in ("sealed", "ram"):
        async with Served(sessions=kind) as served:
            session = await served.open()
            eq(await status(served, session=session), 200)
            served.server.set_token(OTHER)
            eq(await status(served, session=session), 401)
            eq(await status(served, session=session, token=OTHER), 404)
            new = await served.open(token=OTHER)
            eq(await status(served, session=new, token=OTHER), 200)
            served.server.set_token(None)
            eq(await status(served, session=new, token=OTHER), 401)
            served.server.set_token(TOKEN)
            eq((await status(served, session=new), await status(served, session=session)), (404, 200))


async def test_the_token_is_never_shown():
    wrong = "wrong-secret-of-the-peer"
    log = Log()
    shown = []
    async with Served(log=log, preferences=Preferences(mcp__token=OTHER)) as served:
        session = await served.open()
        for options in (
            {"token": wrong},
            {"token": None},
            {"token": TOKEN + "x"},
            {"session": "nope"},
            {"session": session, "path": "/mcp?token=" + TOKEN},
            {"session": session, "path": "/nowhere"},
            {"session": session, "method": "PUT"},
            {"session": session, "Host": "evil.example"},
            {"session": session, "Authorization": "Basic " + TOKEN},
            {"session": session, "Content_Type": "text/plain"},
        ):
            answer = await served.ask(**dict({"body": PING}, **options))
            assert answer[0] >= 400, options
            shown.append(repr(answer))
        shown.append(repr(await served.call("echo", {"text": 1}, session=session)))
        shown.append(repr((served.server, served.server._guard, served.server.status, served.server.error)))
        other = McpServer("x", "1", token=TOKEN, host="127.0.0.1", port=served.options["port"], log=log)
        eq(await other.start(), False)
        shown.append(repr(other.error))
        served.server.set_token("short-secret")
    text = "\n".join(shown) + repr(log.lines)
    assert "refused: invalid-authorization" in text
    for secret in (TOKEN, OTHER, wrong, "short-secret"):
        assert secret not in text, text


async def test_tools_come_and_go():
    async with Served(sessions="off") as served:
        server = served.server
        eq([tool.name for tool in server.get_tools()], ["echo", "wait"])
        server.add_tool(Tool("now", "", None, lambda: "one"))
        eq((await served.call("now"))["content"][0]["text"], "one")
        server.add_tool(Tool("now", "", None, lambda: "two"))
        eq((await served.call("now"))["content"][0]["text"], "two")
        eq((server.remove_tool("now"), server.remove_tool("now")), (True, False))
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "now"}}
        eq((await served.ask(body=body))[2]["error"]["code"], -32602)
        server.get_tools().clear()
        eq(len(server.get_tools()), 2)


async def test_its_status_is_told():
    number = port()
    server = McpServer("a", "1", token=TOKEN, host="127.0.0.1", port=number)
    other = McpServer("b", "1", token=TOKEN, host="127.0.0.1", port=number)
    eq((server.status, server.error), ("starting", None))
    eq((await server.start(), server.status), (True, "running"))
    eq((await other.start(), other.status), (False, "failed"))
    eq(other.error, "cannot listen on 127.0.0.1:%d: the port is in use" % number)
    await server.close()
    eq(server.status, "closed")
    eq((await other.start(), other.status, other.error), (True, "running", None))
    await other.close()


async def test_a_tool_that_takes_too_long_is_ended():
    async with Served(sessions="off", tool_ms=80) as served:
        start = time.ticks_ms()
        result = await served.call("wait")
        eq(
            result,
            {
                "content": [{"type": "text", "text": "timeout: the tool took longer than 80 ms"}],
                "isError": True,
            },
        )
        assert time.ticks_diff(time.ticks_ms(), start) < 4000


async def test_sessions_over_the_wire():
    for kind in ("sealed", "ram"):
        async with Served(sessions=kind) as served:
            session = await served.open()
            eq((await status(served), await status(served, session="x")), (400, 404))
            eq(await status(served, session=session), 200)
            state, _, body = await served.ask("DELETE", session=session)
            eq((state, body), (200, {}))
            eq(
                (await status(served, session=session), (await served.ask("DELETE", session=session))[0]),
                (404, 404),
            )
            eq((await served.ask("DELETE"))[0], 400)
            eq((await served.ask("DELETE", session=session, token=None))[0], 401)
    async with Served(sessions="off") as served:
        eq((await served.open(), await status(served)), (None, 200))
        state, headers, _ = await served.ask("DELETE")
        eq((state, headers["allow"]), (405, "POST"))


async def test_a_sealed_session_outlives_a_restart():
    preferences = Preferences()
    async with Served(preferences=preferences) as served:
        session = await served.open()
    assert len(preferences.get("mcp.session_key")) == 64
    async with Served(preferences=preferences) as served:
        eq(await status(served, session=session), 200)
    async with Served() as served:
        eq(await status(served, session=session), 404)


async def test_routes():
    async with Served(sessions="off") as served:
        state, headers, body = await served.ask("GET", "/health", token=None)
        eq((state, body, headers["content-type"]), (200, {"status": "ok"}, "application/json; charset=utf-8"))
        eq((await served.ask(path="/mcp/", body=PING))[0], 200)
        for path in ("/", "/.well-known/oauth-protected-resource", "/register", "/mcp/x"):
            state, _, body = await served.ask("GET", path, token=None)
            eq((state, body), (404, {"error": "not_found"}))
        state, headers, _ = await served.ask("GET", token=None)
        eq((state, headers["allow"]), (405, "POST"))
        state, headers, body = await served.ask(body=PING, token="x")
        eq((state, body), (401, {"error": "invalid_token"}))
        eq(headers["www-authenticate"], 'Bearer realm="tsumiki", error="invalid_token"')


async def test_hosts_that_are_served():
    async with Served(
        sessions="off", hosts=("robot.local",), preferences=Preferences(net__allowed_hosts=["10.0.0.7"])
    ) as served:
        for host, wanted in (
            ("robot.local:8080", 200),
            ("10.0.0.7", 200),
            ("127.0.0.1", 200),
            ("evil.example", 403),
        ):
            eq((host, await status(served, Host=host)), (host, wanted))


async def test_browsers_of_an_allowed_origin():
    async with Served(sessions="ram", origins=(SITE,)) as served:
        state, headers, _ = await served.ask("OPTIONS", token=None, Origin=SITE)
        eq((state, headers["access-control-allow-origin"], "content-length" in headers), (204, SITE, False))
        asked = {
            "Access-Control-Request-Headers": "content-type, Mcp-Param-Region,mcp-param-x y, x-own,MCP-PARAM-B"
        }
        _, headers, _ = await served.ask("OPTIONS", token=None, Origin=SITE, **asked)
        assert headers["access-control-allow-headers"].endswith(
            "Last-Event-ID, Mcp-Param-Region, MCP-PARAM-B"
        ), headers
        state, headers, _ = await served.ask(body=INITIALIZE, Origin=SITE)
        eq((state, headers["access-control-allow-origin"]), (200, SITE))
        assert "Mcp-Session-Id" in headers["access-control-expose-headers"] and "mcp-session-id" in headers
        # A page can read why it was refused.
        state, headers, _ = await served.ask(body=PING, Origin=SITE, token="x")
        eq((state, headers["access-control-allow-origin"]), (401, SITE))
        eq(await status(served, Origin="https://evil.example"), 403)
        for origin in ("https://evil.example", "null", None):
            eq((await served.ask("OPTIONS", token=None, Origin=origin))[0], 405)
    async with Served(sessions="off") as served:
        eq((await served.ask("OPTIONS", token=None, Origin=SITE))[0], 405)
        state, headers, _ = await served.ask(body=PING)
        assert not [name for name in headers if name.startswith("access-control")]


async def test_notifications_and_nonsense():
    async with Served(sessions="off") as served:
        state, headers, body = await served.ask(
            body={"jsonrpc": "2.0", "method": "notifications/initialized"}
        )
        eq((state, headers["content-length"], "content-type" in headers, body), (202, "0", False, None))
        eq((await served.ask(body={}))[2]["error"]["code"], -32600)
        eq((await served.ask())[2]["error"]["code"], -32700)
        eq(await status(served, MCP_Protocol_Version="1999-01-01"), 400)


async def test_many_tools_at_once_answer_each_its_own():
    async with Served(sessions="off") as served:
        tasks = [asyncio.create_task(served.call("echo", {"text": "t%d" % i})) for i in range(4)]
        for i, task in enumerate(tasks):
            eq((await task)["content"][0]["text"], "t%d" % i)


def test_another_setting_of_sessions_is_refused():
    raises(ValueError, McpServer, "s", "1", token=TOKEN, sessions="sealde")


class Stubborn:
    """A handler that catches its cancellation, until it is released."""

    released = False

    async def work(self):
        while not self.released:
            try:
                await asyncio.sleep_ms(50)
            except BaseException:
                pass


async def test_a_handler_that_cannot_be_cancelled_keeps_no_place():
    handler = Stubborn()
    async with Served(sessions="off", tool_ms=20, limits=Limits(handler_ms=60, linger_ms=60)) as served:
        served.server.add_tool(Tool("stubborn", "", None, handler.work))
        for _ in range(5):
            # The connection ends without an answer.
            await araises(IndexError, served.call("stubborn"))
        eq(await status(served), 200)
        await served.server.close()
        eq(served.server._http.connections, [])
    handler.released = True
    await asyncio.sleep_ms(60)


async def test_closing_waits_for_no_handler_that_cannot_be_cancelled():
    handler = Stubborn()
    async with Served(sessions="off") as served:
        served.server.add_tool(Tool("stubborn", "", None, handler.work))
        call = asyncio.create_task(araises(IndexError, served.call("stubborn")))
        await asyncio.sleep_ms(50)
        await served.server.close()
        eq(served.server._http.connections, [])
        await call
    handler.released = True
    await asyncio.sleep_ms(60)
