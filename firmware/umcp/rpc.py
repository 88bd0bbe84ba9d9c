"""JSON-RPC 2.0 messages, as MCP narrows them: what came in, read in place, and the bytes of an answer.

MCP ids are strings or integers, never null (2025-11-25, basic: requests); `params` is an object or absent. An id is
echoed as the bytes it came in. Of a request nothing is built but what its method asks for.
"""

from array import array

from .codec import LIMITS, dumps, loads, parse, refusal, scan
from .errors import INVALID_REQUEST, LocalError, RemoteError

try:
    from micropython import const
except ImportError:
    const = int

REQUEST = "request"
NOTIFICATION = "notification"
RESPONSE = "response"

# The members of a message, and of its params: three places each in the spans that `scan` fills (start, end, kind).
_NAMES = (b"jsonrpc", b"id", b"method", b"params", b"result", b"error")
_PARAMS = (b"name", b"arguments", b"cursor", b"protocolVersion", b"capabilities")


def _lengths(names):
    return b"".join([bytes((len(name),)) + name for name in names]) + b"\0"


_TABLE = bytes((_NAMES.index(b"params"),)) + _lengths(_NAMES) + _lengths(_PARAMS)

_MAX_END = const(65535)  # what a span can tell

_VERSION = const(0)
_ID = const(3)
_METHOD = const(6)
_PARAMETERS = const(9)
_RESULT = const(12)
_ERROR = const(15)
NAME = const(18)
ARGUMENTS = const(21)
CURSOR = const(24)
PROTOCOL_VERSION = const(27)
CAPABILITIES = const(30)

# Kinds of values.
_ABSENT = const(0)
_STRING = const(1)
_ESCAPED = const(2)
_INTEGER = const(3)
_OBJECT = const(5)
_ARRAY = const(6)


class Message:
    """One message after another, each read with `parse`. It is to be asked before the buffer changes.

    id: bytes as they came in, or None.  method: bytes, UTF-8, or None.  buf: what it reads in; b"" lets it go.
    """

    def __init__(self):
        self._spans = array("H", bytes(6 * (len(_NAMES) + len(_PARAMS))))
        self.buf = b""
        self.id = self.method = None

    def parse(self, buf, start, end):
        """Read the message in buf[start:end].

        Returns REQUEST, NOTIFICATION or RESPONSE, or None for an array, which may be a batch.
        Raises RemoteError: -32700 for what is no JSON, -32600 for what is no message; status 400.
        """
        spans = self._spans
        if end > _MAX_END:
            raise _invalid("too long")
        verdict = scan(buf, start, end, LIMITS, _TABLE, spans)
        if verdict:
            if verdict < 0:
                raise refusal(verdict)
            buf = _without_escapes(buf, start, end)
            start = 0
            end = len(buf)
            scan(buf, start, end, LIMITS, _TABLE, spans)
        self.buf = buf
        if spans[_VERSION + 2] != _STRING or buf[spans[_VERSION] : spans[_VERSION + 1]] != b'"2.0"':
            if _is_array(buf, start, end):
                return None
            raise _invalid("not a JSON-RPC 2.0 object")
        kind = spans[_ID + 2]
        self.id = bytes(buf[spans[_ID] : spans[_ID + 1]]) if kind else None
        if not spans[_METHOD + 2]:
            return self._response(spans)
        self.method = self.text(_METHOD)
        if self.method is None:
            raise _invalid("method must be a string")
        if spans[_PARAMETERS + 2] not in (_ABSENT, _OBJECT):
            raise _invalid("params must be an object")
        if kind == _ABSENT:
            return NOTIFICATION
        if kind > _INTEGER:
            raise _invalid("id must be a string or an integer")
        return REQUEST

    def _response(self, spans):
        if self.id is not None and bool(spans[_RESULT + 2]) != bool(spans[_ERROR + 2]):
            return RESPONSE
        raise _invalid("neither a request nor a response")

    def has(self, member):
        """True if the member of params (NAME, ...) is there; a null counts as none."""
        return self._spans[member + 2] and self._raw(member) != b"null"

    def text(self, member):
        """The member as UTF-8 bytes, or None if it is absent or no string."""
        kind = self._spans[member + 2]
        if kind == _STRING:
            return bytes(self.buf[self._spans[member] + 1 : self._spans[member + 1] - 1])
        return loads(self._raw(member)).encode() if kind == _ESCAPED else None

    def object(self, member):
        """The member as a dict, {} if it is absent, or None if it is no object."""
        spans = self._spans
        if spans[member + 2] == _OBJECT:
            return parse(self.buf, spans[member], spans[member + 1])
        return None if self.has(member) else {}

    def _raw(self, member):
        return bytes(self.buf[self._spans[member] : self._spans[member + 1]])


# The same document, in which no name is written with an escape.
def _without_escapes(buf, start, end):
    try:
        raw = dumps(loads(buf, start, end))
    except LocalError:
        raise _invalid("a number is out of range")
    if len(raw) > _MAX_END:
        raise _invalid("too long")
    return raw


def _is_array(buf, start, end):
    return bytes(buf[start:end]).strip()[:1] == b"["


def _invalid(why):
    return RemoteError(INVALID_REQUEST, "Invalid Request: " + why, status=400)


def result(id_, raw):
    """A response, as a tuple of bytes to join: a large result is copied once, into the answer.

    id_: bytes, the request's.  raw: bytes, the result as JSON.
    """
    return (b'{"jsonrpc":"2.0","id":', id_, b',"result":', raw, b"}")


def error(id_, code, message, data=None):
    """An error response, as bytes. id_: bytes, or None where it could not be read.  data: a JSON value or None."""
    body = {"code": code, "message": message}
    if data is not None:
        body["data"] = data
    return b'{"jsonrpc":"2.0","id":%s,"error":%s}' % (id_ or b"null", dumps(body))
