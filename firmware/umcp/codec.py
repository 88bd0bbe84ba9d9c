"""JSON, for the whole project: nothing else on the protocol path imports `json`.

In: a strict scan with bounds comes before parsing, and surrogate pairs are joined (MicroPython leaves the two
halves of `\\ud83d\\ude00` apart, and they are no valid UTF-8 when they go out again).
Out: compact UTF-8; what JSON cannot say (NaN, infinity, objects) is our bug and raises `LocalError`.
"""

import json
from array import array

from .errors import INVALID_REQUEST, PARSE_ERROR, LocalError, RemoteError

try:
    from .scan_viper import plain, scan
except (ImportError, SyntaxError, ValueError):  # CPython; no native emitter; a .mpy for another machine
    from .scan import plain, scan

MAX_DEPTH = 24
MAX_VALUES = 4096


# The limits of `scan` for a document from a peer.
LIMITS = MAX_DEPTH | MAX_VALUES << 8

# No members are wanted.
_NO_NAMES = b"\xff\0\0"
_NO_SPANS = array("H")


def loads(buf, start=0, end=None, values=MAX_VALUES):
    """Check and parse the JSON document in buf[start:end].

    buf: bytes or bytearray.  values: how many values, containers included, it may hold.
    Raises RemoteError with -32700 if RFC 8259 refuses it, with -32600 if it is past a bound.
    """
    if end is None:
        end = len(buf)
    verdict = scan(buf, start, end, MAX_DEPTH | values << 8, _NO_NAMES, _NO_SPANS)
    if verdict < 0:
        raise refusal(verdict)
    return parse(buf, start, end)


def parse(buf, start, end):
    """Parse a document, or a value in one, that `scan` took."""
    raw = buf if end - start == len(buf) else buf[start:end]
    if raw.find(b"\\u") >= 0:
        from .surrogates import join

        raw = join(bytes(raw))
    try:
        return json.loads(raw)
    except ValueError:  # CPython's bound on the digits of an integer
        raise refusal(-1)


def refusal(verdict):
    """The RemoteError for a verdict of `scan` below 0."""
    if verdict == -2:
        return RemoteError(
            INVALID_REQUEST, "Invalid Request: nested too deep, or too many values", status=400
        )
    return RemoteError(PARSE_ERROR, "Parse error", status=400)


def dumps_text(text, before=b"", after=b""):
    """A str as a JSON string, in UTF-8 bytes, between two others: most need nothing but their quotes."""
    raw = _encode(text)
    if plain(raw, len(raw)):
        return b"".join((before, b'"', raw, b'"', after))
    return b"".join((before, dumps(text), after))


def dumps(value):
    """The value as compact JSON, in UTF-8 bytes.

    Raises LocalError for what JSON cannot say: NaN, infinity, other objects; and past 30 levels or 65,535 values.
    """
    try:
        text = _dumps(value)
    except (TypeError, ValueError, RuntimeError) as e:
        raise LocalError("not a JSON value: %s" % e)
    raw = _encode(text)
    if raw.find(b"\xed") >= 0:
        from .surrogates import mend

        raw = mend(raw)
    if scan(raw, 0, len(raw), 30 | 65535 << 8, _NO_NAMES, _NO_SPANS) < 0:
        raise LocalError("not a JSON value, nested too deep, or too many values")
    return raw


try:
    json.dumps(None, ensure_ascii=False)

    def _dumps(value):
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))

    def _encode(text):
        return text.encode("utf-8", "surrogatepass")

except TypeError:  # MicroPython: never escapes, writes NaN (the scan finds it)

    def _dumps(value):
        return json.dumps(value, separators=(",", ":"))

    _encode = str.encode
