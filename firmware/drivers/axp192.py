"""AXP192: the power chip of M5Stack Core2 v1.0, at 0x34.

It feeds the panel (LDO2) and its light (DCDC3), resets panel and touch (GPIO4), switches the speaker (GPIO2), 5 V out.
Registers, values and order: hardware.md 1.4; bits that it leaves out: the chip's data sheet. DCDC1 feeds the processor:
its switch is in 0x12, so that is never written without having been read. Charging stays at 100 mA, the least: which
cell is in there is not known. Not yet run on hardware.

    pmic = AXP192(i2c)
    pmic.start()
    panel = ILI9342C(spi, dc, cs, backlight=pmic.backlight)
"""

from time import sleep_ms

from micropython import const

from .i2c_chip import I2CChip

_STATUS = const(0x00)
_MODE = const(0x01)
_SWITCHES = const(0x12)
_DCDC3_VOLTS = const(0x27)
_BATTERY_VOLTS = const(0x78)
_GPIO0 = const(0x90)
_GPIO2 = const(0x93)
_GPIO_LEVELS = const(0x96)
_ACIN = const(0x80)  # in _STATUS: 5 V come from the bottom
_VBUS = const(0x20)
_CHARGING = const(0x04)
_HAS_BATTERY = const(0x20)  # in _MODE
_DCDC3 = const(0x02)
_EXTEN = const(0x40)
_GPIO4 = const(0x02)
_LOW_PERCENT = const(8)
_PULSE_MS = const(20)
_AWAKE_MS = const(120)  # from reset to sleep-out of the panel

# Register, what is kept, what is set: LDO2 at 3.3 V and on, GPIO4 and GPIO1 are outputs; then what every firmware of
# the vendor sets: voltages, 5 V come in, charging to 4.2 V at 100 mA, clock's cell, power key, measuring.
_START = (
    b"\x28\xff\xf0\x12\xff\x04\x95\x72\x84\x92\xf8\x00"
    b"\x26\x00\x6a\x30\x00\x02\x31\x00\x04\x32\x00\x42\x33\x00\xc0\x35\x00\xa2\x36\x00\x0c"
    b"\x82\x00\xff\x83\x00\x80\x84\x00\x32\x90\x00\x07\x91\x00\xa0\x12\xbf\x00"
)


class AXP192(I2CChip):
    """i2c: a bus of up to 400 kHz.  sleep_ms: function that waits.  A power port: `read`.  Calls raise OSError."""

    def __init__(self, i2c, sleep_ms=sleep_ms):
        super().__init__(i2c, 0x34)
        self._sleep_ms = sleep_ms
        self._told = {}

    def start(self):
        """Power the panel, reset panel and touch: 140 ms. 5 V out are off; the light stays as it is."""
        self.put_all(_START)
        self.lcd_reset(0)
        self._sleep_ms(_PULSE_MS)
        self.lcd_reset(1)
        self._sleep_ms(_AWAKE_MS)

    def lcd_reset(self, level):
        """The reset line of panel and touch: 0 holds them."""
        self._bit(_GPIO_LEVELS, _GPIO4, level)

    def backlight(self, level):
        """level: 0-100; what is beyond is taken as the end; 0 is off."""
        if level > 0:
            self.put(_DCDC3_VOLTS, 72 + (min(level, 100) * 255 // 100 >> 3))
        self._bit(_SWITCHES, _DCDC3, level > 0)

    def speaker(self, on):
        """Enable or mute the amplifier."""
        self.put(_GPIO2, 0x06 if on else 0x05)

    def boost(self, on):
        """Give 5 V to Port A and M-Bus, or let 5 V come in from there.

        Raises OSError, and switches nothing, if 5 V come in already, or if USB feeds a board whose battery is at 8 % or
        less, or missing: it would brown out.
        """
        if not on:
            self._bit(_SWITCHES, _EXTEN, 0)
            self.put(_GPIO0, 0x07)
        elif not self.get(_SWITCHES) & _EXTEN:
            self._check_boost()
            self.put(_GPIO0, 0x02)
            self._bit(_SWITCHES, _EXTEN, 1)

    def read(self):
        """dict, the same each time: battery_percent 0-100 or None, battery_mv, charging, usb."""
        told = self._told
        told["battery_percent"] = told["battery_mv"] = None
        if self.get(_MODE) & _HAS_BATTERY:
            # The ratio is M5Unified's: a straight line, and a flat one below 3.46 V.
            raw = self.get(_BATTERY_VOLTS) << 4 | self.get(_BATTERY_VOLTS + 1) & 0x0F
            percent = (raw - 3075) * 16 // 100 if raw > 3150 else (raw - 2690) * 27 // 1000
            told["battery_percent"] = max(0, min(100, percent))
            told["battery_mv"] = raw * 11 // 10
        status = self.get(_STATUS)
        told["charging"] = bool(status & _CHARGING)
        told["usb"] = bool(status & _VBUS)
        return told

    def _check_boost(self):
        if self.get(_STATUS) & _ACIN:
            raise OSError("5 V come in from the bottom: no 5 V out")
        told = self.read()
        if told["usb"] and (told["battery_percent"] or 0) <= _LOW_PERCENT:
            raise OSError("the battery is low or missing: no 5 V out")

    def _bit(self, register, bit, on):
        self.change(register, 0xFF & ~bit, bit if on else 0)
