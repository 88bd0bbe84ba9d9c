"""The parser of patterns: ECMA-262 text in, instructions of `pattern.py` out.

An instruction is a set of characters (whatever answers `c in op`: a str or a `Ranges`) or a negative number:
start, end, or a jump, which is relative so that a piece of code can be repeated as it is.
"""

try:
    from micropython import const
except ImportError:
    const = int

from .charset import members, named, ordered, others
from .errors import LocalError

_MAX_CODE = const(1000)
_MAX_DEPTH = const(20)

# `pattern.py` has the same four.
_START = const(-1)
_END = const(-2)
_BIAS = const(2048)
_SPLIT = const(1)
_JUMP = const(0)


def parse(text):
    """The instructions, list, of the pattern `text`; LocalError if it is malformed, unsupported, or too large."""
    parser = _Parser(text)
    code = parser.choice(0)
    if parser.rest():
        parser.fail("has a ) without a (")
    return code


def _go(kind, distance):
    return -(2 * (distance + _BIAS) + kind)


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
        if len(text) > _MAX_CODE:
            self.fail("is longer than %d characters" % _MAX_CODE)

    def fail(self, reason):
        shown = self._text if len(self._text) <= 80 else self._text[:80] + "..."
        raise LocalError("pattern %s: %s" % (shown, reason))

    def rest(self):
        # The next character, or "".
        return self._text[self._at : self._at + 1]

    def _next(self):
        self._at += 1
        return self._text[self._at - 1 : self._at]

    def _take(self, c):
        if self._text[self._at : self._at + 1] != c:
            return False
        self._at += 1
        return True

    def _bounded(self, size):
        if size > _MAX_CODE:
            self.fail("may hang: expands to more than %d instructions" % _MAX_CODE)

    def choice(self, depth):
        if depth > _MAX_DEPTH:
            self.fail("has groups more than %d deep" % _MAX_DEPTH)
        branches = []
        while not branches or self._take("|"):
            code = []
            while self.rest() not in ("", "|", ")"):
                code += self._repeated(depth)
                self._bounded(len(code))
            branches.append(code)
        code = branches.pop()
        while branches:
            first = branches.pop()
            code = [_go(_SPLIT, len(first) + 2)] + first + [_go(_JUMP, len(code) + 1)] + code
            self._bounded(len(code))
        return code

    def _repeated(self, depth):
        c = self.rest()
        if c in ("*", "+", "?", "{"):
            self.fail("has nothing to repeat before %s; write \\%s for the character" % (c, c))
        code = self._atom(depth)
        c = self.rest()
        if c not in ("*", "+", "?", "{"):
            return code
        self._at += 1
        low = 1 if c == "+" else 0
        high = 1 if c == "?" else None
        if c == "{":
            low = high = self._number()
            if self._take(","):
                high = None if self.rest() == "}" else self._number()
            if not self._take("}") or (high is not None and high < low):
                self.fail("has a bad {m,n}; write \\{ for the character")
        if code in ([_START], [_END]):
            self.fail("repeats ^ or $")
        self._take("?")
        size = len(code)
        self._bounded(low * size + (size + 2 if high is None else (high - low) * (size + 1)))
        return _repeat(code, low, high)

    def _number(self):
        start = self._at
        while self.rest() and self.rest() in "0123456789":
            self._at += 1
        if not 0 < self._at - start <= 4:
            self.fail("has a bad {m,n}; write \\{ for the character")
        return int(self._text[start : self._at])

    def _atom(self, depth):
        c = self._next()
        if c == "(":
            if self._take("?") and not self._take(":"):
                self._refuse_group()
            code = self.choice(depth + 1)
            if not self._take(")"):
                self.fail("has a ( without a )")
            return code
        if c == "^":
            return [_START]
        if c == "$":
            return [_END]
        if c in ("]", "}"):
            self.fail("has a %s without its pair; write \\%s for the character" % (c, c))
        if c == "[":
            found = self._set()
        elif c == ".":
            found = named(c)
        elif c == "\\":
            found = self._escape()
            if type(found) is int:
                return [chr(found)]
        else:
            return [c]
        # The same class often comes twice.
        if found not in self._made:
            self._made[found] = members(found)
        return [self._made[found]]

    def _refuse_group(self):
        rest = self._text[self._at : self._at + 2]
        if rest[:1] in ("=", "!") or rest in ("<=", "<!"):
            self.fail("lookaround is not supported")
        if rest[:1] in ("<", "P"):
            self.fail("named groups are not supported")
        self.fail("group flags are not supported")

    def _escape(self):
        c = self._next()
        if c == "":
            self.fail("ends with a backslash")
        at = "tnvfr".find(c)
        if at >= 0:
            return 9 + at
        if c in ("x", "u"):
            return self._hex(2 if c == "x" else 4)
        lower = c.lower()
        if lower in ("d", "w", "s"):
            return named(c) if c == lower else others(named(lower))
        if c in "0123456789k":
            self.fail("backreferences are not supported")
        if c.isalpha() or c == "_" or c > "\x7f":
            self.fail("\\%s is not supported" % c)
        return ord(c)

    def _hex(self, count):
        value = 0
        for _ in range(count):
            digit = "0123456789abcdef".find(self._next().lower() or "?")
            if digit < 0:
                self.fail("has a bad \\x or \\u")
            value = value * 16 + digit
        if 0xD800 <= value < 0xE000:
            self.fail("has half a surrogate pair; write the character itself")
        return value

    def _set(self):
        negated = self._take("^")
        pairs = []
        if self.rest() == "]":
            self.fail("has an empty class; write \\] for the character")
        while not self._take("]"):
            low = high = self._member()
            ranged = self.rest() == "-" and self._text[self._at + 1 : self._at + 2] != "]"
            if type(low) is tuple:
                if ranged:
                    self.fail("has a range from a class")
                pairs += [(low[i], low[i + 1]) for i in range(0, len(low), 2)]
                continue
            if ranged and self._at + 1 < len(self._text):
                self._at += 1
                high = self._member()
                if type(high) is tuple or high < low:
                    self.fail("has a bad range in a class")
            pairs.append((low, high))
        ranges = ordered(pairs)
        # Classes are no instructions; their ranges are weighed, so that a thousand large ones are refused too.
        self._weight += len(ranges)
        self._bounded(self._weight)
        return others(ranges) if negated else ranges

    def _member(self):
        c = self._next()
        if c == "":
            self.fail("has a [ without a ]")
        return self._escape() if c == "\\" else ord(c)
