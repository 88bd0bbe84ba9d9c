"""The PY32 in the body of M5Stack's StackChan kit, at 0x6F: the power of the servos, and two strips of six lights.

Pin 0 switches the servos' 5 V, pin 13 drives twelve WS2812C; both need the board's 5 V out (hardware.md 1.2). Not
yet run on hardware.

    body = PY32(i2c)
    body.start()
    body.power(True)
    body.leds["left"].fill(0, 0, 255)
    body.leds["left"].show()
"""

from time import sleep_ms

from micropython import const

from .i2c_chip import I2CChip

_VERSION = const(0x02)
_DIRECTION = const(0x03)  # of pins 0-7; the next register has 8-15, and so have those below
_OUTPUT = const(0x05)
_PULL_UP = const(0x09)
_DRIVE = const(0x13)
_LIGHTS = const(0x24)
_COLOURS = const(0x30)
_SERVOS = const(0x01)
_STRIP = const(0x20)  # pin 13, in the registers of 8-15
_REFRESH = const(0x40)
_COUNT = const(12)
_MOST = const(168)  # The vendor's tools let no channel be brighter.
_TRIES = const(25)
_TRY_MS = const(50)
_SETTLE_MS = const(200)
_SERVO_MS = const(500)  # An SCS0009 answers 200-350 ms after it has power.


class PY32(I2CChip):
    """i2c: a bus of 100 kHz, no more.  address: 0x6F, or 0x71.  sleep_ms: function that waits.  Calls raise OSError.

    leds: dict of "left" and "right" to `Strip`, the `leds` port.
    """

    def __init__(self, i2c, address=0x6F, sleep_ms=sleep_ms):
        super().__init__(i2c, address)
        self._sleep_ms = sleep_ms
        self.leds = {"left": Strip(self, 0, False), "right": Strip(self, 1, True)}

    def start(self):
        """Wait until it has booted, up to 1.2 s, and set the lights up, off: 200 ms. Returns its version: int."""
        version = self._boot()
        self.change(_DIRECTION + 1, 0xFF, _STRIP)
        self.change(_PULL_UP + 1, 0xFF, _STRIP)
        self.change(_DRIVE + 1, 0xFF & ~_STRIP, 0)
        self.put(_LIGHTS, _COUNT)
        self._sleep_ms(_SETTLE_MS)
        self.show(0, bytes(2 * _COUNT))
        self.put(_LIGHTS, _REFRESH | _COUNT)  # The vendor's firmware does it twice.
        return version

    def power(self, on):
        """Switch the power of the servos; after that it takes them 500 ms, which are waited here, to answer."""
        if on:
            self.change(_DIRECTION, 0xFF, _SERVOS)
            self.change(_PULL_UP, 0xFF, _SERVOS)
        self.change(_OUTPUT, 0xFF & ~_SERVOS, _SERVOS if on else 0)
        if on:
            self._sleep_ms(_SERVO_MS)

    def show(self, first, colours):
        """Write colours from a light on, and show them.  first: 0-11.  colours: bytes, RGB565, low byte first."""
        self._i2c.writeto_mem(self.address, _COLOURS + 2 * first, colours)
        self.put(_LIGHTS, _REFRESH | _COUNT)

    # It refuses at first; then it answers, and has no version yet.
    def _boot(self):
        for i in range(_TRIES):
            if i:
                self._sleep_ms(_TRY_MS)
            try:
                version = self.get(_VERSION)
            except OSError:
                continue
            if 0 < version < 0xFF:
                return version
        raise OSError("the body's expander does not answer")


class Strip:
    """Six lights of the twelve.  chip: `PY32`.  place: 0 or 1.  reversed: True if it is mounted the other way
    round.

    Colours are 0-255, and shown as 0-168: 255 is the brightest that the vendor's tools allow. `set`, `fill` and `show`
    allocate nothing.
    """

    count = 6

    def __init__(self, chip, place, reversed):
        self._chip = chip
        self._first = place * self.count
        self._reversed = reversed
        self._colours = bytearray(2 * self.count)

    def fill(self, r, g, b):
        """All of them.  r, g, b: 0-255.  Raises ValueError beyond."""
        for i in range(self.count):
            self.set(i, r, g, b)

    def set(self, i, r, g, b):
        """One of them.  Raises IndexError, ValueError for what there is not."""
        if not 0 <= i < self.count:
            raise IndexError("light %d of %d" % (i, self.count))
        if not (0 <= r <= 255 and 0 <= g <= 255 and 0 <= b <= 255):
            raise ValueError("r, g, b: 0-255")
        r = r * _MOST // 255 >> 3
        g = g * _MOST // 255 >> 2
        b = b * _MOST // 255 >> 3
        at = 2 * (self.count - 1 - i if self._reversed else i)
        self._colours[at] = (g & 7) << 5 | b
        self._colours[at + 1] = r << 3 | g >> 3

    def show(self):
        """Write the strip. Raises OSError."""
        self._chip.show(self._first, self._colours)
