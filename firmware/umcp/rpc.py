"""JSON-RPC 2.0 messages, as MCP narrows them: what came in, read in place, and the bytes of an answer.

MCP ids are strings or integers, never null (2025-11-25, basic: requests); `params` is an object or absent. An id is
echoed as the bytes it came in. Of a request nothing is built but what its method asks for.
"""

from array import array

from .codec import LIMITS, dumps, loads, parse, scan

try:
    from micropython import const
except ImportError:
    const = int

REQUEST = const(1)
NOTIFICATION = const(2)
RESPONSE = const(3)

# Of a message, three places each in the spans that `scan` fills: start, end, kind (1 string, 2 string with an escape,
# 3 integer, 5 object, 0 absent).
_VERSION = const(0)
_ID = const(3)
_METHOD = const(6)
_PARAMETERS = const(9)
_RESULT = const(12)
_ERROR = const(15)
# Of its params.
NAME = const(18)
ARGUMENTS = const(21)
CURSOR = const(24)
URI = const(27)
META = const(30)

# The names in that order, each behind its length, as `scan` wants them; "params" is number 3.
_TABLE = (
    b"\x03\x07jsonrpc\x02id\x06method\x06params\x06result\x05error\0"
    b"\x04name\x09arguments\x06cursor\x03uri\x05_meta\0"
)
_PLACES = const(33)
_MAX_END = const(65535)  # what a span can tell


class Message:
    """One message after another, each read with `parse`. It is to be asked before the buffer changes.

    id: bytes as they came in, or None.  method: bytes, UTF-8, or None.  buf: what it reads in; b"" lets it go.
    spans: where the members lie in it.
    """

    def __init__(self):
        self.spans = array("H", bytes(2 * _PLACES))
        self.buf = b""
        self.id = self.method = None

    def parse(self, buf, start, end):
        """Read the message in buf[start:end].

        Returns REQUEST, NOTIFICATION or RESPONSE, or None for an array, which may be a batch.
        Raises RemoteError: -32700 for what is no JSON, -32600 for what is no message; status 400.
        """
        spans = self.spans
        verdict = scan(buf, start, end, LIMITS, _TABLE, spans) if end <= _MAX_END else 2
        if verdict:
            from .odd import rewritten  # late (RAM): all of `odd` is rare

            buf = rewritten(verdict, buf, start, end)
            start = 0
            end = len(buf)
            scan(buf, start, end, LIMITS, _TABLE, spans)
        self.buf = buf
        kind = spans[_ID + 2]
        self.id = bytes(buf[spans[_ID] : spans[_ID + 1]]) if kind else None
        if (
            spans[_VERSION + 2] == 1
            and buf[spans[_VERSION] : spans[_VERSION + 1]] == b'"2.0"'
            and 1 <= spans[_METHOD + 2] <= 2
            and spans[_PARAMETERS + 2] in (0, 5)
            and kind <= 3
        ):
            self.method = self.text(_METHOD)
            return REQUEST if kind else NOTIFICATION
        from .odd import classify

        self.method = None
        return classify(self, start, end)

    def has(self, member):
        """True if the member of params (NAME, ...) is there; a null counts as none."""
        return self.spans[member + 2] and self._raw(member) != b"null"

    def text(self, member):
        """The member as UTF-8 bytes, or None if it is absent or no string."""
        kind = self.spans[member + 2]
        if kind == 1:
            return bytes(self.buf[self.spans[member] + 1 : self.spans[member + 1] - 1])
        return loads(self._raw(member)).encode() if kind == 2 else None

    def object(self, member):
        """The member as a dict, {} if it is absent, or None if it is no object."""
        spans = self.spans
        if spans[member + 2] == 5:
            return parse(self.buf, spans[member], spans[member + 1])
        return None if self.has(member) else {}

    def params(self):
        """The params as a dict, {} if there are none."""
        return self.object(_PARAMETERS)

    def outcome(self):
        """Of a RESPONSE: (result, error), JSON values of which one is None."""
        spans = self.spans
        return [parse(self.buf, spans[i], spans[i + 1]) if spans[i + 2] else None for i in (_RESULT, _ERROR)]

    def _raw(self, member):
        return bytes(self.buf[self.spans[member] : self.spans[member + 1]])


def result(id_, members, tail=b"}}"):
    """A response, as a tuple of bytes to join: a large result is copied once, into the answer.

    id_: bytes, the request's.  members: bytes, those of the result object, without its braces.  tail: bytes, what ends
    the response: the modern era puts more members there.
    """
    return (b'{"jsonrpc":"2.0","id":', id_, b',"result":{', members, tail)


def notification(method, members):
    """A notification, as bytes.  method: bytes.  members: bytes, those of params, without its braces."""
    return b'{"jsonrpc":"2.0","method":"%s","params":{%s}}' % (method, members)


def error(id_, code, message, data=None):
    """An error response, as bytes. id_: bytes, or None where it could not be read.  data: a JSON value or None."""
    body = {"code": code, "message": message}
    if data is not None:
        body["data"] = data
    return b'{"jsonrpc":"2.0","id":%s,"error":%s}' % (id_ or b"null", dumps(body))
