"""One HTTP/1.1 connection of a server: read in bulk, answer each request in one write, stay open.

The connection only says by when it wants to be done (`deadline`); the server's janitor watches the clock, so no read
is wrapped in a timer.
"""

import time

from http1.answer import CONTINUE, answer, failure
from http1.errors import HTTPError
from http1.reader import Reader

# What a connection is doing; the janitor and the fifth connection go by it.
IDLE = 0  # between requests
READING = 1  # a request has begun to arrive
HANDLING = 2  # a handler works on it
CLOSING = 3  # sending to a slow peer, or reading what it still sends, so that the last answer is not lost


class Connection:
    """It serves one stream after another.

    router: `http1.router.Router`.  limits: `net.http_server.Limits`.  queue: list, not empty while others wait for a
    place: then each answer is the last.
    """

    def __init__(self, router, limits, queue=()):
        self._limits = limits
        self._queue = queue
        self._reader = Reader(router, limits.head, limits.body)
        self.stream = self.task = None

    def open(self, stream, task):
        """Take a stream (asyncio) that was just accepted, to be served in `task`."""
        self.stream = stream
        self.task = task
        self._expect(IDLE, self._limits.idle_ms)

    def close(self):
        """Keep nothing of the stream: ready for another one."""
        self.stream = self.task = None
        self._reader.reset()

    def _expect(self, state, within_ms):
        self.state = state
        self.since = time.ticks_ms()
        self.deadline = time.ticks_add(self.since, within_ms)

    async def serve(self):
        """Serve requests until the peer leaves, breaks the protocol or asks to close. Raises OSError."""
        reader = self._reader
        request = reader.request
        stream = self.stream
        while True:
            try:
                route = reader.next()
                if route is None:
                    self._wait(reader)
                    count = await stream.readinto(reader.space())
                    if count == 0:
                        return
                    if count is not None:  # None: woken without data
                        reader.received(count)
                    continue
                self.state = HANDLING
                reply = route.handler(request, reader.buf, reader.start, reader.stop)
                if type(reply) is not tuple:
                    self._expect(HANDLING, self._limits.handler_ms)
                    reply = await reply
            except HTTPError as e:
                if not await self._refuse(e):
                    return
                continue
            status, body, lines = reply
            keep_alive = request.keep_alive and not self._queue
            data = answer(status, body, keep_alive, lines + request.cors if request.cors else lines)
            if not self._write(data):
                await self._drain()
            if not keep_alive:
                return
            reader.done()
            reply = body = data = None  # An idle connection keeps no answer.

    # About to read: from now on the next request is waited for, or the rest of one.
    def _wait(self, reader):
        if reader.begun:
            if self.state != READING:
                self._expect(READING, self._limits.head_ms)
            if reader.wants_continue():
                self._write(CONTINUE)
        elif self.state != IDLE:
            self._expect(IDLE, self._limits.idle_ms)

    # True if all of it is on its way.
    def _write(self, data):
        if self._reader.request.method == "HEAD":
            data = data[: data.find(b"\r\n\r\n") + 4]
        self.stream.write(data)
        return not self.stream.out_buf

    async def _drain(self):
        self._expect(CLOSING, self._limits.head_ms)
        await self.stream.drain()

    # Answer an HTTPError; True if the connection can go on, the body of the refused request skipped.
    async def _refuse(self, error):
        request = self._reader.request
        # A client that was not told to continue may or may not send its body: where the next request starts is unsure.
        unsure = error.close or request.wants_continue or (request.length or 0) > self._limits.body
        keep_alive = request.keep_alive and not unsure and not self._queue
        if not self._write(failure(error, keep_alive, request.cors)):
            await self._drain()
        if keep_alive and await self._skip():
            return True
        await self._drop_rest()
        return False

    # Read what is left of a refused request, which has its answer; True once the next one may come.
    async def _skip(self):
        reader = self._reader
        self._expect(CLOSING, self._limits.head_ms)
        try:
            while not reader.skip():
                count = await self.stream.readinto(reader.space())
                if count == 0:
                    return False
                reader.received(count or 0)
        except HTTPError:
            return False
        return True

    # Closing with unread bytes would reset the connection and lose the answer (RFC 9112 section 9.6).
    async def _drop_rest(self):
        self._expect(CLOSING, self._limits.linger_ms)
        for _ in range(self._limits.linger_reads):
            if await self.stream.readinto(self._reader.buf) == 0:
                return
