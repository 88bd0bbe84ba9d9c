"""The server's JSON-RPC against any bytes and any JSON: it always answers, and always as the rules say."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from properties.documents import JSON, NOISE, SCALARS, mended, refuse
from umcp.errors import RemoteError
from umcp.off import Off
from umcp.peer import Peer
from umcp.ram import Ram
from umcp.rpc import ARGUMENTS, CURSOR, NAME, NOTIFICATION, REQUEST, RESPONSE, Message
from umcp.sealed import Sealed
from umcp.server import Server
from umcp.tool import Tool
from umcp.types import Any, Number, Object, String
from umcp.version import LEGACY, MODERN

_MEMBER = st.sampled_from(
    [
        "jsonrpc",
        "id",
        "method",
        "params",
        "result",
        "error",
        "name",
        "arguments",
        "cursor",
        "x",
        "m\u00e9",
        "a\n",
        '"',
    ]
)
_SMALL = st.one_of(
    SCALARS, st.just("2.0"), st.just({}), st.just([]), st.dictionaries(_MEMBER, SCALARS, max_size=3)
)
_ENVELOPE = st.builds(
    lambda base, more: dict(base, **more),
    st.sampled_from(
        [{}, {"jsonrpc": "2.0"}, {"jsonrpc": "2.0", "id": 1}, {"jsonrpc": "2.0", "id": "a", "method": "m"}]
    ),
    st.dictionaries(_MEMBER, _SMALL, max_size=5),
)


def _spelt(value, escape):
    """JSON text of a value, some names written with an escape."""
    text = json.dumps(value)
    return (
        text.replace('"method":', '"m\\u0065thod":').replace('"name":', '"n\\u0061me":') if escape else text
    ).encode()


def _is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


# What JSON-RPC 2.0 and MCP say that a message is, or None for a refusal.
def _kind(message):
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return None
    id_ = message.get("id", "absent")
    if "method" not in message:
        answered = ("result" in message) != ("error" in message)
        return RESPONSE if "id" in message and answered else None
    if not isinstance(message["method"], str) or not isinstance(message.get("params", {}), dict):
        return None
    if "id" not in message:
        return NOTIFICATION
    return REQUEST if isinstance(id_, str) or _is_integer(id_) else None


@given(_ENVELOPE, st.booleans())
def test_messages_are_what_they_are_said_to_be(message, escape):
    raw = _spelt(message, escape)
    read = Message()
    try:
        kind = read.parse(bytearray(b"xx" + raw), 2, 2 + len(raw))
    except RemoteError as e:
        assert (e.status, e.code, _kind(message)) == (400, -32600, None)
        return
    assert kind == _kind(message)
    if kind is not RESPONSE:
        params = message.get("params", {})
        assert read.method.decode() == mended(message["method"])
        name = params.get("name")
        seen = read.text(NAME)
        assert (seen.decode() if seen is not None else None) == (
            mended(name) if isinstance(name, str) else None
        )
        assert bool(read.has(CURSOR)) == (params.get("cursor") is not None)
        arguments = params.get("arguments")
        wanted = arguments if isinstance(arguments, dict) else {} if arguments is None else None
        assert read.object(ARGUMENTS) == mended(wanted)
    if kind is REQUEST:
        assert json.loads(read.id) == message["id"]


class _Peer(Peer):
    principal = b"p"

    def __init__(self, session_id, protocol_version, mcp_method=None, mcp_name=None, headed=True):
        self.session_id = session_id
        self.protocol_version = protocol_version
        self.mcp_method = mcp_method
        self.mcp_name = mcp_name
        self.headed = headed


def _server(store):
    server = Server("s", "1", store, log=lambda *_: None, max_result=2000)
    server.add_tool(
        Tool("echo", "", Object((("text", String(max_length=9, optional=True)),), extra=True), lambda **a: a)
    )
    server.add_tool(
        Tool("out", "", Object((("v", Any()),)), lambda v: {"n": v}, output=Object((("n", Number()),)))
    )
    return server


def _body(parts):
    return b"".join(parts) if isinstance(parts, tuple) else parts


def _reply(server, raw, peer):
    reply = server.handle(bytearray(raw), 0, len(raw), peer, 0)
    if not isinstance(reply, tuple):
        try:
            reply.send(None)
        except StopIteration as e:
            reply = e.value
    status, body, announced = reply
    assert isinstance(announced, bytes)
    return status, _body(body), announced


_PEERS = st.builds(
    _Peer,
    st.one_of(st.none(), st.just(b"open"), st.binary(max_size=60)),
    st.one_of(st.none(), st.sampled_from([v.encode() for v in (*LEGACY, MODERN)]), st.binary(max_size=12)),
    st.one_of(st.none(), st.sampled_from([b"tools/list", b"tools/call", b"server/discover"])),
    st.one_of(
        st.none(), st.sampled_from([b"echo", b"=?base64?ZWNobw==?=", b"=?base64?!?="]), st.binary(max_size=8)
    ),
    st.booleans(),
)
_METHODS = st.sampled_from(
    ["initialize", "ping", "server/discover", "tools/list", "tools/call", "notifications/initialized", "x"]
)
_KEY = "io.modelcontextprotocol/"
_META = st.fixed_dictionaries(
    {},
    optional={
        _KEY + "protocolVersion": st.one_of(st.just(MODERN), _SMALL),
        _KEY + "clientCapabilities": st.one_of(st.just({}), _SMALL),
        _KEY + "logLevel": st.one_of(st.just("info"), _SMALL),
        "progressToken": _SMALL,
    },
)
_PARAMS = st.one_of(
    _SMALL,
    st.fixed_dictionaries(
        {},
        optional={
            "name": st.sampled_from(["echo", "out", "none", 1]),
            "arguments": _SMALL,
            "cursor": _SMALL,
            "_meta": st.one_of(_META, _SMALL),
            "protocolVersion": st.one_of(_SMALL, st.sampled_from(LEGACY)),
            "capabilities": _SMALL,
        },
    ),
)
_CALL = st.builds(
    lambda m, p, i: {"jsonrpc": "2.0", "id": i, "method": m, "params": p}, _METHODS, _PARAMS, _SMALL
)
_MESSAGES = st.one_of(_CALL, _ENVELOPE, JSON, st.lists(st.one_of(_CALL, _SMALL), max_size=4))


_CODES = (-32700, -32600, -32601, -32602, -32020, -32022)


def _check(server, raw, peer):
    status, body, announced = _reply(server, raw, peer)
    assert status in (200, 202, 400, 404), status
    if status == 202:
        assert (body, announced) == (b"", b"")
        return
    answer = json.loads(body.decode("utf-8"), parse_constant=refuse)
    for one in answer if isinstance(answer, list) else [answer]:
        assert one["jsonrpc"] == "2.0" and ("result" in one) != ("error" in one), one
        if "error" in one:
            assert one["error"]["code"] in _CODES, one
    assert status == 200 or "error" in answer


@settings(max_examples=300)
@given(_MESSAGES, _PEERS, st.sampled_from([Off, Ram, lambda: Sealed(b"k" * 32)]), st.booleans())
def test_any_json_is_answered(message, peer, store, escape):
    server = _server(store())
    if peer.session_id == b"open":
        peer.session_id = server.sessions.open(LEGACY[1], 0, b"p", 0)
    _check(server, _spelt(message, escape), peer)


@given(NOISE, _PEERS)
def test_any_bytes_are_answered(raw, peer):
    _check(_server(Off()), raw, peer)


_NUMBERS = st.sampled_from(["1e999", "-1e999", "1" * 5000, "1E400", "0e0", "1e-999"])


@given(_NUMBERS, st.booleans())
def test_numbers_out_of_range_are_answered(number, batch):
    text = '{"jsonrpc":"2.0","id":1,"method":"tools/call","\\u0061":%s,"params":{"name":"echo","arguments":{"a":%s}}}'
    raw = (text % (number, number)).encode()
    for one in (raw, raw.replace(b"\\u0061", b"a")):
        _check(_server(Off()), b"[" + one + b"]" if batch else one, _Peer(None, None))
