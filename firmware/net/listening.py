"""Listening to a server on a connection of its own, opened anew whenever it breaks."""

import asyncio

from micropython import const

from umcp.client_errors import AuthError, Busy, ClientError, Disconnected, HttpError, NoMatch, RpcError
from umcp.client_features import deal
from umcp.client_listen import listening
from umcp.errors import METHOD_NOT_FOUND

_SHORTEST_MS = const(100)
_FIRST_MS = const(1000)
_LONGEST_MS = const(30000)
_POST_MS = const(5000)  # for an answer of ours to be taken

# No stream here (2025-11-25, transports: listening; 2026-07-28: a method that is not served).
_NONE = (400, 404, 405, 406, 501)


async def listen(client, wanted, opened):
    """See `McpClient.listen`."""
    session = client._session
    side = client._http.twin(lambda message: _hear(client, message))
    pause_ms = 0
    last_id = b""
    lost = False
    try:
        while True:
            if session.stale or not session.initialized:
                await client._run(session.ready(), None)
            x = listening(session, wanted, last_id, opened)
            error = await _error(side, x)
            if error is None:
                return True
            if x.status == 404 and "Mcp-Session-Id" in x.headers and not lost:
                lost = session.stale = True
                last_id = b""
                continue
            if _is_final(error):
                if _is_none(error):
                    return False
                raise error
            lost = False
            last_id = x.last_id or last_id
            pause_ms = _SHORTEST_MS if x.heard else min(max(2 * pause_ms, _FIRST_MS), _LONGEST_MS)
            wanted_ms = _FIRST_MS if x.retry_ms is None else x.retry_ms
            await asyncio.sleep_ms(min(max(wanted_ms, pause_ms), _LONGEST_MS))
    finally:
        side.drop()


async def _error(side, x):
    try:
        await side.exchange(x)
    except ClientError as e:
        return e
    return x.error


def _is_final(error):
    if isinstance(error, (Busy, NoMatch, Disconnected)):
        return False
    return not (isinstance(error, HttpError) and error.status >= 500 and error.status not in _NONE)


def _is_none(error):
    if isinstance(error, RpcError):
        return error.code == METHOD_NOT_FOUND
    return isinstance(error, HttpError) and error.status in _NONE and not isinstance(error, AuthError)


async def _hear(client, message):
    error = None
    if isinstance(message, dict):
        message, error = await deal(client._session, message)
    if message is not None:
        try:
            await asyncio.wait_for_ms(client._post(message), _POST_MS)
        except asyncio.TimeoutError:
            pass
    if error is not None:
        raise error
