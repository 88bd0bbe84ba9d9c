"""JSON and JSON-RPC against any bytes: the scanner agrees with a strict parser, and the server always answers."""

import json
from array import array

from hypothesis import given, settings
from hypothesis import strategies as st

from umcp import codec, scan
from umcp.errors import RemoteError
from umcp.rpc import ARGUMENTS, CURSOR, NAME, NOTIFICATION, REQUEST, RESPONSE, Message
from umcp.server import Server
from umcp.session import Off, Ram, Sealed
from umcp.tool import Tool
from umcp.types import Any, Number, Object, String
from umcp.version import LEGACY

NO_NAMES = b"\xff\0\0"
WIDE = 30 | 65535 << 8

_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
)
_JSON = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)
_PIECES = st.sampled_from(
    b'{|}|[|]|,|:|"|"a"|"\\u0041"|"\\ud83d"|\\|\\u|0|1|-|.|e|+|1.5|-0|01|true|false|null|nul| |\n|\t|\x00|\xc3\xa9|\xed\xa0\x80'
    b"|\xff|\xf0\x9f\x98\x80|NaN|Infinity|\xef\xbb\xbf|'|/".split(b"|")
)
_NOISE = st.one_of(st.lists(_PIECES, max_size=14).map(b"".join), st.binary(max_size=20))


def _refuse(name):
    raise ValueError(name)


# CPython's parser is strict but for NaN; UTF-8 is strict; a byte order mark is refused by both.
def _parsed(raw):
    """(True, value), or (False, None) for what RFC 8259 refuses."""
    try:
        text = raw.decode("utf-8")
        return (True, json.loads(text, parse_constant=_refuse)) if text[:1] != "\ufeff" else (False, None)
    except (ValueError, RecursionError):
        return False, None


def _depth(value):
    if isinstance(value, (list, dict)):
        inner = value.values() if isinstance(value, dict) else value
        return 1 + max(map(_depth, inner), default=0)
    return 0


def _verdict(raw, limits=WIDE):
    return scan.scan(raw, 0, len(raw), limits, NO_NAMES, array("H"))


@given(_NOISE)
def test_the_scanner_takes_what_a_strict_parser_takes(raw):
    sound, _ = _parsed(raw)
    assert (_verdict(raw) >= 0) == sound


@given(_JSON, st.data())
def test_a_damaged_document_has_the_same_verdict(value, data):
    raw = bytearray(json.dumps(value, ensure_ascii=data.draw(st.booleans())).encode("utf-8", "replace"))
    for _ in range(data.draw(st.integers(0, 2))):
        at = data.draw(st.integers(0, len(raw)))
        raw[at : at + data.draw(st.integers(0, 2))] = data.draw(_PIECES)
    sound, _ = _parsed(bytes(raw))
    assert (_verdict(bytes(raw)) >= 0) == sound


@given(_JSON, st.integers(0, 6), st.integers(1, 12))
def test_bounds_are_exact(value, depth, count):
    raw = json.dumps(value).encode()

    def size(one):
        inner = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        return 1 + sum(map(size, inner))

    within = _depth(value) <= depth and size(value) <= count
    assert (_verdict(raw, depth | count << 8) >= 0) == within


# What a text becomes on our way in: a half of a surrogate pair is U+FFFD.
def _mended(value):
    if isinstance(value, str):
        joined = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in joined)
    if isinstance(value, list):
        return [_mended(v) for v in value]
    if isinstance(value, dict):
        return {_mended(k): _mended(v) for k, v in value.items()}
    return value


@given(_JSON)
def test_values_survive_both_ways(value):
    assert codec.loads(json.dumps(value).encode()) == _mended(value)
    raw = codec.dumps(value)
    assert json.loads(raw.decode("utf-8")) == _mended(value)
    assert codec.loads(raw) == _mended(value)


_HALVES = st.lists(
    st.sampled_from(["\\ud83d", "\\ude00", "\\u0041", "\\\\", "\\n", "x", "\\uDBFF", "\\udfff"]), max_size=8
)


@given(_HALVES)
def test_surrogates_are_joined_or_replaced(parts):
    raw = '"%s"' % "".join(parts)
    codes = json.loads(raw)  # CPython joins pairs, and keeps halves.
    assert codec.loads(raw.encode()) == "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in codes)


@given(_NOISE)
def test_loads_refuses_with_a_remote_error_only(raw):
    try:
        codec.loads(raw)
    except RemoteError as e:
        assert (e.status, e.code in (-32700, -32600)) == (400, True)


@given(st.text(st.characters(codec=None, categories=["Cs", "Cc", "L", "P"]), max_size=10))
def test_any_text_goes_out_as_json(text):
    assert json.loads(codec.dumps(text).decode("utf-8")) == _mended(text) or _has_pair(text)


# Two halves that stand side by side in a str of ours are no character; they go out as two U+FFFD.
def _has_pair(text):
    return any(0xD800 <= ord(a) < 0xDC00 <= ord(b) < 0xE000 for a, b in zip(text, text[1:]))


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
    _SCALARS, st.just("2.0"), st.just({}), st.just([]), st.dictionaries(_MEMBER, _SCALARS, max_size=3)
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
        assert read.method.decode() == _mended(message["method"])
        name = params.get("name")
        seen = read.text(NAME)
        assert (seen.decode() if seen is not None else None) == (
            _mended(name) if isinstance(name, str) else None
        )
        assert bool(read.has(CURSOR)) == (params.get("cursor") is not None)
        arguments = params.get("arguments")
        wanted = arguments if isinstance(arguments, dict) else {} if arguments is None else None
        assert read.object(ARGUMENTS) == _mended(wanted)
    if kind is REQUEST:
        assert json.loads(read.id) == message["id"]


class _Peer:
    def __init__(self, session_id, protocol_version):
        self.session_id = session_id
        self.protocol_version = protocol_version
        self.principal = b"p"


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
    st.one_of(st.none(), st.sampled_from([v.encode() for v in LEGACY]), st.binary(max_size=12)),
)
_METHODS = st.sampled_from(
    ["initialize", "ping", "tools/list", "tools/call", "notifications/initialized", "x"]
)
_PARAMS = st.one_of(
    _SMALL,
    st.fixed_dictionaries(
        {},
        optional={
            "name": st.sampled_from(["echo", "out", "none", 1]),
            "arguments": _SMALL,
            "cursor": _SMALL,
            "protocolVersion": st.one_of(_SMALL, st.sampled_from(LEGACY)),
            "capabilities": _SMALL,
        },
    ),
)
_CALL = st.builds(
    lambda m, p, i: {"jsonrpc": "2.0", "id": i, "method": m, "params": p}, _METHODS, _PARAMS, _SMALL
)
_MESSAGES = st.one_of(_CALL, _ENVELOPE, _JSON, st.lists(st.one_of(_CALL, _SMALL), max_size=4))


def _check(server, raw, peer):
    status, body, announced = _reply(server, raw, peer)
    assert status in (200, 202, 400, 404), status
    if status == 202:
        assert (body, announced) == (b"", b"")
        return
    answer = json.loads(body.decode("utf-8"), parse_constant=_refuse)
    for one in answer if isinstance(answer, list) else [answer]:
        assert one["jsonrpc"] == "2.0" and ("result" in one) != ("error" in one), one
        if "error" in one:
            assert one["error"]["code"] in (-32700, -32600, -32601, -32602), one
    assert status == 200 or "error" in answer


@settings(max_examples=300)
@given(_MESSAGES, _PEERS, st.sampled_from([Off, Ram, lambda: Sealed(b"k" * 32)]), st.booleans())
def test_any_json_is_answered(message, peer, store, escape):
    server = _server(store())
    if peer.session_id == b"open":
        peer.session_id = server.sessions.open(LEGACY[1], 0, b"p", 0)
    _check(server, _spelt(message, escape), peer)


@given(_NOISE, _PEERS)
def test_any_bytes_are_answered(raw, peer):
    _check(_server(Off()), raw, peer)


_NUMBERS = st.sampled_from(["1e999", "-1e999", "1" * 5000, "1E400", "0e0", "1e-999"])


@given(_NUMBERS, st.booleans())
def test_numbers_out_of_range_are_answered(number, batch):
    text = '{"jsonrpc":"2.0","id":1,"method":"tools/call","\\u0061":%s,"params":{"name":"echo","arguments":{"a":%s}}}'
    raw = (text % (number, number)).encode()
    for one in (raw, raw.replace(b"\\u0061", b"a")):
        _check(_server(Off()), b"[" + one + b"]" if batch else one, _Peer(None, None))
