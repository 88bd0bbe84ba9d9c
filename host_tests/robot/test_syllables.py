"""What texts of several scripts sound like: beeps and pauses, exactly."""

from heap import dice

from harness import eq
from robot.syllables import _HALF_KANA, _KANA, beeps


def _lowest(n):
    return 0


def _of(text):
    """(Hz, ms) of each beep and pause, without chance."""
    hz, ms, mouth, _ = beeps(text, _lowest)
    eq((len(hz), len(mouth)), (len(ms), len(ms)))
    return list(zip(hz, ms))


# By vowel.
A, I, U, E, O, Y, N = ((hz, 100) for hz in (620, 740, 560, 680, 520, 720, 480))  # noqa: E741
WORD, COMMA, STOP = ((0, ms) for ms in (50, 140, 240))
CHIRP = [(880, 60), (1320, 60)]

TABLE = (
    ("a", [A]),
    ("ABC", [A]),
    ("hello", [E, O]),
    ("Hello, world!", [E, O, COMMA, O]),
    ("you are", [Y, WORD, A, E]),
    ("hmm", [N]),
    ("hmm hmm", [N, WORD, N]),
    ("MCP.", [N]),
    ("don't", [O]),
    ("rhythm", [Y]),
    ("ni\u00f1o", [I, O]),
    ("gar\u00e7on", [A, O]),
    ("\u00c9t\u00e9", [E, E]),
    ("\u0160koda", [O, A]),
    ("o\u0308", [O]),
    ("2 + 10", [A, WORD, O, E]),
    ("a, b. c", [A, COMMA, N, STOP, N]),
    ("a... b", [A, STOP, N]),
    ("a \n, b", [A, STOP, N]),
    ("Is it?", [I, WORD, (925, 100)]),
    ("\uff29\uff53\uff1f", [(925, 100)]),
    ("\u3053\u3093\u306b\u3061\u306f", [O, N, I, I, A]),  # konnichiwa
    ("\u30c6\u30b9\u30c8", [E, U, O]),  # tesuto
    ("\u304d\u3083\u304d", [I, I]),  # kyaki
    ("\u304d\u3063\u3068", [I, WORD, O]),  # kitto
    ("\u30e9\u30fc\u30e1\u30f3", [(620, 160), E, N]),  # raamen
    ("\uff97\uff70\uff92\uff9d", [(620, 160), E, N]),  # the same, half width
    ("\uff76\uff9e", [A]),  # ga, of two characters
    ("\u30fc", [N]),
    ("\u3042" + "\u30fc" * 50, [(620, 400)]),
    ("\u3059\u3001\u3059\u3002\u3059", [U, COMMA, U, STOP, U]),
    ("\u6f22\u5b57", [A, A, A, A]),
    ("\U00020b9f", [A, A]),
    ("\uc548\ub155", [O, O]),
    ("\u043f\u0440\u0438\u0432\u0435\u0442", [A, A, A]),
    ("\u043f\u0440\u0438 \u043f\u0440\u0438", [A, A, WORD, A, A]),
    ("hi \U0001f600!", [I, WORD] + CHIRP),
    ("\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466\U0001f3fd\ufe0f", CHIRP),
    ("\U0001f600 \U0001f600", CHIRP + [WORD] + CHIRP),
    ("\u2665", CHIRP),
    ("", [N]),
    (" ", [N]),
    ("...!", [N]),
    ("\u3041", [N]),
    ("\0\x7f\x80\xa0", [N]),
)


def test_each_script():
    for text, wanted in TABLE:
        eq((text, _of(text)), (text, wanted))


def test_the_mouth_has_the_shape_of_the_vowel():
    eq(
        list(beeps("\u3042\u3044\u3046\u3048\u304a\u3093, \U0001f600", _lowest)[2]),
        [100, 40, 30, 60, 80, 20, 0, 70, 70],
    )


def test_the_tables_cover_their_ranges():
    eq((len(_KANA), len(_HALF_KANA)), (0x3096 - 0x3041 + 1, 0xFF9F - 0xFF66 + 1))
    for first, last in ((0x3041, 0x3096), (0x30A1, 0x30F6), (0xFF66, 0xFF9F)):
        for code in range(first, last + 1):
            assert _of(chr(code))


def test_a_speech_ends_at_its_limit():
    for text, whole in (
        ("\u3042" * 150, True),
        ("\u3042" * 151, False),
        ("\u6f22" * 500, False),
        ("a." * 500, False),
        ("\U0001f600a" * 500, False),
        ("a" * 500, True),
    ):
        hz, ms, mouth, said = beeps(text, _lowest)
        eq((said, sum(ms) <= 15000), (whole, True))
        eq((len(hz) == len(ms) == len(mouth), hz[-1] > 0), (True, True))


def test_chance_is_bounded():
    hz, ms, mouth, _ = beeps("\u6f22a1 \U0001f600 hm." * 10, dice())
    assert len(set(hz)) > 10
    for one, level in zip(hz, mouth):
        assert one == 0 or 400 < one < 1400, one
        assert 0 <= level <= 100 and (level > 0) == (one > 0)
    assert set(ms) == {50, 60, 100, 240}, set(ms)


def test_any_character_has_a_sound():
    code = 1
    while code < 0x110000:
        if not 0xD800 <= code <= 0xDFFF:
            hz = beeps(chr(code), _lowest)[0]
            assert 1 <= len(hz) <= 2 and hz[0] > 0, code
        code += 997
