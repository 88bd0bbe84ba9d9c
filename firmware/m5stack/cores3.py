"""The CoreS3, which is a board by itself and the head of the StackChan kit. Not yet run on hardware.

Power-up: hardware.md 1.4, CoreS3. The power chip comes first, then the expander, which resets the panel.
"""

from time import sleep_ms

from machine import I2C, Pin
from micropython import const

from .base import Base

_SDA = const(12)
_SCL = const(11)
_SCK = const(36)
_MOSI = const(37)
_CS = const(3)
_DC = const(35)  # The card's MISO is the same pin: there is no card while there is a panel.
_I2S_BCK = const(34)
_I2S_WS = const(33)
_I2S_DATA = const(13)
_AMPLIFIER = const(0x36)
_AMPLIFIER_MS = const(10)


class CoreS3(Base):
    """The ports of what is in a CoreS3.  hz: of its inner I2C bus.

    i2c: that bus.  pmic, expander: drivers, or None.
    """

    name = "m5stack_cores3"
    # Card, USB, touch, flash and PSRAM, REPL, and what is below; the camera's are free while there is none.
    TAKEN = bytes(
        (4, 19, 20, 21, 26, 27, 28, 29, 30, 31, 32, 43, 44)
        + (_SDA, _SCL, _SCK, _MOSI, _CS, _DC, _I2S_BCK, _I2S_WS, _I2S_DATA)
    )

    def __init__(self, preferences, hz=400000):
        super().__init__(preferences)
        self.i2c = I2C(0, sda=Pin(_SDA), scl=Pin(_SCL), freq=hz)
        self.power = self.pmic = self.part("power", None, self._power)
        self.expander = self.part("expander", None, self._expander)
        self._display()

    def listen(self, *more):
        """The touch panel and more sources of inputs, and the IMU."""
        self.sense((self.touch(self.i2c, False),) + more)
        self.acceleration(self.i2c, (0x69,))

    def sound(self):
        """The speaker, whose amplifier the expander holds in reset while it is off."""
        amplifier = self.part("amplifier", None, self._amplifier)
        if amplifier is None:
            return self.lacks("speaker", "its amplifier is missing")
        self.i2s("AW88298", _I2S_BCK, _I2S_WS, _I2S_DATA, amplifier.sound)

    def _amplifier(self):
        from drivers.aw88298 import AW88298  # late (RAM)

        if self.expander is None:
            raise OSError("the expander is missing, which resets it")
        self.expander.speaker(True)
        sleep_ms(_AMPLIFIER_MS)
        try:
            self.i2c.readfrom_mem(_AMPLIFIER, 0, 2)
        finally:
            self.expander.speaker(False)
        return AW88298(self.i2c, self.expander.speaker)

    def _power(self):
        from drivers.axp2101 import AXP2101, CORES3  # late (RAM)

        pmic = AXP2101(self.i2c, CORES3)
        pmic.start()
        return pmic

    def _expander(self):
        from drivers.aw9523b import AW9523B  # late (RAM)

        expander = AW9523B(self.i2c, self._can_boost)
        expander.start()
        return expander

    def _can_boost(self):
        return self.pmic is not None and self.pmic.can_boost()

    def _display(self):
        from drivers.ili9342c import ILI9342C  # late (RAM)

        light = None if self.pmic is None else self.pmic.backlight
        self.display = self.screen(ILI9342C, 1, _SCK, _MOSI, _CS, _DC, backlight=light)
