"""Sets of characters, as sorted ranges of code points: a flat tuple (low, high, low, high, ...)."""

try:
    from micropython import const
except ImportError:
    const = int

_LAST = const(0x10FFFF)
_MAX_LISTED = const(80)

# WhiteSpace and LineTerminator, ECMA-262 sections 12.2 and 12.3.
_SPACE = "\t\r  \xa0\xa0\u1680\u1680\u2000\u200a\u2028\u2029\u202f\u202f\u205f\u205f\u3000\u3000\ufeff\ufeff"


def named(name):
    """The ranges of `\\d`, `\\w`, `\\s`, by their letter, or of "."."""
    if name == "d":
        return (48, 57)
    if name == "w":
        return (48, 57, 65, 90, 95, 95, 97, 122)
    if name == "s":
        return tuple([ord(c) for c in _SPACE])
    # All but the line terminators, ECMA-262 section 12.3.
    return others((10, 10, 13, 13, 0x2028, 0x2029))


class Ranges:
    """A large set of characters: sorted ranges of code points, flat (low, high, low, high, ...)."""

    def __init__(self, ranges):
        self._ranges = ranges

    def __contains__(self, c):
        c = ord(c)
        ranges = self._ranges
        low = 0
        high = len(ranges) >> 1
        while low < high:
            mid = (low + high) >> 1
            if c > ranges[2 * mid + 1]:
                low = mid + 1
            else:
                high = mid
        return 2 * low < len(ranges) and c >= ranges[2 * low]


def ordered(pairs):
    """The ranges of a list of (low, high), in any order."""
    out = []
    for low, high in sorted(pairs):
        if out and low <= out[-1] + 1:
            out[-1] = max(out[-1], high)
        else:
            out += (low, high)
    return tuple(out)


def others(ranges):
    """The ranges of all other code points."""
    out = []
    low = 0
    for i in range(0, len(ranges), 2):
        if ranges[i] > low:
            out += (low, ranges[i] - 1)
        low = ranges[i + 1] + 1
    if low <= _LAST:
        out += (low, _LAST)
    return tuple(out)


def members(ranges):
    """What answers `c in members`: a str of the characters (the fastest), or a `Ranges` if they are many."""
    size = 0
    for i in range(0, len(ranges), 2):
        size += ranges[i + 1] - ranges[i] + 1
    if size > _MAX_LISTED:
        return Ranges(ranges)
    out = ""
    for i in range(0, len(ranges), 2):
        low, high = ranges[i], ranges[i + 1] + 1
        out += (
            bytes(range(low, high)).decode() if high <= 128 else "".join([chr(c) for c in range(low, high)])
        )
    return out
