"""The client's requests of 2026-07-28: what each says of itself, and what becomes of its result."""

from scripted import JSON, STREAM, Lines, discovered, error_of, lines_of, open_modern, result_of, run

from harness import eq
from umcp import client_errors as ce
from umcp import codec
from umcp.client import ClientSession

_META = "io.modelcontextprotocol/"


def _params(exchange):
    return codec.loads(exchange.body)["params"]


def _call(session, *replies, name="t", arguments=None, **kwargs):
    return run(
        session.call_tool(name, {} if arguments is None else arguments), *replies, session=session, **kwargs
    )


def _outcome(*replies):
    """The exception of a call; the session works afterwards."""
    session = open_modern()
    _, _, error = _call(session, *replies)
    eq(_call(session, result_of({"ok": 1}))[0], {"ok": 1})
    return error


def test_each_request_says_all_there_is_to_know():
    session = open_modern(name="me", version="3", token="tok")
    _, sent, _ = _call(session, result_of({"content": []}), arguments={"a": 1})
    meta = {
        _META + "protocolVersion": "2026-07-28",
        _META + "clientInfo": {"name": "me", "version": "3"},
        _META + "clientCapabilities": {},
    }
    wanted = {"name": "t", "arguments": {"a": 1}, "_meta": meta}
    eq(codec.loads(sent[0].body), {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": wanted})
    eq(lines_of(sent[0]), ["Mcp-Method: tools/call", "Mcp-Name: t"])
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    headers["Authorization"] = "Bearer tok"
    headers["MCP-Protocol-Version"] = "2026-07-28"
    eq(sent[0].headers, headers)
    _, sent, _ = run(session.list_tools(), result_of({"tools": []}))
    eq((lines_of(sent[0]), _params(sent[0])), (["Mcp-Method: tools/list"], {"_meta": meta}))
    eq(run(session.close()), (None, [], None))


def test_a_session_id_is_neither_kept_nor_sent():
    session = open_modern()
    status, headers, body = result_of({"tools": []})
    headers = {b"content-type": b"application/json", b"mcp-session-id": b"s1"}
    run(session.list_tools(), (status, headers, body))
    _, sent, _ = _call(session, result_of({}))
    eq("Mcp-Session-Id" in sent[0].headers, False)


def test_names_that_are_no_header_are_coded():
    for name, value in (("a b", "a b"), (" a", "=?base64?IGE=?="), ("\u4e16", "=?base64?5LiW?="),
                        ("a\r\nX: y", "=?base64?YQ0KWDogeQ==?=")):  # fmt: skip
        session = open_modern()
        for _ in range(2):
            _, sent, _ = _call(session, result_of({}), name=name)
            eq(lines_of(sent[0]), ["Mcp-Method: tools/call", "Mcp-Name: " + value])


def test_the_headers_of_a_tool_are_made_once_and_of_few_tools():
    session = open_modern()
    heads = [_call(session, result_of({}), name=name)[1][0].fields for name in ("t", "t", "u")]
    eq((heads[0] is heads[1], heads[0] == heads[2]), (True, False))
    for i in range(200):
        _call(session, result_of({}), name="t%d" % i)
    assert len(session.modern._fields) <= 64


def test_result_types():
    for result in ({"n": 1}, {"n": 1, "resultType": "complete"}):
        eq(_call(open_modern(), result_of(result))[0], result)
    for kind in ("later", None, 1, "input_required"):
        error = _outcome(result_of({"n": 1, "resultType": kind}))
        eq(isinstance(error, ce.InvalidResponse), True)
    _, _, error = run(
        open_modern().list_tools(), result_of({"resultType": "input_required", "requestState": "s"})
    )
    eq(str(error), "Invalid JSON-RPC response: resultType")
    eq(isinstance(_outcome(result_of([])), ce.InvalidResponse), True)


def test_a_refused_tool():
    error = _outcome(result_of({"isError": True, "content": [{"type": "text", "text": "off: no"}]}))
    eq((type(error), error.code), (ce.ToolFailed, "off"))


def test_errors_are_told_by_their_code_and_not_by_their_status():
    for status in (200, 400, 404, 500):
        error = _outcome(error_of(-32602, status, data={"a": 1}))
        eq(
            (type(error), error.code, str(error), error.data),
            (ce.RpcError, -32602, "Tool call failed: no", {"a": 1}),
        )
    error = _outcome(error_of(-32601, 401))
    eq((type(error), error.error["code"]), (ce.AuthError, -32601))
    body = b'{"jsonrpc":"2.0","id":"2","error":{"code":-32602,"message":"no"}}'
    eq(type(_outcome_of_strange((403, JSON, body))), ce.AuthError)


def _outcome_of_strange(reply):
    return _call(open_modern(), reply)[2]


def test_ids_are_equal_in_value_and_type():
    for id in (b'"2"', b"2.0", b"true", b"3"):
        body = b'{"jsonrpc":"2.0","id":%s,"result":{}}' % id
        eq(type(_outcome((200, JSON, body))), ce.IdMismatch)
        eq(type(_outcome((200, STREAM, b"message " + body))), ce.NoMatch)


def test_a_call_is_not_sent_a_second_time():
    for reply, kind in (
        ((200, STREAM, b"id 7\nmessage {}"), ce.NoMatch),
        ((200, STREAM, b""), ce.NoMatch),
        ((500, {}, b""), ce.HttpError),
        ((503, {}, b""), ce.Busy),
        ((202, {}, b""), ce.Malformed),
        (ce.Disconnected("inside the reply"), ce.Disconnected),
        (error_of(-32021, 400, data={"requiredCapabilities": {"sampling": {}}}), ce.RpcError),
        (error_of(-32603), ce.RpcError),
    ):
        eq(type(_outcome(reply)), kind)


def test_a_stream_is_not_resumed():
    session = open_modern()
    exchange = next(session.call_tool("t"))
    exchange.head(200, "", STREAM)
    exchange.feed(b"id 7\nretry 1\n")
    eq(exchange.lost(ce.Disconnected("inside the reply")), False)
    exchange.eof()
    eq(exchange.last_id, b"")


def test_requests_on_a_stream_are_not_answered():
    session = open_modern(callbacks={"on_elicit": lambda params: 1 // 0})
    asked = b'message {"jsonrpc":"2.0","id":1,"method":"%s","params":{}}\n'
    answer = b'message {"jsonrpc":"2.0","id":2,"result":{"ok":1}}'
    body = asked % b"ping" + asked % b"elicitation/create" + asked % b"roots/list" + answer
    posted = []
    eq(_call(session, (200, STREAM, body), posted=posted)[0], {"ok": 1})
    eq(posted, [])


def test_cancelling_says_nothing():
    eq(list(open_modern().cancel(7)), [])


def test_a_version_that_is_refused_in_the_middle():
    refusal = error_of(-32022, 400, data={"supported": ["2026-07-28"]})
    session = open_modern()
    result, sent, error = _call(session, refusal, result_of({"ok": 1}))
    eq((result, error, [x.id for x in sent]), ({"ok": 1}, None, [2, 3]))
    _, sent, error = _call(session, refusal, refusal)
    eq((error.code, len(sent)), (-32022, 2))


def test_a_header_mismatch_lists_the_tools_and_is_sent_once_more():
    schema = {"type": "object", "properties": {"r": {"type": "string", "x-mcp-header": "Region"}}}
    tools = result_of({"tools": [{"name": "t", "inputSchema": schema}]})
    session = open_modern()
    result, sent, _ = _call(
        session, error_of(-32020, 400), tools, result_of({"ok": 1}), arguments={"r": "eu"}
    )
    eq(result, {"ok": 1})
    eq([codec.loads(x.body)["method"] for x in sent], ["tools/call", "tools/list", "tools/call"])
    eq([lines_of(x)[2:] for x in sent], [[], [], ["Mcp-Param-Region: eu"]])
    _, sent, error = _call(session, error_of(-32020, 400), tools, error_of(-32020, 400))
    eq((error.code, len(sent)), (-32020, 3))
    _, sent, error = run(session.list_tools(), error_of(-32020, 400))
    eq((error.code, len(sent)), (-32020, 1))


def test_the_level_of_messages_is_said_by_each_request():
    session = open_modern()
    from umcp.client_methods import set_log_level

    eq(run(set_log_level(session, "info"))[1:], ([], None))
    _, sent, _ = _call(session, result_of({}))
    eq(_params(sent[0])["_meta"][_META + "logLevel"], "info")


def test_a_schema_is_not_fetched_and_stays_as_it_is():
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"a": {"$anchor": "a", "type": "string"}},
        "properties": {"p": {"$ref": "http://127.0.0.1:9/canary.json"}, "q": {"$ref": "#a"}},
        "allOf": [{"if": {"required": ["p"]}, "then": {"required": ["q"]}, "else": {}}],
        "additionalProperties": False,
    }
    tools, sent, _ = run(
        open_modern().list_tools(), result_of({"tools": [{"name": "t", "inputSchema": schema}]})
    )
    eq((tools[0]["inputSchema"], len(sent)), (schema, 1))


def test_discover_may_come_in_a_stream():
    session = ClientSession(Lines, only=None)
    made = discovered()[2]
    reply = (200, STREAM, lambda request: b"id 1\nmessage " + made(request))
    eq((run(session.initialize(), reply)[2], session.era), (None, "modern"))
