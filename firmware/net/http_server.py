"""An HTTP/1.1 server on asyncio streams: a listener, a bounded set of connections, and one janitor for deadlines."""

import asyncio
import select
import time

from http1.answer import answer, failure
from http1.errors import HTTPError
from http1.request import MAX_HEAD
from http1.router import MAX_BODY

from .connection import CLOSING, IDLE, READING, Connection

_BUSY = answer(503, b'{"error":"service_unavailable"}', False, b"Retry-After: 1\r\n")
_TOO_LATE = failure(HTTPError(408, "the request took too long to arrive"), False)


class Limits:
    """What one server allows; the defaults fit an ESP32 without PSRAM.

    connections: int, served at once.  head, body: bytes of a request.  head_ms: for a request to arrive, and for an
    answer to be taken.  idle_ms: between requests.  handler_ms: for a handler that waits.  linger_ms, linger_reads:
    for what a refused peer still sends before we close.
    """

    connections = 4
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


class HttpServer:
    """router: `http1.router.Router`.  host: str, the address to listen on.  log: log(level, text, exception)."""

    def __init__(self, router, host, port, limits=None, log=None):
        self._router = router
        self._host = host
        self._port = port
        self.limits = limits or Limits()
        self._log = log or (lambda level, text, exception=None: None)
        self._connections = []
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
        while self._connections:
            await asyncio.sleep_ms(0)

    # The task of one connection.
    async def _accept(self, stream, _):
        if len(self._connections) >= self.limits.connections and not self._make_room():
            stream.write(_BUSY)
            await _shut(stream)
            return
        connection = self._spare.pop() if self._spare else Connection(self._router, self.limits)
        connection.open(stream, asyncio.current_task())
        self._connections.append(connection)
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
            await _shut(stream)
            if len(self._spare) < self.limits.connections:
                self._spare.append(connection)

    # Ends the connection that waits longest: between requests if one is, else for the rest of one.
    def _make_room(self):
        for state in (IDLE, READING, CLOSING):
            waiting = [c for c in self._connections if c.state == state and not _has_input(c.stream)]
            if waiting:
                now = time.ticks_ms()
                oldest = max(waiting, key=lambda c: time.ticks_diff(now, c.since))
                oldest.task.cancel()
                self._forget(oldest)
                return True
        return False

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
