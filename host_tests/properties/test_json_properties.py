"""JSON both ways: the scanner takes what a strict parser takes, and what goes out comes in again."""

import itertools
import json
from array import array

from hypothesis import given
from hypothesis import strategies as st

from properties.documents import JSON, NOISE, PIECES, mended, refuse
from umcp import codec, scan
from umcp.errors import RemoteError

NO_NAMES = b"\xff\0\0"
WIDE = 30 | 65535 << 8


# CPython's parser is strict but for NaN; UTF-8 is strict; a byte order mark is refused by both.
def _parsed(raw):
    """(True, value), or (False, None) for what RFC 8259 refuses."""
    try:
        text = raw.decode("utf-8")
        return (True, json.loads(text, parse_constant=refuse)) if text[:1] != "\ufeff" else (False, None)
    except (ValueError, RecursionError):
        return False, None


def _depth(value):
    if isinstance(value, (list, dict)):
        inner = value.values() if isinstance(value, dict) else value
        return 1 + max(map(_depth, inner), default=0)
    return 0


def _verdict(raw, limits=WIDE):
    return scan.scan(raw, 0, len(raw), limits, NO_NAMES, array("H"))


@given(NOISE)
def test_the_scanner_takes_what_a_strict_parser_takes(raw):
    sound, _ = _parsed(raw)
    assert (_verdict(raw) >= 0) == sound


@given(JSON, st.data())
def test_a_damaged_document_has_the_same_verdict(value, data):
    raw = bytearray(json.dumps(value, ensure_ascii=data.draw(st.booleans())).encode("utf-8", "replace"))
    for _ in range(data.draw(st.integers(0, 2))):
        at = data.draw(st.integers(0, len(raw)))
        raw[at : at + data.draw(st.integers(0, 2))] = data.draw(PIECES)
    sound, _ = _parsed(bytes(raw))
    assert (_verdict(bytes(raw)) >= 0) == sound


@given(JSON, st.integers(0, 6), st.integers(1, 12))
def test_bounds_are_exact(value, depth, count):
    raw = json.dumps(value).encode()

    def size(one):
        inner = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        return 1 + sum(map(size, inner))

    within = _depth(value) <= depth and size(value) <= count
    assert (_verdict(raw, depth | count << 8) >= 0) == within


@given(JSON)
def test_values_survive_both_ways(value):
    assert codec.loads(json.dumps(value).encode()) == mended(value)
    raw = codec.dumps(value)
    assert json.loads(raw.decode("utf-8")) == mended(value)
    assert codec.loads(raw) == mended(value)


_HALVES = st.lists(
    st.sampled_from(["\\ud83d", "\\ude00", "\\u0041", "\\\\", "\\n", "x", "\\uDBFF", "\\udfff"]), max_size=8
)


@given(_HALVES)
def test_surrogates_are_joined_or_replaced(parts):
    raw = '"%s"' % "".join(parts)
    codes = json.loads(raw)  # CPython joins pairs, and keeps halves.
    assert codec.loads(raw.encode()) == "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in codes)


@given(NOISE)
def test_loads_refuses_with_a_remote_error_only(raw):
    try:
        codec.loads(raw)
    except RemoteError as e:
        assert (e.status, e.code in (-32700, -32600)) == (400, True)


@given(st.text(st.characters(codec=None, categories=["Cs", "Cc", "L", "P"]), max_size=10))
def test_any_text_goes_out_as_json(text):
    assert json.loads(codec.dumps(text).decode("utf-8")) == mended(text) or _has_pair(text)


# Two halves that stand side by side in a str of ours are no character; they go out as two U+FFFD.
def _has_pair(text):
    return any(0xD800 <= ord(a) < 0xDC00 <= ord(b) < 0xE000 for a, b in itertools.pairwise(text))
