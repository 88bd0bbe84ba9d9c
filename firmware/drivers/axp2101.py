"""AXP2101: the power chip of M5Stack Core2 since v1.1 and of CoreS3, at 0x34; the boards use its rails differently.

Registers, values and order: hardware.md 1.4. Register 0x90 has the switches of the linear rails, and is never written
without having been read. DCDC1 feeds the processor: its switch, in 0x80, is only ever set. Charging is left alone.
Not yet run on hardware.

    pmic = AXP2101(i2c, CORES3)
    pmic.start()
    panel = ILI9342C(spi, dc, cs, backlight=pmic.backlight)
"""

from time import sleep_ms

from micropython import const

from .i2c_chip import I2CChip

_STATUS = const(0x00)
_CHARGE = const(0x01)
_BATTERY_VOLTS = const(0x34)
_SWITCHES = const(0x90)
_PERCENT = const(0xA4)
_HAS_BATTERY = const(0x08)  # in _STATUS
_VBUS = const(0x20)
_3V3 = const(28)  # a rail's voltage is 0.5 V and 0.1 V a step
_PULSE_MS = const(20)
_AWAKE_MS = const(120)  # from reset to sleep-out of the panel

# Each board: what is written at start (register, what is kept, what is set); then (voltage register, bit of 0x90) of
# backlight, speaker and 5 V; and the bit of the rail that resets panel and touch. Empty or 0: another chip does that.
# On: ALDO4 for panel, card and touch. Off: ALDO3, DLDO1.
CORE2 = (
    b"\x90\x7b\x08\x80\xff\x05\x82\x00\x12\x84\x00\x6a"
    b"\x27\x00\x00\x10\x00\x30\x12\x00\x00\x68\x00\x01\x69\x00\x13\x30\x00\x0f",
    b"\x96\x10",
    b"\x94\x04",
    b"\x97\x20",
    0x02,
)
# On are all but CPUSLDO, and DLDO1, the backlight, which waits for a picture. ALDO1: 1.8 V, the amplifier.
CORES3 = (
    b"\x90\xc0\x3f\x92\x00\x0d\x93\x00\x1c\x94\x00\x1c\x95\x00\x1c"
    b"\x27\x00\x00\x69\x00\x11\x10\x00\x30\x30\x00\x0f",
    b"\x99\x80",
    b"",
    b"",
    0,
)


class AXP2101(I2CChip):
    """i2c: a bus of up to 400 kHz.  board: CORE2 or CORES3.  sleep_ms: function that waits.  A power port: `read`.

    Calls raise OSError, and ValueError for what is not this chip's on that board: reset, speaker and 5 V of a CoreS3
    are the expander's (`drivers.aw9523b`).
    """

    def __init__(self, i2c, board, sleep_ms=sleep_ms):
        super().__init__(i2c, 0x34)
        self._start, self._backlight, self._speaker, self._boost, self._reset = board
        self._sleep_ms = sleep_ms
        self._told = {}

    def start(self):
        """Power what is on the board, reset a Core2's panel and touch: 140 ms. The light stays as it is."""
        self.put_all(self._start)
        if self._reset:
            self.lcd_reset(0)
            self._sleep_ms(_PULSE_MS)
            self.lcd_reset(1)
            self._sleep_ms(_AWAKE_MS)

    def lcd_reset(self, level):
        """The reset line of panel and touch: 0 holds them."""
        self._bit(self._reset, level)

    def backlight(self, level):
        """level: 0-100; what is beyond is taken as the end; 0 is off."""
        self._rail(self._backlight, level > 0, min(level, 100) * 255 // 100 + 641 >> 5)

    def speaker(self, on):
        """Feed the amplifier, or not."""
        self._rail(self._speaker, on, _3V3)

    def boost(self, on):
        """Give 5 V to Port A and M-Bus, or not.  Raises OSError, and switches nothing, where `can_boost` says no."""
        if on and self._boost and not self.can_boost():
            raise OSError("no battery: no 5 V out")
        self._rail(self._boost, on, _3V3)

    def can_boost(self):
        """False while USB feeds a board without battery: with 5 V out it would brown out."""
        return self.get(_STATUS) & (_HAS_BATTERY | _VBUS) != _VBUS

    def read(self):
        """dict, the same each time: battery_percent 0-100 or None, battery_mv or None, charging, usb."""
        told = self._told
        status = self.get(_STATUS)
        told["battery_percent"] = told["battery_mv"] = None
        if status & _HAS_BATTERY:
            told["battery_percent"] = min(100, self.get(_PERCENT))
            told["battery_mv"] = (self.get(_BATTERY_VOLTS) & 0x3F) << 8 | self.get(_BATTERY_VOLTS + 1)
        told["charging"] = self.get(_CHARGE) & 0x60 == 0x20
        told["usb"] = bool(status & _VBUS)
        return told

    def _rail(self, rail, on, steps):
        if not rail:
            raise ValueError("not on this board")
        if on:
            self.put(rail[0], steps)
        self._bit(rail[1], on)

    def _bit(self, bit, on):
        if not bit:
            raise ValueError("not on this board")
        self.change(_SWITCHES, 0xFF & ~bit, bit if on else 0)
