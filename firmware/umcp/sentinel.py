"""The values of Mcp-Name and Mcp-Param-*: plain where that is safe, else in Base64 (2026-07-28, transports: value
encoding).

    encode("move_head")     # "move_head"
    encode("\\u4e16")        # "=?base64?5LiW?="
"""

from binascii import a2b_base64, b2a_base64

_PREFIX = b"=?base64?"
_SUFFIX = b"?="


def encode(text):
    """text: str.  Returns str, printable ASCII without spaces at its ends, that decodes to the UTF-8 of text."""
    raw = text.encode()
    if _is_safe(raw):
        return text
    return (_PREFIX + b2a_base64(raw)[:-1] + _SUFFIX).decode()


def decode(value):
    """value: bytes, of a header, without white space at its ends.  Returns the bytes that it stands for.

    Without the whole prefix and suffix it stands for itself. Raises ValueError for Base64 that is none: other
    characters, missing padding.
    """
    if not _is_marked(value):
        return value
    coded = bytes(value[len(_PREFIX) : -len(_SUFFIX)])
    try:
        raw = a2b_base64(coded)
    except Exception:  # ValueError, but not on every port
        raw = b""
    # Decoders pass over what they do not know.
    if b2a_base64(raw)[:-1] != coded:
        raise ValueError("bad Base64")
    return raw


def _is_marked(raw):
    return len(raw) >= len(_PREFIX) + len(_SUFFIX) and raw.startswith(_PREFIX) and raw.endswith(_SUFFIX)


def _is_safe(raw):
    if raw and (raw[0] == 32 or raw[-1] == 32):
        return False
    return all([32 <= c <= 126 for c in raw]) and not _is_marked(raw)
