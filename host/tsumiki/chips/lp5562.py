"""A virtual LP5562, whose white output is the backlight of an AtomS3R: hardware.md 1.2, and the chip's data sheet.

It drops what it is told while it is off or within 1 ms of being switched on, and says so in `faults`.
"""

from .i2c import Registers
from .watching import Changes


class LP5562(Registers):
    """on_change: function of ("backlight", 0-100), or None."""

    address = 0x30

    def __init__(self):
        Registers.__init__(self, {0x70: 0x39})
        self.on_change = None
        self._clock_ms = 0
        self._on_ms = None
        self._changes = Changes(self, ("backlight",))

    def wait(self, ms):
        """That much time passes."""
        self._clock_ms += ms

    @property
    def backlight(self):
        """0-100; 0 too while the chip has no clock, or a program drives the output."""
        if not self.values[0x00] & 0x40 or not self.values[0x08] & 0x01 or self.values[0x70] & 0xC0:
            return 0
        return (self.values[0x0E] * 100 + 254) // 255

    def wrote(self, register, value):
        if register == 0x00:
            if not value & 0x40:
                self._on_ms = None
            elif self._on_ms is None:
                self._on_ms = self._clock_ms
        elif self._on_ms is None or self._clock_ms <= self._on_ms:
            self.faults.append("0x%02x: written before the chip is on" % register)
            return
        self.values[register] = value
        self._changes.look()
