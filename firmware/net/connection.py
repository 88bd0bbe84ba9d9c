"""One HTTP/1.1 connection of a server: read in bulk, answer each request in one write, stay open.

The connection only says by when it wants to be done (`deadline`); the server's janitor watches the clock, so no read
is wrapped in a timer.
"""

import time

from micropython import const

from http1.answer import CONTINUE, answer
from http1.errors import HTTPError
from http1.reader import Reader

# What a connection is doing; the janitor and the fifth connection go by it.
IDLE = const(0)  # between requests
READING = const(1)  # a request has begun to arrive
CLOSING = const(2)  # sending to a slow peer, or reading what it still sends: so the last answer is not lost
HANDLING = const(3)  # a handler works on it
HELD = const(4)  # so it does, and has said for how long


def send_last(stream, data):
    """Write the last answer on a stream, if that still can be: whoever writes it must go on and close the stream."""
    try:
        stream.write(data)
    except (OSError, MemoryError):
        pass  # The peer is gone, or gets no answer.


class Connection:
    """It serves one stream after another.

    router: `http1.router.Router`.  limits: `net.http_server.Limits`.  server: the `HttpServer` that has a place for it.

    peer: the `Request` at hand.  queue: list, not empty while others wait for a place: then each answer is the last.
    ending: bool, its task was cancelled.  deadline: ticks, or None: the client may stay as long as it likes.  events:
    `net.stream.Events` of a reply that is a stream, or None.
    """

    def __init__(self, router, limits, server=None):
        self.limits = limits
        self.server = server
        self.queue = server.queue if server else ()
        self.reader = Reader(router, limits.head, limits.body)
        self.stream = self.task = self.watcher = self.events = None
        self.peer = request = self.reader.request
        request.send = self.send
        request.close_stream = self.close_stream
        request.allow = self.allow

    def open(self, stream, task):
        """Take a stream (asyncio) that was just accepted, to be served in `task`."""
        self.stream = stream
        self.task = task
        self.ending = self.peer.left = False
        self.expect(IDLE, self.limits.idle_ms)

    def close(self):
        """Keep nothing of the stream: ready for another one."""
        self.stream = self.task = self.watcher = self.events = None
        self.reader.reset()

    def expect(self, state, within_ms):
        """Be in `state` from now on, and done with it within that time."""
        self.state = state
        self.since = time.ticks_ms()
        self.deadline = time.ticks_add(self.since, within_ms)

    def stop(self):
        """Cancel what it is doing, which must end soon."""
        self.ending = True
        self.deadline = time.ticks_add(time.ticks_ms(), self.limits.linger_ms)
        self.task.cancel()

    def allow(self, ms):
        """For the handler of a request: it may take so long from now on; None: as long as its client stays."""
        if self.state >= HANDLING:
            self.expect(HELD, ms or 0)
            if ms is None:
                self.deadline = None

    def send(self, raw, event_id=b"", retry_ms=None):
        """For the handler of a request: an awaitable that sends an event before its answer, see `net.stream`."""
        from .stream import send  # late (RAM): few handlers say anything before their answer

        return send(self, raw, event_id, retry_ms)

    def close_stream(self):
        """For the handler of a request: an awaitable that ends its reply; the handler goes on without a client."""
        from .stream import close  # late (RAM): as above

        return close(self)

    async def serve(self):
        """Serve requests until the peer leaves, breaks the protocol or asks to close. Raises OSError."""
        reader = self.reader
        request = self.peer
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
                    from .waiting import finish  # late (RAM): most handlers answer at once

                    reply = await finish(self, reply)
                    if type(reply) is not tuple:
                        if not reply:
                            return
                        reader.done()
                        continue
            except HTTPError as e:
                from .refusal import refuse  # late (RAM): a well-behaved client is never refused

                if not await refuse(self, e):
                    return
                continue
            status, body, lines = reply
            keep_alive = request.keep_alive and not self.queue
            data = answer(status, body, keep_alive, lines + request.cors if request.cors else lines)
            if not self.write(data):
                await self.drain()
            if not keep_alive:
                return
            reader.done()
            reply = body = data = None  # An idle connection keeps no answer.

    # About to read: from now on the next request is waited for, or the rest of one.
    def _wait(self, reader):
        if reader.begun:
            if self.state != READING:
                self.expect(READING, self.limits.head_ms)
            if reader.wants_continue():
                self.stream.write(CONTINUE)
                # Said once, though the line of a chunk's size leaves the body as empty as before.
                self.peer.wants_continue = False
        elif self.state != IDLE:
            self.expect(IDLE, self.limits.idle_ms)

    def write(self, data):
        """Send an answer, a HEAD's without its body; True if all of it is on its way, else `drain` must follow."""
        if self.peer.method == "HEAD":
            data = data[: data.find(b"\r\n\r\n") + 4]
        self.stream.write(data)
        # A `drain` with nothing to send would cost a turn of the event loop.
        return not self.stream.out_buf

    async def drain(self):
        """Wait until the peer has taken what was written."""
        self.expect(CLOSING, self.limits.head_ms)
        await self.stream.drain()
