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
from .repeat import Repeat
from .request import MAX_HEAD, Request
from .router import MAX_BODY

try:
    from .scan_viper import head_end
except (ImportError, SyntaxError, ValueError):  # as in fields.py
    from .scan import head_end

_SMALL = 1024  # bytes of buffer that a waiting connection keeps
_SLACK = 512  # bytes beyond the body, for chunk-size lines


class Reader:
    """router: `http1.router.Router`, asked before a body is read.  max_head, max_body: int, bytes.

    begun: int, bytes of a request that have arrived.
    """

    def __init__(self, router, max_head=MAX_HEAD, max_body=MAX_BODY):
        self.request = Request(router.names, router.known)
        self.buf = bytearray(_SMALL)
        self._router = router
        self._max_head = max_head
        self._max_body = max_body
        self._repeat = Repeat(router.guard, max_body)
        self.reset()

    def reset(self):
        """Forget the connection, and give back its buffer: ready for another one."""
        self.begun = 0
        if len(self.buf) > _SMALL:
            self._resize(_SMALL, 0)
        self._searched = 0
        self._route = self._chunks = self._cookies = None
        self._skipping = False

    def wants_continue(self):
        """True if the client waits for 100 Continue before it sends the body (RFC 9110 section 10.1.1)."""
        return self._route is not None and self.request.wants_continue and self.begun == self.start

    def space(self):
        """A memoryview to receive into: never empty."""
        if self.begun == len(self.buf):
            self._resize(min(2 * self.begun, self._max_head + self._max_body + _SLACK), 0)
        return memoryview(self.buf)[self.begun :]

    def received(self, count):
        """`count` bytes were put into `space()`."""
        self.begun += count

    def next(self):
        """The route of the request whose head and body lie in `buf`, its body in buf[start:stop]; None for not yet.

        Raises HTTPError.
        """
        if self._route is None and not (self.begun and self._read_head()):
            return None
        if self._chunks is None:
            return self._route if self.begun >= self.stop else None
        return self._route if self._decode() else None

    def skip(self):
        """Skip the body of a request that was refused with HTTPError; True once the next one may be read."""
        if not self._skipping:
            self._skipping = True
            self._frame()
        if not (self.begun >= self.stop if self._chunks is None else self._decode()):
            return False
        self._skipping = False
        self.done()
        return True

    def done(self):
        """The request has been served; what lies behind it is the next one's."""
        rest = self.begun - self.stop
        if len(self.buf) > _SMALL >= rest:
            self._resize(_SMALL, self.stop)
        elif rest:
            self.buf[:rest] = self.buf[self.stop : self.begun]
        self.begun = rest
        self._searched = 0
        self._route = self._chunks = self._cookies = None

    # True once the head is there, and the request is admitted.
    def _read_head(self):
        size = self._repeat.size
        if size and self.begun >= size and self._repeats(size):
            return True
        if self.buf[0] == 13:
            self._skip_empty_lines()
        buf = self.buf
        end = head_end(buf, self._searched, self.begun)
        if self._cookies or (not end and self.begun == len(buf)) or (end or self.begun) > self._max_head:
            end = self._drop_cookies(end)
        if end < 0:
            raise self._refusal(400, "lines end with CR LF")
        if (end or self.begun) > self._max_head:
            raise self._refusal(431, "the head may have %d bytes" % self._max_head)
        if not end:
            self._searched = max(0, self.begun - 3)
            return False
        self.start = end
        self._repeat.forget()
        self.request.parse(buf, end)
        route = self._router.admit(self.request)
        self._frame()
        self._route = self._last_route = route
        self._repeat.learn(self.request, buf)
        return True

    # True for the same head as the last one: nothing of the request changes but the length of its body.
    def _repeats(self, size):
        length = self._repeat.length(self.buf)
        if length < 0:
            return False
        request = self.request
        request.fields.buf = self.buf
        request.length = length
        self.start = size
        self.stop = size + length
        self._route = self._last_route
        return True

    # Its answer is none to a HEAD: that was the request before.
    def _refusal(self, status, reason):
        self.request.method = ""
        return HTTPError(status, reason, close=True)

    # RFC 9112 section 2.2: an empty line before the request line is ignored.
    def _skip_empty_lines(self):
        self.stop = 0
        while self.stop + 1 < self.begun and self.buf[self.stop] == 13 and self.buf[self.stop + 1] == 10:
            self.stop += 2
        self.done()

    # Makes room in a long head, which ends at `end` or, if that is 0, has not ended yet; returns where it ends now.
    def _drop_cookies(self, end):
        from .cookie import Cookies

        self._cookies = self._cookies or Cookies()
        self.request.method = ""
        stop = end if end > 0 else self.begun
        kept = self._cookies.drop(self.buf, stop, self.begun)
        self.begun -= stop - kept
        return kept if end > 0 else end

    def _frame(self):
        request = self.request
        self.stop = self.start + (request.length or 0)
        if request.chunked:
            self._chunks = Chunked(self.start, self._max_body)

    # True once the last chunk is there.
    def _decode(self):
        self.begun = self._chunks.feed(self.buf, self.begun)
        self.stop = self._chunks.end
        return self._chunks.done

    # A buffer of `size` bytes with what was used of the old one from `start` on.
    def _resize(self, size, start):
        buf = bytearray(size)
        buf[: self.begun - start] = memoryview(self.buf)[start : self.begun]
        self.buf = buf
        self.request.fields.buf = buf  # lets the old one go
