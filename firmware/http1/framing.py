"""What few requests have: no Host, HTTP/1.0, a malformed length, chunks, an expectation, an odd Connection."""

from .errors import HTTPError
from .tokens import tokens

try:
    from micropython import const
except ImportError:
    const = int

_HOST = const(0)
_CODING = const(2)
_CONNECTION = const(3)
_EXPECT = const(8)


def check(request):
    """Set what `Request.parse` leaves to this.  Raises HTTPError: 400, 417 or 501, each with `close`."""
    # RFC 9112 section 3.2: HTTP/1.1 needs exactly one Host; `Fields` refuses a second.
    present = request.fields.present
    if not present & 1 << _HOST and not request.http10:
        raise HTTPError(400, "no Host header", close=True)
    if request.length is not None and request.length < 0:
        raise HTTPError(400, "malformed Content-Length", close=True)
    request.chunked = bool(present & 1 << _CODING) and _check_coding(request)
    request.wants_continue = bool(present & 1 << _EXPECT) and _check_expectation(request)
    # RFC 9112 section 9.3; an HTTP/1.0 connection is always closed.
    request.keep_alive = not request.http10 and b"close" not in tokens(request.fields.get(_CONNECTION))


# RFC 9112 section 6: whatever could be read in two ways is refused.
def _check_coding(request):
    if request.length is not None or request.http10:
        raise HTTPError(400, "conflicting message length", close=True)
    codings = tokens(request.fields.get(_CODING))
    if codings == [b"chunked"]:
        return True
    # RFC 9112 sections 6.1 and 6.3: chunked comes once and last.
    if not codings or b"chunked" in codings[:-1]:
        raise HTTPError(400, "malformed Transfer-Encoding", close=True)
    raise HTTPError(501, "only the chunked transfer coding is served", close=True)


# RFC 9110 section 10.1.1: an HTTP/1.0 client's expectation is ignored.
def _check_expectation(request):
    if not request.http10 and request.fields.get(_EXPECT).lower() != b"100-continue":
        raise HTTPError(417, "unknown expectation", close=True)
    return not request.http10
