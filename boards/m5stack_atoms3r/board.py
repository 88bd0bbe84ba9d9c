"""M5Stack AtomS3R: a face of 128x128 pixels and a button, without a head or a voice. Not yet run on hardware.

Pins: hardware.md 1.2. Two kinds of panel have been built in, and cannot be told apart, for there is no line back: the
preference `board.panel` names the newer one, st7735s.
"""

from machine import I2C, Pin
from micropython import const

from m5stack.base import Base

_SDA = const(45)
_SCL = const(0)
_SCK = const(15)
_MOSI = const(21)
_CS = const(14)
_DC = const(42)
_RESET = const(48)
_BUTTON = const(41)
_AXES = (2, -1, 3)  # as the IMU lies in it (hardware.md 1.6)


class Board(Base):
    """The ports; those of missing parts are None."""

    name = "m5stack_atoms3r"
    # USB, flash and PSRAM, and what is below.
    TAKEN = bytes(
        (19, 20, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37)
        + (_SDA, _SCL, _SCK, _MOSI, _CS, _DC, _RESET, _BUTTON)
    )

    def __init__(self, preferences):
        super().__init__(preferences)
        self.i2c = I2C(0, sda=Pin(_SDA), scl=Pin(_SCL), freq=400000)
        light = self.part("light", None, self._light)
        backlight = None if light is None else light.backlight
        self.display = self.screen(
            self._panel(), 1, _SCK, _MOSI, _CS, _DC, reset=Pin(_RESET, Pin.OUT, value=1), backlight=backlight
        )
        self.neck()
        self.sense([self.part("button", "front", _button)])
        self.acceleration(self.i2c, (0x68,), _AXES)

    def _light(self):
        from drivers.lp5562 import LP5562  # late (RAM)

        light = LP5562(self.i2c)
        light.start()
        return light

    def _panel(self):
        if self.preferences.get("board.panel") == "st7735s":
            from drivers.st7735s import ST7735S  # late (RAM)

            return ST7735S
        from drivers.gc9107 import GC9107  # late (RAM)

        return GC9107


def held():
    """bool: the button is held, while the robot starts."""
    return not _pin().value()


def _pin():
    return Pin(_BUTTON, Pin.IN, Pin.PULL_UP)


def _button():
    from drivers.buttons import Buttons  # late (RAM)

    return Buttons((("a", _pin()),))
