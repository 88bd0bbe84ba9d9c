"""What each reply means to the client: JSON, event streams, refusals, and what is none of them."""

from scripted import JSON, STREAM, call, open_session, outcome, result_of

from harness import eq
from umcp import client_errors as ce
from umcp import codec


def _body_of(**changes):
    def body(request):
        made = {"jsonrpc": "2.0", "id": request["id"], "result": {}}
        for key, value in changes.items():
            made[key] = value
        return codec.dumps({k: v for k, v in made.items() if v != "absent"})

    return 200, JSON, body


def test_ids_are_equal_in_value_and_type():
    for id in ("2", 3, True, 2.0, None, "absent", [2], -2):
        error = outcome(_body_of(id=id))
        eq((type(error), str(error)), (ce.IdMismatch, "Response ID mismatch"))


def test_what_is_no_response():
    for reply in (
        _body_of(jsonrpc="1.0"),
        _body_of(jsonrpc="absent"),
        _body_of(error={"code": 1, "message": "x"}),
        _body_of(result="absent"),
        _body_of(result="absent", error="x"),
        _body_of(result="absent", error={"code": "1", "message": "x"}),
        _body_of(result="absent", error={"code": True, "message": "x"}),
        _body_of(result="absent", error={"code": 1}),
        _body_of(result="absent", error=None),
        (200, JSON, b"[]"),
        (200, JSON, b"1"),
        (200, JSON, b"null"),
    ):
        error = outcome(reply)
        eq((type(error), str(error)), (ce.InvalidResponse, "Invalid JSON-RPC response"))
    for result in (None, [], 1, "x"):
        assert isinstance(outcome(_body_of(result=result)), ce.InvalidResponse)


def test_what_is_no_json():
    for body in (b"hello", b'{"jsonrpc":', b"\xff\xfe", b'{"a":NaN}', b'{"yaw":10 20}'):
        eq(str(outcome((200, JSON, body))), "Malformed response: not JSON")
    eq(type(outcome((200, JSON, b"[" * 100 + b"]" * 100))), ce.TooLarge)


def test_no_answer_to_a_request_is_an_error_at_once():
    for status in (202, 204):
        eq(
            str(outcome((status, {}, b""))),
            "Malformed response: no answer to a request (status %d)" % status,
        )
    eq(str(outcome((200, JSON, b""))), "Malformed response: empty")
    eq(str(outcome((200, {b"content-length": b"0"}, b""))), "Malformed response: empty")


def test_media_types():
    for kind in (b"application/json", b"Application/JSON", b"application/json; charset=utf-8"):
        eq(call((200, {b"content-type": kind}, result_of({})[2]))[2], None)
    for kind, name in (
        (b"text/html; x=y", "text/html"),
        (b"application/jsonx", "application/jsonx"),
        (None, "none"),
    ):
        error = outcome((200, {b"content-type": kind}, b"{}"))
        eq((type(error), str(error)), (ce.WrongContentType, "Wrong content type: " + name))


def test_statuses():
    for status, kind in ((400, ce.HttpError), (401, ce.AuthError), (403, ce.AuthError), (405, ce.HttpError),
                         (429, ce.Busy), (500, ce.HttpError), (503, ce.Busy)):  # fmt: skip
        error = outcome((status, {}, b"x"))
        eq((type(error), str(error), error.status), (kind, "HTTP error: %d R" % status, status))
    assert issubclass(ce.AuthError, ce.HttpError)


def test_retry_after():
    for value, seconds in ((b"7", 7), (b"Wed, 21 Oct 2026 07:28:00 GMT", None), (None, None), (b"-1", None)):
        eq(outcome((429, {b"retry-after": value}, b"")).retry_after, seconds)


def test_an_http_error_keeps_the_rpc_error_of_its_body():
    body = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}'
    eq(outcome((400, JSON, body)).error, {"code": -32600, "message": "x"})
    for other in (b"", b"x", b"[]", b'{"error":"not_found"}'):
        eq(outcome((400, JSON, other)).error, None)


def test_redirects_are_not_followed():
    session = open_session(redirect=lambda location: " to " + location.decode())
    eq(str(outcome((302, {b"location": b"x"}, b""), session=session)), "HTTP error: 302 R to x")


def _stream(*events):
    def body(request):
        answer = {"jsonrpc": "2.0", "id": request["id"], "result": {"ok": 1}}
        made = [dict(answer, **e) if isinstance(e, dict) else e for e in events]
        return b"\n".join([b"message " + codec.dumps(e) if isinstance(e, dict) else e for e in made])

    return 200, STREAM, body


def test_the_first_message_with_our_id_is_the_answer():
    notice = b'message {"jsonrpc":"2.0","method":"notifications/message","params":{}}'
    for events in (
        ({},),
        (notice, {}),
        ({"id": 99}, {"id": "2"}, {"id": True}, {}, {"id": 2, "result": {}}),
        (b"ping hello", b"endpoint {}", {}),
        (b"message keep-alive", b"message []", {}),
    ):
        eq(call(_stream(*events))[0], {"ok": 1})


def test_a_stream_without_an_answer():
    for events in ((), ({"id": 99},), (b"message [DONE]", {}), (b"ping {}",)):
        error = outcome(_stream(*events))
        eq((type(error), str(error)), (ce.NoMatch, "No matching response received in SSE stream"))
    eq(str(outcome(_stream(b"message hello"))), "Malformed response: not JSON")
    eq(type(outcome(_stream({"jsonrpc": "1.0"}))), ce.InvalidResponse)


def test_requests_of_the_server_are_answered():
    session = open_session()
    flow = session.call_tool("t")
    exchange = next(flow)
    exchange.head(200, "", STREAM)
    replies = exchange.feed(b'message {"jsonrpc":"2.0","id":"p","method":"ping"}\n'
                            b'message {"jsonrpc":"2.0","id":7,"method":"roots/list"}\n'
                            b'message {"jsonrpc":"2.0","id":null,"method":"ping"}\n'
                            b'message {"jsonrpc":"2.0","method":"notifications/progress"}\n')  # fmt: skip
    eq([codec.loads(r) for r in replies], [
        {"jsonrpc": "2.0", "id": "p", "result": {}},
        {"jsonrpc": "2.0", "id": 7, "error": {"code": -32601, "message": "Method not found"}},
    ])  # fmt: skip
    posted = session.answer_exchange(replies[0])
    eq((posted.http_method, posted.id, posted.headers["Mcp-Session-Id"]), ("POST", None, "s1"))
    assert not exchange.done


def test_nothing_counts_behind_the_answer():
    exchange = next(open_session().call_tool("t"))
    exchange.head(200, "", STREAM)
    exchange.feed(
        b'message {"jsonrpc":"2.0","id":2,"result":{"n":1}}\nmessage {"jsonrpc":"2.0","id":"p","method":"ping"}\n'
    )
    eq(exchange.done, True)
    eq(exchange.feed(b'message {"jsonrpc":"2.0","id":"p","method":"ping"}\n'), [])
    exchange.eof()
    eq(exchange.outcome(), {"n": 1})


def test_a_document_in_pieces():
    body = b'{"jsonrpc":"2.0","id":2,"result":{"n":1}}'
    for i in range(1, len(body)):
        exchange = next(open_session().call_tool("t"))
        exchange.head(200, "", JSON)
        for piece in (body[:i], body[i : i + 1], body[i + 1 :]):
            eq(exchange.feed(piece), ())
        eq(exchange.cut(), True)
        exchange.eof()
        eq(exchange.outcome(), {"n": 1})
    exchange = next(open_session().call_tool("t"))
    exchange.head(200, "", JSON)
    eq(exchange.cut(), False)
    exchange.feed(body[:-1])
    eq(exchange.cut(), False)


def test_the_token_is_in_no_text():
    session = open_session(token="s3cret")
    leak = b'{"jsonrpc":"2.0","id":%d,"error":{"code":1,"message":"bad s3cret"}}'
    replies = [
        (200, JSON, lambda request: leak % request["id"]),
        (200, {b"content-type": b"text/s3cret"}, b""),
        (200, JSON, lambda request: codec.dumps({"jsonrpc": "2.0", "id": request["id"], "result": {
            "isError": True, "content": [{"text": "s3cret: s3cret"}]}})),
    ]  # fmt: skip
    for reply in replies:
        error = outcome(reply, session=session)
        assert "s3cret" not in str(error) and "s3cret" not in repr(error), repr(error)
    exchange = next(session.call_tool("t"))
    exchange.head(401, "not s3cret", {})
    eq(str(exchange.error), "HTTP error: 401 not ***")
    assert "s3cret" not in repr(session) + repr(exchange)
