"""The parts of the simulated robot that have no bus: they tell the world around it, and feel it. See `outside`."""

import gc
import time

from micropython import const

from robot.pcm import loudness

_QUEUE = const(3584)  # bytes, as of the real driver
_TELL_MS = const(200)


class Speaker:
    """A speaker port, and a stream of PCM, of which the world is told how loud it is.  ticks_ms: function."""

    def __init__(self, outside, ticks_ms=time.ticks_ms):
        self._outside = outside
        self._ticks_ms = ticks_ms
        self._rate = 0  # of the stream, 0: there is none
        self._queued = 0
        self._since_ms = 0
        self._sum = self._count = 0  # of the pieces that nobody was told of yet

    def tone(self, hz, level):
        """hz: int.  level: 0-100."""
        self._end()
        self._outside.say("speaker %d %d" % (hz, level))

    def silence(self):
        self._end()
        self._outside.say("speaker off")

    def play(self, rate):
        """Begin a stream, see `drivers.i2s_speaker`.  Raises ValueError for a wrong rate."""
        if not 8000 <= rate <= 48000:
            raise ValueError("8000 to 48000 samples a second")
        self._end()
        self._rate = rate
        self._queued = 0
        self._since_ms = self._ticks_ms()
        self._outside.say("speaker play %d" % rate)

    def write(self, buf):
        """How many bytes of it were taken, an even number: 3,584 wait at most, and go as time does."""
        taken = min(len(buf), _QUEUE - self.queued) & ~1 if self._rate else 0
        if taken > 0:
            self._queued += taken
            self._sum += loudness(buf, 0, taken) * taken
            self._count += taken
            if self._count * 1000 >= 2 * self._rate * _TELL_MS:
                self._tell()
        return taken

    @property
    def queued(self):
        """int: bytes of the stream that have not been heard."""
        if self._rate:
            past_ms = time.ticks_diff(self._ticks_ms(), self._since_ms)
            if past_ms > 0:
                self._since_ms = time.ticks_add(self._since_ms, past_ms)
                self._queued = max(0, self._queued - 2 * (self._rate * past_ms // 1000))
        return self._queued

    def _tell(self):
        level = self._sum // self._count * 100 >> 15
        self._outside.say("speaker pcm %d %d" % (level, self._count * 500 // self._rate))
        self._sum = self._count = 0

    def _end(self):
        if self._count:
            self._tell()
        self._rate = self._queued = 0


class Strip:
    """A strip of `count` lights, a port of `leds`."""

    def __init__(self, outside, name, count):
        self._outside = outside
        self._name = name
        self.count = count
        self._colours = [0] * count
        self._shown = None

    def fill(self, r, g, b):
        """All of them.  r, g, b: 0-255."""
        for i in range(self.count):
            self.set(i, r, g, b)

    def set(self, i, r, g, b):
        """One of them.  Raises IndexError, ValueError for what there is not."""
        if not 0 <= i < self.count:
            raise IndexError("light %d of %d" % (i, self.count))
        if not (0 <= r <= 255 and 0 <= g <= 255 and 0 <= b <= 255):
            raise ValueError("r, g, b: 0-255")
        self._colours[i] = r << 16 | g << 8 | b

    def show(self):
        if self._colours != self._shown:
            self._shown = list(self._colours)
            self._outside.say("leds %s %s" % (self._name, " ".join("%06x" % c for c in self._shown)))


class Inputs:
    """Buttons and touch, an inputs port."""

    def __init__(self, outside):
        self._outside = outside

    def poll(self, now_ms):
        """What has happened since the last call: list of (kind, name, value), or ()."""
        outside = self._outside
        outside.listen()
        if not outside.events:
            return ()
        events = outside.events
        outside.events = []
        return events


class Imu:
    """An imu port."""

    def __init__(self, outside):
        self._outside = outside

    def read(self):
        """(x, y, z) in mg; at rest (0, 0, 1000)."""
        self._outside.listen()
        return self._outside.acceleration


class Power:
    """A power port."""

    def __init__(self, outside):
        self._outside = outside

    def read(self):
        """dict: battery_percent 0-100, charging, usb."""
        self._outside.listen()
        percent, charging, usb = self._outside.power
        return {"battery_percent": percent, "charging": charging, "usb": usb}


class System:
    """A system port."""

    def __init__(self):
        self._start_ms = time.ticks_ms()

    def read(self):
        """dict: heap_free (bytes), uptime_ms (wraps as ticks do), rssi (None: there is no radio)."""
        uptime_ms = time.ticks_diff(time.ticks_ms(), self._start_ms)
        return {"heap_free": gc.mem_free(), "uptime_ms": uptime_ms, "rssi": None}
