"""The parts of the simulated robot that have no bus: they tell the world around it, and feel it. See `outside`."""

import gc
import time


class Speaker:
    """A speaker port."""

    def __init__(self, outside):
        self._outside = outside

    def tone(self, hz, level):
        """hz: int.  level: 0-100."""
        self._outside.say("speaker %d %d" % (hz, level))

    def silence(self):
        self._outside.say("speaker off")


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
