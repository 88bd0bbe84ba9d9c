"""Hobby servos by pulse width (SG90): two of them as a robot's neck, which cannot say where they are.

A pulse comes 50 times a second; its width is the angle. Without pulses a servo is limp. Where it is before its first
pulse nobody knows: it goes there at its own speed, whatever it is told. So the middle is taken for it, the two start
one after the other, and the first motion is slow.
Not run on hardware.
"""

from . import neck

try:
    from micropython import const
except ImportError:
    const = int

_HZ = const(50)
_LEAST_US = const(500)
_MOST_US = const(2500)
_SLOW_CD_PER_S = const(3000)

# The pulses of 0 and 180 degrees, us, as the builds' own programs have them.
PULSES = {
    "stack-chan": (500, 2400),
    "servoeasing": (544, 2400),
    "uiflow": (500, 2500),
}


class Pulses:
    """Two servos, 0 and 1, as a bus of `drivers.neck`: a position is a width in us.

    makers: two functions, `make(freq=50, duty_ns=n)` -> what has `duty_ns(n)` and `deinit()`, as
    `lambda **options: PWM(Pin(19), **options)`. They are called when a servo is switched on: a `machine.PWM` that has
    no width yet would move it.  middles: two ints, us, where the servos are taken to be at first.
    """

    longest_ms = 60000

    def __init__(self, makers, middles):
        self._makers = makers
        self._pwms = [None, None]
        self._us = list(middles)

    def position(self, id):
        """The width that was told last, us: not where the servo is, which it cannot say."""
        return self._us[id]

    def move(self, id, position, time_ms):
        """Give this width, 500-2500 us, from now on; a limp servo, once it is switched on.

        time_ms is not used: a servo goes as fast as it can, so the way must be cut into short pieces.
        Raises ValueError outside these.
        """
        if not _LEAST_US <= position <= _MOST_US:
            raise ValueError("no such pulse: %d us" % position)
        if self._pwms[id] is not None:
            self._pwms[id].duty_ns(position * 1000)
        self._us[id] = position

    def torque(self, id, on):
        """Start the pulses, or end them."""
        pwm = self._pwms[id]
        if on and pwm is None:
            self._pwms[id] = self._makers[id](freq=_HZ, duty_ns=self._us[id] * 1000)
        elif not on and pwm is not None:
            pwm.deinit()
            self._pwms[id] = None


class Axis(neck.Axis):
    """A servo by pulse width: `neck.Axis`.  id: 0 or 1.  pulses: a name of PULSES.

    trim_cd: int, centidegrees that the horn sits beside the middle.
    """

    IDS = (0, 1)
    RAW = (_LEAST_US, _MOST_US)

    def __init__(self, id, min_cd, max_cd, sign=1, pulses="stack-chan", trim_cd=0):
        if pulses not in PULSES:
            raise ValueError("no such pulses: %r" % pulses)
        first, last = PULSES[pulses]
        middle = (first + last) // 2 + trim_cd * (last - first) // 18000
        super().__init__(id, middle, min_cd, max_cd, sign, first, last, last - first, 18000)


def sg90(pulses="stack-chan", trims_cd=(0, 0), yaw_cd=(-6000, 6000), pitch_cd=(-1000, 2500), writes_per_s=60):
    """The `Profile` of a Stack-chan with SG90s: a longer pulse turns left, and down.

    trims_cd: (yaw, pitch).  yaw_cd, pitch_cd: (least, most); yaw 60 degrees either way and at most 80; pitch 25 up and
    10 down, no more: beyond, these servos get hot and smoke (stack-chan#29).  Raises ValueError.
    """
    yaw = Axis(0, *neck.within("yaw", yaw_cd, (-8000, 8000)), pulses=pulses, trim_cd=trims_cd[0])
    pitch = Axis(
        1, *neck.within("pitch", pitch_cd, (-1000, 2500)), sign=-1, pulses=pulses, trim_cd=trims_cd[1]
    )
    return neck.Profile(yaw, pitch, writes_per_s)


class Servos(neck.Servos):
    """`neck.Servos` by pulse width.  makers: see `Pulses`.  sleep_ms: `sleep_ms(ms)`.

    `read()` is the pose that was told last; before the first motion it is the middle, which is a guess. Until they have
    been let go after that motion, the profile's `max_cd_per_s` is 3000.
    gap_ms: between switching them on: two that start at once can reset the board (stack-chan#29).
    """

    def __init__(self, makers, profile, sleep_ms, enabled=True, error=OSError, gap_ms=100):
        middles = (profile.yaw.raw(0), profile.pitch.raw(0))
        super().__init__(Pulses(makers, middles), profile, enabled, error, gap_ms, sleep_ms)
        self._usual_cd_per_s = profile.max_cd_per_s
        profile.max_cd_per_s = min(_SLOW_CD_PER_S, self._usual_cd_per_s)
        self._moved = False

    def torque(self, on):
        super().torque(on)
        if on:
            self._moved = True
        elif self._moved:
            self.profile.max_cd_per_s = self._usual_cd_per_s
