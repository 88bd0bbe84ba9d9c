"""What a request without the token is told.

The three reasons are the Stack-chan original's: no token configured (everything is refused), no header, wrong header.
"""

from .errors import HTTPError

NOT_CONFIGURED = "token-not-configured"
MISSING = "missing-authorization"
INVALID = "invalid-authorization"


def reason(span, token):
    """Why a request is refused that `bearer.passes` did not let pass; span, token: as there."""
    if token is None:
        return NOT_CONFIGURED
    return MISSING if not span or span & 0xFFFF == span >> 16 else INVALID


def refuse(guard, span):
    """Log why a `Guard` refuses a request, and raise HTTPError 401 with the challenge (RFC 6750 section 3)."""
    why = reason(span, guard.token)
    if guard.log:
        guard.log("warning", "refused: " + why)
    realm = guard.realm.encode()
    raise HTTPError(
        401, why, headers=b'WWW-Authenticate: Bearer realm="%s", error="invalid_token"\r\n' % realm
    )
