"""INA226 monitor of the battery of M5Stack's StackChan kit: its voltage.

No current: the schematic and M5Stack's own code disagree about the resistor that it is measured at (10 and 80 mOhm).
Registers are of 16 bits, the high byte first (Texas Instruments SBOS547, Register Maps). Not yet run on hardware.
"""

try:
    from micropython import const
except ImportError:
    const = int

_CONFIGURATION = const(0x00)
_BUS_VOLTAGE = const(0x02)
_MANUFACTURER = const(0xFE)
_SET_UP = b"\x45\x26"  # the bus voltage only, always, the mean of 16 samples of 1.1 ms


class INA226:
    """i2c: has `writeto_mem`, `readfrom_mem`, `readfrom_mem_into`.

    Raises OSError, as `battery_mv` does, if it does not answer, or another chip does: that is not written to.
    """

    def __init__(self, i2c, address=0x41):
        if i2c.readfrom_mem(address, _MANUFACTURER, 2) != b"TI":
            raise OSError("no INA226 at 0x%02x" % address)
        self._i2c = i2c
        self._address = address
        self._in = bytearray(2)
        i2c.writeto_mem(address, _CONFIGURATION, _SET_UP)

    def battery_mv(self):
        """int, 0-40959."""
        self._i2c.readfrom_mem_into(self._address, _BUS_VOLTAGE, self._in)
        return ((self._in[0] << 8 | self._in[1]) * 5 + 2) // 4
