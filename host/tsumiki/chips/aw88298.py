"""A virtual AW88298: the I2S amplifier of CoreS3.  Registers: hardware.md 1.4, section of CoreS3.

`I2SSink` tells it what comes over I2S; `faults` has what would be silent, distorted or refused.
"""

from .i2c import Nack, Registers

_SYSCTRL = 0x04
_I2SCTRL = 0x06
_BOOST = 0x61
_BOOST_OFF = 0x0673
_FORMAT = 0x14C0
_I2SEN = 0x40
_POWERED_DOWN = 0x03
_NUMBERS = {8000: 0, 11025: 1, 12000: 1, 16000: 3, 22050: 4, 24000: 5, 32000: 6, 44100: 7, 48000: 8}
# What is known of the state after a reset: it is silent, and boosts.
_RESET = {_SYSCTRL: 0x4003, _BOOST: 0x6673}
_WRITABLE = (0x04, 0x05, 0x06, 0x0C, 0x61)


class AW88298(Registers):
    """The chip; its registers have 16 bits, the high byte first.

    words: dict of register to int.  trace: list of (register, int).  held: True while its reset line is low.
    """

    address = 0x36

    def __init__(self, held=True):
        Registers.__init__(self)
        self.words = {}
        self.reset(0)
        if not held:
            self.reset(1)

    def reset(self, level):
        """The reset line."""
        self.held = not level
        self.words = dict(_RESET)

    @property
    def on(self):
        """bool: it amplifies what comes."""
        return not self.held and self.words[_SYSCTRL] & (_I2SEN | _POWERED_DOWN) == _I2SEN

    def write(self, data):
        """One transfer from the processor."""
        if self.held:
            raise Nack
        if not data:
            return
        self._at = data[0]
        if len(data) % 2 == 0:
            self._fault("half of a register of 16 bits")
        for i in range(1, len(data) - 1, 2):
            self._wrote(self._at, data[i] << 8 | data[i + 1])
            self._at = self._at + 1 & 0xFF

    def read(self, count):
        """One transfer to the processor."""
        if self.held:
            raise Nack
        found = bytearray()
        while len(found) < count:
            word = self.words.get(self._at, 0)
            found.append(word >> 8)
            found.append(word & 0xFF)
            self._at = self._at + 1 & 0xFF
        return bytes(found[:count])

    def hears(self, rate, loud):
        """I2S of `rate` samples a second comes in.  loud: bool, it is not all zeros."""
        if not loud:
            return
        if not self.on:
            self._fault("sound while the amplifier is off")
        elif self.words.get(_I2SCTRL) != _FORMAT | _NUMBERS.get(rate, 0x0F):
            self._fault(
                "%d samples a second, and register 0x06 is 0x%04X" % (rate, self.words.get(_I2SCTRL, 0))
            )

    def _wrote(self, register, word):
        self.trace.append((register, word))
        if register not in _WRITABLE:
            self._fault("register 0x%02X is none to write" % register)
            return
        self.words[register] = word
        if register == _SYSCTRL and self.on and self.words[_BOOST] != _BOOST_OFF:
            self._fault("on while it boosts")

    # Each once.
    def _fault(self, text):
        if text not in self.faults:
            self.faults.append(text)
