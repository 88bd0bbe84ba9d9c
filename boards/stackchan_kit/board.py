"""M5Stack's StackChan kit: a CoreS3, and a body with servos, lights and a head that can be stroked.

Not yet run on hardware. Pins, power-up and servos: hardware.md 1.2 (body) and 2.3. The body's expander takes 100 kHz at
most, and shares the bus of the CoreS3.
"""

from micropython import const

from m5stack.cores3 import CoreS3

_SERVO_TX = const(6)
_SERVO_RX = const(7)
_HZ = const(100000)


class Board(CoreS3):
    """The ports; those of missing parts are None.  body: the driver of its expander, or None."""

    name = "stackchan_kit"

    def __init__(self, preferences):
        super().__init__(preferences, _HZ)
        self.body = self.part("body", None, self._body)
        self.neck(_SERVO_TX, _SERVO_RX, kind="scs0009", power=self._servo_power, zeros=_zeros)
        self.leds = self.part("leds", "12 in two strips", self._lights) or {}
        self.sound()
        self.listen(self.part("head touch", None, self._stroked))
        self._watch_battery()

    # Its lights and servos run from the 5 V that the CoreS3 gives out.
    def _body(self):
        from drivers.py32_expander import PY32  # late (RAM)

        self.boost(self.expander)
        body = PY32(self.i2c)
        body.start()
        return body

    def _lights(self):
        if self.body is None:
            raise OSError("the body's expander is missing, which drives them")
        return self.body.leds

    def _servo_power(self):
        if self.body is None:
            raise OSError("the body's expander is missing, which switches their power")
        self.body.power(True)

    def _stroked(self):
        from drivers.si12t import Si12T  # late (RAM)

        return Si12T(self.i2c)

    def _watch_battery(self):
        from drivers.ina226 import INA226  # late (RAM)

        self.monitor = self.part("monitor", None, INA226, self.i2c)


# Each unit has its own, which the factory has measured.
def _zeros():
    from esp32 import NVS

    from drivers.kit_zero import read  # late (RAM)

    return read(NVS("servo"))
