"""The fast reader of messages reads them as the library does."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tsumiki.fast_message import FastMessage
from umcp.errors import RemoteError
from umcp.rpc import ARGUMENTS, CURSOR, META, NAME, URI, Message

MEMBERS = (NAME, ARGUMENTS, CURSOR, URI)


def read(message, raw):
    """All that a server asks of a message."""
    try:
        kind = message.parse(raw, 0, len(raw))
    except RemoteError as e:
        return e.code, e.status
    if kind is None:
        return "batch"
    found = [kind, message.id and json.loads(message.id), message.method]
    if message.method is not None:
        found.append(message.params())
        found += [(bool(message.has(m)), message.text(m), message.object(m)) for m in MEMBERS]
        spans = message.spans
        if spans[META + 2]:
            found.append(json.loads(bytes(message.buf[spans[META] : spans[META + 1]])))
            found += [_named(message, place) for place in (NAME, URI)]
        found.append(spans[META + 2] == 5)
    return found


def _named(message, place):
    start, end, kind = message.spans[place : place + 3]
    return kind in (1, 2) and json.loads(bytes(message.buf[start:end]))


SAMPLES = [
    b'{"jsonrpc":"2.0","id":1,"method":"ping"}',
    b' {"jsonrpc":"2.0", "method":"ping", "id":"a"}\r\n',
    b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
    b'{"jsonrpc":"2.0","id":"\\u00e9","method":"x","params":{"name":"\\n"}}',
    '{"jsonrpc":"2.0","id":"é","method":"é","params":{"name":"é😀","arguments":{"é":1}}}'.encode(),
    b'{"jsonrpc":"2.0","id":1,"id":2,"method":"a","method":"b","params":{"name":"c","name":"d"}}',
    b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"a":1,"progressToken":7},"name":"n","uri":"u"}}',
    b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":5,"name":5,"arguments":null,"cursor":null}}',
    b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{},"arguments":[],"cursor":"c"}}',
    b'{"jsonrpc":"2.0","id":null,"method":"x"}',
    b'{"jsonrpc":"2.0","id":true,"method":"x"}',
    b'{"jsonrpc":"2.0","id":1.0,"method":"x"}',
    b'{"jsonrpc":"2.0","id":1,"method":5}',
    b'{"jsonrpc":"2.0","id":1,"method":"x","params":null}',
    b'{"jsonrpc":"2.0","id":1,"method":"x","params":[]}',
    b'{"jsonrpc":"1.0","id":1,"method":"x"}',
    b'{"id":1,"method":"x"}',
    b'{"jsonrpc":"2.0","id":1,"result":{}}',
    b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}',
    b'{"jsonrpc":"2.0","id":1,"result":{},"error":{}}',
    b"[]", b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', b"5", b"null", b"", b"{", b'"x"',
    b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":NaN}}',
    b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":Infinity}}',
    b'{"jsonrpc":"2.0","id":1,"method":"x"} x',
    b'{"jsonrpc":"2.0","id":1,"method":"x",}',
    b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"\x01"}}',
    b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"\xff"}}',
    b"\xef\xbb\xbf" + b'{"jsonrpc":"2.0","id":1,"method":"x"}',
    b'{"jsonrpc":"2.0","id":1,"method":"x"}'.decode().encode("utf-16"),
    b'{"jsonrpc":"2.0","id":1,"method":"x","params":' + b'{"a":' * 30 + b"1" + b"}" * 31,
    b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":[' + b"1," * 5000 + b"1]}}",
    b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"' + b"x" * 40000 + b'"}}',
    b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"' + b"x" * 70000 + b'"}}',
    b'{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"x"}',
]  # fmt: skip


@pytest.mark.parametrize("raw", SAMPLES, ids=range(len(SAMPLES)))
def test_it_reads_what_the_library_reads(raw):
    assert read(FastMessage(), raw) == read(Message(), raw)


# One reader for all, as a server has it: nothing of the last message is left.
def test_one_message_leaves_nothing_to_the_next():
    one, other = FastMessage(), Message()
    for first in SAMPLES:
        for raw in (first, SAMPLES[6], SAMPLES[0], first, SAMPLES[3], SAMPLES[6]):
            assert read(one, raw) == read(other, raw), (first, raw)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
PARAMS = st.dictionaries(
    st.sampled_from(("name", "arguments", "cursor", "uri", "_meta", "other")), VALUES, max_size=6
)
MESSAGES = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0")},
    optional={
        "id": st.integers(-(2**53), 2**53) | st.text(max_size=8) | st.none() | st.booleans(),
        "method": st.text(min_size=1, max_size=12) | st.integers(),
        "params": PARAMS | VALUES,
        "result": VALUES,
    },
)


@settings(max_examples=400, deadline=None)
@given(MESSAGES, st.booleans(), st.integers(0, 200), st.binary(max_size=1))
def test_it_reads_whatever_the_library_reads(message, plain, at, byte):
    raw = json.dumps(message, ensure_ascii=plain).encode("utf-8", "surrogatepass")
    assert read(FastMessage(), raw) == read(Message(), raw)
    broken = raw[:at] + byte + raw[at + 1 :]
    assert read(FastMessage(), broken) == read(Message(), broken)
