"""Si12T touch strip on the head of M5Stack's StackChan kit: three zones, and strokes along them.

Register 0x10 has two bits a zone, 0 (none) to 3; the set-up is the kit's factory firmware's (m5stack/StackChan, its
Si12T driver and head touch). At its address 0x68 other boards have an IMU, which is not written to. Which bits are the
front: M5Stack's own library turns the order round to have it front to back, so the first two are the back; a project
with a kit calls the others right and left. Not yet run on hardware.
"""

from .imu import find

try:
    from micropython import const
except ImportError:
    const = int

_TICKS = const(0x3FFFFFFF)
_ZONES = const(3)
_OUTPUT = const(0x10)
_SET_UP = (
    (0x0A, b"\0\0\0\0\0\0"),  # references calibrate, all channels are on
    (0x09, b"\x0f"),  # reset
    (0x09, b"\x07"),
    (0x08, b"\x22"),
    (0x02, b"\x33\x33\x33\x33\x33"),  # sensitivity: of the low type, level 3
)
_SETTLES_MS = const(200)
_PRESSED = const(2)  # samples that agree
_LET_GO = const(4)  # It recalibrates under a hand, and feels nothing meanwhile.
_STROKE = const(40)  # of -100 to 100 along the strip, as the factory firmware has it


class Si12T:
    """A source of inputs: ("touch", NAME, 1) and 0 of a zone; ("touch", "swipe_forward", 1), "swipe_back" of a stroke.

    i2c: of 100 kHz, with `writeto_mem`, `readfrom_mem_into`.  names: three str, from the lowest bits up; a stroke from
    the first to the last is one forward.  strength: int, 1-3, from which a zone counts as touched; near a computer on
    USB or when warm, 1 may be felt without a hand.  every_ms: int, the least time between two looks.
    Raises OSError, as `poll` does, if the chip does not answer, or another one does.
    """

    def __init__(self, i2c, names=("back", "middle", "front"), strength=1, every_ms=50, address=0x68):
        if len(names) != _ZONES or not 1 <= strength <= 3:
            raise ValueError("3 zones and a strength of 1-3, not %r, %r" % (names, strength))
        if find(i2c, (address,)) is not None:
            raise OSError("at 0x%02x is an IMU" % address)
        self._i2c = i2c
        self._address = address
        self._names = names
        self._strength = strength
        self._every_ms = every_ms
        self._wait_ms = _SETTLES_MS
        self._at_ms = None
        self._in = bytearray(1)
        self._held = bytearray(_ZONES)
        self._seen = bytearray(_ZONES)  # samples that say otherwise
        self._felt = self._empty = 0  # samples in a row with a hand, and without
        self._start = None  # where the hand came down; None: there is none, or it has made its stroke
        for register, values in _SET_UP:
            for i in range(len(values)):
                i2c.writeto_mem(address, register + i, values[i : i + 1])

    def poll(self, now_ms):
        """What has changed: list of (kind, name, value), or (). It allocates nothing while nothing changes."""
        if self._at_ms is None:
            self._at_ms = now_ms
        if (now_ms - self._at_ms) & _TICKS < self._wait_ms:
            return ()
        self._i2c.readfrom_mem_into(self._address, _OUTPUT, self._in)
        self._at_ms, self._wait_ms = now_ms, self._every_ms
        found = self._in[0]
        events = ()
        for i in range(_ZONES):
            touched = (found >> 2 * i & 3) >= self._strength
            if self._changed(i, touched):
                events = events or []
                events.append(("touch", self._names[i], 1 if touched else 0))
        stroke = self._stroke(found & 3, found >> 2 & 3, found >> 4 & 3)
        if stroke:
            events = events or []
            events.append(("touch", "swipe_forward" if stroke > 0 else "swipe_back", 1))
        return events

    # Whether a zone is now believed to be what it says.
    def _changed(self, i, touched):
        if touched == bool(self._held[i]):
            self._seen[i] = 0
            return False
        self._seen[i] += 1
        if self._seen[i] < (_PRESSED if touched else _LET_GO):
            return False
        self._seen[i] = 0
        self._held[i] = touched
        return True

    # 1 or -1 once a touch, when the hand has moved far enough from where it came down; else 0.
    def _stroke(self, first, middle, last):
        if max(first, middle, last) < self._strength:
            self._empty = min(self._empty + 1, _LET_GO)
            if self._felt < _PRESSED or self._empty == _LET_GO:
                self._felt = 0
                self._start = None
            return 0
        at = (last - first) * 100 // (first + middle + last)
        self._empty = 0
        if not self._felt:
            self._start = at
        self._felt = min(self._felt + 1, _PRESSED)
        if self._felt < _PRESSED or self._start is None or abs(at - self._start) <= _STROKE:
            return 0
        forward = at > self._start
        self._start = None
        return 1 if forward else -1
