"""IP5306: the power bank chip of M5Stack Basic, Gray and Fire, at 0x75; the earliest units do not have it on I2C.

hardware.md 1.2; what it leaves out (0x70, 0x71, the bits of 0x00) is from the chip's register list. It knows the
battery in five steps only. Not yet run on hardware.
"""

from micropython import const

from .i2c_chip import I2CChip

_SYSTEM = const(0x00)
_KEEP_ON = const(0x02)
_ALWAYS = const(0x31)  # boost, charger, and the key may switch off: as the vendor's firmware sets it
_INPUT = const(0x70)
_FULL = const(0x71)
_FLAG = const(0x08)  # of the two above
_LEVEL = const(0x78)
_PERCENTS = {0x0: 100, 0x8: 75, 0xC: 50, 0xE: 25}  # of its high nibble


class IP5306(I2CChip):
    """i2c: a bus of up to 400 kHz.  A power port: `read`.  Calls raise OSError."""

    def __init__(self, i2c):
        super().__init__(i2c, 0x75)
        self._told = {}

    def start(self):
        """Stay on at any load: a robot that rests takes less than the 45 mA below which the chip would switch off."""
        self.change(_SYSTEM, 0xFF, _ALWAYS | _KEEP_ON)

    def keep_on(self, on):
        """False lets it switch off after 32 s of little load."""
        self.change(_SYSTEM, 0xFF & ~_KEEP_ON, _KEEP_ON if on else 0)

    def read(self):
        """dict, the same each time: battery_percent (0, 25, 50, 75 or 100), charging, usb."""
        told = self._told
        told["battery_percent"] = _PERCENTS.get(self.get(_LEVEL) >> 4, 0)
        told["usb"] = bool(self.get(_INPUT) & _FLAG)
        told["charging"] = told["usb"] and not self.get(_FULL) & _FLAG
        return told
