"""The client's flows against scripted replies: lifecycle, sessions, listing, calls (2025-11-25)."""

from scripted import ACCEPTED, JSON, READY, Lines, call, open_session, outcome, result_of, run, with_session

from harness import eq, raises
from umcp import client_errors as ce
from umcp import codec
from umcp.client import ClientSession
from umcp.errors import LocalError, ToolError


def test_initialize_sends_the_handshake_and_returns_the_result():
    session = ClientSession(Lines, "tok", "me", "3")
    result, sent, error = run(session.initialize(), with_session(READY), ACCEPTED)
    eq((result, error, session.initialized, session.protocol_version), (READY, None, True, "2025-11-25"))
    first, second = [codec.loads(x.body) for x in sent]
    params = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "me", "version": "3"},
    }
    eq(first, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    eq(second, {"jsonrpc": "2.0", "method": "notifications/initialized"})


def test_headers_before_and_after_initialize():
    session = ClientSession(Lines, "tok")
    _, sent, _ = run(session.initialize(), with_session(READY), ACCEPTED)
    plain = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    plain["Authorization"] = "Bearer tok"
    eq(sent[0].headers, plain)
    later = dict(plain)
    later["Mcp-Session-Id"] = "s1"
    later["MCP-Protocol-Version"] = "2025-11-25"
    eq(sent[1].headers, later)
    _, sent, _ = run(session.list_tools(), result_of({"tools": []}))
    eq(sent[0].headers, later)
    _, sent, _ = run(session.close(), (200, {}, b""))
    eq((sent[0].http_method, sent[0].headers, sent[0].body), ("DELETE", later, b""))


def test_a_server_without_sessions():
    session = open_session(session=None)
    _, sent, _ = run(session.list_tools(), result_of({"tools": []}))
    assert "Mcp-Session-Id" not in sent[0].headers
    eq(run(session.close())[1:], ([], None))


def test_every_legacy_version_is_taken_and_others_are_not():
    for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"):
        session = open_session(version=version)
        eq(session.headers["MCP-Protocol-Version"], version)
    for version in ("2026-07-28", "1999-01-01", None, 7):
        session = ClientSession(Lines)
        _, _, error = run(session.initialize(), result_of(dict(READY, protocolVersion=version)))
        eq(str(error), "Unsupported protocol version: %s" % version)
        assert isinstance(error, ce.UnsupportedVersion) and not session.initialized


def test_initialized_may_be_answered_200_or_204():
    for status in (200, 202, 204):
        session = ClientSession(Lines)
        eq(run(session.initialize(), result_of(READY), (status, {}, b""))[2], None)
    error = run(ClientSession(Lines).initialize(), result_of(READY), (500, {}, b""))[2]
    eq(str(error), "HTTP error: 500 R")


def test_calls_in_the_wrong_state():
    session = ClientSession(Lines)
    for flow in (session.list_tools(), session.call_tool("t")):
        error = run(flow)[2]
        eq((type(error), str(error)), (ce.NotInitialized, "Client not initialized. Call initialize() first."))
    error = run(open_session().initialize())[2]
    eq((type(error), str(error)), (ce.AlreadyInitialized, "Client is already initialized"))


def test_reset_starts_again_with_id_1_and_no_session():
    session = open_session()
    session.reset()
    eq((session.initialized, session.protocol_version), (False, None))
    _, sent, error = run(session.initialize(), with_session(READY), ACCEPTED)
    eq((error, sent[0].id, "Mcp-Session-Id" in sent[0].headers), (None, 1, False))


def test_session_ids_must_be_visible_ascii():
    for id in (b"!", b"~" * 1024):
        eq(open_session(session=id).headers["Mcp-Session-Id"], id.decode())
    for id in (b"", b"a b", b"\x7f", b"\xc3\xa9", b"x" * 1025):
        error = run(ClientSession(Lines).initialize(), with_session(READY, id))[2]
        eq(str(error), "Invalid JSON-RPC response: Mcp-Session-Id")


def test_a_session_id_on_a_later_reply_is_not_adopted():
    session = open_session()
    call(with_session({}, b"other"), session=session)
    eq(session.headers["Mcp-Session-Id"], "s1")


def test_initialize_errors():
    body = b'{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no"}}'
    error = run(ClientSession(Lines).initialize(), (200, JSON, body))[2]
    eq((type(error), str(error), error.code), (ce.RpcError, "Initialize failed: no", -32600))


def test_close_tolerates_404_and_405():
    for status in (200, 204, 404, 405):
        session = open_session()
        eq(run(session.close(), (status, {}, b""))[2], None)
        eq(session.initialized, False)
    session = open_session()
    eq(str(run(session.close(), (500, {}, b""))[2]), "HTTP error: 500 R")
    eq(session.initialized, False)


def test_a_call_after_a_lost_session_is_not_sent_again():
    session = open_session()
    ready = with_session(READY, b"s2")
    _, sent, error = call((404, {}, b""), ready, ACCEPTED, session=session)
    eq(type(error), ce.SessionLost)
    eq(
        [codec.loads(x.body)["method"] for x in sent],
        ["tools/call", "initialize", "notifications/initialized"],
    )
    eq(["Mcp-Session-Id" in x.headers for x in sent], [True, False, True])
    result, sent, _ = call(result_of({"ok": 1}), session=session)
    eq((result, sent[0].headers["Mcp-Session-Id"]), ({"ok": 1}, "s2"))


def test_a_listing_after_a_lost_session_is_sent_once_more():
    session = open_session()
    ready = with_session(READY, b"s2")
    tools = result_of({"tools": [{"name": "t"}]})
    result, sent, error = run(session.list_tools(), (404, {}, b""), ready, ACCEPTED, tools)
    eq((error, result), (None, [{"name": "t"}]))
    eq([x.id for x in sent], [2, 3, None, 4])
    lost = run(session.list_tools(), (404, {}, b""), ready, ACCEPTED, (404, {}, b""))[2]
    eq(type(lost), ce.SessionLost)


def test_pages_start_again_after_a_lost_session():
    session = open_session()
    page = result_of({"tools": [{"name": "a"}], "nextCursor": "1"})
    last = result_of({"tools": [{"name": "b"}]})
    replies = (page, (404, {}, b""), with_session(READY), ACCEPTED, page, last)
    eq(run(session.list_tools(), *replies)[0], [{"name": "a"}, {"name": "b"}])


def test_a_renewal_that_fails_is_tried_by_the_next_call():
    session = open_session()
    _, _, error = call((404, {}, b""), (503, {b"retry-after": b"1"}, b""), session=session)
    eq((type(error), session.initialized), (ce.Busy, True))
    result, sent, _ = call(with_session(READY), ACCEPTED, result_of({"ok": 1}), session=session)
    eq((result, len(sent)), ({"ok": 1}, 3))


def test_404_without_a_session_is_an_http_error():
    error = outcome((404, {}, b""), session=open_session(session=None))
    eq((type(error), str(error)), (ce.HttpError, "HTTP error: 404 R"))


def test_a_gateway_whose_server_has_gone():
    """Which is known by the answer to our request in it: any other 502 is no more than its status."""
    body = b'{"jsonrpc":"2.0","id":%s,"error":%s}'
    left = b'{"code":-32603,"message":"The server has left"}'
    for error, said in ((left, "The server has left"), (b'{"code":-32603}', "a bad gateway")):
        found = outcome((502, JSON, body % (b"2", error)))
        eq((type(found), str(found)), (ce.Disconnected, "Disconnected: " + said))
    for reply in ((502, {}, b""), (502, JSON, body % (b"9", left)), (502, JSON, b'{"error":"no"}')):
        eq(type(outcome(reply)), ce.HttpError)


def _pages(*cursors, **kwargs):
    pages = [
        result_of({"tools": [{"name": "t"}], "nextCursor": c} if c is not None else {"tools": []})
        for c in cursors
    ]
    return run(open_session(**kwargs).list_tools(), *pages)


def test_cursors_are_followed_and_the_empty_one_is_one():
    tools, sent, error = _pages("a", "", None)
    eq((len(tools), error), (2, None))
    eq([codec.loads(x.body).get("params") for x in sent], [None, {"cursor": "a"}, {"cursor": ""}])


def test_listing_limits():
    eq(str(_pages("a", "b", "a")[2]), "tools/list: the cursors run in a circle")
    eq(str(_pages("a", "b", max_pages=2)[2]), "tools/list: more than 2 pages")
    eq(str(_pages("a", "b", "c", max_tools=2)[2]), "tools/list: more than 2 tools")


def test_a_listing_that_is_none():
    for result in ({}, {"tools": {}}, {"tools": [1]}, {"tools": [{}]}, {"tools": [], "nextCursor": 1}, []):
        assert isinstance(run(open_session().list_tools(), result_of(result))[2], ce.InvalidResponse)


def test_listing_errors():
    body = b'{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found"}}'
    eq(str(run(open_session().list_tools(), (200, JSON, body))[2]), "List tools failed: Method not found")


def test_a_call():
    result, sent, _ = call(result_of({"content": []}))
    eq(result, {"content": []})
    wanted = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "t", "arguments": {"a": 1}},
    }
    eq(codec.loads(sent[0].body), wanted)
    assert not sent[0].idempotent
    _, sent, _ = run(open_session().call_tool('a"b\u00e9'), result_of({}))
    eq(codec.loads(sent[0].body)["params"], {"name": 'a"b\u00e9', "arguments": {}})


def test_wrong_arguments_are_our_fault():
    session = open_session()
    for name, arguments in ((1, {}), ("t", []), ("t", {"a": float("nan")}), ("t", {"a": object()})):
        assert isinstance(run(session.call_tool(name, arguments))[2], LocalError)


def _refusal(text, **more):
    content = [{"type": "image"}, {"type": "text", "text": text}]
    return outcome(result_of(dict({"isError": True, "content": content}, **more)))


def test_a_refusal_has_its_code():
    e = _refusal("servo_off: torque: off", structuredContent={"x": 1})
    assert isinstance(e, ToolError)
    eq((str(e), e.code, e.message, e.path), ("servo_off: torque: off", "servo_off", "torque: off", None))
    eq(e.result["structuredContent"], {"x": 1})


def test_a_refusal_has_its_path():
    e = _refusal("invalid_arguments: /lines/0/sku: does not match ^[A-Z]$: no")
    eq((e.code, e.path, e.message), ("invalid_arguments", "/lines/0/sku", "does not match ^[A-Z]$: no"))
    eq(_refusal("invalid_arguments: what").path, None)


def test_a_refusal_that_is_all_code():
    e = _refusal("servo_off")
    eq((str(e), e.code, e.message), ("servo_off", "servo_off", ""))


def test_a_refusal_without_a_code():
    for text in ("Tool execution failed: boom", "No", "a b", "", ": x", "a" * 65 + ": x"):
        e = _refusal(text)
        eq((str(e), e.code, e.message), (text, None, text))
    for content in (None, "x", [], [1], [{"text": 1}]):
        eq(outcome(result_of({"isError": True, "content": content})).code, None)


def test_a_refusal_may_be_returned():
    result, _, error = call(result_of({"isError": True, "content": []}), raise_errors=False)
    eq((result["isError"], error), (True, None))
    eq(call(result_of({"isError": 1}))[2], None)


def test_an_error_of_the_server():
    body = b'{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Unknown tool","data":[1]}}'
    e = outcome((200, JSON, body))
    eq(
        (type(e), str(e), e.code, e.message, e.data),
        (ce.RpcError, "Tool call failed: Unknown tool", -32602, "Unknown tool", [1]),
    )


def test_tokens_that_cannot_stand_in_a_header():
    for token in ("", "a\r\nX: y", "a b", "a\n", "\x00", "\x7f", "\u00e9"):
        e = raises(ce.ConfigError, ClientSession, Lines, token)
        eq(str(e), "token: visible ASCII only")


def test_cancel_names_the_request():
    exchange = next(open_session().cancel(7))
    params = {"requestId": 7, "reason": "timeout"}
    eq(codec.loads(exchange.body), {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
    eq(exchange.id, None)
