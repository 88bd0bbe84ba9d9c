"""AW88298: the amplifier of CoreS3, which takes I2S.  Registers, order and rates: M5Unified, in hardware.md 1.4.

amplifier = AW88298(i2c, reset=lambda level: expander.output(AW_RST, level))
speaker = I2SSpeaker(open_i2s, amplifier.sound)
"""

from micropython import const

_ADDRESS = const(0x36)
_SYSCTRL = const(0x04)
_I2SCTRL = const(0x06)
_OFF = const(0x4000)
_FORMAT = const(0x14C0)
# Boost off; I2S on; no automatic gain; volume. The rate goes before the last.
_ON = ((0x61, 0x0673), (_SYSCTRL, 0x4040), (0x05, 0x0008), (_I2SCTRL, _FORMAT), (0x0C, 0x0064))
# The place of the first that is not below a rate, in 2205ths of a second, is the rate's number.
_RATES = b"\x04\x05\x06\x08\x0a\x0b\x0f\x14\x16\x2c"


class AW88298:
    """The amplifier.  i2c: `writeto_mem(address, register, buf)`.

    reset: function of the level 0 or 1 of its reset line, which is low while it is off; None: it is always high.
    """

    def __init__(self, i2c, reset=None):
        self._i2c = i2c
        self._reset = reset
        self._on = False
        self._two = bytearray(2)

    def sound(self, rate):
        """Amplify I2S of `rate` samples a second (8000-48000), or nothing: 0.

        Raises ValueError at other rates, OSError if the chip does not answer.
        """
        if rate:
            number = rate_number(rate)
            self._set_reset(1)
            self._on = True
            for register, value in _ON:
                self._set(register, value | number if register == _I2SCTRL else value)
        else:
            self._turn_off()

    # Its reset line turns it off though it does not answer.
    def _turn_off(self):
        try:
            if self._on:
                self._set(_SYSCTRL, _OFF)
        except OSError:
            if self._reset is None:
                raise
        self._on = False
        self._set_reset(0)

    def _set_reset(self, level):
        if self._reset:
            self._reset(level)

    def _set(self, register, value):
        self._two[0] = value >> 8
        self._two[1] = value & 0xFF
        self._i2c.writeto_mem(_ADDRESS, register, self._two)


def rate_number(rate):
    """The low bits of register 0x06 for a rate in Hz.  Raises ValueError outside of 8000-48000."""
    if not 8000 <= rate <= 48000:
        raise ValueError("8000 to 48000 samples a second")
    part = (rate + 1102) // 2205
    number = 0
    while _RATES[number] < part:
        number += 1
    return number
