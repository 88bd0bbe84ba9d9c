"""FT6336U touch panel of the M5Stack Core2 and CoreS3: the first finger as buttons, or as a touched screen.

Register 0x02 holds how many fingers there are; after it x and y of the first, 12 bits each, as the picture lies:
320x240 and, on a Core2, three printed circles below it, y 240 to 279 (M5GFX: FT5x06 touch driver, Core2 set-up).
The panel is polled, for the CoreS3's interrupt line goes through another chip. Not yet run on hardware.
"""

try:
    from micropython import const
except ImportError:
    const = int

_TICKS = const(0x3FFFFFFF)
_FINGERS = const(0x02)
_INTERRUPT = const(0xA4)
_MOST_FINGERS = const(2)
_TRIES = const(4)
_WIDTH = const(320)
_HEIGHT = const(240)
_CIRCLES_END = const(280)
_SCREEN = ("touch", "screen")
_CIRCLES = (("button", "a"), ("button", "b"), ("button", "c"))


class FT6336U:
    """A source of inputs: ("touch", "screen", 1) and 0; with circles, ("button", "a", 1) and 0, "b", "c".

    i2c: has `writeto_mem(address, register, buffer)` and `readfrom_mem_into(address, register, buffer)`.
    circles: bool, whether there are any below the screen.  every_ms: int, the least time between two looks.
    x, y: int, where it was last touched.  Raises OSError, as `poll` does, if the panel does not answer.
    """

    def __init__(self, i2c, circles=False, every_ms=25, address=0x38):
        self.x = self.y = 0
        self._i2c = i2c
        self._address = address
        self._end = _CIRCLES_END if circles else _HEIGHT
        self._every_ms = every_ms
        self._at_ms = None
        self._one = bytearray(5)
        self._two = bytearray(5)
        self._touched = (
            None  # What the finger came down on: it stays that until it is lifted, wherever it slides.
        )
        i2c.writeto_mem(address, _INTERRUPT, b"\0")

    def poll(self, now_ms):
        """What has changed: list of one (kind, name, value), or (). It allocates nothing while nothing changes."""
        if self._at_ms is not None and (now_ms - self._at_ms) & _TICKS < self._every_ms:
            return ()
        if not self._read():
            return ()
        self._at_ms = now_ms
        found = self._one
        fingers = found[0] & 0x0F
        if not fingers:
            return self._lifted()
        x = (found[1] & 0x0F) << 8 | found[2]
        y = (found[3] & 0x0F) << 8 | found[4]
        if fingers > _MOST_FINGERS or x >= _WIDTH or y >= self._end:
            return ()  # No such touch: what it says of the finger is not known.
        self.x, self.y = x, y
        if self._touched is not None:
            return ()
        self._touched = _SCREEN if y < _HEIGHT else _CIRCLES[x * 3 // _WIDTH]
        return [self._touched + (1,)]

    def _lifted(self):
        if self._touched is None:
            return ()
        touched, self._touched = self._touched, None
        return [touched + (0,)]

    # Until two readings agree, for one may be taken while the panel writes it; False if none do.
    def _read(self):
        self._i2c.readfrom_mem_into(self._address, _FINGERS, self._one)
        for _ in range(_TRIES):
            self._i2c.readfrom_mem_into(self._address, _FINGERS, self._two)
            if self._one == self._two:
                return True
            self._one, self._two = self._two, self._one
        return False
