"""The parser of patterns: ECMA-262 text in, instructions of `pattern.py` out.

An instruction is a set of characters (whatever answers `c in op`: a str or a `Ranges`) or a negative number:
start, end, or a jump, which is relative so that a piece of code can be repeated as it is.
"""

try:
    from micropython import const
except ImportError:
    const = int

from .charset import DIGIT, DOT, SPACE, WORD, members, ordered, others
from .errors import LocalError

_MAX_CODE = const(1000)
_MAX_DEPTH = const(20)

# `pattern.py` has the same four.
_START = const(-1)
_END = const(-2)
_BIAS = const(2048)
_SPLIT = const(1)
_JUMP = const(0)

_SETS = {"d": DIGIT, "w": WORD, "s": SPACE}
_CONTROLS = {"n": 10, "r": 13, "t": 9, "f": 12, "v": 11}
_HEX_DIGITS = {"x": 2, "u": 4}
_COUNTS = {"*": (0, None), "+": (1, None), "?": (0, 1)}


def parse(text):
    """The instructions, list, of the pattern `text`; LocalError if it is malformed, unsupported, or too large."""
    return _Parser(text).parse()


def _go(kind, distance):
    return -(2 * (distance + _BIAS) + kind)


def _either(a, b):
    return [_go(_SPLIT, len(a) + 2)] + a + [_go(_JUMP, len(b) + 1)] + b


def _repeat(code, low, high):
    # Every optional turn leaves for the same end, so that few states are alive at a time.
    size = len(code)
    if high is None:
        return code * low + [_go(_SPLIT, size + 2)] + code + [_go(_JUMP, -size - 1)]
    out = code * low
    for left in range(high - low, 0, -1):
        out.append(_go(_SPLIT, left * (size + 1)))
        out += code
    return out


class _Parser:
    # Recursive descent; each method returns the code of what it read.

    def __init__(self, text):
        self._text = text
        self._at = 0
        self._weight = 0
        self._made = {}

    def parse(self):
        if len(self._text) > _MAX_CODE:
            self._fail("is longer than %d characters" % _MAX_CODE)
        code = self._choice(0)
        if self._at < len(self._text):
            self._fail("has a ) without a (")
        return code

    def _fail(self, reason):
        shown = self._text if len(self._text) <= 80 else self._text[:80] + "..."
        raise LocalError("pattern %s: %s" % (shown, reason))

    def _peek(self):
        return self._text[self._at : self._at + 1]

    def _next(self):
        c = self._peek()
        self._at += 1
        return c

    def _take(self, text):
        if self._text[self._at : self._at + len(text)] != text:
            return False
        self._at += len(text)
        return True

    def _bounded(self, size):
        if size > _MAX_CODE:
            self._fail("may hang: expands to more than %d instructions" % _MAX_CODE)

    def _choice(self, depth):
        if depth > _MAX_DEPTH:
            self._fail("has groups more than %d deep" % _MAX_DEPTH)
        branches = [self._sequence(depth)]
        while self._take("|"):
            branches.append(self._sequence(depth))
        code = branches.pop()
        while branches:
            code = _either(branches.pop(), code)
            self._bounded(len(code))
        return code

    def _sequence(self, depth):
        code = []
        while self._peek() not in ("", "|", ")"):
            code += self._repeated(depth)
            self._bounded(len(code))
        return code

    def _repeated(self, depth):
        if self._peek() in ("*", "+", "?", "{"):
            self._fail(
                "has nothing to repeat before %s; write \\%s for the character" % (self._peek(), self._peek())
            )
        code = self._atom(depth)
        counts = self._counts()
        if counts is None:
            return code
        if code in ([_START], [_END]):
            self._fail("repeats ^ or $")
        low, high = counts
        self._take("?")
        size = len(code)
        self._bounded(low * size + (size + 2 if high is None else (high - low) * (size + 1)))
        return _repeat(code, low, high)

    def _counts(self):
        c = self._peek()
        if c in _COUNTS:
            self._at += 1
            return _COUNTS[c]
        if not self._take("{"):
            return None
        low = self._number()
        high = low
        if self._take(","):
            high = None if self._peek() == "}" else self._number()
        if not self._take("}") or (high is not None and high < low):
            self._fail("has a bad {m,n}; write \\{ for the character")
        return low, high

    def _number(self):
        start = self._at
        while self._peek() and self._peek() in "0123456789":
            self._at += 1
        if not 0 < self._at - start <= 4:
            self._fail("has a bad {m,n}; write \\{ for the character")
        return int(self._text[start : self._at])

    def _atom(self, depth):
        c = self._next()
        if c == "(":
            return self._group(depth)
        if c == "[":
            return [self._instruction(self._set())]
        if c == "\\":
            member = self._escape()
            return [chr(member) if type(member) is int else self._instruction(member)]
        if c == ".":
            return [self._instruction(DOT)]
        if c == "^":
            return [_START]
        if c == "$":
            return [_END]
        if c in ("]", "}"):
            self._fail("has a %s without its pair; write \\%s for the character" % (c, c))
        return [c]

    def _instruction(self, ranges):
        # The same class often comes twice.
        if ranges not in self._made:
            self._made[ranges] = members(ranges)
        return self._made[ranges]

    def _group(self, depth):
        if self._take("?") and not self._take(":"):
            self._refuse_group()
        code = self._choice(depth + 1)
        if not self._take(")"):
            self._fail("has a ( without a )")
        return code

    def _refuse_group(self):
        rest = self._text[self._at : self._at + 2]
        if rest[:1] in ("=", "!") or rest in ("<=", "<!"):
            self._fail("lookaround is not supported")
        if rest[:1] in ("<", "P"):
            self._fail("named groups are not supported")
        self._fail("group flags are not supported")

    def _escape(self):
        c = self._next()
        if c in _CONTROLS:
            return _CONTROLS[c]
        if c in _HEX_DIGITS:
            return self._hex(_HEX_DIGITS[c])
        lower = c.lower()
        if lower in _SETS:
            return _SETS[c] if c == lower else others(_SETS[lower])
        if c == "":
            self._fail("ends with a backslash")
        if c in "0123456789k":
            self._fail("backreferences are not supported")
        if c.isalpha() or c == "_" or c > "\x7f":
            self._fail("\\%s is not supported" % c)
        return ord(c)

    def _hex(self, count):
        value = 0
        for _ in range(count):
            digit = "0123456789abcdef".find(self._next().lower() or "?")
            if digit < 0:
                self._fail("has a bad \\x or \\u")
            value = value * 16 + digit
        if 0xD800 <= value < 0xE000:
            self._fail("has half a surrogate pair; write the character itself")
        return value

    def _set(self):
        negated = self._take("^")
        pairs = []
        if self._peek() == "]":
            self._fail("has an empty class; write \\] for the character")
        while not self._take("]"):
            low = self._member()
            if type(low) is tuple:
                pairs += [(low[i], low[i + 1]) for i in range(0, len(low), 2)]
            else:
                pairs.append((low, self._upper(low)))
            if type(low) is tuple and self._peek() == "-" and self._text[self._at + 1 : self._at + 2] != "]":
                self._fail("has a range from a class")
        ranges = ordered(pairs)
        # Classes are no instructions; their ranges are weighed, so that a thousand large ones are refused too.
        self._weight += len(ranges)
        self._bounded(self._weight)
        return others(ranges) if negated else ranges

    def _upper(self, low):
        if self._peek() != "-" or self._text[self._at + 1 : self._at + 2] in ("", "]"):
            return low
        self._at += 1
        high = self._member()
        if type(high) is tuple or high < low:
            self._fail("has a bad range in a class")
        return high

    def _member(self):
        c = self._next()
        if c == "":
            self._fail("has a [ without a ]")
        return self._escape() if c == "\\" else ord(c)
