"""What is said of a body, in unusual words: its type and length, and what may answer it."""

from .errors import HTTPError

try:
    from micropython import const
except ImportError:
    const = int

_TYPE = const(4)
_ACCEPT = const(5)

_JSON = b"application/json"
_EVENTS = (b"text/event-stream", b"*/*", b"text/*")
_READABLE = _EVENTS + (_JSON, b"application/*")


def check(request, posted, max_body):
    """Raise HTTPError 413, and 406, 411 or 415 if it is `posted`."""
    fields = request.fields
    if posted and _media_type(fields.get(_TYPE)) != _JSON:
        raise HTTPError(415, "Content-Type must be application/json")
    if posted and request.length is None and not request.chunked:
        raise HTTPError(411, "send Content-Length or chunks", close=True)
    if (request.length or 0) > max_body:
        raise HTTPError(413, "the body may have %d bytes" % max_body)
    if posted and not _accepts(fields.get(_ACCEPT), _READABLE):
        raise HTTPError(406, "accept application/json or text/event-stream")


def takes_events(accept):
    """True if an Accept (bytes, or None) has room for an event stream."""
    return _accepts(accept, _EVENTS)


# Media types have no case (RFC 9110 section 8.3.1); parameters are ignored.
def _media_type(value):
    return value and value.split(b";")[0].strip().lower()


def _accepts(accept, types):
    return not accept or any(_media_type(part.strip()) in types for part in accept.split(b","))
