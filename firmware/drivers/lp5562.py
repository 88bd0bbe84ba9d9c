"""LP5562: the LED driver that feeds the backlight of M5Stack AtomS3R, at 0x30 (hardware.md 1.2).

Not yet run on hardware.
"""

from time import sleep_ms

from micropython import const

from .i2c_chip import I2CChip

_ENABLE = const(0x00)
_CONFIG = const(0x08)
_WHITE = const(0x0E)
_LED_MAP = const(0x70)


class LP5562(I2CChip):
    """i2c: a bus of up to 400 kHz.  sleep_ms: function that waits.  Calls raise OSError."""

    def __init__(self, i2c, sleep_ms=sleep_ms):
        super().__init__(i2c, 0x30)
        self._sleep_ms = sleep_ms

    def start(self):
        """Switch the chip on, its own clock, every LED as its register says: 1 ms. The light stays off."""
        self.put(_ENABLE, 0x40)
        self._sleep_ms(1)
        self.put(_CONFIG, 0x01)
        self.put(_LED_MAP, 0x00)

    def backlight(self, level):
        """level: 0-100; what is beyond is taken as the end; 0 is off."""
        self.put(_WHITE, max(0, min(100, level)) * 255 // 100)
