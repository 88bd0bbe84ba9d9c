"""A virtual AW9523B as it sits in a CoreS3: hardware.md 1.4; what is at power-up: the chip's data sheet.

It keeps in `faults` what would harm the board: an interrupt line of another chip driven; 5 V out where the power chip
would brown out, or into the USB plug; a reset pulse of no length.
"""

from .i2c import Registers
from .watching import Changes, ResetLine

_STATES = ("lcd_reset", "touch_reset", "speaker_on", "bus_out", "boost_on")
# Inputs, whatever else: register and bits of the lines that other chips drive.
_DRIVEN = {0x04: (0x08, "ES7210"), 0x05: (0x0C, "touch or amplifier")}


class AW9523B(Registers):
    """power: the virtual AXP2101 whose `browns_out` tells whether 5 V out is too much, or None.

    on_change: function of (name, value), or None; the names: lcd_reset and touch_reset (level 0 or 1), speaker_on (its
    amplifier is not held in reset), bus_out and boost_on; 5 V are out with both.
    """

    address = 0x58

    def __init__(self, power=None):
        Registers.__init__(self, {0x10: 0x23, 0x12: 0xFF, 0x13: 0xFF})
        self.power = power
        self.on_change = None
        self._clock_ms = 0
        self._lines = ((ResetLine(0), "lcd_reset"), (ResetLine(0), "touch_reset"))
        self._changes = Changes(self, _STATES)

    def wait(self, ms):
        """That much time passes."""
        self._clock_ms += ms

    # Port 0 only pulls down until it is told to drive both ways; a pin that is an input, or a LED's, drives nothing.
    def _high(self, port, bit):
        values = self.values
        drives = values[0x02 + port] & ~values[0x04 + port] & values[0x12 + port]
        return bool(drives & bit) and (port == 1 or bool(values[0x11] & 0x10))

    @property
    def lcd_reset(self):
        return int(self._high(1, 0x02))

    @property
    def touch_reset(self):
        return int(self._high(0, 0x01))

    @property
    def speaker_on(self):
        return self._high(0, 0x04)

    @property
    def bus_out(self):
        return self._high(0, 0x02)

    @property
    def boost_on(self):
        return self._high(1, 0x80)

    def wrote(self, register, value):
        fed = self.bus_out or self.boost_on
        if register == 0x10:
            return  # It can only be read.
        self.values[register] = value
        if register in _DRIVEN:
            bits, whose = _DRIVEN[register]
            if value & bits != bits:
                self.faults.append("0x%02x: the interrupt line of %s is driven" % (register, whose))
        if self._high(0, 0x20):
            self.faults.append("0x%02x: 5 V into the USB plug" % register)
        if not fed and (self.bus_out or self.boost_on) and self.power is not None and self.power.browns_out:
            self.faults.append("0x%02x: 5 V out beside USB without a battery" % register)
        for line, name in self._lines:
            if line.follow(getattr(self, name), self._clock_ms):
                self.faults.append("0x%02x: %s: a reset pulse of no length" % (register, name))
        self._changes.look()
