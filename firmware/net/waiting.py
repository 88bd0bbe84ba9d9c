"""A handler that waits: meanwhile its client is watched, and who hangs up keeps no place.

What becomes of the handler then is for it to say, by `stops_with_peer` of its request. True: it is cancelled (MCP
2026-07-28: a disconnect is a cancellation). False: it goes on, and its answer is dropped (MCP until 2025-11-25: a
disconnect is none).
"""

import asyncio

from micropython import const

from http1.ahead import room
from http1.errors import HTTPError

from .connection import CLOSING, HANDLING, HELD

ABANDONED = const(4)  # handlers that may go on without a client; one more, and the oldest is cancelled


async def finish(connection, awaitable):
    """Wait for a handler of a `Connection`: its reply, or True if that has been sent, as a stream or in parts, or False
    if the connection is over.  awaitable: gives the reply, or None for no more than what was sent; None stands for that
    one. A body that is a list of bytes is sent in parts, see `net.parts`.
    """
    reply = None if awaitable is None else await _reply(connection, awaitable)
    request = connection.peer
    if request.left:
        return False
    if reply is not None and connection.events is None:
        if type(reply[1]) is not list:
            return reply
        from .parts import send  # late (RAM): few bodies have parts

        return await send(connection, reply)
    if request.method == "HEAD":
        return 200, b"", b""
    from .stream import end  # late (RAM): few handlers say anything before their answer

    connection.expect(CLOSING, connection.limits.head_ms)
    return await end(connection, reply and reply[1])


async def _reply(connection, awaitable):
    if connection.state == HANDLING:  # It has asked for no other time.
        connection.expect(HANDLING, connection.limits.handler_ms)
    connection.watcher = asyncio.create_task(_watch(connection))
    try:
        return await awaitable
    except HTTPError:
        if connection.events is None and not connection.peer.left:
            raise
        # Too late to say so.
    except asyncio.CancelledError:
        if not (connection.ending or connection.peer.left):
            raise RuntimeError("a handler ended as if it had been cancelled")
        if connection.events:
            connection.events.cut()
        raise
    finally:
        connection.watcher.cancel()
        connection.watcher = None


# Reads on, for that alone tells that a client has hung up. It may send its next request meanwhile.
async def _watch(connection):
    reader = connection.reader
    stream = connection.stream
    try:
        while True:
            space = room(reader)
            if space is None:
                return
            count = await stream.readinto(space)
            if count == 0:
                break
            reader.received(count or 0)
    except OSError:
        pass
    await hang_up(connection, stream)


async def hang_up(connection, stream):
    """The client of that stream is gone: nothing happens if the connection has another one already."""
    if connection.stream is stream and await abandon(connection):
        if connection.peer.stops_with_peer:
            connection.stop()


async def abandon(connection):
    """Close a connection whose handler goes on, and give its place free; False if that was done before."""
    server = connection.server
    if connection not in server.connections:
        return False
    server.connections.remove(connection)
    server.abandoned.append(connection)
    connection.peer.left = True
    connection.events = None
    if connection.deadline is None:
        connection.expect(HELD, connection.limits.handler_ms)
    # A port need not wake who reads from a socket that is closed.
    if connection.watcher not in (None, asyncio.current_task()):
        connection.watcher.cancel()
    connection.reader.reset()
    connection.stream.close()
    await connection.stream.wait_closed()
    going = [one for one in server.abandoned if not one.ending]
    if len(going) > ABANDONED:
        going[0].stop()
    return True
