"""A text that a string schema takes: of its format, or the shortest that its pattern is found in."""

from umcp.regex import parse

try:
    from micropython import const
except ImportError:
    const = int

# The instructions of `umcp.regex`.
_START = const(-1)
_END = const(-2)
_BIAS = const(2048)
_SPLIT = const(1)

_MAX_LENGTH = const(1024)
# What is tried first of a set of characters.
_PLAIN = "aA0 -_"

_FORMATS = {
    "date-time": "2026-01-01T00:00:00Z",
    "date": "2026-01-01",
    "time": "00:00:00Z",
    "duration": "PT0S",
    "email": "stub@example.com",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/",
    "uri-reference": "/",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "json-pointer": "/stub",
    "regex": "stub",
}


def text(schema, least, most, turn):
    """A str of `least` to `most` characters.  turn: int, which of several that differ.  Raises LocalError."""
    if type(schema.get("pattern")) is str:
        return _found(schema["pattern"], least)
    value = _FORMATS.get(schema.get("format"), "stub")
    if turn:
        value += str(turn)
    return (value + "-" * (min(least, _MAX_LENGTH) - len(value)))[:most]


# The shortest text of at least that length: all the ways through the pattern, one character after another. A step is
# (place, the step before, its character), which leads to the text from its end.
def _found(pattern, least):
    code = parse(pattern)
    steps = [(0, None, "")]
    for size in range(_MAX_LENGTH):
        ready, over = _ready(code, steps, size == 0)
        if over is not None and size >= least:
            return _spelled(over)
        if over is not None and not _ends(code):
            return _spelled(over) + "-" * (least - size)
        steps = [(at + 1, step, _one(code[at])) for at, step in ready]
        if not steps:
            return _spelled(over) if over else "stub"
    return "stub"


# The places that wait for a character, each with its step, and the step that is through at the end of the text.
def _ready(code, steps, first):
    seen = set()
    ready = []
    over = None
    todo = [(step[0], step) for step in reversed(steps)]
    while todo:
        at, step = todo.pop()
        if at in seen:
            continue
        seen.add(at)
        if at == len(code):
            over = over or step
            continue
        op = code[at]
        if type(op) is not int:
            ready.append((at, step))
        elif op >= _END:
            # What follows `$` is nothing, so a text may end here.
            if op == _END or first:
                todo.append((at + 1, step))
        elif -op & _SPLIT:
            todo.append((at + (-op >> 1) - _BIAS, step))
            todo.append((at + 1, step))
        else:
            todo.append((at + (-op >> 1) - _BIAS, step))
    return ready, over


def _ends(code):
    return any([type(op) is int and op == _END for op in code])


def _one(members):
    for c in _PLAIN:
        if c in members:
            return c
    if type(members) is str:
        return members[0]
    for c in range(33, 0x110000):
        # Half a surrogate pair is no character.
        if not 0xD800 <= c < 0xE000 and chr(c) in members:
            return chr(c)
    return " "


def _spelled(step):
    out = ""
    while step is not None:
        out = step[2] + out
        step = step[1]
    return out
