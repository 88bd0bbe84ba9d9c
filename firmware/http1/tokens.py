"""The members of a header field that is a list."""


def tokens(value):
    """The members of a list field in lower case: b"Keep-Alive, X" -> [b"keep-alive", b"x"]; [] for None.

    Empty members do not count (RFC 9110 section 5.6.1.2).
    """
    return [part.strip() for part in value.lower().split(b",") if part.strip()] if value else []
