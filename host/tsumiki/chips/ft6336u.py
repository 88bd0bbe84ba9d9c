"""A virtual FT6336U touch panel. Runs on CPython and on MicroPython."""

from .i2c import Nack, Registers

_FINGERS = 0x02
_X_LOW = 0x04
_WIDTH = 320
_HEIGHT = 280  # with the circles of a Core2
_WRITABLE = tuple(range(0x80, 0x8B)) + (0xA4, 0xA5)


class FT6336U(Registers):
    """powered: bool; a panel whose reset line is held, or whose rail is off, does not answer.

    torn: int, so many readings of the finger are taken while the panel writes them: no two are the same.
    """

    address = 0x38

    def __init__(self):
        Registers.__init__(self, {0xA3: 0x64, 0xA4: 1})
        self.powered = True
        self.torn = 0

    def press(self, x, y):
        """A finger is on it.  x: 0-319.  y: 0-239 the screen, to 279 the circles.  Raises ValueError elsewhere."""
        if not 0 <= x < _WIDTH or not 0 <= y < _HEIGHT:
            raise ValueError("no such place: %r, %r" % (x, y))
        self.values[_FINGERS] = 1
        self.values[_FINGERS + 1 : _FINGERS + 5] = bytes((0x80 | x >> 8, x & 0xFF, y >> 8, y & 0xFF))

    def lift(self):
        """No finger is on it. The last place stays in its registers."""
        self.values[_FINGERS] = 0
        self.values[_FINGERS + 1] = 0x40 | self.values[_FINGERS + 1] & 0x0F

    def write(self, data):
        if not self.powered:
            raise Nack
        Registers.write(self, data)

    def read(self, count):
        if not self.powered:
            raise Nack
        return Registers.read(self, count)

    def wrote(self, register, value):
        if register not in _WRITABLE:
            self.faults.append("write to 0x%02x, where nothing is to be set" % register)
            return
        self.values[register] = value

    def reads(self, register):
        if register == _X_LOW and self.torn:
            self.torn -= 1
            return self.values[register] ^ (self.torn + 1 & 0xFF)
        return self.values[register]
