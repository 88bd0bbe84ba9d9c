"""The reply to one HTTP/1.1 request: status line, fields, body framing (RFC 9112 sections 4, 6, 7 and 9.3).

    reader = ReplyReader()
    body = reader.feed(data)        # b"" while there is none; reader.status is 0 until the head is whole

Refused: conflicting lengths, any coding but chunked, folded or malformed lines, and what is past a limit.
"""

from .errors import HTTPError
from .fields import Fields, Names
from .tokens import tokens

try:
    from micropython import const
except ImportError:
    const = int

MAX_HEAD = 4096  # bytes, interim replies and trailers included
MAX_BODY = 65536  # bytes, chunked or not

_JSON = b"application/json"

_NAMES = Names(
    (
        (b"content-type", _JSON),
        b"content-length",
        (b"transfer-encoding", b"chunked"),
        b"connection",
        b"mcp-session-id",
        b"retry-after",
        b"location",
    )
)
# Their slots; a test compares them with the table.
_TYPE = const(0)
_LENGTH_AT = const(1)
_CODING = const(2)
_CONNECTION = const(3)

_MAX_DIGITS = const(9)  # of Content-Length
_MAX_HEX = const(7)  # of a chunk size
_MAX_LINE = const(256)  # of a chunk size with its extensions
_MAX_REASON = const(64)

_HEAD = const(0)
_NONE = const(1)
_LENGTH = const(2)
_CLOSE = const(3)
_CHUNKED = const(4)

# What comes next in a chunked body.
_SIZE = const(0)
_DATA = const(1)
_CRLF = const(2)
_TRAILER = const(3)


class ReplyReader:
    """Bytes in, body out; `reset` makes it ready for the next reply of the same connection.

    status: int.  reason: str, printable ASCII, "" below 300.  done: bool, the reply is whole.
    keep_alive: bool, another request may follow on the connection.
    Its methods raise HTTPError: 502 for a malformed reply, 413 for one past a limit; `status` may be set already.
    """

    def __init__(self, max_head=MAX_HEAD, max_body=MAX_BODY):
        # Two places in a head are one small integer, on 32-bit boards too.
        if max_head >= 1 << 14:
            raise ValueError("max_head: less than 16384")
        self._max_head = max_head
        self._max_body = max_body
        self._fields = Fields(_NAMES)
        self.reset()

    def reset(self):
        self.status = 0
        self.reason = ""
        self.done = False
        self.keep_alive = False
        self._mode = _HEAD
        self._step = _SIZE
        self._buf = b""
        self._left = 0
        self._room = self._max_head

    def get(self, name):
        """The value of a field by its lower-case name, bytes, or None. Valid until the next head."""
        if name == b"content-type":
            return _JSON if self._fields.usual & 1 << _TYPE else self._fields.get(_TYPE)
        return self._fields.get(name)

    def unbound(self):
        """The body is an event stream, which has no end; its parser bounds each event."""
        self._room = -1

    def feed(self, data, size=-1):
        """Take bytes from the peer; returns the body bytes in them.

        data: bytes, or a bytearray of which the first `size` bytes count; it may be used again after the call.
        """
        if size < 0:
            size = len(data)
        data = self._head(data, size) if self._mode == _HEAD else bytes(memoryview(data)[:size])
        if not data:
            return b""
        if self._mode == _CHUNKED and not self.done:
            return self._chunks(data)
        return self._plain(data)

    def eof(self):
        """The peer closed. True if that is the end of the reply, False if the reply is cut short."""
        if self._mode == _CLOSE:
            self.done = True
        return self.done

    # Returns what follows the head, b"" while the head is not whole.
    def _head(self, buf, size):
        if self._buf:
            buf = self._buf + bytes(memoryview(buf)[:size])
            size = len(buf)
        while True:
            end = buf.find(b"\r\n\r\n", 0, size) + 4
            if end < 4:
                self._buf = bytes(memoryview(buf)[:size])
                self._unfinished(self._buf)
                return b""
            self._spend(end, "head")
            status = self._status_line(buf, end)
            line_end = buf.find(b"\r\n") + 2
            self._fields.parse(buf, min(line_end, end - 2), end - 2)
            if status >= 200:
                break
            buf = bytes(memoryview(buf)[end:size])
            size = len(buf)
        self._buf = b""
        self._frame(buf, status)
        return bytes(memoryview(buf)[end:size]) if end < size else b""

    def _unfinished(self, buf):
        if not b"HTTP/1.".startswith(buf[:7]) or buf.find(b"\n\n") >= 0:
            raise _malformed("status line")
        if len(buf) > self._room:
            raise _too_large("head")

    # RFC 9112 section 4. 101 would hand the connection to another protocol, which nobody asked for.
    def _status_line(self, buf, end):
        if buf.startswith(b"HTTP/1.1 200 "):
            return 200
        if end < 16 or not buf.startswith(b"HTTP/1.") or buf[7] not in b"01" or buf[8] != 32:
            raise _malformed("status line")
        status = 0
        for i in (9, 10, 11):
            if not 48 <= buf[i] <= 57:
                raise _malformed("status line")
            status = 10 * status + buf[i] - 48
        if status < 100 or status == 101 or buf[12] not in b" \r":
            raise _malformed("status line")
        return status

    # RFC 9112 section 6.3. `_room` counts head bytes, then body bytes (-1: no limit), then trailer bytes.
    def _frame(self, buf, status):
        http10 = buf[7] == 48
        span = self._fields.span(_LENGTH_AT)
        self._mode = _CLOSE
        if self._fields.present & 1 << _CODING:
            if span or http10:
                raise _malformed("message length: Content-Length and Transfer-Encoding")
            usual = self._fields.usual & 1 << _CODING
            if not usual and self._fields.get(_CODING).lower() != b"chunked":
                raise _malformed("transfer coding")
            self._mode = _CHUNKED
        elif span:
            self._left = _number(buf, span & 0xFFFF, span >> 16)
            self._mode = _LENGTH
        if status == 204 or status == 304:
            self._mode = _NONE
        self._begin(buf, status, http10)

    def _begin(self, buf, status, http10):
        self.status = status
        if status >= 300:
            self.reason = _printable(buf[13 : buf.find(b"\r\n")])
        self.keep_alive = self._mode != _CLOSE and self._persistent(http10)
        self.done = self._mode == _NONE or (self._mode == _LENGTH and not self._left)
        self._room = self._max_body
        if self._mode == _LENGTH and self._left > self._room:
            raise _too_large("body")

    def _persistent(self, http10):
        value = self._fields.get(_CONNECTION)
        if value is None:
            return not http10
        options = tokens(value)
        return b"close" not in options and (not http10 or b"keep-alive" in options)

    def _plain(self, data):
        if self._mode == _CLOSE:
            self._spend(len(data), "body")
            return data
        if self.done or len(data) > self._left:
            self.keep_alive = False  # bytes behind the reply: the framing is not to be trusted
            data = data[: self._left]
        self._left -= len(data)
        self.done = not self._left
        return data

    def _spend(self, size, what):
        if self._room >= 0:
            if size > self._room:
                raise _too_large(what)
            self._room -= size

    # RFC 9112 section 7.1.
    def _chunks(self, data):
        buf = self._buf + data if self._buf else data
        pieces = []
        at = 0
        while not self.done:
            step = self._data(buf, at, pieces) if self._step == _DATA else self._line(buf, at)
            if not step:
                break
            at += step
        self._buf = buf[at:]
        if self.done and self._buf:
            self.keep_alive = False
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _data(self, buf, at, pieces):
        piece = buf[at : at + self._left]
        if piece:
            self._spend(len(piece), "body")
            pieces.append(piece)
            self._left -= len(piece)
            if not self._left:
                self._step = _CRLF
        return len(piece)

    # A chunk size, the end of a chunk, or a trailer; returns its length, 0 if it is not whole.
    def _line(self, buf, at):
        end = buf.find(b"\r\n", at)
        if (len(buf) if end < 0 else end) - at > _MAX_LINE:
            raise _malformed("chunk")
        if end < 0:
            return 0
        if self._step == _TRAILER:
            self.done = end == at
            self._spend(end + 2 - at, "trailer")
        elif self._step == _CRLF:
            if end != at:
                raise _malformed("chunk")
            self._step = _SIZE
        else:
            self._left = _chunk_size(buf, at, end)
            self._step = _DATA if self._left else _TRAILER
            self._room = self._room if self._left else self._max_head
        return end + 2 - at


# The value of Content-Length, digits only, in buf[start:end].
def _number(buf, start, end):
    if not 0 < end - start <= _MAX_DIGITS:
        raise _malformed("Content-Length")
    number = 0
    for i in range(start, end):
        if not 48 <= buf[i] <= 57:
            raise _malformed("Content-Length")
        number = 10 * number + buf[i] - 48
    return number


# Hexadecimal digits, and perhaps an extension behind a semicolon, in buf[start:end].
def _chunk_size(buf, start, end):
    size = 0
    at = start
    while at < end and at - start <= _MAX_HEX:
        c = buf[at]
        if 48 <= c <= 57:
            size = 16 * size + c - 48
        elif 97 <= c | 32 <= 102:
            size = 16 * size + (c | 32) - 87
        else:
            break
        at += 1
    if not 0 < at - start <= _MAX_HEX:
        raise _malformed("chunk size")
    while at < end and buf[at] in b" \t":
        at += 1
    if at < end and buf[at] != 59:
        raise _malformed("chunk size")
    return size


def _printable(reason):
    return "".join([chr(c) if 32 <= c < 127 else "?" for c in reason[:_MAX_REASON]])


def _malformed(what):
    return HTTPError(502, "bad " + what, close=True)


def _too_large(what):
    return HTTPError(413, "%s too large" % what, close=True)
