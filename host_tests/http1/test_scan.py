"""The scanner of heads: the bytecode and the native one say the same of everything."""

from array import array

from harness import eq
from http1 import scan as bytecode
from http1.fields import Names

try:
    from http1 import scan_viper as native
except (ImportError, SyntaxError, ValueError):
    native = None

TWINS = (bytecode,) if native is None else (bytecode, native)
NAMES = Names((b"host", (b"accept", b"*/*"), b"x"))

CORPUS = (
    b"",
    b"Host: a\r\n",
    b"HOST:a\r\nAccept: */*\r\nx:\r\n",
    b"x: 1\r\nX: 2\r\n",
    b"Host : a\r\n",
    b" Host: a\r\n",
    b"Host: a\r\n b\r\n",
    b"Host: a\nx: b\r\n",
    b"Host: a\rx: b\r\n",
    b"Host: a\0\r\n",
    b": a\r\n",
    b"\r\n",
    b"Host\r\n",
    b"Accept: \t*/* \t\r\n",
)


def both(name, *args):
    """What a function returns, on which the twins agree."""
    seen = [getattr(twin, name)(*args) for twin in TWINS]
    eq(seen, seen[:1] * len(seen))
    return seen[0]


def found(raw):
    """(verdict, spans) of some lines, on which the twins agree."""
    buf = bytearray(b"--" + raw + b"\r\n\r\n")
    seen = []
    for twin in TWINS:
        spans = array("H", bytes(16))
        verdict = twin.scan(buf, 2 | 2 + len(raw) << 16, NAMES.table, spans)
        seen.append((verdict, list(spans) if verdict >= 0 else None))
    eq(seen, seen[:1] * len(seen))
    return seen[0]


def noise(count, alphabet, seed=1):
    """Strings of up to 23 bytes of an alphabet."""
    state = seed
    for _ in range(count):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        out = bytearray()
        for _ in range((state >> 8) % 24):
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            out.append(alphabet[(state >> 8) % len(alphabet)])
        yield bytes(out)


def test_the_twins_agree_on_lines():
    seen = [found(raw)[0] for raw in CORPUS]
    eq(seen, [0, 0, 0, 4, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0])
    eq(found(CORPUS[2])[1], [7, 2, 7, 8, 18, 21, 25, 25])
    for raw in noise(2000, b"hostHOST:: \t\r\n\r\nx,*/\0\x7f\xff"):
        found(raw)
        assert found(b"x:" + raw.replace(b"\r", b"").replace(b"\n", b"") + b"\r\n")[0] in (0, -1)


def test_the_end_of_a_head():
    for raw, wanted in (
        (b"", 0),
        (b"\r\n\r\n", 4),
        (b"GET / HTTP/1.1\r\nA: b\r\n\r\nrest\r\n\r\n", 24),
        (b"GET / HTTP/1.1\r\n", 0),
        (b"GET / HTTP/1.1\r\n\r", 0),
        (b"a\n\n", -1),
        (b"a\r\n\n", -1),
        (b"a\n\r\n", -1),
        (b"a\nb\r\n\r\n", 7),
    ):
        eq((raw, both("head_end", raw, 0, len(raw))), (raw, wanted))
        for start in range(len(raw) - 3):
            # As the reader does: from three bytes before what is new.
            if both("head_end", raw, 0, start + 3) == 0:
                eq((raw, both("head_end", raw, start, len(raw))), (raw, wanted))


def test_the_twins_agree_on_noise():
    for raw in noise(2000, b"\r\n\r\nab"):
        both("head_end", raw + b"!", 0, len(raw))
    for raw in noise(1000, b"0123456789+- x"):
        both("number", raw + b"!", 0 | len(raw) << 16)
    for raw in noise(1000, b"bearerBEARER \tx"):
        both("bearer", raw + b"!", 0 | len(raw) << 16)
        both("bearer", b"Bearer " + raw + b"!", 0 | len(raw) + 7 << 16)
    for raw in noise(1000, b"ab \t\0\x7f\xff\r"):
        both("value_end", raw + b"\r", 0, len(raw))


def test_a_number_has_one_to_nine_digits():
    for raw, wanted in (
        (b"0", 0),
        (b"007", 7),
        (b"999999999", 999999999),
        (b"", -1),
        (b"1" * 10, -1),
        (b"-1", -1),
        (b"1a", -1),
        (b" 1", -1),
    ):
        eq((raw, both("number", b"x" + raw + b"5", 1 | 1 + len(raw) << 16)), (raw, wanted))


def test_where_a_token_starts():
    for raw, wanted in (
        (b"Bearer x", 7),
        (b"bEARER \t x", 9),
        (b"Bearer\tx", 7),
        (b"Bearer", 0),
        (b"Bearer ", 0),
        (b"Bearerx y", 0),
        (b"Basic xyz", 0),
        (b"Bearer:x y", 0),
        (b"B\x05arer xy", 0),
    ):
        eq((raw, both("bearer", raw + b"z", 0 | len(raw) << 16)), (raw, wanted))


def test_values_end_at_a_control_character():
    for raw, wanted in (
        (b"ab\r\n", 2),
        (b"\r", 0),
        (b"a\tb \xff\0", 5),
        (b"a\x7f", 1),
        (b"abc", 3),
        (b"a\nb", 1),
    ):
        eq((raw, both("value_end", raw, 0, len(raw))), (raw, wanted))


def test_differ_is_nothing_for_the_same_token_only():
    token = b"0123456789abcdef"
    for presented in (
        token,
        token[:-1],
        token + b"0",
        b"",
        b"x",
        b"0" * 16,
        b"1123456789abcdef",
        b"0123456789abcdeg",
        token * 2,
        token[:8],
    ):
        for shift in (0, 5):
            buf = b"-" * shift + presented + b"tail"
            equal = both("differ", buf, shift | shift + len(presented) << 16, token, len(token)) == 0
            eq((presented, equal), (presented, presented == token))
    for i in range(16):
        for bit in range(8):
            other = bytearray(token)
            other[i] ^= 1 << bit
            assert both("differ", other, 16 << 16, token, 16) != 0
