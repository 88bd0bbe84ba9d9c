"""Stands in for micropython-lib's `bmi270`, which brings the firmware that the chip needs: here it is zeros.

The virtual chip does not look into it. What the package does with the chip, in short: reset, firmware, measure.
"""

import time

_BURST = 256
_FIRMWARE = 8192
_COUNTS = 8192  # of 1 g, at 4 g


class BMI270:
    """i2c: `machine.I2C`.  Raises OSError where it does not start."""

    def __init__(self, i2c, address=0x68):
        self._i2c = i2c
        self._address = address
        self._put(0x7E, 0xB6)
        time.sleep_ms(10)
        self._put(0x7C, 0)
        time.sleep_ms(10)
        self._put(0x59, 0)
        for at in range(0, _FIRMWARE, _BURST):
            self._put(0x5B, at // 2 & 0x0F)
            self._put(0x5C, at // 2 >> 4)
            i2c.writeto_mem(address, 0x5E, bytes(_BURST))
        self._put(0x59, 1)
        for _ in range(20):
            time.sleep_ms(10)
            if i2c.readfrom_mem(address, 0x21, 1)[0] & 0x0F == 1:
                break
        else:
            raise OSError("the BMI270 does not start")
        self._put(0x7D, 0x0E)
        self._put(0x41, 1)

    def accel(self):
        """(x, y, z) in g, floats."""
        raw = self._i2c.readfrom_mem(self._address, 0x0C, 6)
        counts = [raw[at] | raw[at + 1] << 8 for at in (0, 2, 4)]
        return tuple([(count - 65536 if count & 0x8000 else count) / _COUNTS for count in counts])

    def _put(self, register, value):
        self._i2c.writeto_mem(self._address, register, bytes((value,)))
