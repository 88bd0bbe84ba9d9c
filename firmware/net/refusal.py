"""What becomes of a connection whose request was refused with an HTTPError: its answer, and what is still sent."""

from http1.answer import failure
from http1.errors import HTTPError

from .connection import CLOSING


async def refuse(connection, error):
    """Answer for a `Connection`; True if it can go on, the body of the refused request skipped."""
    request = connection.peer
    limits = connection.limits
    # A client that was not told to continue may or may not send its body: where the next request starts is unsure.
    unsure = error.close or request.wants_continue or (request.length or 0) > limits.body
    keep_alive = request.keep_alive and not unsure and not connection.queue
    if not connection.write(failure(error, keep_alive, request.cors)):
        await connection.drain()
    if keep_alive and await _skip(connection):
        return True
    # Closing with unread bytes would reset the connection and lose the answer (RFC 9112 section 9.6).
    connection.expect(CLOSING, limits.linger_ms)
    for _ in range(limits.linger_reads):
        if await connection.stream.readinto(connection.reader.buf) == 0:
            break
    return False


# Reads what is left of a refused request, which has its answer; True once the next one may come.
async def _skip(connection):
    reader = connection.reader
    connection.expect(CLOSING, connection.limits.head_ms)
    try:
        while not reader.skip():
            count = await connection.stream.readinto(reader.space())
            if count == 0:
                return False
            reader.received(count or 0)
    except HTTPError:
        return False
    return True
