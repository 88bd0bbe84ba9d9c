"""What a text sounds like in beeps: one for about each syllable, and silence where a reader would pause.

Simple rules, no dictionary: a beep for a group of vowels in Latin script (a word has one at least), for a digit, for a
mora of kana; two for a kanji; one for two letters of any other script; a chirp for emoji.
"""

from array import array

try:
    from micropython import const
except ImportError:
    const = int

MAX_MS = 15000  # of a speech

_BEEP_MS = const(100)
_CHIRP_MS = const(60)
_LONG_MS = const(60)  # what a mark of length adds,
_LONGEST_MS = const(400)  # up to here.
_WORD_MS = const(50)
_COMMA_MS = const(140)
_STOP_MS = const(240)

# By vowel: how far the mouth opens (0-100), and the pitch in Hz, to which chance adds 0, 8, ... 64.
_VOWELS = b"aiueoyn"
_MOUTH = b"\x64\x28\x1e\x3c\x50\x28\x14"
_PITCH_HZ = (620, 740, 560, 680, 520, 720, 480)
_JITTER = const(9)
_JITTER_HZ = const(8)
_CHIRP_HZ = (880, 1320)
_CHIRP_MOUTH = const(70)

# A character's kind is one byte: a Latin vowel is itself in lower case, `c` a consonant; in upper case what is a
# syllable of its own: AIUEO and N; `q` a stop and `~` length in kana; `#` a kanji, `*` an emoji, `x` another letter;
# ` ` `,` `.` `?` pauses; `-` what belongs to the one before.
_LETTERS = b"acccecccicccccocccccucccyc"
_PAUSES = b',;:()[]"/'
_STOPS = b".!\n"
_ACCENTED = b"aaaaaaaceeeeiiiiccooooo ouuuuycc"  # U+00C0, and again from U+00E0
_KANA = b"-A-I-U-E-OAAIIUUEEOOAAIIUUEEOOAAIIqUUEEOOAIUEOAAAIIIUUUEEEOOOAIUEO-A-U-OAIUEO-AIEONU--"
_HALF_KANA = b"O--------q~AIUEOAIUEOAIUEOAIUEOAIUEOAIUEOAIUEOAUOAIUEOAN--"
_SPACE = const(32)
_KANJI = const(35)
_EMOJI = const(42)
_COMMA = const(44)
_NOTHING = const(45)
_STOP = const(46)
_QUESTION = const(63)
_SYLLABLE = const(79)
_ANOTHER = const(88)  # a letter that sounds, after one that did not
_CONSONANT = const(99)
_HUM = const(110)
_LETTER = const(120)
_LONG = const(126)

# First and last code point, kind, and so on: the first range that fits holds, and what is in none is a letter. It is
# flat because a tuple in a tuple costs 64 bytes.
# fmt: off
_RANGES = (
    0x80, 0xBF, _SPACE,
    0x100, 0x24F, _CONSONANT,
    0x300, 0x36F, _NOTHING,
    0x200B, 0x200F, _NOTHING,
    0x2024, 0x2029, _STOP,
    0x2000, 0x200A, _SPACE,
    0x2010, 0x20CF, _COMMA,
    0x20D0, 0x20FF, _NOTHING,
    0x2190, 0x2BFF, _EMOJI,
    0x3000, 0x3000, _SPACE,
    0x3002, 0x3002, _STOP,
    0x3001, 0x3020, _COMMA,
    0x3099, 0x309A, _NOTHING,
    0x30FB, 0x30FB, _COMMA,
    0x30FC, 0x30FC, _LONG,
    0x3400, 0x9FFF, _KANJI,
    0xAC00, 0xD7A3, _SYLLABLE,
    0xF900, 0xFAFF, _KANJI,
    0xFE00, 0xFE0F, _NOTHING,
    0xFF61, 0xFF61, _STOP,
    0xFF62, 0xFF65, _COMMA,
    0x1F3FB, 0x1F3FF, _NOTHING,
    0x1F000, 0x1FAFF, _EMOJI,
    0x20000, 0x323AF, _KANJI,
    0xE0000, 0xE0FFF, _NOTHING,
)
# fmt: on


def beeps(text, rng):
    """(Hz, ms, mouth, whole) of a text: arrays of equal length, 0 Hz is silence; whole: bool, it ended before MAX_MS.

    text: str.  rng: `rng(n) -> int in 0..n-1`.  mouth: levels 0-100.
    """
    made = _Beeps(rng)
    raw = text.encode()
    at = 0
    while at < len(raw) and made.whole:
        size = 1 if raw[at] < 0x80 else 2 if raw[at] < 0xE0 else 3 if raw[at] < 0xF0 else 4
        made.add(_kind(_code(raw, at, size)))
        at += size
    made.end()
    return made.hz, made.ms, made.mouth, made.whole


def _code(raw, at, size):
    code = raw[at] if size == 1 else raw[at] & (0x7F >> size)
    for i in range(at + 1, min(at + size, len(raw))):
        code = code << 6 | raw[i] & 0x3F
    return code


def _kind(code):
    if 0xFF01 <= code <= 0xFF5E:  # the wide forms of ASCII
        code -= 0xFEE0
    if code < 0x80:
        return _ascii(code)
    if 0xC0 <= code <= 0xFF:
        return _ACCENTED[code & 31]
    if 0x3041 <= code <= 0x3096:
        return _KANA[code - 0x3041]
    if 0x30A1 <= code <= 0x30F6:
        return _KANA[code - 0x30A1]
    if 0xFF66 <= code <= 0xFF9F:
        return _HALF_KANA[code - 0xFF66]
    for i in range(0, len(_RANGES), 3):
        if _RANGES[i] <= code <= _RANGES[i + 1]:
            return _RANGES[i + 2]
    return _LETTER


def _ascii(code):
    if 97 <= code | 32 <= 122:
        return _LETTERS[(code | 32) - 97]
    if 48 <= code <= 57:
        return b"AIUEO"[code % 5]
    if code == 39:  # an apostrophe
        return _NOTHING
    if code == _QUESTION:
        return code
    return _STOP if code in _STOPS else _COMMA if code in _PAUSES else _SPACE


class _Beeps:
    def __init__(self, rng):
        self.hz, self.ms, self.mouth = array("H"), array("H"), bytearray()
        self.whole = True
        self._rng = rng
        self._total_ms = 0
        self._last = _SPACE  # the kind before
        self._mute = False  # a word has had no vowel yet

    def add(self, kind):
        if kind == _NOTHING:
            return
        last, self._last = self._last, kind
        if kind == _CONSONANT:
            self._mute = self._mute or last not in b"aiueoyc"
        elif kind in b"aiueoy":
            if last not in b"aiueoy":
                self._vowel(kind)
            self._mute = False
        else:
            self._close()
            self._other(kind, last)

    def end(self):
        self._close()
        if self.hz and not self.hz[-1]:
            self.hz, self.ms, self.mouth = self.hz[:-1], self.ms[:-1], self.mouth[:-1]
        if not self.hz:  # There is nothing to read, but something was said.
            self._vowel(_HUM)

    # The end of a word: one without a vowel is a hum.
    def _close(self):
        if self._mute:
            self._mute = False
            self._vowel(_HUM)

    def _other(self, kind, last):
        if 65 <= kind <= 85:  # A to U
            self._vowel(kind | 32)
        elif kind == _KANJI:
            self._vowel(_VOWELS[self._rng(5)])
            self._vowel(_VOWELS[self._rng(5)])
        elif kind == _LETTER:
            if last != _LETTER:
                self._vowel(_VOWELS[self._rng(5)])
            else:
                self._last = _ANOTHER
        elif kind == _EMOJI:
            if last != _EMOJI:
                self._beep(_CHIRP_HZ[0], _CHIRP_MS, _CHIRP_MOUTH)
                self._beep(_CHIRP_HZ[1], _CHIRP_MS, _CHIRP_MOUTH)
        elif kind == _LONG:
            self._longer()
        else:
            self._pause(kind)

    def _vowel(self, vowel):
        i = _VOWELS.find(bytes((vowel,)))
        self._beep(_PITCH_HZ[i] + _JITTER_HZ * self._rng(_JITTER), _BEEP_MS, _MOUTH[i])

    def _beep(self, hz, ms, mouth):
        if self._total_ms + ms > MAX_MS:
            self.whole = False
            return
        self._total_ms += ms
        self.hz.append(hz)
        self.ms.append(ms)
        self.mouth.append(mouth)

    def _longer(self):
        if self.hz and self.hz[-1] and self.ms[-1] < _LONGEST_MS and self._total_ms + _LONG_MS <= MAX_MS:
            self.ms[-1] += _LONG_MS
            self._total_ms += _LONG_MS

    # Pauses that follow each other are as long as the longest.
    def _pause(self, kind):
        ms = _COMMA_MS if kind == _COMMA else _WORD_MS if kind in b" q" else _STOP_MS
        if not self.hz:
            return
        if self.hz[-1]:
            if kind == _QUESTION:  # A question rises.
                self.hz[-1] = self.hz[-1] * 5 // 4
            self._beep(0, ms, 0)
        elif ms > self.ms[-1] and self._total_ms + ms - self.ms[-1] <= MAX_MS:
            self._total_ms += ms - self.ms[-1]
            self.ms[-1] = ms
