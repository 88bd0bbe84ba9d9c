"""M5Stack Basic, Gray and Fire; Fire is known by its PSRAM. Not yet run on hardware.

Pins and power-up: hardware.md 1.2 and 1.5. Port A is the inner I2C bus: servos by pulse on 21 and 22 would end it.
"""

from time import sleep_ms

from machine import I2C, PWM, Pin
from micropython import const

from m5stack.base import Base
from m5stack.system import has_psram

_SDA = const(21)
_SCL = const(22)
_SCK = const(18)
_MOSI = const(23)
_MISO = const(19)
_CS = const(14)
_DC = const(27)
_RESET = const(33)
_BACKLIGHT = const(32)
_BACKLIGHT_HZ = const(44100)
_BUTTONS = (("a", 39), ("b", 38), ("c", 37))
_LEDS = const(15)  # of a Fire, or an M5GO bottom
_FIRE_LEDS = const(10)
_SPEAKER = const(25)
# Port C; on a Fire these pins are the PSRAM's.
_SERVO_TX = const(17)
_SERVO_RX = const(16)
_YAW = const(5)
_PITCH = const(2)


class Board(Base):
    """The ports; those of missing parts are None."""

    name = "m5stack_core"
    # Flash, REPL, and what is built in.
    TAKEN = bytes(
        (1, 3, 4, 6, 7, 8, 9, 10, 11, _SDA, _SCL, _SCK, _MOSI, _MISO, _CS, _DC, _RESET, _BACKLIGHT, _SPEAKER)
    )

    def __init__(self, preferences):
        super().__init__(preferences)
        fire = has_psram()
        if fire:
            self.name = "m5stack_fire"
            self.TAKEN += b"\x10\x11"  # the PSRAM's
        Pin(_LEDS, Pin.OUT, value=0)  # The vendor's firmware does it early: it helps Wi-Fi.
        self.i2c = I2C(0, sda=Pin(_SDA), scl=Pin(_SCL), freq=400000)
        self.power = self.part("power", None, self._power)
        self._display()
        self._servos(fire)
        self.speaker = self.part("speaker", "NS4148", _speaker)
        self.lights(_LEDS, _FIRE_LEDS if fire else 0)
        self.sense([self.part("buttons", "A, B, C", _buttons)])
        self.acceleration(self.i2c, (0x68,))

    def _power(self):
        from drivers.ip5306 import IP5306  # late (RAM)

        power = IP5306(self.i2c)
        power.start()
        return power

    # The reset line is pulled up by the new panels only, which show true colours inverted.
    def _display(self):
        from drivers.ili9342c import ILI9342C  # late (RAM)

        reset = Pin(_RESET, Pin.OUT, value=0)
        reset.init(Pin.IN, Pin.PULL_DOWN)
        sleep_ms(1)
        new = bool(reset.value())
        reset.init(Pin.OUT, value=1)
        for pin in (_SCK, _MOSI, _MISO):  # Since v2.6 the lines are too slow otherwise.
            Pin(pin, drive=Pin.DRIVE_3)
        light = PWM(Pin(_BACKLIGHT), freq=_BACKLIGHT_HZ, duty_u16=0)
        self.display = self.screen(
            ILI9342C, 2, _SCK, _MOSI, _CS, _DC, _MISO,
            reset=reset, inverted=new, backlight=lambda level: light.duty_u16(level * 65535 // 100),
        )  # fmt: skip

    def _servos(self, fire):
        if fire:
            return self.neck(None, None, _YAW, _PITCH)
        self.neck(_SERVO_TX, _SERVO_RX, _YAW, _PITCH)


def held():
    """bool: button A is held, while the robot starts."""
    return not Pin(_BUTTONS[0][1], Pin.IN).value()


def _speaker():
    from drivers.dac_speaker import DACSpeaker  # late (RAM)

    return DACSpeaker(PWM(Pin(_SPEAKER), freq=440, duty_u16=0))


def _buttons():
    from drivers.buttons import Buttons  # late (RAM)

    return Buttons([(name, Pin(pin, Pin.IN)) for name, pin in _BUTTONS])
