"""What is done to the robot, from its accelerometer: shaken, tilted, picked up, put down.

Integers only: mg of each axis, whichever way the board holds them, about 20 samples a second. Upright is how the robot
stood when it was first still, or still again after it moved its own head.
"""

from .clamp import clamp

try:
    from micropython import const
except ImportError:
    const = int

_MOST_MG = const(4000)  # More is as much: products stay below 2**30.
_STILL_MG = const(60)  # sum over the axes of what differs from gravity: noise, and a table that is typed on
_MOVED_MG = const(150)
_SHAKEN_MG = const(900)
_STILL_SAMPLES = const(20)  # that lie still: 1 s
_LEAP_MG = const(400)  # that gravity is believed to have changed at once: a knock has none of it
_SETTLE_SAMPLES = const(10)  # that are not looked at after the robot has moved itself
_TILT_SAMPLES = const(6)  # that agree
# Counters that rise by more than they fall: one knock is not enough.
_MOVED = (2, 8, 10)  # rises by, tells at, ends at
_SHAKEN = (3, 9, 12)
# Of the square of gravity: the cosines of 35 and 24 degrees, in percent.
_TILTED = const(82)
_UPRIGHT = const(91)
_COOL_MS = const(1500)  # between two that are shaken, and two that are tilted
_TICKS = const(0x3FFFFFFF)  # They wrap at 2**30.


class Handling:
    """tell: `tell(name, value)`: shake (value: mg), tilt (1, and 0 when upright again), pick_up, put_down (1).

    held, tilted: bool, as it is now. What is shaken is held.
    """

    def __init__(self, tell):
        self._tell = tell
        self.held = self.tilted = False
        self._gx = self._gy = self._gz = None  # gravity, slow, in 1/16 mg
        self._ux = self._uy = self._uz = self._uu = (
            0  # upright in mg, and the square of its length; 0: not known
        )
        self._settle = 0
        self._still = self._moved = self._shaken = self._leaning = 0
        self._was_shaken = False
        self._shaken_ms = self._tilted_ms = None

    def moves_itself(self):
        """The robot moves its own head: to be said again at least every 500 ms while it does."""
        self._settle = _SETTLE_SAMPLES
        self._still = self._moved = self._shaken = self._leaning = 0
        if not self.held and not self.tilted:
            self._uu = 0

    def sample(self, x, y, z, now_ms):
        """Take a sample in mg. It allocates nothing, but for what `tell` does."""
        x, y, z = clamp(x, -_MOST_MG, _MOST_MG), clamp(y, -_MOST_MG, _MOST_MG), clamp(z, -_MOST_MG, _MOST_MG)
        if self._gx is None:
            self._gx, self._gy, self._gz = x << 4, y << 4, z << 4
        x, y, z = x - (self._gx >> 4), y - (self._gy >> 4), z - (self._gz >> 4)
        change = abs(x) + abs(y) + abs(z)
        self._gx += clamp(x, -_LEAP_MG, _LEAP_MG) << 1
        self._gy += clamp(y, -_LEAP_MG, _LEAP_MG) << 1
        self._gz += clamp(z, -_LEAP_MG, _LEAP_MG) << 1
        if self._settle:
            self._settle -= 1
            return
        self._still = min(self._still + 1, _STILL_SAMPLES) if change <= _STILL_MG else 0
        self._moved = _counted(self._moved, change >= _MOVED_MG, _MOVED)
        self._shaken = _counted(self._shaken, change >= _SHAKEN_MG, _SHAKEN)
        self._lifted(self._moved >= _MOVED[1])
        self._shook(change, now_ms)
        if change <= _MOVED_MG:
            self._leaned(now_ms)

    def _lifted(self, lifted):
        if self.held:
            if self._still == _STILL_SAMPLES:
                self.held = False
                self._tell("put_down", 1)
        elif lifted:
            self.held = True
            self._tell("pick_up", 1)

    def _shook(self, change, now_ms):
        if self._was_shaken:
            self._was_shaken = self._shaken > 0
        elif self._shaken >= _SHAKEN[1] and _cool(self._shaken_ms, now_ms):
            self._lifted(True)
            self._was_shaken = True
            self._shaken_ms = now_ms
            self._tell("shake", change)

    def _leaned(self, now_ms):
        x, y, z = self._gx >> 4, self._gy >> 4, self._gz >> 4
        if not self._uu:
            square = x * x + y * y + z * z
            if self._still == _STILL_SAMPLES and 490000 <= square <= 1690000:  # 0.7 g to 1.3 g
                self._ux, self._uy, self._uz = x, y, z
                self._uu = square
            return
        along = (x * self._ux + y * self._uy + z * self._uz) * 100
        other = along > self._uu * _UPRIGHT if self.tilted else along < self._uu * _TILTED
        self._leaning = self._leaning + 1 if other else 0
        if self._leaning >= _TILT_SAMPLES and _cool(self._tilted_ms, now_ms):
            self._leaning = 0
            self._tilted_ms = now_ms
            self.tilted = not self.tilted
            self._tell("tilt", int(self.tilted))


def _counted(count, rises, by):
    return min(count + by[0], by[2]) if rises else max(count - 1, 0)


def _cool(then_ms, now_ms):
    return then_ms is None or (now_ms - then_ms) & _TICKS >= _COOL_MS
