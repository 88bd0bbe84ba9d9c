"""An HTTP/1.1 server on asyncio streams: a listener, a bounded set of connections, and one janitor for deadlines."""

import asyncio
import select
import time

from http1.answer import answer, failure
from http1.errors import HTTPError
from http1.request import MAX_HEAD
from http1.router import MAX_BODY

from .connection import CLOSING, HANDLING, IDLE, READING, Connection

_BUSY = answer(503, b'{"error":"service_unavailable"}', False, b"Retry-After: 1\r\n")
_TOO_LATE = failure(HTTPError(408, "the request took too long to arrive"), False)
_CHUNK = 1024
_PAUSE_MS = 5  # between two looks for a place
_LONG = 10  # times grace_ms: a connection that nobody misses


class Limits:
    """What one server allows; the defaults fit an ESP32 without PSRAM.

    connections: int, served at once.  queue: int, how many more may wait for a place.  grace_ms: a connection that was
    used this lately is not closed for another.  head, body: bytes of a request.  head_ms: for a request to arrive,
    and for an answer to be taken.  idle_ms: between requests.  handler_ms: for a handler that waits.  linger_ms,
    linger_reads: for what a refused peer still sends before we close.
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

    def __init__(self, **changes):
        for name, value in changes.items():
            if not hasattr(Limits, name):
                raise TypeError("no limit %s" % name)
            setattr(self, name, value)
        # Places in the buffer have 16 bits, and two of those in a head are one small integer.
        if self.head >= 1 << 14 or self.head + self.body > 65000:
            raise ValueError("a head has less than 16,384 bytes, and with its body at most 65,000")


class HttpServer:
    """router: `http1.router.Router`.  host: str, the address to listen on.  log: log(level, text, exception)."""

    def __init__(self, router, host, port, limits=None, log=None):
        self._router = router
        self._host = host
        self._port = port
        self.limits = limits or Limits()
        self._log = log or (lambda level, text, exception=None: None)
        self._connections = []
        self._queue = []  # streams that wait for a place, in the order they came
        self._entered = time.ticks_ms()  # when the last of them got one
        self._spare = []
        self._listener = None
        self._janitor = None

    async def start(self):
        """Listen. Raises OSError: EADDRINUSE for a port in use."""
        self._listener = await asyncio.start_server(self._accept, self._host, self._port, backlog=16)
        self._janitor = asyncio.create_task(self._watch())

    async def close(self):
        """Stop listening and close every connection."""
        if self._listener:
            self._listener.close()
            await self._listener.wait_closed()
            self._janitor.cancel()
            self._listener = None
        for connection in list(self._connections):
            connection.task.cancel()
        while self._connections or self._queue:
            await asyncio.sleep_ms(0)

    # The task of one connection.
    async def _accept(self, stream, _):
        if (self._queue or not self._has_place()) and not await self._enter(stream):
            if self._listener:
                await self._turn_away(stream)
            await _shut(stream)
            return
        connection = self._spare.pop() if self._spare else Connection(self._router, self.limits, self._queue)
        connection.open(stream, asyncio.current_task())
        self._connections.append(connection)
        self._entered = connection.since
        try:
            await connection.serve()
        except OSError:
            pass  # The peer is gone.
        except asyncio.CancelledError:
            pass  # By the janitor, by `_make_room` or by `close`.
        except Exception as e:
            self._log("error", "connection failed", e)
            stream.write(failure(HTTPError(500), False))
        finally:
            self._forget(connection)
            stream.close()
            await stream.wait_closed()
            connection.close()
            if len(self._spare) < self.limits.connections:
                self._spare.append(connection)

    # Waits; True once there is a place. Until then those that hold one are asked to leave with their next answer.
    async def _enter(self, stream):
        queue = self._queue
        queue.append(stream)
        try:
            while self._listener:
                if queue[0] is stream and self._has_place():
                    return True
                if self._is_busy():
                    break
                await asyncio.sleep_ms(_PAUSE_MS)
            return False
        finally:
            queue.remove(stream)

    # Closed with its request unread, the connection would be reset and the answer lost.
    async def _turn_away(self, stream):
        try:
            await asyncio.wait_for_ms(stream.read(_CHUNK), self.limits.linger_ms)
        except (OSError, asyncio.TimeoutError):
            pass
        stream.write(_BUSY)

    # True if as many requests are in flight as there are places.
    def _is_busy(self):
        return len([c for c in self._connections if c.state == HANDLING]) >= self.limits.connections

    def _has_place(self):
        return len(self._connections) < self.limits.connections or self._make_room()

    # Ends the connection that waits longest: between requests if one is, else for the rest of one. Not one that was
    # opened or used just now: its next request may be under way, and no client sends a lost POST again. And hardly one
    # while places change hands, for then its client may wait in the queue, and use it next.
    def _make_room(self):
        for state in (IDLE, READING, CLOSING):
            waiting = [c for c in self._connections if c.state == state and not _has_input(c.stream)]
            if waiting:
                now = time.ticks_ms()
                oldest = max(waiting, key=lambda c: time.ticks_diff(now, c.since))
                if self._is_too_soon(oldest, now):
                    return False
                oldest.task.cancel()
                self._forget(oldest)
                return True
        return False

    def _is_too_soon(self, connection, now):
        if len(self._queue) > self.limits.queue:
            return False
        grace_ms = self.limits.grace_ms
        idle_ms = time.ticks_diff(now, connection.since)
        # Who has sent half a request does not wait in the queue.
        moving = connection.state == IDLE and 0 <= time.ticks_diff(now, self._entered) < grace_ms
        return idle_ms < (grace_ms * _LONG if moving else grace_ms)

    def _forget(self, connection):
        if connection in self._connections:
            self._connections.remove(connection)

    async def _watch(self):
        limits = self.limits
        pause_ms = min(1000, limits.head_ms, limits.idle_ms, limits.linger_ms, limits.handler_ms) // 2 + 1
        while True:
            await asyncio.sleep_ms(pause_ms)
            now = time.ticks_ms()
            for connection in list(self._connections):
                if time.ticks_diff(now, connection.deadline) > 0:
                    self._end(connection)

    def _end(self, connection):
        if connection.state == READING:
            connection.stream.write(_TOO_LATE)
        connection.task.cancel()


# True if the next request of an idle connection has already arrived.
def _has_input(stream):
    poll = select.poll()
    poll.register(stream.s, select.POLLIN)
    return bool(poll.poll(0))


async def _shut(stream):
    stream.close()
    await stream.wait_closed()
