"""A chunked body (RFC 9112 section 7.1), decoded in place: the data end up in one piece at the buffer's `start`."""

from .errors import HTTPError

try:
    from micropython import const
except ImportError:
    const = int

_MAX_SIZE_LINE = const(64)  # bytes of a chunk-size line with its extensions, or of a trailer line
_MAX_TRAILERS = const(8)  # lines

_SIZE = const(0)
_DATA = const(1)
_DATA_END = const(2)
_TRAILER = const(3)


class Chunked:
    """Decodes the chunks in buf[start:...].

    limit: int, the most bytes of data.  `feed` may move bytes down; after each call, buf[start:self.end] is data,
    and buf[self.end:used] is what is left to decode (or, when done, the next request).
    """

    def __init__(self, start, limit):
        self.end = start
        self.done = False
        self._limit = limit
        self._start = start
        self._left = 0
        self._state = _SIZE
        self._trailers = 0

    def feed(self, buf, used):
        """Decode what is in buf[self.end:used]; returns the new `used`. Raises HTTPError 400 or 413."""
        at = self.end
        while not self.done:
            if self._state == _DATA:
                taken = min(self._left, used - at)
                if self.end != at:
                    buf[self.end : self.end + taken] = buf[at : at + taken]
                self.end += taken
                at += taken
                self._left -= taken
                if self._left:
                    break
                self._state = _DATA_END
            line_end = buf.find(b"\r\n", at, used)
            if line_end - at > _MAX_SIZE_LINE or (line_end < 0 and used - at > _MAX_SIZE_LINE + 1):
                raise _malformed()
            if line_end < 0:
                break
            self._line(bytes(buf[at:line_end]))
            at = line_end + 2
        kept = used - at
        buf[self.end : self.end + kept] = buf[at:used]
        return self.end + kept

    def read(self, reader):
        """Decode what a `Reader` has received. A body that is not whole ends behind it."""
        reader.begun = self.feed(reader.buf, reader.begun)
        reader.stop = self.end if self.done else reader.begun + 1

    def _line(self, line):
        # A bare CR or LF here is where two readers would part (RFC 9112 section 11.2).
        if any(c < 32 and c != 9 for c in line):
            raise _malformed()
        if self._state == _DATA_END:
            if line:
                raise _malformed()
            self._state = _SIZE
        elif self._state == _SIZE:
            self._size(line)
        elif not line:
            self.done = True
        else:
            self._trailers += 1
            if self._trailers > _MAX_TRAILERS or line.find(b":") < 1:
                raise _malformed()

    def _size(self, line):
        digits = line.split(b";")[0].rstrip(b" \t")
        if not 0 < len(digits) <= 6 or any(c not in b"0123456789abcdefABCDEF" for c in digits):
            raise _malformed()
        self._left = int(digits, 16)
        if self.end - self._start + self._left > self._limit:
            raise HTTPError(413, "the body may have %d bytes" % self._limit, close=True)
        self._state = _DATA if self._left else _TRAILER


def _malformed():
    return HTTPError(400, "malformed chunk", close=True)
