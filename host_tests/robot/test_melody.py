"""The grammar of tones against the Stack-chan original's cases, and the limits of a melody."""

from heap import used

from harness import eq
from robot.melody import parse_melody, parse_tone

# Token, (hz, ms): what the original's own parser answers.
ORIGINAL = (
    ("C4:100", (262, 100)),
    ("F#4:180", (370, 180)),
    ("440:200", (440, 200)),
    ("R:120", (0, 120)),
    ("C4", (262, 220)),
    ("A", (440, 220)),
    ("a", (440, 220)),
    ("Bb3", (233, 220)),
    ("bb3", (233, 220)),
    ("b", (494, 220)),
    ("b4", (494, 220)),
    ("c#5/90", (554, 90)),
    ("D4, 150", (294, 150)),
    ("E4:\t150", (330, 150)),
    ("  G4:300  ", (392, 300)),
    ("Cb4", (247, 220)),
    ("B#4", (523, 220)),
    ("Fb4", (330, 220)),
    ("E#4", (349, 220)),
    ("C-1", (40, 220)),
    ("C1", (40, 220)),
    ("D#1", (40, 220)),
    ("E1", (41, 220)),
    ("A7", (3520, 220)),
    ("B7", (3951, 220)),
    ("C8", (4000, 220)),
    ("C9", (4000, 220)),
    ("A0004", (440, 220)),
    ("A-0", (40, 220)),
    ("A-999999999999999999", (40, 220)),
    ("A999999999999999999", (4000, 220)),
    ("REST", (0, 220)),
    ("rest:50", (0, 50)),
    ("Pause/70", (0, 70)),
    ("r", (0, 220)),
    ("440.4", (440, 220)),
    ("440.5:100", (441, 100)),
    ("1", (40, 220)),
    ("0", (40, 220)),
    ("99999999999999999999", (4000, 220)),
    ("440:0", (440, 30)),
    ("440:29", (440, 30)),
    ("440:30", (440, 30)),
    ("440:2000", (440, 2000)),
    ("440:99999999999999999", (440, 2000)),
)
NONE = (
    "invalid",
    "",
    "   ",
    "H4",
    "C4:",
    "C4:abc",
    "C4:-5",
    "C4:1.5",
    "C4 :100",
    "C4::100",
    "C4:100:100",
    "C##4",
    "C#b4",
    "C4#",
    "C 4",
    "C--1",
    "C-",
    "C4.5",
    "-440",
    "+440",
    "440.",
    ".5",
    "4.4.0",
    "1e3",
    "0x10",
    "R4",
    "RESTS",
    ":100",
    ",",
    "\u266a",
    "\uff23\uff14",
    "\u0664\u0664",
    "C\u0664",
    "C4:\u0664\u0664",
    "\0",
    "C4\0",
    "C4:100" + "0" * 30,
    "R" * 5000,
    "4" * 33,
    None,
    440,
    b"C4",
    ["C4"],
    True,
)


def test_the_originals_tokens():
    for token, wanted in ORIGINAL:
        eq((token, parse_tone(token)), (token, wanted))


def test_upper_case_flats_too():
    eq(parse_tone("BB3"), (233, 220))
    eq(parse_tone("AB4:100"), (415, 100))
    eq(parse_tone("PAUSE"), (0, 220))


def test_what_is_no_tone():
    for token in NONE:
        eq((token, parse_tone(token)), (token, None))


def test_every_note_is_what_its_formula_says():
    at = 0
    for octave in range(-2, 12):
        for letter in range(12):
            name = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")[letter]
            exact = 440.0 * 2.0 ** ((letter - 9) / 12.0 + octave - 4)
            wanted = min(4000, max(40, int(exact + 0.5)))
            eq((name, octave, parse_tone(name + str(octave))[0]), (name, octave, wanted))
            at += 1
    eq(at, 168)


def test_the_originals_report():
    hz, ms, report = parse_melody(["C4:100", "F#4:180", "R:120", "440:200", "invalid"])
    eq((list(hz), list(ms)), ([262, 370, 0, 440], [100, 180, 120, 200]))
    eq(report, {"played": 3, "rests": 1, "skipped": 1, "truncated": 0, "duration_ms": 600})


def test_nothing_to_play():
    for tones in ([], ["x"], ["", None]):
        hz, ms, report = parse_melody(tones)
        eq((len(hz), len(ms)), (0, 0))
        eq(report, {"played": 0, "rests": 0, "skipped": len(tones), "truncated": 0, "duration_ms": 0})


def test_a_melody_ends_before_the_tone_that_would_be_too_much():
    eq(parse_melody(["C4:2000"] * 7 + ["C4:1000"])[2]["truncated"], 0)
    eq(parse_melody(["C4:2000"] * 7 + ["C4:1000"])[2]["duration_ms"], 15000)
    report = parse_melody(["C4:2000"] * 7 + ["C4:1001", "x", "R:30"])[2]
    eq(report, {"played": 7, "rests": 0, "skipped": 1, "truncated": 2, "duration_ms": 14000})


def test_tokens_past_the_limit_are_not_looked_at():
    report = parse_melody(["C4:30"] * 30 + ["x", "R:30"] + ["C4:30", "x", None])[2]
    eq(report, {"played": 30, "rests": 1, "skipped": 1, "truncated": 3, "duration_ms": 930})


def test_tokens_leave_nothing_behind():
    for _ in range(20):
        parse_tone("C4:100")
    before = used()
    for i in range(400):
        parse_tone("Q%dC4:%d" % (i, i))
        parse_tone("C%d:%d" % (i, i))
    grown = used() - before
    assert grown < 512, grown
