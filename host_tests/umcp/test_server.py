"""The server's answers to each kind of message: status, code, and what is in the result."""

import json

from serving import Log, Peer, call, code, joined, make, post, refused, request, run

from harness import eq
from umcp.ram import Ram
from umcp.sealed import Sealed
from umcp.tool import Tool
from umcp.types import Integer, Object
from umcp.version import LEGACY

INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "c", "version": "1"},
}


def initialize(server, peer=None, **changes):
    return post(server, request("initialize", dict(INITIALIZE, **changes)), peer)


def test_initialize_answers_the_version_it_speaks():
    for asked in LEGACY:
        eq(initialize(make(), protocolVersion=asked)[1]["result"]["protocolVersion"], asked)
    for asked in ("2026-07-28", "1999-01-01", "", "2025-11-25 ", "x"):
        eq(initialize(make(), protocolVersion=asked)[1]["result"]["protocolVersion"], "2025-11-25")


def test_initialize_tells_who_the_server_is():
    result = initialize(make())[1]["result"]
    eq((result["serverInfo"], result["capabilities"]), ({"name": "test", "version": "1"}, {"tools": {}}))
    assert "instructions" not in result
    eq(initialize(make(instructions="Be kind."))[1]["result"]["instructions"], "Be kind.")


def test_initialize_without_a_version_is_refused():
    for version in (None, 1, [], {}):
        eq(initialize(make(), protocolVersion=version)[1]["error"]["code"], -32602)
    eq(code(make(), request("initialize")), (200, -32602))
    eq(code(make(), request("initialize", {})), (200, -32602))


def test_initialize_bears_any_capabilities_and_an_old_session():
    store = Ram()
    server = make(sessions=store)
    for capabilities in (None, 1, [], {"roots": {"listChanged": True}}, {"x": 1}):
        status, _, id = initialize(server, Peer(b"dead"), capabilities=capabilities)
        eq(status, 200)
        eq(store.find(id, None, b"p", 0).can("roots"), type(capabilities) is dict and "roots" in capabilities)


def test_initialize_opens_a_session_where_there_are_any():
    eq(initialize(make())[2], None)
    for store in (Ram(), Sealed(b"k" * 32)):
        server = make(sessions=store)
        id = initialize(server, protocolVersion="2024-11-05")[2]
        eq(store.find(id, None, b"p", 0).version, "2024-11-05")
        eq(post(server, request("ping"), Peer(id))[0], 200)


def test_a_session_s_headers():
    for store in (Ram(), Sealed(b"k" * 32)):
        server = make(sessions=store)
        id = initialize(server)[2]
        for message in (
            request("ping"),
            request("tools/list"),
            {"jsonrpc": "2.0", "method": "n"},
            {"jsonrpc": "2.0", "id": 1, "result": {}},
        ):
            eq(code(server, message, Peer()), (400, -32600))
            eq(code(server, message, Peer(b"other")), (404, -32600))
            eq(code(server, message, Peer(id, principal=b"q")), (404, -32600))
            assert post(server, message, Peer(id))[0] in (200, 202)
        server.close_session(Peer(id), 0)
        eq(code(server, request("ping"), Peer(id)), (404, -32600))


def test_an_unsupported_version_header_is_refused():
    store = Ram()
    server = make(sessions=store)
    id = initialize(server)[2]
    for version in (b"1999-01-01", b"2026-07-29", b"", b"2025-11-25 x"):
        for message in (
            request("ping"),
            request("initialize", INITIALIZE),
            {"jsonrpc": "2.0", "method": "n"},
        ):
            status, body, _ = post(server, message, Peer(id, version))
            eq((status, body["id"], body["error"]["code"]), (400, message.get("id"), -32600))
            assert "2025-11-25" in body["error"]["message"]
    # Any that is supported is, though another was negotiated.
    for version in LEGACY:
        eq(post(server, request("ping"), Peer(id, version.encode()))[0], 200)


def test_ping():
    for id in (0, 1, -1, "", "a", "é"):
        eq(post(make(), request("ping", id=id)), (200, {"jsonrpc": "2.0", "id": id, "result": {}}, None))
    eq(post(make(), request("ping", {"_meta": {}}))[0], 200)


def test_an_unknown_method_is_an_error_with_status_200():
    for method in ("foo", "tools/run", "", "Ping", "rpc.discover", "notifications/initialized"):
        status, body, _ = post(make(), request(method, id="x"))
        eq((status, body["id"], body["error"]), (200, "x", {"code": -32601, "message": "Method not found"}))


def test_what_asks_for_no_answer_gets_none():
    for message in (
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "method": "unknown"},
        {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "fail"}},
        {"jsonrpc": "2.0", "method": "initialize"},
        {"jsonrpc": "2.0", "id": 7, "result": {}},
        {"jsonrpc": "2.0", "id": "s", "error": {"code": 1, "message": "m"}},
    ):
        eq(
            make().handle(json.dumps(message).encode(), 0, len(json.dumps(message)), Peer(), 0),
            (202, b"", b""),
        )


def test_errors_of_the_envelope_have_a_null_id():
    for text, wanted in (
        ("{", -32700),
        ("", -32700),
        ("{}", -32600),
        ('{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
    ):
        status, body, _ = post(make(), text)
        eq((status, body["id"], body["error"]["code"]), (400, None, wanted))
        eq(set(body), {"jsonrpc", "id", "error"})


def test_a_call_is_answered():
    server = make()
    eq(call(server, "echo", {"text": "héllo"}), {"content": [{"type": "text", "text": "héllo"}]})
    eq(call(server, "add", {"a": "2", "b": 0.5})["content"][0]["text"], "2.5")
    eq(call(server, "fail")["isError"], True)


def test_a_call_that_names_no_tool_is_an_error():
    for params in (
        {"name": "nope"},
        {"name": "Echo", "arguments": {}},
        {"name": ""},
        {"name": "x" * 5000},
        {"name": 'a"b\n'},
    ):
        status, body, _ = post(make(), request("tools/call", params, "id"))
        eq((status, body["id"], body["error"]["code"]), (200, "id", -32602))
        assert body["error"]["message"].startswith("Unknown tool: ") and len(body["error"]["message"]) < 80


def test_a_malformed_call_is_an_error():
    for params in (
        None,
        {},
        {"name": None},
        {"name": 1},
        {"arguments": {}},
        {"name": "echo", "arguments": []},
        {"name": "echo", "arguments": "{}"},
    ):
        eq(code(make(), request("tools/call", params)), (200, -32602))


def test_the_three_refusals_of_a_tool():
    log = Log()
    server = make(log=log)
    eq(refused(server, "add", {"a": -1, "b": 1}), "invalid_arguments: /a: must be >= 0")
    eq(
        refused(server, "echo", {"text": "a" * 51}),
        "invalid_arguments: /text: must have at most 50 characters",
    )
    eq(refused(server, "echo"), "invalid_arguments: /text: is required")
    eq(log.lines, [])
    eq(refused(server, "fail"), "Tool execution failed: broken wire")
    eq(
        [(level, text, str(e)) for level, text, e in log.lines],
        [("error", "tool fail failed", "broken wire")],
    )


def test_a_result_past_the_limit_is_refused():
    server = make([Tool("long", "", Object((("n", Integer()),)), lambda n: "x" * n)], max_result=1000)
    eq(len(call(server, "long", {"n": 900})["content"][0]["text"]), 900)
    assert refused(server, "long", {"n": 1000}).startswith("result_too_large: ")


def broken_handler(*_):
    raise RuntimeError("secret 4711")


def test_a_fault_of_ours_is_an_internal_error_without_details():
    log = Log()
    server = make(log=log)
    for later in (False, True):
        tool = server.get_tools()[0]
        tool.run = broken_handler if not later else broken_later
        status, body, _ = post(server, request("tools/call", {"name": "echo", "arguments": {"text": ""}}))
        eq((status, body["error"]), (200, {"code": -32603, "message": "Internal error"}))
    eq([str(e) for _, _, e in log.lines], ["secret 4711"] * 2)


async def broken_later(*_):
    broken_handler()


async def slowly():
    return "done"


def test_a_coroutine_handler_makes_the_answer_wait():
    server = make([Tool("slow", "", None, slowly)])
    raw = json.dumps(request("tools/call", {"name": "slow"}, "a")).encode()
    reply = server.handle(raw, 0, len(raw), Peer(), 0)
    assert type(reply) is not tuple
    # Another request may come in between: each keeps its id.
    eq(post(server, request("ping", id="b"))[1]["id"], "b")
    status, body, lines = run(reply)
    body = json.loads(joined(body))
    eq((status, lines, body["id"]), (200, b"", "a"))
    eq(body["result"], {"content": [{"type": "text", "text": "done"}]})


def test_the_largest_arguments_are_bounded():
    deep = "[" * 30 + "]" * 30
    eq(
        code(
            make(),
            '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":%s}}}'
            % deep,
        ),
        (400, -32600),
    )
    many = "[" + ",".join(["1"] * 4100) + "]"
    eq(
        code(
            make(),
            '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":%s}}}'
            % many,
        ),
        (400, -32600),
    )
