"""The lights: named strips that are solid, blink, turn through the rainbow, or are off."""

from umcp.errors import ToolError

from .clamp import clamp

try:
    from micropython import const
except ImportError:
    const = int

MODES = ("solid", "blink", "rainbow", "off")
MIN_INTERVAL_MS = 50
MAX_INTERVAL_MS = 10000

_MAX_OFF_MS = const(3600000)
_FRAME_MS = const(34)  # 29 writes a second at most
_RETRY_MS = const(1000)
_TURN = const(1530)  # the colours of the wheel: six sides of 255
_SIDE = const(255)
_TICKS = const(0x3FFFFFFF)  # They wrap at 2**30.


class Lights:
    """leds: dict of name -> strip, a port with `count`, `fill(r, g, b)`, `set(i, r, g, b)` and `show()`.

    names: tuple of str, sorted.
    """

    def __init__(self, leds):
        self.names = tuple(sorted(leds))
        self._strips = [_Strip(leds[name]) for name in self.names]

    def set(self, name, mode, red=0, green=0, blue=0, interval_ms=500, off_ms=0):
        """Set a strip.

        mode: str of MODES.  red, green, blue: int 0-255, for solid and blink.
        interval_ms: int 50-10000, how long a blinking strip is on, and off again; a rainbow turns once in it.
        off_ms: int, off by itself after so long, up to an hour; 0: never. Numbers out of range are clamped.
        Raises ToolError: `no_light`, `no_mode`.
        """
        if name not in self.names:
            raise ToolError("no_light", "there is no such light")
        if mode not in MODES:
            raise ToolError("no_mode", "there is no such mode")
        strip = self._strips[self.names.index(name)]
        strip.red, strip.green, strip.blue = clamp(red, 0, 255), clamp(green, 0, 255), clamp(blue, 0, 255)
        strip.interval_ms = clamp(interval_ms, MIN_INTERVAL_MS, MAX_INTERVAL_MS)
        strip.off_ms = clamp(off_ms, 0, _MAX_OFF_MS)
        strip.mode = mode
        strip.begun = False

    def off(self, name=None):
        """Turn a strip off, or all. Raises ToolError `no_light`."""
        for one in self.names if name is None else (name,):
            self.set(one, "off")

    def step(self, now_ms):
        """Go on.  now_ms: int, ticks. Allocates nothing, and writes only what has changed.

        A strip that fails is tried again after a second; OSError is raised when the others have been written.
        """
        failed = None
        for strip in self._strips:
            try:
                strip.step(now_ms)
            except OSError as e:
                failed = e
        if failed:
            raise failed

    def state(self):
        """dict of name -> mode, red, green, blue, interval_ms and count, for `robot://status`."""
        return {name: strip.state() for name, strip in zip(self.names, self._strips)}


class _Strip:
    def __init__(self, port):
        self._port = port
        self.mode = "off"
        self.red = self.green = self.blue = 0
        self.interval_ms = MIN_INTERVAL_MS
        self.off_ms = 0
        self.begun = False  # since it was set
        self._from_ms = 0
        self._wrote_ms = None
        self._wait_ms = _FRAME_MS  # from then to the next write
        self._shown = (
            None  # what the strip shows: a phase of blinking, a place on the wheel; None: it is not known
        )

    def state(self):
        return {
            "mode": self.mode,
            "red": self.red,
            "green": self.green,
            "blue": self.blue,
            "interval_ms": self.interval_ms,
            "count": self._port.count,
        }

    def step(self, now_ms):
        if not self.begun:
            self.begun = True
            self._from_ms = now_ms
            self._shown = None
        past_ms = (now_ms - self._from_ms) & _TICKS
        if self.off_ms and past_ms >= self.off_ms:
            self.mode = "off"
            self.off_ms = 0
            self._shown = None
        wanted = self._wanted(past_ms)
        if wanted != self._shown and self._may_write(now_ms):
            self._shown, self._wait_ms = None, _RETRY_MS  # should the write fail
            self._write(wanted)
            self._shown, self._wait_ms = wanted, _FRAME_MS

    def _may_write(self, now_ms):
        if self._wrote_ms is not None and (now_ms - self._wrote_ms) & _TICKS < self._wait_ms:
            return False
        self._wrote_ms = now_ms
        return True

    # Off is -1, on -2; a rainbow is its first colour on the wheel.
    def _wanted(self, past_ms):
        if self.mode == "rainbow":
            return past_ms % self.interval_ms * _TURN // self.interval_ms
        if self.mode == "off" or (self.mode == "blink" and past_ms // self.interval_ms & 1):
            return -1
        return -2

    def _write(self, wanted):
        port = self._port
        if wanted == -1:
            port.fill(0, 0, 0)
        elif wanted == -2:
            port.fill(self.red, self.green, self.blue)
        else:
            count = port.count
            for i in range(count):
                place = wanted + i * _TURN // count
                port.set(i, wheel(place + 2 * _SIDE), wheel(place), wheel(place + 4 * _SIDE))
        port.show()


def wheel(place):
    """Green, 0-255, at a place of the colour wheel: 0 is red, 510 green, 1020 blue, 1530 red again.

    Red is that of 510 further, blue that of 1020 further.
    """
    place %= _TURN
    if place < _SIDE:
        return place
    if place <= 3 * _SIDE:
        return _SIDE
    return max(0, 4 * _SIDE - place)
