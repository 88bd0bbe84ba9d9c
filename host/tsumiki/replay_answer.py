"""What of a take is said as it was, and what is written anew: ids, progress tokens, the era, the HTTP status."""

from . import eras, tape
from .pipeline import Reply, Status, dumped, error_reply, parsed
from .tape import LISTEN, text_of, with_id

_INTERNAL = -32603
_OPENINGS = ("initialize", "server/discover")
_SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


def answer(exchange, take, headers, identity, as_is):
    """The answer of a take to an exchange: a `Reply`, a `Status`, or None where its era has no such thing.

    headers: tuple of (name, value).  identity: dict, the server's, or None.  as_is: bool, whatever the era.
    """
    if not take.is_message:
        return _failure(exchange, take)
    raw = with_id(take.answer, text_of(exchange.id))
    if take.method == LISTEN:
        message = parsed(raw)
        if isinstance(message.get("result"), dict):
            raw = dumped(dict(message, result=_resubscribed(message["result"], take, exchange.id)))
    era = exchange.era
    if take.era != era and take.method not in _OPENINGS and not as_is:
        message = eras.adapted(parsed(raw), take.method, era, identity)
        if message is None:
            return None
        raw = dumped(message)
    return Reply(raw, _status(exchange, take, era, raw), headers)


def notification(exchange, take, raw):
    """A recorded notification (bytes) for the request at hand; None if that asked for no progress."""
    if take.token is None and take.method != LISTEN:
        return raw
    message = parsed(raw)
    params = message.get("params")
    if not isinstance(params, dict):
        return raw
    if take.method == LISTEN:
        return dumped(dict(message, params=_resubscribed(params, take, exchange.id)))
    if not tape.same(params.get("progressToken"), take.token):
        return raw
    meta = exchange.params.get("_meta")
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    if token is None:
        return None
    return dumped(dict(message, params=dict(params, progressToken=token)))


def _status(exchange, take, era, raw):
    if exchange.transport != "http":
        return 200
    if take.era == era and take.status is not None:
        return take.status
    return eras.modern_status(raw) if era == "modern" else 200


# The answer of a server that refused on HTTP, without a message.
def _failure(exchange, take):
    status = take.status or 502
    if exchange.transport != "http":
        text = "HTTP status %d" % status if status >= 300 else "The recorded answer is no message"
        return error_reply(exchange.id, _INTERNAL, text)
    headers = [("Content-Type", take.http.get("type") or "text/plain")]
    if take.http.get("retryAfter"):
        headers.append(("Retry-After", str(take.http["retryAfter"])))
    if take.http.get("authenticate"):
        headers.append(("WWW-Authenticate", take.http["authenticate"]))
    return Status(status, tuple(headers), take.answer)


# A result, or params, with the id of the request that listens now.
def _resubscribed(value, take, id):
    meta = value.get("_meta")
    if not isinstance(meta, dict) or text_of(meta.get(_SUBSCRIPTION)) != take.id:
        return value
    return dict(value, _meta=dict(meta, **{_SUBSCRIPTION: id}))
