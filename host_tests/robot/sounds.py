"""A speaker, a mouth and a source that keep a trace, and a clock to drive a voice by."""


class Trace:
    """Speaker and mouth of one voice: what was said to either, and when.

    lines: list of (ms, hz, level) for a tone, (ms, 0) for silence, (ms, "mouth", level).
    """

    def __init__(self):
        self.lines = []
        self.now_ms = 0

    def tone(self, hz, level):
        self.lines.append((self.now_ms, hz, level))

    def silence(self):
        self.lines.append((self.now_ms, 0))

    def mouth(self, level):
        self.lines.append((self.now_ms, "mouth", level))

    def play(self, voice, ms, tick_ms=20, from_ms=0):
        """Step a voice for a time that starts at 0 in the trace, and at `from_ms` on the voice's clock."""
        end_ms = self.now_ms + ms
        while self.now_ms < end_ms:
            voice.step((from_ms + self.now_ms) & 0x3FFFFFFF)
            self.now_ms += tick_ms
        return self

    def take(self):
        """The lines since the last call."""
        lines, self.lines = self.lines, []
        return lines


class Still:
    """A speaker and a mouth that count and remember, and allocate nothing."""

    def __init__(self):
        self.tones = 0
        self.sounding = False
        self.open = 0

    def tone(self, hz, level):
        if not (40 <= hz <= 4000 and 1 <= level <= 100):
            raise ValueError("hz or level")
        self.tones += 1
        self.sounding = True

    def silence(self):
        self.sounding = False

    def mouth(self, level):
        if not 0 <= level <= 100:
            raise ValueError("level")
        self.open = level


class Stream:
    """A source, as a streamer of recorded speech would be one: `levels` of the mouth, one a step."""

    def __init__(self, levels, fails=False):
        self._levels = levels
        self._at = 0
        self._fails = fails
        self.level = 0
        self.gains = []
        self.stops = 0

    @property
    def left_ms(self):
        return 20 * (len(self._levels) - self._at)

    def gain(self, level):
        self.gains.append(level)

    def stop(self):
        self.stops += 1

    def step(self, now_ms):
        if self._at == len(self._levels):
            if self._fails:
                raise OSError(5)
            return False
        self.level = self._levels[self._at]
        self._at += 1
        return True
