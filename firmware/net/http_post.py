"""POST to one URL: a request that goes out in pieces, and a reply that is taken as it comes.

    post = HTTPPost("https://llm.example/v1/chat/completions", {"Authorization": "Bearer ..."}, ca=der)
    await post.send([b'{"messages":[', message, b"]}"], taker)

A taker has `head(status, reason, fields) -> bool`, True if the body is a stream without a bound (`fields.get(name)`: a
lower-case name, bytes or None); `feed(data)`, body bytes; `eof()`, the reply is whole; and `done`, True when it wants
no more of it. What `feed` returns, if anything, is a tuple of what `await take(...)` is to have, one by one, before
more is read: so a slow taker holds the peer up. What these raise goes through to the caller.
"""

import asyncio
from time import ticks_add, ticks_diff, ticks_ms

from micropython import const

from http1.reply import MAX_BODY, MAX_HEAD
from http1.url import parse_url, redirect_note
from umcp.client_errors import Cancelled, ConfigError, RequestTimeout

from .deadline import Deadline
from .http_client import HTTPClient

IDLE_MS = const(45000)
TOTAL_MS = const(180000)


class HTTPPost:
    """url: str.  headers: dict of str.  ca: bytes, DER, required for https.

    idle_ms: how long the peer may keep still, before the first byte and between two.  total_ms: of the whole exchange.
    max_body: bytes, of a reply that is no stream.
    rest: coroutine function, awaited before what stops the event loop (a name is looked up, TLS shakes hands), or None.
    Raises ConfigError.
    """

    def __init__(
        self, url, headers, ca=None, idle_ms=IDLE_MS, total_ms=TOTAL_MS, max_body=MAX_BODY, rest=None
    ):
        try:
            where = parse_url(url)
        except ValueError as e:
            raise ConfigError(str(e))
        self._http = _Client(*where, self._take, ca=ca, max_head=MAX_HEAD, max_body=max_body)
        self._headers = headers
        self._idle_ms = idle_ms
        self._total_ms = total_ms
        self._rest = rest
        self._deadline = Deadline()

    async def send(self, pieces, taker, target=None):
        """Send the bytes of `pieces`, one after another, and let the taker have the reply.

        pieces: of bytes, or a function that gives an iterator of them, the same ones each time it is called.
        target: str, path and query in place of those of the URL, or None.
        It is sent a second time if a connection that was kept broke before anything came back.
        Raises ClientError: RequestTimeout, Cancelled, Disconnected, TLSError, Malformed, TooLarge.
        """
        if self._rest is not None and self._http.blocks:
            await self._rest()
        deadline = self._deadline
        self._taker = taker
        exchange = _Exchange(self._headers, pieces, taker, self._watch)
        if target is not None:
            exchange.target = target
        self._until = ticks_add(ticks_ms(), self._total_ms)
        try:
            self._watch()
            await self._http.exchange(exchange)
        except asyncio.CancelledError:
            if not deadline.expired:
                raise
            if deadline.cancelled:
                raise Cancelled()
            raise RequestTimeout(self._allowed_ms)
        finally:
            deadline.stop()

    def cancel(self):
        """Give up what another task sends at the moment: it raises Cancelled. False if there is none."""
        return self._deadline.cancel()

    def drop(self):
        """Close the connection; the next request opens a new one."""
        self._http.drop()
        self._deadline.close()

    # The time that the taker takes is not the peer's.
    async def _take(self, piece):
        self._deadline.pause()
        await self._taker.take(piece)
        self._watch()

    # Something came: there is time for more.
    def _watch(self):
        left_ms = ticks_diff(self._until, ticks_ms())
        self._allowed_ms = self._idle_ms if left_ms > self._idle_ms else self._total_ms
        self._deadline.start(max(1, min(self._idle_ms, left_ms)))


class _Exchange:
    """What `HTTPClient.exchange` wants of one."""

    http_method = "POST"
    idempotent = True
    streams = False
    error = None
    status = 0

    def __init__(self, headers, pieces, taker, came):
        self.headers = headers
        self.pieces = pieces
        self._taker = taker
        self._came = came

    @property
    def done(self):
        return self._taker.done

    def head(self, status, reason, fields):
        self.status = status
        if 300 <= status < 400:
            reason += redirect_note(fields.get(b"location"))
        self.streams = self._taker.head(status, reason, fields)

    def feed(self, data):
        self._came()
        return self._taker.feed(data) or ()

    def eof(self):
        self._taker.eof()

    def cut(self):
        return False

    def lost(self, error):
        return False


class _Client(HTTPClient):
    """Sends the head, then the pieces: a long request is never in memory in one."""

    def _render(self, x):
        self._pieces = x.pieces
        size = 0
        for piece in _all(x.pieces):
            size += len(piece)
        return self._render_head(x) + b"%d\r\n\r\n" % size

    def _write(self, data, reused):
        super()._write(data, reused)
        return True

    # Short pieces together, in the buffer that nothing is read into yet: a write is a segment, and over TLS a record.
    async def _drain(self):
        await super()._drain()
        buf = self._buf
        room = len(buf)
        used = 0
        for piece in _all(self._pieces):
            size = len(piece)
            if used + size > room:
                await self._flush(memoryview(buf)[:used])
                used = 0
            if size > room:
                await self._flush(piece)
            else:
                buf[used : used + size] = piece
                used += size
        await self._flush(memoryview(buf)[:used])

    async def _flush(self, data):
        if len(data):
            self._stream.out_buf = data
            await super()._drain()


def _all(pieces):
    return pieces() if callable(pieces) else pieces
