"""What the stub remembers of requests changes no answer: one that remembers says what one says that does not."""

import json

import pytest

from kit.playing import META
from kit.served import DUMMY
from stub.fixture import Fixture
from tsumiki.known_heads import KnownHeads
from tsumiki.pipeline import Channel, Exchange
from tsumiki.stub_responder import StubResponder
from umcp.peer import Peer

STATEFUL = {
    "schema": "tsumiki/fixture-v1",
    "tools": [
        {
            "name": "turns",
            "inputSchema": {"type": "object"},
            "sequence": [{"result": {"content": [{"type": "text", "text": word}]}} for word in "abc"],
        },
        {
            "name": "twice",
            "inputSchema": {"type": "object"},
            "cases": [{"when": {}, "times": 2, "error": {"code": 1, "message": "busy"}}],
        },
        {
            "name": "mirrored",
            "inputSchema": {"type": "object", "properties": {"a": {"type": "string", "x-mcp-header": "A"}}},
        },
    ],
}


class HttpPeer(Peer):
    headed = True

    def __init__(self, session_id=None, version=None, method=None, name=None, fields=()):
        self.session_id = session_id
        self.protocol_version = version
        self.mcp_method = method
        self.mcp_name = name
        self._fields = dict(fields)

    def header(self, name):
        return self._fields.get(name)


class Forgets:
    """In the place of `KnownCalls`."""

    def find(self, *given):
        return None

    def learn(self, *given):
        return None


class Pair:
    """Two responders of one fixture, of which one remembers."""

    def __init__(self, document, **options):
        self.remembers = StubResponder(Fixture(document), **options)
        self.forgets = StubResponder(Fixture(document), **options)
        self.forgets._known = Forgets()

    def ask(self, message, peer=HttpPeer):
        """The answer, which must be that of both."""
        raw = message if isinstance(message, bytes) else json.dumps(message).encode()
        seen = []
        for responder in (self.remembers, self.forgets):
            exchange = Exchange(raw, "http", peer(), Channel())
            action = responder.at_once(exchange)
            headers = [name for name, _ in action.headers]
            seen.append(
                (action.status, json.loads(action.raw) if action.raw else None, headers, exchange.notes)
            )
        assert seen[0] == seen[1], message
        return seen[0]

    def known(self):
        return len(self.remembers._known._known)


def call(id, name, **arguments):
    return {
        "jsonrpc": "2.0",
        "id": id,
        "method": "tools/call",
        "params": {"name": name, "arguments": arguments},
    }


def text(answer):
    return answer[1]["result"]["content"][0]["text"]


def test_the_same_call_with_another_id_gets_the_same_answer():
    pair = Pair(json.loads(DUMMY.read_text("utf-8")))
    for id in (1, 2, 30, 400, 1):
        answer = pair.ask(call(id, "echo", text="hello"))
        assert answer[1]["id"] == id and text(answer) == "Echo: hello" and answer[3] == {"case": 1}
    assert pair.known() == 1
    for other in ("hell", "hello", ""):
        pair.ask(call(5, "echo", text=other))
    assert pair.known() == 3


def test_what_may_change_is_not_remembered():
    pair = Pair(STATEFUL)
    assert [text(pair.ask(call(i, "turns"))) for i in range(1, 5)] == ["a", "b", "c", "c"]
    assert pair.known() == 0
    assert ["error" in pair.ask(call(i, "twice"))[1] for i in range(1, 6)] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert pair.known() == 1  # what comes after the two stays


def test_an_error_is_not_remembered_and_stays_one():
    pair = Pair(json.loads(DUMMY.read_text("utf-8")))
    for id in (1, 2):
        assert pair.ask(call(id, "none"))[1]["error"]["code"] == -32602
    assert pair.known() == 0


# The id of the message, and nothing that looks like one.
@pytest.mark.parametrize("raw", [
    b'{"jsonrpc":"2.0","method":"ping","id":%d}',
    b'{"jsonrpc":"2.0","id": %d ,"method":"ping"}',
    b'{"params":{"name":"echo","arguments":{"text":"hello","id":3}},"method":"tools/call","jsonrpc":"2.0","id":%d}',
    b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","arguments":{"id":%d}},"id":"x"}',
    b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","arguments":{"id":%d}},"\\u0069d":7}',
    b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","arguments":{"id":%d}}}',
    b'{"jsonrpc":"2.0","id":%d,"method":"ping","id":8}',
    b'{"jsonrpc":"2.0","id":-%d,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":%d.5,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":0%d,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":"%d","method":"ping"}',
])  # fmt: skip
def test_an_id_is_found_where_it_is(raw):
    pair = Pair(json.loads(DUMMY.read_text("utf-8")))
    for id in (1, 2, 77, 1):
        pair.ask(raw % id)


def test_the_head_and_the_session_are_looked_at_again():
    pair = Pair(json.loads(DUMMY.read_text("utf-8")))
    modern = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}
    good = HttpPeer(None, b"2026-07-28", b"tools/list")
    for _ in range(2):
        assert "result" in pair.ask(modern, lambda: good)[1]
        assert pair.ask(modern, lambda: HttpPeer(None, b"2026-07-28", b"tools/call"))[0] == 400
        assert pair.ask(modern, lambda: HttpPeer(None, b"2025-11-25", b"tools/list"))[0] == 400
        assert "resultType" in pair.ask(modern, Peer)[1]["result"]
    older = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert "resultType" not in pair.ask(older, lambda: HttpPeer(None, b"2025-11-25"))[1]["result"]
    assert pair.ask(older, lambda: HttpPeer(None, b"1999-01-01"))[0] == 400


def test_a_session_that_is_over_is_over():
    responder = StubResponder(Fixture(json.loads(DUMMY.read_text("utf-8"))), "required")

    def ask(message, peer):
        raw = json.dumps(message).encode()
        kind = "delete" if message is None else None
        return responder.at_once(Exchange(b"" if kind else raw, "http", peer, Channel(), kind=kind))

    params = {"protocolVersion": "2025-11-25", "capabilities": {}}
    opened = ask({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}, HttpPeer())
    again = ask({"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": params}, HttpPeer())
    ids = [dict(one.headers)["Mcp-Session-Id"].encode() for one in (opened, again)]
    assert ids[0] != ids[1]
    message = call(3, "echo", text="hello")
    for _ in range(3):
        assert ask(message, HttpPeer(ids[0])).status == 200
        assert ask(message, HttpPeer(b"other")).status == 404
        assert ask(message, HttpPeer()).status == 400
    ask(None, HttpPeer(ids[0]))
    assert ask(message, HttpPeer(ids[0])).status == 404
    assert ask(message, HttpPeer(ids[1])).status == 200


def test_header_fields_that_repeat_arguments_are_looked_at_again():
    pair = Pair(STATEFUL)
    params = {"name": "mirrored", "arguments": {"a": "x"}, "_meta": META}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    for value, status in ((b"x", 200), (b"y", 400), (b"x", 200)):
        peer = HttpPeer(None, b"2026-07-28", b"tools/call", b"mirrored", {b"mcp-param-a": value})
        assert pair.ask(message, lambda peer=peer: peer)[0] == status


def test_it_remembers_no_more_than_it_may():
    pair = Pair(json.loads(DUMMY.read_text("utf-8")))
    for number in range(600):
        pair.ask(call(1, "echo", text="n%d" % number))
        assert 0 < pair.known() <= 256
    pair.ask(call(1, "echo", text="x" * 70000))
    assert pair.known() <= 256


class _Guard:
    token = b"a-long-test-token"
    version = 0


def test_no_head_with_a_token_in_it_is_kept():
    from http1.guard import Guard
    from http1.reader import Reader
    from http1.router import Route, Router

    guard = Guard("a-long-test-token")
    route = Route(("POST",), True, None)
    router = Router({"/mcp": route}, guard)
    heads = KnownHeads(guard)
    good = b"a-long-test-token"

    def read(token):
        reader = Reader(router)
        reader.repeat = heads
        data = (
            b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
            b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}" % token
        )
        reader.space()[: len(data)] = data
        reader.received(len(data))
        return reader.next()

    from http1.errors import HTTPError

    for _ in range(3):
        assert read(good) is route
        for bad in (b"b" + good[1:], good[:-1], good + b"x", b""):
            with pytest.raises(HTTPError, match="401"):
                read(bad)
    assert len(heads._known) == 1
    assert not any(good in key for _, key in heads._known)
    guard.set_token("another-long-token")
    with pytest.raises(HTTPError, match="401"):
        read(good)
    assert read(b"another-long-token") is route
