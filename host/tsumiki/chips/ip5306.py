"""A virtual IP5306 as it sits in a Basic, Gray or Fire: hardware.md 1.2, and the chip's register list.

It keeps in `faults` a boost that is switched off, which feeds the whole board, and a charger that is.
"""

from .i2c import Registers

_LEVELS = {100: 0x00, 75: 0x80, 50: 0xC0, 25: 0xE0, 0: 0xF0}


class IP5306(Registers):
    """battery_percent: 0, 25, 50, 75 or 100, usb, full: bool, for a test to set."""

    address = 0x75

    def __init__(self):
        Registers.__init__(self, {0x00: 0x35})
        self.battery_percent = 75
        self.usb = self.full = False

    @property
    def keeps_on(self):
        """bool: it stays on when little is taken."""
        return bool(self.values[0x00] & 0x02)

    def reads(self, register):
        if register == 0x70:
            return self.usb << 3
        if register == 0x71:
            return (self.usb and self.full) << 3
        if register == 0x78:
            return _LEVELS[self.battery_percent]
        return self.values[register]

    def wrote(self, register, value):
        self.values[register] = value
        if register == 0x00 and not value & 0x20:
            self.faults.append("0x00: the boost is off, which feeds the board")
        if register == 0x00 and not value & 0x10:
            self.faults.append("0x00: the battery is not charged")
