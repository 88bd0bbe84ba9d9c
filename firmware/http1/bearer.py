"""Bearer tokens (RFC 6750), compared in constant time on every request."""

try:
    from .scan_viper import bearer, differ
except (ImportError, SyntaxError, ValueError):  # as in fields.py
    from .scan import bearer, differ

MIN_LENGTH = 16  # characters, of a configured token: shorter ones can be guessed


def normalize(token):
    """The token as bytes without white space around, or None if it is no str or blank."""
    return (isinstance(token, str) and token.strip().encode()) or None


def passes(buf, span, token):
    """True if a request bears the token.

    The header's value is buf[span & 0xFFFF : span >> 16]; a span of 0 is no header.  token: bytes, normalised, or None.
    """
    presented = token_span(buf, span)
    return presented > 0 and is_token(buf, presented, token)


def token_span(buf, span):
    """Where in the header's value the token lies, start | end << 16; 0 if the value is no `Bearer TOKEN`."""
    start = bearer(buf, span)
    return start | span & -65536 if start else 0


def is_token(buf, span, token):
    """True if the token lies there, which is compared in constant time.  token: bytes, normalised, or None."""
    return token is not None and not differ(buf, span, token, len(token))
