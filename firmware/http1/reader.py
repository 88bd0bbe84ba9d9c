"""Requests out of the bytes of one connection, sans I/O: head, admission, body, one after the other.

    count = await stream.readinto(reader.space())
    reader.received(count)
    route = reader.next()          # a Route once a whole request is there, None if more must be read
    route.handler(reader.request, reader.buf, reader.start, reader.stop)
    reader.done()                  # on to the next request

What the peer sends is bounded before it is stored: `next` raises HTTPError, and `skip` or the end of the connection
must follow.
"""

from .repeat import Repeat
from .request import MAX_HEAD, Request
from .router import MAX_BODY

try:
    from micropython import const
except ImportError:
    const = int
try:
    from .scan_viper import head_end
except (ImportError, SyntaxError, ValueError):  # as in fields.py
    from .scan import head_end

_SMALL = const(1024)  # bytes of buffer that a waiting connection keeps
_SLACK = const(512)  # bytes beyond the body, for chunk-size lines


class Reader:
    """router: `http1.router.Router`, asked before a body is read.  max_head, max_body: int, bytes.

    begun: int, bytes of a request that have arrived.  route: that of a request whose head is there, or None.  cookies:
    `odd_head.Cookies` of a head that has some, or None.
    """

    cookies = None

    def __init__(self, router, max_head=MAX_HEAD, max_body=MAX_BODY):
        self.request = Request(router.names, router.known)
        self.buf = bytearray(_SMALL)
        self.router = router
        self.max_head = max_head
        self.max_body = max_body
        self.repeat = Repeat(router.guard)
        self.begun = 0
        self.reset()

    def reset(self):
        """Forget the connection, and give back its buffer: ready for another one."""
        self.stop = self.begun
        self.done()

    def wants_continue(self):
        """True if the client waits for 100 Continue before it sends the body (RFC 9110 section 10.1.1)."""
        return self.route is not None and self.request.wants_continue and self.begun == self.start

    def space(self):
        """A memoryview to receive into: never empty."""
        if self.begun == len(self.buf):
            most = self.max_head + self.max_body + _SLACK
            # Once the head is there, as much as is announced and no more.
            known = self.route is not None and not self._chunks
            self.resize(self.stop if known else min(2 * self.begun, most), 0)
        return memoryview(self.buf)[self.begun :]

    def received(self, count):
        """`count` bytes were put into `space()`."""
        self.begun += count

    def next(self):
        """The route of the request whose head and body lie in `buf`, its body in buf[start:stop]; None for not yet.

        Raises HTTPError.
        """
        if self.route is None and not (self.begun and self._read_head()):
            return None
        if self._chunks:
            self._chunks.read(self)
        return self.route if self.begun >= self.stop else None

    def skip(self):
        """Skip the body of a request that was refused with HTTPError; True once the next one may be read."""
        if self._chunks:
            self._chunks.read(self)
        if self.begun < self.stop:
            return False
        self.done()
        return True

    def done(self):
        """The request has been served; what lies behind it is the next one's."""
        rest = self.begun - self.stop
        if len(self.buf) > _SMALL >= rest:
            self.resize(_SMALL, self.stop)
        elif rest:
            self.buf[:rest] = self.buf[self.stop : self.begun]
        self.begun = rest
        self._searched = 0
        self.route = self._chunks = None
        if self.cookies:
            self.cookies = None

    # True once the head is there, and the request is admitted.
    def _read_head(self):
        repeat = self.repeat
        if self.begun >= repeat.size > 0 and repeat.again(self):
            return True
        if self.buf[0] == 13:
            from .odd_head import skip_empty_lines  # late (RAM), as below

            skip_empty_lines(self)
        buf = self.buf
        end = head_end(buf, self._searched, self.begun)
        size = end or self.begun
        if end < 0 or self.cookies or size > self.max_head or (not end and size == len(buf)):
            from .odd_head import check  # late (RAM): most heads are short and sound

            end = check(self, end)
        if not end:
            self._searched = max(0, self.begun - 3)
            return False
        request = self.request
        repeat.size = 0
        request.parse(buf, end)
        self.start = end
        self.stop = end + (request.length or 0)
        if request.chunked:
            from .body import Chunked  # late (RAM): most clients send a length

            self._chunks = Chunked(end, self.max_body)
        self.route = self.router.admit(request)
        repeat.learn(request, self.route)
        return True

    def resize(self, size, start):
        """Take a buffer of `size` bytes with what was used of the old one from `start` on."""
        buf = bytearray(size)
        buf[: self.begun - start] = memoryview(self.buf)[start : self.begun]
        self.buf = buf
        self.request.fields.buf = buf  # lets the old one go
