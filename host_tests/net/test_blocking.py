"""The blocking client over a `requests` that is none; peers/test_client_faults.py has the real one."""

import sys

from harness import eq, raises


class Requests:
    """Stands for the module: answers from a list, and keeps what it was asked."""

    def __init__(self, *replies):
        self.replies = list(replies)
        self.asked = []

    def request(self, method, url, **kwargs):
        self.asked.append((method, url, kwargs))
        reply = self.replies.pop(0)
        for line in reply.lines:
            kwargs["parse_headers"](line, {})
        return reply


class Reply:
    def __init__(self, status, lines, body=b""):
        self.status_code = status
        self.reason = b"R\r\n"
        self.lines = lines
        self.body = body
        self.raw = self
        self.closed = 0

    def read(self, size):
        piece, self.body = self.body[:size], self.body[size:]
        return piece

    def close(self):
        self.closed += 1


def _json(id, result, *lines):
    body = b'{"jsonrpc":"2.0","id":%d,"result":%s}' % (id, result)
    return Reply(200, (b"Content-Type: application/json\r\n",) + lines, body)


_READY = b'{"protocolVersion":"2025-11-25"}'
_ACCEPTED = Reply(202, ())

sys.modules["requests"] = Requests()

from net import blocking  # noqa: E402
from umcp import client_errors as ce  # noqa: E402


def _client(*replies, token="tok", **kwargs):
    module = blocking.requests = Requests(_json(1, _READY, b"Mcp-Session-Id: s1\r\n"), _ACCEPTED, *replies)
    client = blocking.BlockingMcpClient("http://h:8080/mcp/", token, **kwargs)
    eq(client.initialize()["protocolVersion"], "2025-11-25")
    return client, module


def test_a_session():
    client, module = _client(
        _json(2, b'{"tools":[{"name":"t"}]}'), _json(3, b'{"content":[]}'), Reply(200, [])
    )
    eq(client.list_tools(), [{"name": "t"}])
    eq(client.call_tool("t"), {"content": []})
    client.close()
    eq(client.is_initialized(), False)
    eq(
        [(m, u) for m, u, _ in module.asked],
        [("POST", "http://h:8080/mcp")] * 4 + [("DELETE", "http://h:8080/mcp")],
    )
    headers = module.asked[2][2]["headers"]
    eq((headers["Host"], headers["Authorization"], headers["Mcp-Session-Id"]), ("h:8080", "Bearer tok", "s1"))
    assert module.asked[2][2]["timeout"] == 30


def test_every_reply_is_closed():
    replies = [_json(2, b"{}"), Reply(500, []), Reply(200, [b"Content-Type: text/html\r\n"], b"x")]
    client, _ = _client(*replies)
    client.call_tool("t")
    raises(ce.HttpError, client.call_tool, "t")
    raises(ce.WrongContentType, client.call_tool, "t")
    eq([r.closed for r in replies], [1, 1, 1])


def test_a_redirect_ends_inside_requests():
    client, module = _client(Reply(307, [b"Location: http://elsewhere/x\r\n", b"X: y\r\n"]))
    error = raises(ce.HttpError, client.call_tool, "t")
    assert "(redirect to http://elsewhere not followed)" in str(error)
    eq(len(module.asked), 3)


def test_a_body_is_read_up_to_its_length():
    reply = _json(2, b'{"n":1}', b"Content-Length: 41\r\n")
    reply.body += b"garbage"
    eq(_client(reply)[0].call_tool("t"), {"n": 1})


def test_limits():
    client, _ = _client(_json(2, b'"' + b"x" * 2000 + b'"'), max_body=1000)
    raises(ce.TooLarge, client.call_tool, "t")
    stream = Reply(200, [b"Content-Type: text/event-stream\r\n"], b"data: " + b"x" * 200)
    raises(ce.TooLarge, _client(stream, max_event=100)[0].call_tool, "t")


def test_answers_to_the_server_are_posted_at_the_end():
    body = b'data: {"jsonrpc":"2.0","id":9,"method":"ping"}\n\ndata: {"jsonrpc":"2.0","id":2,"result":{}}\n\n'
    stream = Reply(200, [b"Content-Type: text/event-stream\r\n"], body)
    client, module = _client(stream, Reply(500, []))
    eq(client.call_tool("t"), {})
    eq(module.asked[3][2]["data"], b'{"jsonrpc":"2.0","id":9,"result":{}}')


def test_no_token_over_https():
    error = raises(ce.ConfigError, blocking.BlockingMcpClient, "https://h/", "s3cret")
    assert "s3cret" not in str(error)
    blocking.BlockingMcpClient("https://h/")
    raises(ce.ConfigError, blocking.BlockingMcpClient, "http://u:p@h/")
