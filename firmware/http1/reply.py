"""The reply to one HTTP/1.1 request: status line, fields, body framing (RFC 9112 sections 4, 6, 7 and 9.3).

    reader = ReplyReader()
    body = reader.feed(data)        # b"" while there is none; the status is 0 until the head is whole
    reader.status, reader.reason, reader.get(b"content-type"), reader.done, reader.keep_alive

Refused: conflicting lengths, any coding but chunked, folded or malformed lines, and what is past a limit.
"""

from .errors import HTTPError
from .fields import Fields, tokens

try:
    from micropython import const
except ImportError:
    const = int

MAX_HEAD = 4096  # bytes, interim replies and trailers included
MAX_ODD_HEAD = 8192  # for servers that send many or long fields
MAX_BODY = 65536  # bytes, chunked or not; an event stream has no end, and its parser bounds each event

_NAMES = (
    b"content-type",
    b"content-length",
    b"transfer-encoding",
    b"connection",
    b"mcp-session-id",
    b"retry-after",
    b"location",
)

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
        return self._fields.get(name)

    def feed(self, data):
        """Take bytes from the peer; returns the body bytes in them."""
        if self._mode == _HEAD:
            data = self._head(data)
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
    def _head(self, data):
        buf = self._buf + data if self._buf else data
        while True:
            end = buf.find(b"\r\n\r\n") + 4
            if end < 4:
                self._unfinished(buf)
                self._buf = buf
                return b""
            self._spend(end)
            status = self._status_line(buf)
            line_end = buf.find(b"\r\n") + 2
            self._fields.parse(buf, min(line_end, end - 2), end - 2)
            if status >= 200:
                break
            buf = buf[end:]
        self._buf = b""
        self._frame(buf, status)
        return buf[end:]

    def _unfinished(self, buf):
        if buf[:7] != b"HTTP/1."[: len(buf)] or buf.find(b"\n\n") >= 0:
            raise _malformed("status line")
        if len(buf) > self._room:
            raise _too_large("head")

    def _spend(self, size):
        self._room -= size
        if self._room < 0:
            raise _too_large("head")

    # RFC 9112 section 4. 101 would hand the connection to another protocol, which nobody asked for.
    def _status_line(self, buf):
        digits = buf[9:12]
        if buf[:7] != b"HTTP/1." or buf[7] not in b"01" or buf[8] != 32 or not digits.isdigit() or buf[12] not in b" \r":
            raise _malformed("status line")
        status = int(digits)
        if status < 100 or status == 101:
            raise _malformed("status line")
        return status

    def _frame(self, buf, status):
        http10 = buf[7] == 48
        length = self._fields.get(b"content-length")
        if self._fields.get(b"transfer-encoding") is not None:
            if length is not None or http10:
                raise _malformed("message length: Content-Length and Transfer-Encoding")
            if tokens(self._fields.get(b"transfer-encoding")) != [b"chunked"]:
                raise _malformed("transfer coding")
            self._mode = _CHUNKED
        elif length is not None:
            self._left = _content_length(length)
            self._mode = _LENGTH
        else:
            self._mode = _CLOSE
        self.keep_alive = self._mode != _CLOSE and self._persistent(http10)
        self._start_body(buf, status, http10)

    # RFC 9112 section 6.3: what has no body by its status. From here on `_room` counts body bytes, -1 without limit.
    def _start_body(self, buf, status, http10):
        self.status = status
        if status >= 300:
            self.reason = _printable(buf[13 : buf.find(b"\r\n")])
        if status == 204 or status == 304:
            self._mode = _NONE
            self.keep_alive = self._persistent(http10)
        self.done = self._mode == _NONE or (self._mode == _LENGTH and not self._left)
        kind = self._fields.get(b"content-type")
        streamed = kind is not None and kind[:17].lower() == b"text/event-stream"
        self._room = -1 if streamed else self._max_body
        if self._mode == _LENGTH and 0 <= self._room < self._left:
            raise _too_large("body")

    def _persistent(self, http10):
        value = self._fields.get(b"connection")
        if value is None:
            return not http10
        options = tokens(value)
        return b"close" not in options and (not http10 or b"keep-alive" in options)

    def _plain(self, data):
        if self._mode == _CLOSE:
            self._count(len(data))
            return data
        if self.done or len(data) > self._left:
            self.keep_alive = False  # bytes behind the reply: the framing is not to be trusted
            data = data[: self._left]
        self._left -= len(data)
        self.done = not self._left
        return data

    def _count(self, size):
        if self._room >= 0:
            if size > self._room:
                raise _too_large("body")
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
            self._count(len(piece))
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
        line = buf[at:end]
        if self._step == _TRAILER:
            self.done = not line
            self._trailer(len(line) + 2)
        elif self._step == _CRLF:
            if line:
                raise _malformed("chunk")
            self._step = _SIZE
        else:
            self._left = _chunk_size(line)
            self._step = _DATA if self._left else _TRAILER
            self._trailers = 0
        return end + 2 - at

    def _trailer(self, size):
        self._trailers += size
        if self._trailers > self._max_head:
            raise _too_large("trailer")


def _content_length(value):
    if not 0 < len(value) <= _MAX_DIGITS or not value.isdigit():
        raise _malformed("Content-Length")
    return int(value)


def _chunk_size(line):
    digits = line.split(b";")[0].rstrip(b" \t")
    if not 0 < len(digits) <= _MAX_HEX or not all([c in b"0123456789abcdefABCDEF" for c in digits]):
        raise _malformed("chunk size")
    return int(digits, 16)


def _printable(reason):
    return "".join([chr(c) if 32 <= c < 127 else "?" for c in reason[:_MAX_REASON]])


def _malformed(what):
    return HTTPError(502, "bad " + what, close=True)


def _too_large(what):
    return HTTPError(413, "%s too large" % what, close=True)
