"""A virtual AXP2101 as it sits in a Core2 v1.1 or a CoreS3: hardware.md 1.4.

It keeps in `faults` what would harm the board: DCDC1 off, which feeds the processor, or above 3.3 V; 0x90 or 0x80
written by who has not read it; a rail above what hangs on it; the board switched off; 5 V out beside USB without a
battery; a reset pulse of no length.
"""

from .i2c import Registers
from .watching import Changes, ResetLine

_DCDC = 0x80
_SWITCHES = 0x90
_ALDO2, _ALDO3, _ALDO4, _BLDO1, _BLDO2, _DLDO1 = 0x02, 0x04, 0x08, 0x10, 0x20, 0x80
_3V3 = 28
# Of each board: the voltage registers whose rail may have less than 3.3 V only: the highest value; then the rail of
# the light, and its register; the rails of panel, reset, speaker and 5 V, 0 where another chip does that.
_BOARDS = {
    "core2": ({}, _BLDO1, 0x96, _ALDO4, _ALDO2, _ALDO3, _BLDO2),
    "cores3": ({0x92: 13}, _DLDO1, 0x99, 0, 0, 0, 0),
}
_STATES = ("cpu_powered", "lcd_powered", "lcd_reset", "backlight", "speaker_on", "boost_on")


class AXP2101(Registers):
    """board: "core2" or "cores3".  For a test to set: vbus, charging, has_battery, battery_percent, battery_mv.

    on_change: function of (name, value), or None; the names: cpu_powered, lcd_powered, lcd_reset (level 0 or 1),
    backlight (0-100, 0 is off), speaker_on, boost_on (5 V out); what is another chip's on that board is None.
    """

    address = 0x34

    def __init__(self, board):
        Registers.__init__(self, {0x03: 0x4A, _DCDC: 0x01, 0x82: 0x12, 0x92: 13, _SWITCHES: _ALDO2})
        (
            self._limits,
            self._light,
            self._light_volts,
            self._lcd,
            self._lcd_reset,
            self._speaker,
            self._boost,
        ) = _BOARDS[board]
        self.charging = False
        self.vbus = self.has_battery = True
        self.battery_percent = 80
        self.battery_mv = 3900
        self.on_change = None
        self._clock_ms = 0
        self._known = set()  # Of the switches: which have been read since they were written.
        self._reset = ResetLine(self.lcd_reset)
        self._changes = Changes(self, _STATES)

    def wait(self, ms):
        """That much time passes."""
        self._clock_ms += ms

    @property
    def cpu_powered(self):
        return bool(self.values[_DCDC] & 0x01)

    @property
    def lcd_powered(self):
        return self._on(self._lcd)

    @property
    def lcd_reset(self):
        on = self._on(self._lcd_reset)
        return on if on is None else int(on)

    @property
    def backlight(self):
        if not self._on(self._light):
            return 0
        return max(0, min(100, (self.values[self._light_volts] - 20) * 100 // 8 or 1))

    @property
    def speaker_on(self):
        return self._on(self._speaker)

    @property
    def boost_on(self):
        return self._on(self._boost)

    @property
    def browns_out(self):
        """5 V out would take more than USB gives without a battery."""
        return self.vbus and not self.has_battery

    def _on(self, bit):
        return bool(self.values[_SWITCHES] & bit) if bit else None

    def reads(self, register):
        mv = self.battery_mv if self.has_battery and self.values[0x30] & 0x01 else 0
        if register == 0x00:
            return self.vbus << 5 | self.has_battery << 3
        if register == 0x01:
            return self.charging << 5
        if register == 0x34:
            return mv >> 8
        if register == 0x35:
            return mv & 0xFF
        if register == 0xA4:
            return self.battery_percent
        self._known.add(register)
        return self.values[register]

    def wrote(self, register, value):
        boosted = self.boost_on
        self.values[register] = value
        self._check(register, value)
        if self.boost_on and not boosted and self.browns_out:
            self.faults.append("0x90: 5 V out beside USB without a battery")
        if self._lcd_reset and self._reset.follow(self.lcd_reset, self._clock_ms):
            self.faults.append("0x90: a reset pulse of no length")
        self._changes.look()

    def _check(self, register, value):
        if register in (_DCDC, _SWITCHES):
            if register not in self._known:
                self.faults.append("0x%02x: written without having been read" % register)
            self._known.discard(register)
        if register == _DCDC and not value & 0x01:
            self.faults.append("0x80: DCDC1 is off, which feeds the processor")
        elif register == 0x82 and value != 0x12:
            self.faults.append("0x82: the processor at %d mV" % (1500 + 100 * value))
        elif register == 0x10 and value & 0x01:
            self.faults.append("0x10: the board is off")
        elif 0x92 <= register <= 0x99 and value > self._limits.get(register, _3V3):
            self.faults.append("0x%02x: a rail at %d mV" % (register, 500 + 100 * value))
