"""Tones written as text: `C4:220`, `F#4:180`, `Bb3`, `440:200`, `R:120` (grammar of the Stack-chan original).

A token is a note (letter, `#` or `b`, octave), a frequency in Hz or a rest (R, REST, PAUSE), in either case; then
perhaps a separator (`:`, `/` or `,`) and a duration. See facts/stackchan.md 3.
"""

from array import array

from .clamp import clamp

try:
    from micropython import const
except ImportError:
    const = int

MAX_TOKENS = 32
MAX_MS = 15000  # of a melody
MIN_HZ = 40
MAX_HZ = 4000
MIN_TONE_MS = 30
MAX_TONE_MS = 2000

_TOKEN_CHARACTERS = const(32)  # A longer token is none.
_TONE_MS = const(220)
_OCTAVE = 4
_TOP_OCTAVE = const(9)  # All of it is above MAX_HZ, all of octave 0 is below MIN_HZ.
_RESTS = (b"R", b"REST", b"PAUSE")
_SEPARATORS = b":/,"
# Semitones above C of the notes A to G.
_SEMITONES = b"\x09\x0b\x00\x02\x04\x05\x07"
# The semitones of the top octave in mHz, equal temperament, A4 = 440 Hz: a lower octave is a shift.
_TOP_MHZ = (
    8372018,
    8869844,
    9397273,
    9956063,
    10548082,
    11175303,
    11839822,
    12543854,
    13289750,
    14080000,
    14917240,
    15804266,
)


def parse_tone(token):
    """(hz, duration_ms) of one token, hz 0 for a rest; None if it is none.  token: str (anything else is none).

    hz is clamped to MIN_HZ..MAX_HZ, the duration to MIN_TONE_MS..MAX_TONE_MS.
    """
    if not isinstance(token, str) or len(token) > _TOKEN_CHARACTERS:
        return None
    raw = token.encode().strip().upper()
    at = 0
    while at < len(raw) and raw[at] not in _SEPARATORS:
        at += 1
    duration_ms = _duration(raw[at + 1 :]) if at < len(raw) else _TONE_MS
    hz = _hz(raw[:at])
    return None if hz is None or duration_ms is None else (hz, duration_ms)


def parse_melody(tones):
    """(frequencies in Hz, durations in ms, report) of a list of tokens; the first two are arrays of equal length.

    A melody ends before the tone that would make it longer than MAX_MS, and has at most MAX_TOKENS tokens.
    report: dict with played and rests, what sounds and what does not; skipped, tokens that are none; truncated, tokens
    past the end; duration_ms.
    """
    parsed = [parse_tone(token) for token in tones[:MAX_TOKENS]]
    hz, ms = array("H"), array("H")
    skipped = total_ms = rests = 0
    for tone in parsed:
        if tone is None:
            skipped += 1
    left = len(parsed) - skipped
    for tone in parsed:
        if tone is None:
            continue
        if total_ms + tone[1] > MAX_MS:
            break
        hz.append(tone[0])
        ms.append(tone[1])
        total_ms += tone[1]
        rests += tone[0] == 0
        left -= 1
    return (
        hz,
        ms,
        {
            "played": len(hz) - rests,
            "rests": rests,
            "skipped": skipped,
            "truncated": len(tones) - len(parsed) + left,
            "duration_ms": total_ms,
        },
    )


def _duration(raw):
    raw = raw.lstrip()
    return clamp(int(raw), MIN_TONE_MS, MAX_TONE_MS) if raw.isdigit() else None


def _hz(raw):
    if raw in _RESTS:
        return 0
    if not raw or not 65 <= raw[0] <= 71:  # A to G
        return _frequency(raw)
    semitone = _SEMITONES[raw[0] - 65]
    rest = raw[1:]
    if rest[:1] == b"#" or rest[:1] == b"B":
        semitone += 1 if rest[:1] == b"#" else -1
        rest = rest[1:]
    octave = _octave(rest)
    return None if octave is None else _note(semitone, octave)


def _octave(raw):
    if not raw:
        return _OCTAVE
    sign = -1 if raw[:1] == b"-" else 1
    digits = raw[1:] if sign < 0 else raw
    return sign * int(digits) if digits.isdigit() else None


# semitone: -1..12 of the octave.
def _note(semitone, octave):
    if semitone < 0 or semitone > 11:
        octave += -1 if semitone < 0 else 1
        semitone %= 12
    down = _TOP_OCTAVE - clamp(octave, 0, _TOP_OCTAVE)
    return clamp(((_TOP_MHZ[semitone] >> down) + 500) // 1000, MIN_HZ, MAX_HZ)


# Digits, perhaps a point and digits: the first of these rounds.
def _frequency(raw):
    whole, point, part = raw.partition(b".")
    if not whole.isdigit() or (point and not part.isdigit()):
        return None
    return clamp(int(whole) + (part[:1] >= b"5"), MIN_HZ, MAX_HZ)
