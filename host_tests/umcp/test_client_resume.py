"""Streams that end before the answer, and go on elsewhere (2025-03-26 to 2025-11-25, transports: resumability)."""

from scripted import ACCEPTED, READY, STREAM, open_session, result_of, run, with_session

from harness import eq
from umcp import client_errors as ce

_ANSWER = b'message {"jsonrpc":"2.0","id":%d,"result":{"ok":1}}\n'
_ENDS = (200, STREAM, b"id e1\nretry 500\n")
_CUT = ce.Disconnected("inside the reply")


def _answer(request_id=2):
    return 200, STREAM, b"id e9\n" + _ANSWER % request_id


def _call(*replies, session=None):
    return run((session or open_session(token="tok")).call_tool("t"), *replies)


def _outcome(*replies):
    session = open_session()
    _, sent, error = _call(*replies, session=session)
    eq(run(session.call_tool("t"), result_of({"ok": 1}))[0], {"ok": 1})
    return error, sent


def test_the_rest_is_fetched_with_the_last_id():
    result, sent, error = _call(_ENDS, _answer())
    eq((result, error), ({"ok": 1}, None))
    rest = sent[1]
    eq((rest.http_method, rest.body, rest.fields), ("GET", b"", b"Last-Event-ID: e1\r\n"))
    eq((rest.wait_ms, rest.plain, rest.idempotent), (500, False, True))
    headers = rest.headers
    eq((headers["Mcp-Session-Id"], headers["MCP-Protocol-Version"], headers["Authorization"]),
       ("s1", "2025-11-25", "Bearer tok"))  # fmt: skip


def test_a_second_is_waited_where_none_is_named_and_a_minute_at_most():
    for retry, wait_ms in ((b"", 1000), (b"retry 0\n", 0), (b"retry 99999999\n", 60000)):
        _, sent, _ = _call((200, STREAM, b"id e1\n" + retry), _answer())
        eq(sent[1].wait_ms, wait_ms)


def test_a_stream_that_is_cut_is_resumed_too():
    session = open_session()
    flow = session.call_tool("t")
    exchange = next(flow)
    exchange.head(200, "", STREAM)
    exchange.feed(b"id e1\nretry 1\n")
    eq(exchange.lost(_CUT), True)
    rest = flow.send(None)
    eq(rest.fields, b"Last-Event-ID: e1\r\n")


def test_a_stream_without_an_id_is_not():
    error, sent = _outcome((200, STREAM, b"retry 5\n"))
    eq((type(error), len(sent)), (ce.NoMatch, 1))
    exchange = next(open_session().call_tool("t"))
    exchange.head(200, "", STREAM)
    eq(exchange.lost(_CUT), False)


def test_an_id_that_is_no_header_is_none():
    for id in (b"a\tb", b"\xc3\xa9", b"x" * 1025):
        error, sent = _outcome((200, STREAM, b"id " + id + b"\n"))
        eq((type(error), len(sent)), (ce.NoMatch, 1))


def test_a_server_may_be_polled_for_long():
    steps = [(200, STREAM, b"id e%d\n" % i) for i in range(50)]
    result, sent, _ = _call(_ENDS, *steps, _answer())
    eq((result, len(sent)), ({"ok": 1}, 52))
    eq((sent[1].fields, sent[2].fields, sent[51].fields),
       (b"Last-Event-ID: e1\r\n", b"Last-Event-ID: e0\r\n", b"Last-Event-ID: e49\r\n"))  # fmt: skip
    eq(sent[51].wait_ms, 500)


def test_tries_end():
    nothing = (200, STREAM, b"")
    for broken in (
        nothing,
        ce.Disconnected("connection failed", 111),
        (503, {}, b""),
        (200, STREAM, b"id e1\n"),
    ):
        error, sent = _outcome(_ENDS, *([broken] * 5))
        eq((type(error), len(sent)), (ce.NoMatch, 6))
    without_end = [(200, STREAM, b"id e%d\n" % i) for i in range(2, 102)]
    error, sent = _outcome(_ENDS, *without_end)
    eq((type(error), len(sent)), (ce.NoMatch, 101))


def test_a_connection_that_fails_in_between():
    result, sent, _ = _call(_ENDS, ce.Disconnected("connection failed", 111), _answer())
    eq((result, len(sent)), ({"ok": 1}, 3))
    eq(sent[2].fields, b"Last-Event-ID: e1\r\n")


def test_a_server_that_does_not_resume():
    for status in (405, 400, 500):
        error, sent = _outcome(_ENDS, (status, {}, b""))
        eq((type(error), len(sent)), (ce.NoMatch, 2))
    error, _ = _outcome(_ENDS, (401, {}, b""))
    eq(type(error), ce.AuthError)


def test_a_session_that_is_gone_is_renewed_by_the_next_call():
    session = open_session()
    _, _, error = _call(_ENDS, (404, {}, b""), session=session)
    eq(type(error), ce.NoMatch)
    _, sent, error = _call(with_session(READY, b"s2"), ACCEPTED, result_of({}), session=session)
    eq((error, sent[2].headers["Mcp-Session-Id"]), (None, "s2"))


def test_an_error_is_an_answer():
    body = b'id e2\nmessage {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no"}}'
    error, _ = _outcome(_ENDS, (200, STREAM, body))
    eq((type(error), str(error)), (ce.RpcError, "Tool call failed: no"))


def test_an_answer_to_another_request_is_none():
    error, _ = _outcome(_ENDS, (200, STREAM, _ANSWER % 1), *([(200, STREAM, b"")] * 4))
    eq(type(error), ce.NoMatch)


def test_listings_resume_too():
    tools = b'id e2\nmessage {"jsonrpc":"2.0","id":2,"result":{"tools":[]}}'
    eq(run(open_session().list_tools(), _ENDS, (200, STREAM, tools))[0], [])
