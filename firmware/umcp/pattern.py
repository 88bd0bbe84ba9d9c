"""The `pattern` of JSON Schema: a subset of ECMA-262, searched in bounded time.

Taken: literals, `.`, `^`, `$`, classes, groups `( )` and `(?: )`, `|`, `* + ? {m} {m,} {m,n}` and their lazy
forms, `\\d \\w \\s` (and capitals), `\\n \\r \\t \\f \\v \\xHH \\uHHHH`, escaped punctuation. LocalError refuses the
rest by name (lookaround, backreferences, named groups, flags, `\\b`, `\\p`), and more than 1,000 instructions.

`re` is not used: MicroPython's works on bytes, lacks `{m,n}`, runs out of stack on `(a*)*b`, and takes
exponential time on `(a+)+$`. This one keeps a set of states and never backtracks: that takes linear time.
"""

try:
    from micropython import const
except ImportError:
    const = int

from .characters import each
from .errors import LocalError
from .regex import parse

_MAX_SUBJECT = const(1024)
_MAX_STEPS = const(100000)

# The instructions are described in `regex.py`, which has the same four.
_START = const(-1)
_END = const(-2)
_BIAS = const(2048)
_SPLIT = const(1)


def compile(text):
    """A `Pattern` for the regular expression `text`; LocalError says what is wrong or not supported."""
    if not isinstance(text, str):
        raise LocalError("pattern: must be a string")
    return Pattern(text, parse(text))


def refusal(kind, text):
    """Why the pattern of the type `kind` refuses a text, or None."""
    return kind._compiled.refusal(text)


class Pattern:
    """A compiled pattern.  steps: int, the cost of the last match: linear in the subject, about 100,000 at most."""

    steps = 0

    def __init__(self, text, code):
        self._text = text
        self._code = code
        # Where the part ends that only one state can be in: the anchored characters that come first.
        self._lone = 0
        if code and code[0] == _START:
            self._lone = 1
            while self._lone < len(code) and type(code[self._lone]) is not int:
                self._lone += 1
        self._fixed = self._lone > 1 and code[self._lone :] == [_END]

    def matches(self, text):
        """Whether the pattern is found anywhere in `text` (JSON Schema 2020-12 validation, section 6.3.3)."""
        return self.refusal(text) is None

    def refusal(self, text):
        """None if the pattern is found in `text`, else the reason, str: no match, or a bound was reached."""
        if len(text) > _MAX_SUBJECT:
            return "must have at most %d characters" % _MAX_SUBJECT
        self.steps = 0
        if self._search(text):
            return None
        shown = self._text if len(self._text) <= 120 else self._text[:120] + "..."
        if self.steps >= _MAX_STEPS:
            return "takes too long to match against " + shown
        return "does not match " + shown

    def _search(self, text):
        code = self._code
        lone = self._lone
        if lone > 1:
            if len(text) < lone - 1:
                return False
            at = 1
            for c in each(text if self._fixed else text[: lone - 1]):
                if at >= lone or c not in code[at]:
                    return False
                at += 1
            self.steps = lone
            if self._fixed:
                return True
            text = text[lone - 1 :]
        first = lone <= 1
        todo = [lone]
        for c in each(text):
            ready = self._ready(todo, first, False)
            if ready is None or self.steps >= _MAX_STEPS:
                return ready is None
            todo = [] if lone else [0]
            for at in ready:
                if c in code[at]:
                    todo.append(at + 1)
            if not todo:
                return False
            first = False
        return self._ready(todo, first, True) is None

    def _ready(self, todo, first, last):
        # The places that wait for a character, reached from `todo` without one; None if the end is reached.
        code = self._code
        size = len(code)
        if len(todo) == 1 and todo[0] < size and type(code[todo[0]]) is not int:
            self.steps += 1
            return todo
        seen = bytearray(size + 1)
        ready = []
        while todo:
            at = todo.pop()
            if seen[at]:
                continue
            if at == size:
                return None
            seen[at] = 1
            self.steps += 1
            op = code[at]
            if type(op) is not int:
                ready.append(at)
            elif op >= _END:
                if first if op == _START else last:
                    todo.append(at + 1)
            else:
                if -op & _SPLIT:
                    todo.append(at + 1)
                todo.append(at + (-op >> 1) - _BIAS)
        return ready
