"""The modern era (2026-07-28): what belongs to it, the order of its checks, and what its results have more."""

import json

from modernity import META, VERSION, Line, ask, modern, peer_of
from serving import Peer, code, make, post, request

import umcp.server
from harness import eq, raises
from umcp.errors import LocalError
from umcp.ram import Ram
from umcp.tool import Tool
from umcp.types import Boolean, Integer, Object, String
from umcp.version import MODERN

IDENTITY = {META + "serverInfo": {"name": "test", "version": "1"}}


def result(message, server=None, peer=None):
    status, body, session = post(server or make(), message, peer or peer_of(message))
    eq((status, session), (200, None))
    return body["result"]


def refused(message, peer=None, server=None):
    """(status, code) of a request whose id is echoed."""
    status, body, _ = post(server or make(), message, peer or peer_of(message))
    eq(body["id"], message.get("id"))
    return status, body["error"]["code"]


def without(message, name):
    del message["params"]["_meta"][META + name]
    return message


def test_the_version_in_meta_makes_a_request_modern_whatever_else_it_is():
    eq(result(modern("tools/list"))["resultType"], "complete")
    # initialize is no method of this era, and a session id says nothing.
    eq(refused(modern("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}})), (404, -32601))
    server = make(sessions=Ram())
    message = modern("tools/list")
    peer = peer_of(message)
    peer.session_id = b"nobody"
    eq(result(message, server, peer)["resultType"], "complete")


def test_the_header_alone_makes_it_modern_too():
    for message in (
        request("tools/list"),
        request("tools/list", {}),
        request("tools/list", {"_meta": {}}),
        request("tools/list", {"_meta": {"progressToken": 1}}),
        request("tools/list", {"_meta": 5}),
        request("initialize", {"protocolVersion": VERSION}),
    ):
        eq(refused(message, peer_of(message)), (400, -32602))


def test_neither_makes_it_legacy():
    for version in (None, b"2025-11-25", b"2025-06-18"):
        status, body, _ = post(
            make(), request("tools/list", {"_meta": {"progressToken": 1}}), Peer(None, version)
        )
        eq((status, set(body["result"])), (200, {"tools"}))
    eq(code(make(), request("ping"), Peer(None, b"2026-07-29")), (400, -32600))


def test_a_version_that_is_no_string_is_refused():
    for version in (None, 1, [], {}, True):
        message = modern("tools/list")
        message["params"]["_meta"][META + "protocolVersion"] = version
        eq(refused(message), (400, -32602))


def test_the_header_must_say_the_version_of_the_body():
    message = modern("tools/list")
    for version in (None, "2025-11-25", "2026-07-29", VERSION + "x"):
        eq(refused(message, peer_of(message, version)), (400, -32020))
    message["params"]["_meta"][META + "protocolVersion"] = "2025-11-25"
    eq(refused(message), (400, -32020))


def test_an_unknown_version_is_told_what_is_supported():
    for version in ("2025-11-25", "2027-01-01", "x"):
        message = modern("tools/list")
        message["params"]["_meta"][META + "protocolVersion"] = version
        status, body, _ = post(make(), message, peer_of(message, version))
        eq((status, body["error"]["code"]), (400, -32022))
        eq(body["error"]["data"], {"supported": [VERSION], "requested": version})


def test_the_client_s_capabilities_are_needed_and_its_name_is_not():
    eq(refused(without(modern("tools/list"), "clientCapabilities")), (400, -32602))
    for capabilities in (1, [], "x"):
        message = modern("tools/list")
        message["params"]["_meta"][META + "clientCapabilities"] = capabilities
        eq(refused(message), (400, -32602))
    assert META + "clientInfo" not in modern("tools/list")["params"]["_meta"]


def test_mcp_method_must_be_the_method_to_the_letter():
    message = modern("tools/list")
    for method in (None, b"", b"tools/call", b"Tools/List", b"tools/list "):
        peer = peer_of(message)
        peer.mcp_method = method
        eq(refused(message, peer), (400, -32020))


def test_a_method_that_is_not_there_is_404():
    for method in (
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "tasks/get",
        "x",
    ):
        eq(refused(modern(method)), (404, -32601))
    # Nothing is listed that the capabilities do not name, and nobody listens where no change is told.
    for method in ("resources/list", "resources/read", "prompts/list", "completion/complete"):
        eq(refused(modern(method)), (404, -32601))
    eq(refused(modern("subscriptions/listen", {"notifications": {}})), (404, -32601))


def test_mcp_name_must_be_the_name():
    message = modern("tools/call", {"name": "echo", "arguments": {"text": "a"}})
    eq(result(message)["content"][0]["text"], "a")
    for name in (None, b"", b"Echo", b"echo ", b"=?base64?ZWNobw=?=", b"=?base64?!?=", b"=?base64?eA==?="):
        peer = peer_of(message)
        peer.mcp_name = name
        eq(refused(message, peer), (400, -32020))
    peer = peer_of(message)
    peer.mcp_name = b"=?base64?ZWNobw==?="
    eq(result(message, peer=peer)["content"][0]["text"], "a")


def test_a_name_past_ascii_comes_in_base64():
    message = modern("tools/call", {"name": "\u4e16", "arguments": {}})
    peer = peer_of(message)
    peer.mcp_name = b"=?base64?5LiW?="
    eq(refused(message, peer), (200, -32602))  # The header is right; there is no such tool.
    peer.mcp_name = b"=?base64?5LiX?="
    eq(refused(message, peer), (400, -32020))


def test_a_call_without_a_name_is_refused_for_that():
    for params in ({}, {"name": 1}, {"name": None}, {"name": "echo", "arguments": []}):
        message = modern("tools/call", params)
        eq(refused(message), (200, -32602))


def test_the_log_level_and_the_progress_token_are_checked():
    for level in ("loud", 1, None, {}):
        message = modern("tools/list")
        message["params"]["_meta"][META + "logLevel"] = level
        eq(refused(message), (400, -32602))
    message = modern("tools/list")
    message["params"]["_meta"][META + "logLevel"] = "debug"
    assert "tools" in result(message)
    for token in (None, 1.5, [], {}, True):
        eq(refused(modern("tools/list", progressToken=token)), (200, -32602))
    for token in (0, "", "x"):
        assert "tools" in result(modern("tools/list", progressToken=token))


def test_names_in_meta_may_be_written_with_escapes():
    message = json.dumps(modern("tools/list"))
    assert "protocolVersion" in message
    raw = message.replace("protocolVersion", "protocol\\u0056ersion").replace("2026", "\\u0032026")
    status, body, _ = post(make(), raw, peer_of(modern("tools/list")))
    eq((status, body["result"]["resultType"]), (200, "complete"))
    # Such a _meta is written anew, and a number may be none that we can write.
    raw = raw.replace('"_meta": {', '"_meta": {"x": 1e999, ')
    assert "1e999" in raw
    eq(code(make(), raw, peer_of(modern("tools/list"))), (400, -32600))


def test_every_result_has_its_type_and_who_answers():
    for message in (
        modern("server/discover"),
        modern("tools/list"),
        modern("tools/call", {"name": "echo", "arguments": {"text": "a"}}),
        modern("tools/call", {"name": "fail", "arguments": {}}),
        modern("tools/call", {"name": "echo", "arguments": {}}),
    ):
        seen = result(message)
        eq((seen["resultType"], seen["_meta"]), ("complete", IDENTITY))


def test_only_what_may_be_kept_says_how_long():
    for message, kept in (
        (modern("server/discover"), True),
        (modern("tools/list"), True),
        (modern("tools/call", {"name": "echo", "arguments": {"text": "a"}}), False),
    ):
        seen = result(message)
        eq(("ttlMs" in seen, "cacheScope" in seen), (kept, kept))
        if kept:
            assert type(seen["ttlMs"]) is int and seen["ttlMs"] >= 0
            eq(seen["cacheScope"], "private")


def test_the_cache_scope_is_the_same_on_all_pages():
    server = make(max_result=620)
    cursors = [None]
    while cursors[-1] or len(cursors) == 1:
        seen = result(modern("tools/list", {"cursor": cursors[-1]} if cursors[-1] else {}), server)
        eq((seen["cacheScope"], seen["ttlMs"], len(seen["tools"])), ("private", 60000, 1))
        cursors.append(seen.get("nextCursor"))
    eq(len(cursors), 4)


def test_discover_tells_what_the_server_can_do():
    seen = result(modern("server/discover"))
    eq((seen["supportedVersions"], seen["capabilities"]), ([VERSION], {"tools": {}}))
    for name in ("serverInfo", "protocolVersion", "instructions"):
        assert name not in seen
    seen = result(modern("server/discover"), make(instructions="Be kind.", streams=1))
    eq((seen["capabilities"], seen["instructions"]), ({"tools": {"listChanged": True}}, "Be kind."))


def test_the_same_requests_in_the_legacy_era_have_none_of_that():
    server = make()
    for message in (
        request("tools/list"),
        request("tools/call", {"name": "echo", "arguments": {"text": "a"}}),
    ):
        seen = post(server, message)[1]["result"]
        assert not set(seen) & {"resultType", "ttlMs", "cacheScope", "_meta"}, seen


def test_a_notification_is_taken_and_a_response_or_a_batch_refused():
    notification = modern("notifications/cancelled", {"requestId": 1})
    del notification["id"]
    response = {"jsonrpc": "2.0", "id": 1, "result": {}}
    for peer in (Peer(None, VERSION.encode()), Peer()):
        eq(post(make(sessions=Ram()), notification, peer)[:2], (202, None))
    peer = Peer(None, VERSION.encode())
    eq(post(make(), {"jsonrpc": "2.0", "method": "x"}, peer)[:2], (202, None))
    eq(code(make(), response, peer), (400, -32600))
    eq(code(make(), [modern("tools/list")], peer), (400, -32600))


def test_a_request_on_a_line_has_no_headers_to_check():
    line = Line()
    seen = result(modern("tools/list"), peer=line)
    eq(seen["resultType"], "complete")
    eq(refused(modern("ping"), line)[1], -32601)
    message = modern("tools/list")
    message["params"]["_meta"][META + "protocolVersion"] = "2025-11-25"
    eq(refused(message, line)[1], -32022)
    # The legacy session of the line goes on beside it.
    server = make()
    assert (
        "protocolVersion"
        in post(server, request("initialize", {"protocolVersion": "2025-06-18"}), line)[1]["result"]
    )
    eq(result(modern("tools/list"), server, line)["resultType"], "complete")
    eq(post(server, request("ping"), line)[1]["result"], {})


# Headers that repeat arguments.

SCHEMA = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "level": {"type": "integer", "x-mcp-header": "Level"},
        "deep": {"type": "object", "properties": {"dry": {"type": "boolean", "x-mcp-header": "Dry"}}},
    },
}


def call_with(arguments, **fields):
    server = make([Tool("put", "", SCHEMA, lambda extra=None, **given: "put")])
    message = modern("tools/call", {"name": "put", "arguments": arguments})
    peer = peer_of(message)
    given = {b"mcp-param-" + name.encode(): value for name, value in fields.items()}
    peer.header = given.get
    status, body, _ = post(server, message, peer)
    return body["result"]["content"][0]["text"] if status == 200 else (status, body["error"]["code"])


def test_an_argument_with_a_header_is_repeated_in_it():
    eq(call_with({"region": "eu"}, region=b"eu"), "put")
    eq(call_with({"region": "\u4e16"}, region=b"=?base64?5LiW?="), "put")
    eq(call_with({"level": 3}, level=b"3"), "put")
    eq(call_with({"deep": {"dry": True}}, dry=b"true"), "put")
    eq(call_with({"region": "", "deep": {"dry": False}}, region=b"", dry=b"false"), "put")
    # Half of a sentinel is a value like any other.
    eq(call_with({"region": "=?base64?x"}, region=b"=?base64?x"), "put")


def test_an_absent_argument_needs_no_header():
    eq(call_with({}), "put")
    eq(call_with({"deep": {}}), "put")


def test_a_header_that_is_missing_or_says_otherwise_is_refused():
    for arguments, fields in (
        ({"region": "eu"}, {}),
        ({"region": "eu"}, {"region": b"us"}),
        ({"region": "eu"}, {"region": b"EU"}),
        ({"region": "eu"}, {"region": b"=?base64?ZXU?="}),
        ({"region": "eu"}, {"region": b"=?base64?ZX!U=?="}),
        ({"level": 3}, {"level": b"4"}),
        ({"level": 3}, {"level": b"three"}),
        ({"deep": {"dry": True}}, {"dry": b"True"}),
        ({"deep": {"dry": True}}, {"dry": b"1"}),
    ):
        eq(call_with(arguments, **fields), (400, -32020))


def test_a_header_on_what_cannot_have_one_is_refused_at_registration():
    for bad in (
        {"a": {"type": "number", "x-mcp-header": "A"}},
        {"a": {"type": "string", "x-mcp-header": ""}},
        {"a": {"type": "string", "x-mcp-header": "a b"}},
        {"a": {"type": "string", "x-mcp-header": "A"}, "b": {"type": "string", "x-mcp-header": "a"}},
    ):
        raises(LocalError, make, [Tool("t", "", {"type": "object", "properties": bad}, int)])


def test_a_tool_without_such_headers_is_not_looked_at():
    made = Tool("t", "", Object((("a", String()), ("b", Integer()), ("c", Boolean()))), int)
    make([made])
    eq(made.headers, ())


async def test_what_waits_stops_with_its_client_in_this_era_only():
    async def later():
        return "done"

    server = make([Tool("later", "", None, later)])
    message = modern("tools/call", {"name": "later"})
    peer = peer_of(message)
    eq((await ask(server, message, peer))[1]["result"]["content"][0]["text"], "done")
    eq(peer.stops_with_peer, True)
    peer = Peer()
    eq((await ask(server, request("tools/call", {"name": "later"}), peer))[0], 200)
    eq(peer.stops_with_peer, False)


def test_a_meta_that_was_sound_before_excuses_nothing_else():
    server = make()
    message = modern("tools/call", {"name": "echo", "arguments": {"text": "a"}})
    for _ in range(3):
        eq(result(message, server)["content"][0]["text"], "a")
        for change, wanted in (
            ({"protocol_version": None}, (400, -32020)),
            ({"protocol_version": b"2025-11-25"}, (400, -32020)),
            ({"mcp_method": None}, (400, -32020)),
            ({"mcp_method": b"tools/list"}, (400, -32020)),
            ({"mcp_name": None}, (400, -32020)),
            ({"mcp_name": b"add"}, (400, -32020)),
        ):
            peer = peer_of(message)
            for name, value in change.items():
                setattr(peer, name, value)
            eq(refused(message, peer, server), wanted)
        for method, wanted in (("ping", (404, -32601)), ("initialize", (404, -32601)), ("x", (404, -32601))):
            eq(refused(modern(method), None, server), wanted)
        for _ in range(2):
            eq(refused(modern("tools/list", progressToken=1.5), None, server), (200, -32602))
            eq(refused(without(modern("tools/list"), "clientCapabilities"), None, server), (400, -32602))
            eq(refused(without(modern("tools/list"), "protocolVersion"), None, server), (400, -32602))
        notification = modern("tools/list")
        del notification["id"]
        eq(post(server, notification, peer_of(modern("tools/list")))[:2], (202, None))
        # Nor does it cost memory without a bound.
        assert "tools" in result(modern("tools/list", filler="x" * 2000), server)
        assert len(server.modern._sound) <= 512


def test_a_request_without_meta_is_refused_whatever_was_sound_before():
    list_all = modern("tools/list")
    bare = json.dumps(list_all)[:-1] + ', "params": {}}'
    for first in (modern("tools/list", filler="x" * 2000), list_all):
        server = make()
        assert "tools" in result(first, server)
        for message in (request("tools/list"), request("tools/list", {}), bare):
            eq(code(server, message, peer_of(list_all)), (400, -32602))


def test_the_modern_version_is_one_wherever_it_is_written():
    eq(MODERN, VERSION)
    # A private constant leaves no name behind on MicroPython.
    eq(getattr(umcp.server, "_MODERN", MODERN.encode()), MODERN.encode())
