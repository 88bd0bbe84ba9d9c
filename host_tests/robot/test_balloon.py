"""Text into cells and lines, and the balloon that shows them."""

from heap import without_heap

from harness import eq
from robot import font
from robot.balloon import Balloon
from robot.geometry import Layout
from umcp.codec import loads


def codes(text):
    raw = font.encode(text)
    found = []
    i = 0
    while i < len(raw):
        found.append(font.code_at(raw, i))
        i += font.length(raw, i)
    eq(i, len(raw))
    return found


def lines(text, columns, most=64):
    raw = font.encode(text)
    at = font.wrap(raw, columns, most)
    return [font.decode(raw[at[i] : at[i + 1]]) for i in range(0, len(at), 2)]


def test_what_is_shown_for_a_character():
    for text, shown in (
        ("Az ~", [65, 122, 32, 126]),
        ("\u00e9\u00c7\u00df\u00ff", list(b"eCsy")),
        ("\u201cquoted\u201d\u2026 \u2013 it\u2019s", list(b'"quoted". - it\'s')),
        ("\uff21\uff5e\uff01\u3000", list(b"A~! ")),
        ("\u3042\u6f22", [0x3042, 0x6F22]),
        ("\U0001f600", [0x1F600]),
        ("e\u0301\u200d\ufe0f\0\x7f\t", [101] + [font.NOTHING] * 6),
    ):
        eq(codes(text), shown)


def test_half_a_surrogate_pair_is_a_box():
    text = loads(b'"a\\ud83d"')
    eq(codes(text)[:2], [97, font.REPLACEMENT])
    assert font.decode(font.encode(text)).startswith("a")


def test_lines_break_at_spaces_and_newlines_else_anywhere():
    for text, columns, wanted in (
        ("", 5, []),
        ("hello", 5, ["hello"]),
        ("hello world", 5, ["hello", "world"]),
        ("hello world", 8, ["hello", "world"]),
        ("hello world", 11, ["hello world"]),
        ("a bc def g", 4, ["a bc", "def", "g"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("to abcdefghij", 4, ["to", "abcd", "efgh", "ij"]),
        ("a\nb\n\nc", 9, ["a", "b", "", "c"]),
        ("\u3053\u3093\u306b\u3061\u306f", 3, ["\u3053\u3093\u306b", "\u3061\u306f"]),
        ("e\u0301e\u0301e\u0301e", 2, ["e\u0301e\u0301", "e\u0301e"]),
        ("\U0001f600\U0001f600\U0001f600", 2, ["\U0001f600\U0001f600", "\U0001f600"]),
    ):
        eq(lines(text, columns), wanted)


def test_every_line_fits_and_no_letter_is_lost():
    text = (
        "The quick brown fox jumps over incomprehensibilities, \u5c0f\u3055\u306a\u732b and \u00e9clairs. "
        * 4
    )
    for columns in range(1, 40):
        found = lines(text, columns, 1000)
        for line in found:
            assert len(line) <= columns, (columns, line)
        eq("".join(found).replace(" ", ""), text.replace(" ", ""))


def test_lines_are_bounded():
    eq(lines("x" * 100, 1, 7), ["x"] * 7)


def balloon(text, duration_ms, rows=2):
    made = Balloon(Layout(320, 240))
    eq((made.layout.rows, made.layout.columns), (rows, 18))
    made.say(text, duration_ms)
    return made


def firsts(made, ms, step_ms=33):
    """(line at the top, since when) for every change; the last is what was seen when it went."""
    seen = [(made.first, 0)]
    for now_ms in range(0, ms, step_ms):
        if made.step(step_ms) and made.raw is not None:
            seen.append((made.first, now_ms))
    return seen


TEXT = "one two three four five six seven eight nine ten eleven twelve thirteen"


def test_all_lines_are_seen_within_the_time():
    made = balloon(TEXT, 6000)
    last = len(made.lines) // 2 - 2
    assert last >= 2
    seen = firsts(made, 7000)
    eq([first for first, _ in seen], list(range(last + 1)))
    assert all(b - a >= 400 for (_, a), (_, b) in zip(seen, seen[1:])) and seen[-1][1] <= 6000
    eq((made.raw, made.state()), (None, None))


def test_without_a_time_they_come_round_again():
    made = balloon(TEXT, None)
    last = len(made.lines) // 2 - 2
    eq([first for first, _ in firsts(made, 1500 * (last + 2))][: last + 2], list(range(last + 1)) + [0])


def test_what_fits_stays():
    made = balloon("short", 2000)
    eq(firsts(made, 1900), [(0, 0)])
    eq(made.state(), ["short"])


def test_the_state_has_the_lines_that_are_seen():
    made = balloon(TEXT, None)
    eq(made.state(), ["one two three four", "five six seven"])
    made.step(1500)
    eq(made.state()[0], "five six seven")


def test_nothing_said_is_no_balloon():
    for text in (None, ""):
        eq(balloon(text, 1000).raw, None)
    eq(balloon("\0\x01", 1000).state(), ["\0\x01"])


def test_a_long_text_is_cut_between_characters():
    for text in ("\u3042" * 5000, "a" + "\U0001f600" * 5000, "ab" + "\u3042" * 5000, "\u00e9" * 5000):
        made = balloon(text, None)
        assert 1990 < len(made.raw) <= 2000
        assert len(made.lines) <= 128
        assert text.startswith(str(made.raw, "utf-8"))


def test_a_step_allocates_nothing():
    made = balloon(TEXT, 3000)

    def run():
        return made.step(33)

    for _ in range(120):
        without_heap(run)
    eq(made.raw, None)
