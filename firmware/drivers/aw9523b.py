"""AW9523B: the expander of M5Stack CoreS3, at 0x58: resets of panel, touch, camera and amplifier; 5 V out.

Port 0: touch reset 0, bus out 1, amplifier reset 2, ES7210 interrupt 3, card 4, USB host 5.  Port 1: camera reset 0,
panel reset 1, interrupts of touch 2 and amplifier 3, boost 7 (hardware.md 1.4). The power chip comes first.
Not yet run on hardware.

    expander = AW9523B(i2c, pmic.can_boost)
    expander.start()
"""

from time import sleep_ms

from micropython import const

from .i2c_chip import I2CChip

_PORT0 = const(0x02)
_PORT1 = const(0x03)
_ID = const(0x10)
_ITS_ID = const(0x23)
_TOUCH_RESET = const(0x01)
_BUS_OUT = const(0x02)
_AMPLIFIER_RESET = const(0x04)
_LCD_RESET = const(0x02)
_BOOST = const(0x80)
_PULSE_MS = const(20)
_AWAKE_MS = const(130)  # 10, and 120 from reset to sleep-out of the panel

# Register, what is kept, what is set: levels, without 5 V out; inputs; port 0 drives both ways; no pin is a LED's.
_START = b"\x02\x00\x05\x03\x00\x03\x04\x00\x18\x05\x00\x0c\x11\x00\x10\x12\x00\xff\x13\x00\xff"


class AW9523B(I2CChip):
    """i2c: a bus of up to 400 kHz.  can_boost: function -> bool, the power chip's.  sleep_ms: function that waits.

    Calls raise OSError.
    """

    def __init__(self, i2c, can_boost, sleep_ms=sleep_ms):
        super().__init__(i2c, 0x58)
        self._can_boost = can_boost
        self._sleep_ms = sleep_ms

    def start(self):
        """Set the pins, reset panel and touch: 150 ms. 5 V out are off.  Raises OSError for another chip, unwritten."""
        if self.get(_ID) != _ITS_ID:
            raise OSError("at 0x58 is no AW9523B")
        self.put_all(_START)
        self.lcd_reset(0)
        self._bit(_PORT0, _TOUCH_RESET, 0)
        self._sleep_ms(_PULSE_MS)
        self._bit(_PORT0, _TOUCH_RESET, 1)
        self.lcd_reset(1)
        self._sleep_ms(_AWAKE_MS)

    def lcd_reset(self, level):
        """The reset line of the panel: 0 holds it. The touch chip has its own."""
        self._bit(_PORT1, _LCD_RESET, level)

    def speaker(self, on):
        """Let the amplifier go, or hold it in reset: it forgets its registers."""
        self._bit(_PORT0, _AMPLIFIER_RESET, on)

    def boost(self, on):
        """Give 5 V to the ports, M-Bus and a robot's body, or not.

        Raises OSError, and switches nothing, where `can_boost` says no: without a battery the board would brown out.
        """
        if on:
            if not self._can_boost():
                raise OSError("no battery: no 5 V out")
            self._bit(_PORT1, _BOOST, 1)
            self._bit(_PORT0, _BUS_OUT, 1)
        else:
            self._bit(_PORT0, _BUS_OUT, 0)
            self._bit(_PORT1, _BOOST, 0)

    def _bit(self, register, bit, on):
        self.change(register, 0xFF & ~bit, bit if on else 0)
