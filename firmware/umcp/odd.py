"""Messages that are no plain requests: responses, batches, names with escapes, and what is no message at all."""

from .codec import dumps, loads, refusal
from .errors import INVALID_REQUEST, LocalError, RemoteError
from .rpc import RESPONSE

try:
    from micropython import const
except ImportError:
    const = int

# Places in the spans of a Message, and kinds of values: see rpc.py.
_ID_KIND = const(5)
_METHOD_KIND = const(8)
_PARAMS_KIND = const(11)
_RESULT_KIND = const(14)
_ERROR_KIND = const(17)


def rewritten(verdict, buf, start, end):
    """The document in which no name is written with an escape, by the verdict of `scan`; 2 stands for a long one.

    Raises RemoteError, status 400, for what cannot be a message.
    """
    if verdict < 0:
        raise refusal(verdict)
    if verdict == 2:
        raise _invalid("too long")
    try:
        raw = dumps(loads(buf, start, end))
    except LocalError:
        raise _invalid("a number is out of range")
    if len(raw) > 65535:
        raise _invalid("too long")
    return raw


def classify(message, start, end):
    """RESPONSE, or None for an array. Raises RemoteError for anything else that is no request or notification."""
    spans = message.spans
    if spans[2] != 1 or message.buf[spans[0] : spans[1]] != b'"2.0"':
        if bytes(message.buf[start:end]).strip()[:1] == b"[":
            return None
        raise _invalid("not a JSON-RPC 2.0 object")
    if not spans[_METHOD_KIND]:
        if spans[_ID_KIND] and bool(spans[_RESULT_KIND]) != bool(spans[_ERROR_KIND]):
            return RESPONSE
        raise _invalid("neither a request nor a response")
    if spans[_METHOD_KIND] > 2:
        raise _invalid("method must be a string")
    if spans[_PARAMS_KIND] not in (0, 5):
        raise _invalid("params must be an object")
    raise _invalid("id must be a string or an integer")


def _invalid(why):
    return RemoteError(INVALID_REQUEST, "Invalid Request: " + why, status=400)
