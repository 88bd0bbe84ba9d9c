"""A virtual AXP192 as it sits in a Core2 v1.0: hardware.md 1.4, and the chip's data sheet where that is silent.

It keeps in `faults` what would harm the board: DCDC1 off, which feeds the ESP32, or at a voltage that is not its own;
0x12 written by who has not read it; a light above 3.275 V; charging above 4.2 V; 5 V out against 5 V in, or beside an
empty battery; a reset pulse of no length.
"""

from .i2c import Registers
from .watching import Changes, ResetLine

_SWITCHES = 0x12
# Register: lowest, highest, what hangs on it.
_LIMITS = {
    0x26: (0x5C, 0x6A, "the ESP32 at %d mV"),
    0x27: (0, 103, "the backlight at %d mV"),
}
_STATES = ("cpu_powered", "lcd_powered", "lcd_reset", "backlight", "speaker_on", "boost_on")


class AXP192(Registers):
    """acin, vbus, charging, has_battery: bool, battery_mv: int, for a test to set.

    on_change: function of (name, value), or None; the names: cpu_powered, lcd_powered, lcd_reset (level 0 or 1),
    backlight (0-100, 0 is off), speaker_on, boost_on (5 V out).
    """

    address = 0x34

    def __init__(self):
        Registers.__init__(
            self, {0x03: 0x03, _SWITCHES: 0x11, 0x26: 0x68, 0x27: 0x68, 0x90: 0x07, 0x93: 0x07}
        )
        self.acin = self.charging = False
        self.vbus = self.has_battery = True
        self.battery_mv = 3900
        self.on_change = None
        self._clock_ms = 0
        self._known = False  # 0x12 has been read since it was written.
        self._reset = ResetLine(self.lcd_reset)
        self._changes = Changes(self, _STATES)

    def wait(self, ms):
        """That much time passes."""
        self._clock_ms += ms

    @property
    def cpu_powered(self):
        return bool(self.values[_SWITCHES] & 0x01)

    @property
    def lcd_powered(self):
        """LDO2 is on, at 3 V or more."""
        return bool(self.values[_SWITCHES] & 0x04) and self.values[0x28] >> 4 >= 12

    @property
    def lcd_reset(self):
        """GPIO4; pulled up while it is no output."""
        return 1 if self.values[0x95] & 0x8C != 0x84 else self.values[0x96] >> 1 & 1

    @property
    def backlight(self):
        if not self.values[_SWITCHES] & 0x02:
            return 0
        return max(1, min(100, (self.values[0x27] - 72) * 100 // 31))

    @property
    def speaker_on(self):
        return self.values[0x93] & 0x07 == 0x06

    @property
    def boost_on(self):
        return bool(self.values[_SWITCHES] & 0x40)

    def reads(self, register):
        raw = self.battery_mv * 10 // 11 if self.has_battery and self.values[0x82] & 0x80 else 0
        if register == 0x00:
            return self.acin << 7 | self.vbus << 5 | self.charging << 2
        if register == 0x01:
            return self.has_battery << 5
        if register == 0x78:
            return raw >> 4
        if register == 0x79:
            return raw & 0x0F
        if register == _SWITCHES:
            self._known = True
        return self.values[register]

    def wrote(self, register, value):
        boosted = self.boost_on
        self.values[register] = value
        self._check(register, value)
        if self.boost_on and not boosted:
            self._check_boost()
        if self._reset.follow(self.lcd_reset, self._clock_ms):
            self.faults.append("0x96: a reset pulse of no length")
        self._changes.look()

    def _check(self, register, value):
        if register == _SWITCHES:
            if not self._known:
                self.faults.append("0x12: written without having been read")
            self._known = False
            if not value & 0x01:
                self.faults.append("0x12: DCDC1 is off, which feeds the ESP32")
        elif register in _LIMITS:
            low, high, what = _LIMITS[register]
            if not low <= value <= high:
                self.faults.append("0x%02x: %s" % (register, what % (700 + 25 * value)))
        elif register == 0x32 and value & 0x80:
            self.faults.append("0x32: the board is off")
        elif register == 0x33 and value & 0xE0 == 0xE0:
            self.faults.append("0x33: the battery is charged to 4360 mV")

    def _check_boost(self):
        if self.acin:
            self.faults.append("0x12: 5 V out against 5 V in")
        elif self.vbus and not (self.has_battery and self.battery_mv > 3300):
            self.faults.append("0x12: 5 V out beside USB without a battery")
