"""A reply that is an event stream: what a handler says before its answer, and the answer as the last event.

Several tasks may send to one stream. They take turns: none writes before the other's event has been taken, and the
answer is the last, though somebody else goes on sending.
"""

import asyncio
import time

from micropython import const

from http1.events import COMMENT, LAST_CHUNK, chunk, event, head

from .connection import HANDLING
from .turns import Turns
from .waiting import abandon, hang_up

_MOST_MS = const(16)  # between two tries to write to a slow peer


async def send(connection, raw, event_id=b"", retry_ms=None):
    """Send an event; the first one opens the stream. Nothing happens if the client has left, or the handler is over.

    raw: bytes, one line; b"" for an event that only tells its id, or without one for a comment.  event_id, retry_ms:
    as in `http1.events.event`.
    """
    request = connection.peer
    if not request.left and connection.state >= HANDLING and request.method != "HEAD":
        parts = event(raw, event_id, retry_ms) if raw or event_id else (COMMENT,)
        await _events(connection).write(parts)
    # A handler that only reports must not keep the others from their turns.
    await asyncio.sleep_ms(0)


async def close(connection):
    """End the stream; the handler goes on without a client."""
    if not connection.peer.left and connection.state >= HANDLING:
        await _events(connection).write((), True)
        await abandon(connection)


async def end(connection, body):
    """Send the answer as the last event, or none, and end the stream; True if the connection can go on.

    body: bytes, or a tuple of bytes to join, or None.
    """
    events = _events(connection)
    await events.write(event(body) if body else (), True)
    connection.events = None
    return events.stays and not connection.peer.left


def _events(connection):
    if connection.events is None:
        connection.events = Events(connection)
    return connection.events


class Events:
    """The stream of one reply.

    stays: bool, the connection can go on after it.
    """

    def __init__(self, connection):
        request = connection.peer
        self.stays = request.keep_alive and not connection.queue
        self._connection = connection
        self._stream = connection.stream
        self._chunked = not request.http10
        self._turns = Turns()
        self._head = head(request, self.stays)
        self._since = 0

    async def write(self, parts, last=False):
        """Write an event, and the end of the stream if it is the `last`; the peer may take head_ms for it."""
        turns = self._turns
        if not turns.take():
            await turns.wait()
        try:
            # A writer before that was cancelled has left its rest.
            if await self._flush():
                self._put(parts, last)
                await self._flush()
        finally:
            turns.give()

    def tick(self, now):
        """Write a comment if nothing was written for comment_ms, and let go a peer that takes nothing.  now: ticks."""
        if not self._turns.take():
            return  # Whoever writes sees to it.
        limits = self._connection.limits
        silent_ms = time.ticks_diff(now, self._since)
        try:
            if self._stream.out_buf:
                if self._push() and silent_ms > limits.head_ms:
                    self._lose()
            elif silent_ms >= limits.comment_ms:
                self._put((COMMENT,), False)
        except MemoryError:
            pass  # Another time.
        finally:
            self._turns.give()

    def cut(self):
        """End the stream without an answer, if nothing is on its way."""
        if not self._stream.out_buf:
            self._put((), True)

    # What is put is whole, and behind what was put before.
    def _put(self, parts, last):
        if self._chunked:
            parts = (chunk(*parts) if parts else ()) + ((LAST_CHUNK,) if last else ())
        data = b"".join((self._head,) + parts)
        self._head = b""
        self._since = time.ticks_ms()
        try:
            self._stream.write(data)
        except (OSError, MemoryError):
            self._lose()

    # Writes what is left; True if nothing is. `drain` would not do: one that is cancelled writes the same bytes again,
    # and takes the watcher's place in the event loop.
    async def _flush(self):
        since = time.ticks_ms()
        pause_ms = 1
        while self._connection.events is self and self._push():
            if time.ticks_diff(time.ticks_ms(), since) > self._connection.limits.head_ms:
                self._lose()
                return False
            await asyncio.sleep_ms(pause_ms)
            pause_ms = min(2 * pause_ms, _MOST_MS)
        return self._connection.events is self

    # Writes as much as the peer takes now; True if something is left.
    def _push(self):
        stream = self._stream
        if not stream.out_buf:
            return False
        try:
            count = stream.s.write(stream.out_buf)
        except OSError:
            self._lose()
            return False
        if count:
            stream.out_buf = stream.out_buf[count:]
        return bool(stream.out_buf)

    # A task of its own, for this one may be the handler's, and none can cancel itself.
    def _lose(self):
        connection = self._connection
        if connection.events is self:
            connection.events = None
            connection.peer.left = True
            self._task = asyncio.create_task(hang_up(connection, self._stream))
