"""An HTTP/1.1 server on asyncio streams: a listener, a bounded set of connections, and one janitor for deadlines."""

import asyncio
import time

from micropython import const

from http1.answer import failure
from http1.errors import HTTPError
from http1.request import MAX_HEAD
from http1.router import MAX_BODY

from .connection import READING, Connection, send_last

_ROUNDS = const(200)  # milliseconds that `close` waits for the connections to end


class Limits:
    """What one server allows; the defaults fit an ESP32 without PSRAM.

    connections: int, served at once.  queue: int, how many more may wait for a place before grace_ms counts no longer.
    grace_ms: a connection that was used this lately is not closed for another.  head, body: bytes of a request.
    head_ms: for a request to arrive, and for an answer to be taken.  idle_ms: between requests.  handler_ms: for a
    handler that waits.  linger_ms, linger_reads: for what a refused peer still sends before we close.  comment_ms: a
    stream that was silent for that long says that it is alive.
    """

    connections = 4
    queue = 4
    grace_ms = 500
    head = MAX_HEAD
    body = MAX_BODY
    head_ms = 10_000
    idle_ms = 60_000
    handler_ms = 70_000
    linger_ms = 1_000
    linger_reads = 512
    comment_ms = 15_000

    def __init__(self, **changes):
        for name, value in changes.items():
            if not hasattr(Limits, name):
                raise TypeError("no limit %s" % name)
            setattr(self, name, value)
        # Places in the buffer have 16 bits, and two of those in a head are one small integer.
        if self.head >= 1 << 14 or self.head + self.body > 65000:
            raise ValueError("a head has less than 16,384 bytes, and with its body at most 65,000")


class HttpServer:
    """router: `http1.router.Router`.  host: str, the address to listen on.  log: log(level, text, exception).

    connections: list of those that are served.  abandoned: list of those whose client is gone, and whose handler goes
    on.  listener: of asyncio, or None.
    queue: list of streams that wait for a place, in the order they came; entered_ms: when the last connection got
    its place.
    """

    def __init__(self, router, host, port, limits=None, log=None):
        self._router = router
        self.where = (host, port)
        self.limits = limits or Limits()
        self._log = log or (lambda level, text, exception=None: None)
        self.connections = []
        self.abandoned = []
        self.queue = []
        self.entered_ms = time.ticks_ms()
        self._spare = []
        self.listener = None
        self._janitor = None

    async def start(self):
        """Listen. Raises OSError: EADDRINUSE for a port in use."""
        self.listener = await asyncio.start_server(self._accept, *self.where, backlog=16)
        self._janitor = asyncio.create_task(self._watch())

    async def close(self):
        """Stop listening and close every connection."""
        listener = self.listener
        if listener:
            self.listener = None
            self._janitor.cancel()
            # To wait for a task that has died would raise what it died of.
            if not listener.task.done():
                listener.close()
                await listener.wait_closed()
        for connection in self.connections + self.abandoned:
            connection.stop()
        for _ in range(_ROUNDS):
            if not (self.connections or self.abandoned or self.queue):
                return
            await asyncio.sleep_ms(1)
        for connection in self.connections + self.abandoned:
            await self._drop(connection)

    # The task of one connection.
    async def _accept(self, stream, _):
        connection = None
        try:
            if self.queue or len(self.connections) >= self.limits.connections:
                from .crowd import enter  # late (RAM): most servers have few clients

                if not await enter(self, stream):
                    return
            connection = self._spare.pop() if self._spare else Connection(self._router, self.limits, self)
            connection.open(stream, asyncio.current_task())
            self.connections.append(connection)
            self.entered_ms = connection.since
            await connection.serve()
        except OSError:
            pass  # The peer is gone.
        except asyncio.CancelledError:
            pass  # By the janitor, by the crowd or by `close`.
        except Exception as e:
            self._log("error", "connection failed", e)
            if (
                connection is None or connection.events is None
            ):  # What is in the middle of a stream is no answer.
                send_last(stream, failure(HTTPError(500), False))
        finally:
            stream.close()
            await stream.wait_closed()
            if connection is not None:
                self._forget(connection)
                connection.close()
                if len(self._spare) < self.limits.connections:
                    self._spare.append(connection)

    async def _watch(self):
        limits = self.limits
        shortest_ms = min(
            limits.head_ms, limits.idle_ms, limits.linger_ms, limits.handler_ms, limits.comment_ms
        )
        pause_ms = min(1000, shortest_ms) // 2 + 1
        while True:
            await asyncio.sleep_ms(pause_ms)
            now = time.ticks_ms()
            for connection in self.connections + self.abandoned:
                if connection.events:
                    connection.events.tick(now)
                if connection.deadline is not None and time.ticks_diff(now, connection.deadline) > 0:
                    await self._end(connection)

    async def _end(self, connection):
        if connection.ending:
            await self._drop(connection)
            return
        if connection.state == READING:
            late = HTTPError(408, "the request took too long to arrive")
            send_last(connection.stream, failure(late, False))
        connection.stop()

    # A handler may catch its cancellation, and go on for ever: its connection ends all the same.
    async def _drop(self, connection):
        if self._forget(connection):
            self._log("error", "a handler does not end when it is cancelled; its connection is dropped")
            connection.stream.close()
            await connection.stream.wait_closed()

    # True if it had a place.
    def _forget(self, connection):
        for places in (self.connections, self.abandoned):
            if connection in places:
                places.remove(connection)
                return True
        return False
