"""Going on with an event stream that ended before its answer (2025-11-25, transports: resumability)."""

from .client_errors import AuthError, Disconnected, HttpError, NoMatch
from .exchange import Exchange

try:
    from micropython import const
except ImportError:
    const = int

_RETRY_MS = const(1000)  # where the server names no time
_MAX_RETRY_MS = const(60000)
_MAX_TRIES = const(5)  # in a row that brought no new event
_MAX_STREAMS = const(100)


def resumed(session, exchange):
    """Flow: ask for the rest of the stream, as often as it takes; returns the exchange that has the outcome.

    exchange: one that has a `last_id`. A try that fails is followed by another one, until enough of them failed.
    """
    tries = 0
    last_id = exchange.last_id
    retry_ms = exchange.retry_ms
    for _ in range(_MAX_STREAMS):
        following = _following(session, exchange, last_id, retry_ms)
        yield following
        if not _is_broken(following):
            return _outcome(session, exchange, following)
        retry_ms = retry_ms if following.retry_ms is None else following.retry_ms
        tries = tries + 1 if following.last_id in (b"", last_id) else 0
        if tries >= _MAX_TRIES:
            break
        last_id = following.last_id or last_id
    return exchange


# No stream, or one that ended early once more.
def _is_broken(x):
    return x.status in (0, 503) or isinstance(x.error, (NoMatch, Disconnected))


# A server that does not resume leaves us with the broken stream; whether the call was carried out nobody knows.
def _outcome(session, exchange, following):
    if isinstance(following.error, HttpError) and not isinstance(following.error, AuthError):
        session.stale = session.stale or following.status == 404
        return exchange
    return following


def _following(session, exchange, last_id, retry_ms):
    made = Exchange(session, "GET", b"", exchange.id, exchange.what, True)
    made.fields = b"Last-Event-ID: %s\r\n" % last_id
    made.plain = False
    made.wait_ms = min(_RETRY_MS if retry_ms is None else retry_ms, _MAX_RETRY_MS)
    made.keeps = True
    return made
