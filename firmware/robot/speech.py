"""Recorded speech that still comes while it sounds: a source of the voice, with the mouth as wide as it is loud.

Who brings it calls `begin`, `write` as long as there is more, and `end`; the voice steps it. In between are 16 KB,
half of which must be there before it sounds, and again after it ran dry: then there is silence. Where nothing comes,
the text sounds in beeps instead (`fall_back`), as the same sound for whoever waits for it.

The speaker port has, beside `tone` and `silence`: `play(rate)`, `write(buf)` -> bytes that it took, an even number, and
`queued`, bytes that are not heard yet.
"""

from .wav import check_rate

try:
    from .pcm_viper import loudness, soften
except (
    ImportError,
    SyntaxError,
    ValueError,
    AttributeError,
):  # CPython; no native emitter; a .mpy of another machine
    from .pcm import loudness, soften

try:
    from micropython import const
except ImportError:
    const = int

MAX_MS = 120000  # of a speech
_SIZE = const(16384)
_ENOUGH = const(8192)  # before it begins
_SLOT = const(512)
_SLOTS = const(32)
_WIDE = const(
    4000
)  # the mean distance from zero at which the mouth is wide open (hardware.md 6: 2000 to 12000)
_STUCK_MS = const(2000)
_MASK = const(0x3FFFFFFF)  # Ticks wrap at 2**30.


class Speech:
    """speaker: port.  expected_ms: int, how long it may take, for as long as nobody knows.

    abandon: called when the voice has stopped it, for whatever reason, or None: nobody need bring more.
    report: dict, of which complete (bool: all of it was said) and duration_ms hold in the end.
    sounds: bool, it has begun.  gaps: int, how often it ran dry.
    """

    level = None
    abandon = None
    sounds = False
    gaps = 0
    _notes = None  # of beeps instead
    _flows = _ended = False
    _rate = 0

    def __init__(self, speaker, expected_ms):
        self._speaker = speaker
        self._gain = 100
        self._expected_ms = expected_ms
        self._in = self._out = 0  # bytes that came, and that the speaker took, since the start
        self._ready = 0  # bytes that are measured, and softened
        self._heard = 0  # the slot that was heard last
        self._place = self._since_ms = -1
        self.report = {"duration_ms": expected_ms, "complete": True}

    ####################################################################################################
    # For who brings it

    def begin(self, rate, size=None, more_ms=0):
        """PCM of a rate follows; again where it is made in parts.

        size: int, bytes, or None if nobody knows.  more_ms: int, about how long what is behind it will take.
        Raises ValueError for a rate that cannot be played, or that is another than before.
        """
        if not self._rate:
            check_rate(rate)
            self._ring = bytearray(_SIZE)
            self._view = memoryview(self._ring)
            self._levels = bytearray(_SLOTS)
            self._rate = rate
        elif rate != self._rate:
            raise ValueError("%d samples a second after %d" % (rate, self._rate))
        self._in &= ~1
        if size is not None:
            self._expected_ms = self._ms(self._in + size) + more_ms

    def write(self, data, start=0):
        """Take bytes of PCM from data[start:]; returns how many. 0: there is no room, which comes with time.

        Raises ValueError if that makes it longer than MAX_MS.
        """
        count = min(len(data) - start, _SIZE - (self._in - self._out))
        if self._ms(self._in + count) > MAX_MS:
            raise ValueError("longer than %d s" % (MAX_MS // 1000))
        at = self._in % _SIZE
        first = min(count, _SIZE - at)
        self._ring[at : at + first] = data[start : start + first]
        if first < count:
            self._ring[: count - first] = data[start + first : start + count]
        self._in += count
        return count

    def end(self, whole=True):
        """Nothing more will come.  whole: bool, that was all."""
        self._ended = True
        self._in &= ~1
        if not whole:
            self.report["complete"] = False

    def fall_back(self, notes, whole):
        """Sound as `voice.Notes` instead, from the start.  whole: bool, they are all of the text."""
        self._notes = notes
        self._ring = self._view = self._levels = None
        self.report["duration_ms"] = notes.left_ms
        self.report["complete"] = whole
        notes.gain(self._gain)

    ####################################################################################################
    # For the voice: see the top of voice.py

    @property
    def left_ms(self):
        if self._notes is not None:
            return self._notes.left_ms
        past_ms = self._ms(self._out)
        if self._ended:
            return self._ms(self._in) - past_ms
        return max(self._expected_ms - past_ms, self._ms(self._in) - past_ms)

    def gain(self, level):
        self._gain = level
        if self._notes is not None:
            self._notes.gain(level)

    def stop(self):
        if self._notes is not None:
            self._notes.stop()
        elif self.sounds:
            self._speaker.silence()
            self.report["duration_ms"] = self._ms(self._out)
            if not self._ended or self._out < self._in:
                self.report["complete"] = False
        abandon, self.abandon = self.abandon, None
        if abandon is not None:
            abandon()

    def step(self, now_ms):
        """Allocates a slice for each 512 bytes that the speaker takes. Raises OSError if that takes nothing for 2 s."""
        if self._notes is not None:
            going = self._notes.step(now_ms)
            self.level = self._notes.level
            return going
        if not self._flows:
            came = self._in - self._out
            self._flows = came >= _ENOUGH or (self._ended and came > 0)
            if self._flows and not self.sounds:
                self._speaker.play(self._rate)
                self.sounds = True
        if self._flows:
            self._give()
        queued = self._speaker.queued if self.sounds else 0
        self._watch(now_ms, queued)
        if self.sounds:
            self._open(queued)
        if queued or self._flows:
            return True
        return not self._ended or self._out < self._in

    # Full slots only, but for the last.
    def _give(self):
        while True:
            at = self._out % _SIZE
            count = min(_SLOT - at % _SLOT, self._in - self._out)
            if not count or (count < _SLOT - at % _SLOT and not self._ended):
                break
            self._prepare(at, count)
            taken = self._speaker.write(self._view[at : at + count])
            self._out += taken
            if taken < count:
                return
        if self._ended:
            self._flows = False
        elif not self._speaker.queued:
            self._flows = False
            self.gaps += 1

    def _prepare(self, at, count):
        if self._ready > self._out:
            return
        self._ready = self._out + count
        self._levels[at // _SLOT] = min(100, loudness(self._ring, at, at + count) * 100 // _WIDE)
        if self._gain < 100:
            soften(self._ring, at, at + count, self._gain * 256 // 100)

    # The mouth follows what is heard, which is behind what the speaker took: the mean of the slots since the last step.
    def _open(self, queued):
        slot = (self._out - queued) // _SLOT
        first = max(self._heard, slot - _SLOTS)
        if slot > first:
            total = 0
            for i in range(first, slot):
                total += self._levels[i % _SLOTS]
            self.level = total // (slot - first)
            self._heard = slot
        elif not queued:
            self.level = 0

    def _watch(self, now_ms, queued):
        place = self._out - queued
        if place != self._place or not (queued or self._flows):
            self._place = place
            self._since_ms = now_ms
        elif (now_ms - self._since_ms) & _MASK > _STUCK_MS:
            raise OSError("the speaker takes no sound")

    def _ms(self, size):
        count = size // 2
        rate = self._rate or 1  # Before there is one, there is nothing.
        return count // rate * 1000 + count % rate * 1000 // rate
