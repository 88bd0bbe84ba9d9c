"""JSON-RPC batches, which exist in MCP 2025-03-26 only (its basic protocol: batching)."""

from .codec import dumps
from .errors import INTERNAL_ERROR, INVALID_REQUEST, LocalError, RemoteError
from .rpc import REQUEST, error
from .session import owner
from .version import ASSUMED

MAX_BATCH = 16  # messages

_GRACE_MS = 1000  # as in umcp.parts


async def answer_batch(server, entries, session, peer):
    """The server's answer to a list of messages, as `Server.handle` returns it: each is served as if it came alone."""
    if session.version != ASSUMED or not 0 < len(entries) <= MAX_BATCH:
        return 400, error(None, INVALID_REQUEST, "Invalid Request: a batch"), b""
    answers = []
    room = server.max_result
    for entry in entries:
        answer = _answer(server, entry, session, peer)
        if answer is not None and type(answer) is not tuple:
            peer.allow(_longest_ms(server))
            answer = await answer
        if answer is not None:
            answer = answer[1]
            if type(answer) is tuple:
                answer = b"".join(answer)
            room -= len(answer)
            answers.append(answer if room >= 0 else _too_large())
    return (200, b"[" + b",".join(answers) + b"]", b"") if answers else (202, b"", b"")


# Each of those that wait has its own time: as much as the slowest tool.
def _longest_ms(server):
    return max([server.tool_ms] + [tool.time_ms or 0 for tool in server.get_tools()]) + _GRACE_MS


def _answer(server, entry, session, peer):
    message = server.message
    try:
        raw = dumps(entry)
        kind = message.parse(raw, 0, len(raw))
        if kind is None or message.method == b"initialize":
            raise RemoteError(INVALID_REQUEST, "Invalid Request: not in a batch")
        if kind == REQUEST:
            return server.answer(message, session, peer)
        server._noted(kind, message, owner(peer))
        return None
    except RemoteError as e:
        return e.status, error(None, e.code, e.message), b""
    except LocalError:
        return 400, error(None, INVALID_REQUEST, "Invalid Request: a number is out of range"), b""


def _too_large():
    return error(None, INTERNAL_ERROR, "the batch's answer is over the limit; ask for less at once")
