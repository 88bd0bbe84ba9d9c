"""What real clients do to a server: rows of docs/interop.md that no other test shows."""

import asyncio
import json

from serving import INITIALIZE, PING, TOKEN, Served
from streaming import EVERYTHING, Robot, call, fields_of, modern, request, until

from harness import eq
from net.http_server import Limits
from umcp.errors import ToolError
from umcp.tool import Tool
from umcp.types import Integer, Object

_HEAD = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n" % TOKEN


async def test_a_probe_is_answered_with_its_own_id():
    async with Robot().served() as served:
        message = modern("server/discover", id="server-discover-probe-1")
        reply = await served.modern(message)
        eq((reply.status, reply.streams, reply.body["id"]), (200, False, "server-discover-probe-1"))
        result = reply.body["result"]
        eq(
            (result["supportedVersions"], type(result["ttlMs"]), result["cacheScope"]),
            (["2026-07-28"], int, "private"),
        )
        # Refused, it is refused in words that the client can tell from a server of an older era.
        reply = await served.modern(message, MCP_Protocol_Version="2025-11-25")
        eq((reply.status, reply.body["id"]), (400, "server-discover-probe-1"))
        reply = await served.modern(modern("server/nothing", id="p"))
        eq((reply.status, reply.body["id"], reply.body["error"]["code"]), (404, "p", -32601))
        # An older server's clients ask it without the header fields.
        eq((await served.ask(body=request("server/discover", id="q")))[2]["id"], "q")


async def test_one_client_does_not_end_the_session_of_another():
    for sessions in ("sealed", "ram"):
        async with Served(sessions=sessions) as served:
            opened = [await served.open(), await served.open(), await served.open()]
            eq(len(set(opened)), 3)
            for session in opened:
                eq((await served.ask(body=PING, session=session))[0], 200)
            # Nor does one that begins anew, though it still names its old session.
            state, headers, _ = await served.ask(body=INITIALIZE, session=opened[0])
            eq((state, headers["mcp-session-id"] in opened), (200, False))
            await served.ask("DELETE", session=opened[1])
            eq((await served.ask(body=PING, session=opened[2]))[0], 200)


async def test_what_a_client_accepts_does_not_change_where_it_goes():
    async with Robot().served() as served:
        _, session = await served.legacy()
        message = request("tools/list")
        for accept in (
            None,
            "*/*",
            "application/json",
            "text/event-stream",
            "application/json, text/event-stream",
            "text/event-stream, application/json",
            "application/json;q=0.9, */*;q=0.1",
        ):
            for body, fields in (
                (message, {"session": session}),
                (modern("tools/list"), fields_of(modern("tools/list"))),
            ):
                reply = await served.begin(body=body, Accept=accept, **fields)
                eq((accept, reply.status, reply.streams), (accept, 200, False))
                eq(len(reply.body["result"]["tools"]), 7)


async def test_who_takes_no_stream_gets_the_answer_alone():
    robot = Robot()
    robot.go.set()
    async with robot.served() as served:
        message = modern("tools/call", call("walk", steps=2), progressToken=1)
        result = await served.result(message, Accept="application/json")
        eq(result["content"][0]["text"], "walked")


async def test_streams_leave_places_for_calls():
    robot = Robot()
    async with robot.served(limits=Limits(grace_ms=20)) as served:
        listen = modern("subscriptions/listen", {"notifications": EVERYTHING})
        for _ in range(2):
            eq((await served.modern(listen)).status, 200)
        eq((await served.modern(listen)).status, 503)
        rest = modern("tools/call", call("rest"))
        for i in range(2):
            waiting = await served.write(body=rest, **fields_of(rest))
            await until(lambda wanted=i + 1: robot.started == wanted)
        # Now all four are in use, and whoever comes is told when to come again.
        reply = await served.begin(body=PING)
        eq((reply.status, "retry-after" in reply.headers), (503, True))
        robot.go.set()
        await waiting.read_head()
        eq((waiting.status, waiting.body["result"]["content"][0]["text"]), (200, "rested"))


async def test_broken_bodies_are_answered_in_json():
    async with Served(sessions="off") as served:
        for body in (
            b"",
            b"{",
            b"<html>",
            b'{"jsonrpc":"2.0","id":1,"method":"ping"',
            b'{"jsonrpc":"2.0","id":"\xff","method":"ping"}',
            b'{"jsonrpc":"2.0","id":"\xed\xa0\x80","method":"ping"}',
            b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}',
        ):
            head = _HEAD + "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
            state, headers, answer = await served.send(head.encode() + body)
            eq((body, state, answer["error"]["code"], answer["id"]), (body, 400, -32700, None))
            eq(headers["content-type"], "application/json; charset=utf-8")


async def test_media_types_have_no_case():
    async with Served(sessions="off") as served:
        for kind in ("Application/JSON", "application/json; charset=UTF-8", "APPLICATION/JSON;CHARSET=utf-8"):
            eq((await served.ask(body=PING, Content_Type=kind))[0], 200)
        eq((await served.ask(body=PING, Content_Type="text/plain"))[0], 415)


async def test_an_id_is_a_string_or_an_integer_and_nothing_else_is_no_notification():
    async with Served(sessions="off") as served:
        for id in (None, True, 1.5, [], {}):
            state, _, body = await served.ask(body=dict(PING, id=id))
            eq((id, state, body["error"]["code"], body["id"]), (id, 400, -32600, None))
        for id in (0, "0", -1, "", "a\u4e16"):
            state, _, body = await served.ask(body=dict(PING, id=id))
            eq((state, type(body["id"]), body["id"]), (200, type(id), id))


async def test_bad_params_are_no_internal_error():
    async with Robot().served() as served:
        _, session = await served.legacy(elicitation={})
        for method, params in (
            ("tools/call", {}),
            ("tools/call", {"name": 5}),
            ("tools/call", {"name": "look", "arguments": []}),
            ("tools/call", {"name": "nothing"}),
            ("tools/list", {"cursor": 5}),
            ("resources/read", {"uri": 5}),
            ("resources/subscribe", {}),
            ("logging/setLevel", {"level": "loud"}),
        ):
            answer = await served.answer(session, method, params)
            eq((method, answer["error"]["code"]), (method, -32602))
        eq(served.log.texts("error"), [])


async def test_a_refusal_has_no_structured_content():
    def refuse(a):
        raise ToolError("servo_off", "torque is off")

    kind = Object((("a", Integer()),))
    async with Served(sessions="off") as served:
        served.server.add_tool(Tool("move", "", kind, refuse, output=kind))
        served.server.add_tool(Tool("same", "", kind, lambda a: {"a": a}, output=kind))
        for arguments in ({"a": 1}, {"a": "x"}, {}):
            result = await served.call("move", arguments)
            eq((result["isError"], "structuredContent" in result), (True, False))
        result = await served.call("same", {"a": "5"})
        eq((result["structuredContent"], json.loads(result["content"][0]["text"])), ({"a": 5}, {"a": 5}))


async def test_fifty_aborted_bodies_silence_nobody():
    async with Served(sessions="off", limits=Limits(grace_ms=20)) as served:
        head = _HEAD + "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
        for _ in range(50):
            stream, _ = await asyncio.open_connection("127.0.0.1", served.options["port"])
            stream.write(head.encode())
            await stream.drain()
            stream.close()
            await stream.wait_closed()
        eq((await served.ask(body=PING))[0], 200)


async def test_a_token_in_the_url_is_refused_and_not_logged():
    async with Served(sessions="off") as served:
        # A parameter of another name is none: the request has no token.
        for name, wanted in (("token", 400), ("access_token", 400), ("key", 401)):
            path = "/mcp?%s=%s" % (name, TOKEN)
            state, _, body = await served.ask(path=path, body=PING, token=None)
            eq((name, state, TOKEN in repr(body)), (name, wanted, False))
        assert TOKEN not in repr(served.log.lines)


async def test_a_foreign_origin_is_refused_with_the_right_host():
    async with Served(sessions="off") as served:
        for origin, wanted in (
            ("http://evil.example", 403),
            ("null", 403),
            ("http://localhost.evil.example", 403),
            ("http://localhost", 200),
            (None, 200),
        ):
            eq((origin, (await served.ask(body=PING, Origin=origin))[0]), (origin, wanted))


async def test_a_page_may_send_and_read_what_the_protocol_needs():
    site = "https://app.example"
    robot = Robot()
    robot.go.set()
    async with robot.served(origins=(site,)) as served:
        asked = await served.begin("OPTIONS", token=None, Origin=site)
        eq((asked.status, asked.headers["access-control-allow-origin"]), (204, site))
        eq(asked.headers["access-control-allow-methods"], "GET, POST, DELETE")
        eq(
            asked.headers["access-control-allow-headers"],
            "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, "
            "Last-Event-ID",
        )
        opened = await served.begin(body=INITIALIZE, Origin=site)
        message = modern("tools/call", call("walk", steps=1), progressToken=1)
        talking = await served.modern(message, Origin=site)
        eq((opened.streams, talking.streams), (False, True))
        for reply in (opened, talking):
            eq(reply.headers["access-control-allow-origin"], site)
            assert "Mcp-Session-Id" in reply.headers["access-control-expose-headers"]
