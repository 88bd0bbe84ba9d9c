"""M5Stack Core2: v1.0 with an AXP192, v1.1 and later with an AXP2101, found at run time. Not yet run on hardware.

Pins and power-up: hardware.md 1.2 and 1.4.
"""

from machine import I2C, Pin
from micropython import const

from m5stack.base import Base

_SDA = const(21)
_SCL = const(22)
_SCK = const(18)
_MOSI = const(23)
_MISO = const(38)
_CS = const(5)
_DC = const(15)
_I2S_BCK = const(12)
_I2S_WS = const(0)
_I2S_DATA = const(2)
_LEDS = const(25)  # of an M5GO Bottom2
# Port C: serial servos. The servos by pulse are those of the Takao base.
_SERVO_TX = const(14)
_SERVO_RX = const(13)
_YAW = const(19)
_PITCH = const(27)


class Board(Base):
    """The ports; those of missing parts are None."""

    name = "m5stack_core2"
    # REPL, card, flash, PSRAM, touch, and what is below.
    TAKEN = bytes(
        (1, 3, 4, 6, 7, 8, 9, 10, 11, 16, 17, 39)
        + (_SDA, _SCL, _SCK, _MOSI, _MISO, _CS, _DC, _I2S_BCK, _I2S_WS, _I2S_DATA)
    )

    def __init__(self, preferences):
        super().__init__(preferences)
        self.i2c = I2C(0, sda=Pin(_SDA), scl=Pin(_SCL), freq=400000)
        self.power = pmic = self.part("power", None, self._power)
        self._display(pmic)
        if preferences.get("board.boost"):
            self.boost(pmic)
        self.neck(_SERVO_TX, _SERVO_RX, _YAW, _PITCH)
        if pmic is None:
            self.lacks("speaker", "the power chip is missing, which switches it")
        else:
            self.i2s("NS4168", _I2S_BCK, _I2S_WS, _I2S_DATA, lambda rate: pmic.speaker(rate > 0))
        self.lights(_LEDS, 0)
        self.sense([self.touch(self.i2c, True)])
        self.acceleration(self.i2c, (0x68,))

    def _power(self):
        from drivers.pmic import which  # late (RAM)

        kind = which(self.i2c)
        if kind == "axp192":
            from drivers.axp192 import AXP192  # late (RAM)

            pmic = AXP192(self.i2c)
        elif kind == "axp2101":
            from drivers.axp2101 import AXP2101, CORE2  # late (RAM)

            pmic = AXP2101(self.i2c, CORE2)
        else:
            raise OSError("at 0x34 is neither an AXP192 nor an AXP2101")
        pmic.start()
        return pmic

    # Its reset line is the power chip's, which has used it.
    def _display(self, pmic):
        from drivers.ili9342c import ILI9342C  # late (RAM)

        light = None if pmic is None else pmic.backlight
        self.display = self.screen(ILI9342C, 2, _SCK, _MOSI, _CS, _DC, _MISO, backlight=light)
