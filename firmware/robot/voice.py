"""The voice: tones, melodies, and speech in beeps, with the mouth in step. One sound at a time: a new one replaces it.

What sounds is a *source*, and a streamer of recorded speech is one too (`Voice.play`). A source has
- `step(now_ms) -> bool`: go on; False when it is over. It allocates nothing (a streamer: little);
- `level`: int 0-100, how far the mouth is open, or None: the mouth is left alone;
- `gain(level)`: how loud, 0-100, now and from now on. It is told before the first step;
- `stop()`: be silent now. It is called once, at the end too, whatever ended it;
- `left_ms`: int, how long it will still sound.
"""

from array import array

from umcp.errors import ToolError

from .clamp import clamp
from .melody import MAX_HZ, MAX_TONE_MS, MIN_HZ, MIN_TONE_MS, parse_melody

try:
    from micropython import const
except ImportError:
    const = int

MAX_CHARACTERS = 500
_GAP_MS = const(20)  # of silence before a tone of the same pitch, or they would be one
_MASK = const(0x3FFFFFFF)  # Ticks wrap at 2**30.


class Voice:
    """speaker: port with `tone(hz, level)` and `silence()`.  mouth: `mouth(level)`, of the face, or None.

    rng: `rng(n) -> int in 0..n-1`, for the melody of speech.
    limit: int 0-100, which the owner sets (`set_limit`) and no volume exceeds.
    turn: int, which grows with each sound: who waits for one sees that another has replaced it.
    recorded: `recorded(text, level)` in place of beeps, which answers as `speak`, or None. Its answer changes until the
    sound is over: how long it takes is a guess at first.
    """

    recorded = None

    def __init__(self, speaker, mouth=None, rng=None):
        self._speaker = speaker
        self._mouth = mouth
        self._rng = rng or _no_chance
        self._source = None
        self._sound_level = 100
        self._open = None  # what the mouth was told
        self.volume_level = 100
        self.limit = 100
        self.turn = 0

    @property
    def busy(self):
        """True while something sounds or is about to."""
        return self._source is not None

    @property
    def left_ms(self):
        """int: milliseconds that the sound will still take; 0 if there is none."""
        return 0 if self._source is None else self._source.left_ms

    def tone(self, hz, duration_ms, level=100):
        """One tone: 40-4000 Hz, 30-2000 ms, level 0-100 of the volume; what is outside is clamped."""
        notes = (
            array("H", (clamp(hz, MIN_HZ, MAX_HZ),)),
            array("H", (clamp(duration_ms, MIN_TONE_MS, MAX_TONE_MS),)),
        )
        self.play(Notes(self._speaker, notes[0], notes[1]), level)

    def melody(self, tones, level=100):
        """Play a list of tokens (`melody.py`); returns the report of what will be played, see `parse_melody`."""
        hz, ms, report = parse_melody(tones)
        self.play(Notes(self._speaker, hz, ms), level)
        return report

    def speak(self, text, level=100):
        """Say 1-500 characters: with recorded speech if there is any, or in beeps.

        Returns a dict: duration_ms, and complete, whether all of it will be said. Raises ToolError `text_length`.
        """
        if not 1 <= len(text) <= MAX_CHARACTERS:
            raise ToolError("text_length", "1 to %d characters can be said" % MAX_CHARACTERS)
        if self.recorded is not None:
            return self.recorded(text, level)
        source, whole = self.beeps(text)
        self.play(source, level)
        return {"duration_ms": source.left_ms, "complete": whole}

    def beeps(self, text):
        """(source, whole) of a text in beeps (`syllables.py`).  whole: bool, all of it will be said."""
        # late (RAM): most of what sounds is no speech.
        from .syllables import beeps

        hz, ms, mouth, whole = beeps(text, self._rng)
        return Notes(self._speaker, hz, ms, mouth), whole

    def play(self, source, level=100):
        """Let a source sound instead of what does."""
        self.stop()
        self.turn += 1
        self._source = source
        self._sound_level = clamp(level, 0, 100)
        source.gain(self._gain())

    def stop(self):
        """Be silent, mouth shut. Without a sound it does nothing."""
        source, self._source = self._source, None
        if source is not None:
            self._lips(None if self._open is None else 0)
            self._open = None
            source.stop()

    def volume(self, level):
        """Set the volume, 0-100, of what sounds too; returns what it is now, which the owner's limit bounds."""
        self.volume_level = clamp(level, 0, self.limit)
        self._tell_gain()
        return self.volume_level

    def set_limit(self, level):
        """Set the owner's limit, 0-100; the volume stays, and comes back when the limit is lifted."""
        self.limit = clamp(level, 0, 100)
        self._tell_gain()

    def step(self, now_ms):
        """Go on.  now_ms: int, ticks. A source that raises is over, and the exception is passed on."""
        source = self._source
        if source is None:
            return
        going = False
        try:
            going = source.step(now_ms)
        finally:
            if not going:
                self.stop()
        if going:
            self._lips(source.level)

    def state(self):
        """dict of busy, left_ms and volume (0-100, as it sounds), for `robot://status`."""
        volume = min(self.volume_level, self.limit)
        return {"busy": self.busy, "left_ms": self.left_ms, "volume": volume}

    def _lips(self, level):
        if level is not None and level != self._open and self._mouth is not None:
            self._open = level
            self._mouth(level)

    def _gain(self):
        return self._sound_level * min(self.volume_level, self.limit) // 100

    def _tell_gain(self):
        if self._source is not None:
            self._source.gain(self._gain())


class Notes:
    """A source of tones.  hz, ms, mouth: arrays of equal length; 0 Hz is a rest, mouth (levels) may be None."""

    def __init__(self, speaker, hz, ms, mouth=None):
        self._speaker = speaker
        self._hz = hz
        self._ms = ms
        self._mouth = mouth
        self._at = -1  # the note that sounds
        self._from_ms = 0  # when the first began
        self._end_ms = 0  # when the note ends, from then
        self._gain = 100
        self._heard = 0  # Hz
        self.level = None if mouth is None else 0
        self.left_ms = self._total_ms = sum(ms)

    def gain(self, level):
        """See the top of this file."""
        if level != self._gain:
            self._gain = level
            if self._at >= 0:
                self._sound(self._hz[self._at])

    def stop(self):
        """See the top of this file."""
        self._sound(0)

    def step(self, now_ms):
        """See the top of this file. A late step skips the notes that are over."""
        if self._at < 0:
            self._from_ms = now_ms
        past_ms = (now_ms - self._from_ms) & _MASK
        if past_ms >= self._total_ms:
            self.left_ms = 0
            return False
        self.left_ms = self._total_ms - past_ms
        if past_ms >= self._end_ms:
            self._next(past_ms)
        elif self._end_ms - past_ms <= _GAP_MS and self._again():
            self._sound(0)
        if self._mouth is not None:
            self.level = self._lips(self._end_ms - past_ms)
        return True

    def _next(self, past_ms):
        while past_ms >= self._end_ms:
            self._at += 1
            self._end_ms += self._ms[self._at]
        self._sound(self._hz[self._at])

    # Whether the next note has the same pitch.
    def _again(self):
        return self._at + 1 < len(self._hz) and self._hz[self._at + 1] == self._hz[self._at]

    # The mouth closes by half in the last third of a note.
    def _lips(self, left_ms):
        level = self._mouth[self._at]
        return level // 2 if left_ms * 3 <= self._ms[self._at] else level

    def _sound(self, hz):
        if hz and self._gain:
            self._heard = hz
            self._speaker.tone(hz, self._gain)
        elif self._heard:
            self._heard = 0
            self._speaker.silence()


def _no_chance(n):
    return 0
