"""Requests out of the bytes of one connection, sans I/O: head, admission, body, one after the other.

    count = await stream.readinto(reader.space())
    reader.received(count)
    route = reader.next()          # a Route once a whole request is there, None if more must be read
    route.handler(reader.request, reader.buf, reader.start, reader.stop)
    reader.done()                  # on to the next request

What the peer sends is bounded before it is stored: `next` raises HTTPError, and `skip` or the end of the connection
must follow.
"""

from .body import Chunked
from .errors import HTTPError
from .request import MAX_HEAD, Request
from .router import MAX_BODY

try:
    from .scan_viper import head_end
except (ImportError, SyntaxError, ValueError):  # as in fields.py
    from .scan import head_end

_SMALL = 1024  # bytes of buffer that a waiting connection keeps
_SLACK = 512  # bytes beyond the body, for chunk-size lines

# Where the reader is in a request.
_HEAD = 0
_BODY = 1


class Reader:
    """router: `http1.router.Router`, asked before a body is read.  max_head, max_body: int, bytes."""

    def __init__(self, router, max_head=MAX_HEAD, max_body=MAX_BODY):
        self.request = Request()
        self.buf = bytearray(_SMALL)
        self._router = router
        self._max_head = max_head
        self._max_body = max_body
        self.reset()

    def reset(self):
        """Forget the connection: ready for another one."""
        self._used = 0
        self._skipping = False
        self._restart()

    def _restart(self):
        self._phase = _HEAD
        self._searched = 0
        self._route = None
        self._chunks = None

    @property
    def begun(self):
        """True if part of a request has arrived."""
        return self._used > 0

    @property
    def wants_continue(self):
        """True if the client waits for 100 Continue before it sends the body (RFC 9110 section 10.1.1)."""
        return self._phase == _BODY and self.request.wants_continue and self._used == self.start

    def space(self):
        """A memoryview to receive into: never empty."""
        if self._used == len(self.buf):
            self._resize(min(2 * self._used, self._max_head + self._max_body + _SLACK), 0)
        return memoryview(self.buf)[self._used :]

    def received(self, count):
        """`count` bytes were put into `space()`."""
        self._used += count

    def next(self):
        """The route of the request whose head and body lie in `buf`, its body in buf[start:stop]; None for not yet.

        Raises HTTPError.
        """
        if self._phase == _HEAD:
            end = self._head_end()
            if not end:
                return None
            self.request.parse(self.buf, end, self._router.known)
            self.start = end
            self._phase = _BODY
            self._route = self._router.admit(self.request)
            self._frame()
        return self._route if self._whole() else None

    def skip(self):
        """Skip the body of a request that was refused with HTTPError; True once the next one may be read."""
        if not self._skipping:
            self._skipping = True
            self._frame()
        if not self._whole():
            return False
        self._skipping = False
        self.done()
        return True

    def done(self):
        """The request has been served; what lies behind it is the next one's."""
        rest = self._used - self.stop
        if len(self.buf) > _SMALL >= rest:
            self._resize(_SMALL, self.stop)
        elif rest:
            self.buf[:rest] = self.buf[self.stop : self._used]
        self._used = rest
        self._restart()

    # The length of the head with its empty line, once it is there, else 0.
    def _head_end(self):
        buf = self.buf
        if self._used > 1 and buf[0] == 13 and buf[1] == 10:
            # RFC 9112 section 2.2: an empty line before the request line is ignored.
            self.stop = 2
            self.done()
        end = head_end(buf, self._searched, self._used)
        if end < 0:
            raise HTTPError(400, "lines end with CR LF", close=True)
        if (end or self._used) > self._max_head:
            raise HTTPError(431, "the head may have %d bytes" % self._max_head, close=True)
        self._searched = max(0, self._used - 3)
        return end

    def _frame(self):
        request = self.request
        if request.chunked:
            self._chunks = Chunked(self.start, self._max_body)
        else:
            self.stop = self.start + (request.length or 0)

    def _whole(self):
        if self._chunks is None:
            return self._used >= self.stop
        self._used = self._chunks.feed(self.buf, self._used)
        self.stop = self._chunks.end
        return self._chunks.done

    # A buffer of `size` bytes with what was used of the old one from `start` on.
    def _resize(self, size, start):
        buf = bytearray(size)
        buf[: self._used - start] = memoryview(self.buf)[start : self._used]
        self.buf = buf
