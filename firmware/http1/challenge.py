"""What a request without the token is told."""

from .errors import HTTPError


def refuse(guard, reason):
    """Log why a `Guard` refuses a request, and raise HTTPError 401 with the challenge (RFC 6750 section 3)."""
    if guard.log:
        guard.log("warning", "refused: " + reason)
    realm = guard.realm.encode()
    raise HTTPError(
        401, reason, headers=b'WWW-Authenticate: Bearer realm="%s", error="invalid_token"\r\n' % realm
    )
