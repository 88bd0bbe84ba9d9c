"""More connections than a server has places for: who waits, who is asked to leave, and who is turned away.

Four are served. A fifth waits until one is free: those that hold a place are asked to leave with their next answer, and
the one that is idle longest is closed. It gets 503 only while all four have a request in flight.
"""

import asyncio
import select
import time

from micropython import const

from http1.answer import answer

from .connection import CLOSING, HANDLING, IDLE, READING, send_last

_PAUSE_MS = const(5)  # between two looks for a place
_LONG = const(10)  # times grace_ms: a connection that nobody misses
_CHUNK = const(1024)


async def enter(server, stream):
    """Wait for a place on an `HttpServer`; True once there is one, False if the stream has had its 503."""
    queue = server.queue
    queue.append(stream)
    try:
        while server.listener:
            if queue[0] is stream and _has_place(server):
                return True
            if _is_busy(server):
                break
            await asyncio.sleep_ms(_PAUSE_MS)
    finally:
        queue.remove(stream)
    if server.listener:
        await _turn_away(server, stream)
    return False


# Closed with its request unread, the connection would be reset and the answer lost.
async def _turn_away(server, stream):
    try:
        await asyncio.wait_for_ms(stream.read(_CHUNK), server.limits.linger_ms)
    except (OSError, asyncio.TimeoutError):
        pass
    send_last(stream, answer(503, b'{"error":"service_unavailable"}', False, b"Retry-After: 1\r\n"))


# True if as many requests are in flight as there are places.
def _is_busy(server):
    return len([c for c in server.connections if c.state >= HANDLING]) >= server.limits.connections


def _has_place(server):
    return len(server.connections) < server.limits.connections or make_room(server)


def make_room(server):
    """End the connection that waits longest: between requests if one is, else for the rest of one; False for none.

    Not one that was opened or used just now: its next request may be under way, and no client sends a lost POST again.
    And hardly one while places change hands, for then its client may wait in the queue, and use it next.
    """
    for state in (IDLE, READING, CLOSING):
        waiting = [c for c in server.connections if c.state == state and not _goes_on(c)]
        if waiting:
            now = time.ticks_ms()
            oldest = max(waiting, key=lambda c: time.ticks_diff(now, c.since))
            if _is_too_soon(server, oldest, now):
                return False
            oldest.task.cancel()
            server.connections.remove(oldest)
            return True
    return False


def _is_too_soon(server, connection, now):
    if len(server.queue) > server.limits.queue:
        return False
    grace_ms = server.limits.grace_ms
    idle_ms = time.ticks_diff(now, connection.since)
    # Who has sent half a request does not wait in the queue.
    moving = connection.state == IDLE and 0 <= time.ticks_diff(now, server.entered_ms) < grace_ms
    return idle_ms < (grace_ms * _LONG if moving else grace_ms)


# True if the next request, or more of one, has already arrived. What a peer sends that takes no answer does not count.
def _goes_on(connection):
    if connection.state == CLOSING:
        return False
    poll = select.poll()
    poll.register(connection.stream.s, select.POLLIN)
    return bool(poll.poll(0))
