"""One way to write a JSON value, whatever the order of its members: for digests and for what is generated.

Members are sorted by the code points of their names; nothing is escaped that need not be; a float without a fraction is
written as the integer. Other floats are as each interpreter writes them: their digests may differ between the two.
"""

from binascii import hexlify
from hashlib import sha256

from umcp.codec import dumps, dumps_text

_EXACT = 9007199254740992.0  # up to here a float without a fraction is that very integer


def canon(value):
    """The canonical JSON of a value: bytes, UTF-8.  Raises LocalError for what JSON cannot say."""
    parts = []
    _put(parts, value)
    return b"".join(parts)


def digest(value):
    """The SHA-256 of the canonical JSON of a value: str, 64 hexadecimal digits."""
    return hexlify(sha256(canon(value)).digest()).decode()


def _put(parts, value):
    kind = type(value)
    if kind is dict:
        before = b"{"
        for name in sorted(value):
            parts.append(dumps_text(name, before, b":"))
            _put(parts, value[name])
            before = b","
        parts.append(b"}" if value else b"{}")
    elif kind is list or kind is tuple:
        parts.append(b"[")
        for i, one in enumerate(value):
            if i:
                parts.append(b",")
            _put(parts, one)
        parts.append(b"]")
    elif kind is str:
        parts.append(dumps_text(value))
    elif kind is float and -_EXACT < value < _EXACT and value == int(value):
        parts.append(b"%d" % int(value))
    else:
        parts.append(dumps(value))
