"""Two servos as a robot's neck, whichever they are: angles and counts, the profile, and the `servos` port.

A bus of servos, as the drivers beside this file have, has `position(id)` -> int counts, `move(id, counts, time_ms)`,
`torque(id, on)`, `longest_ms`, and raises one kind of error when a servo does not answer.
"""


class Axis:
    """One servo: which it is, how far it may turn, and how its counts are angles.

    id: int.  zero: int, its position at 0 degrees.  min_cd, max_cd: int, centidegrees, narrowed to what lies within
    raw_min to raw_max.  sign: 1 or -1.  counts, per_cd: int, so many counts of the position are so many centidegrees.
    Raises ValueError for what makes no sense.
    A driver says in IDS and RAW, (first, last), which ids and counts its servos can have.
    """

    IDS = (0, 1)
    RAW = (0, 0)

    def __init__(self, id, zero, min_cd, max_cd, sign, raw_min, raw_max, counts, per_cd):
        if not self.IDS[0] <= id <= self.IDS[1]:
            raise ValueError("no such servo: %r" % id)
        if type(zero) is not int or not self.RAW[0] <= raw_min <= zero <= raw_max <= self.RAW[1]:
            raise ValueError("servo %d: the zero position must be known: %r" % (id, zero))
        if sign not in (1, -1) or counts < 1 or per_cd < 1:
            raise ValueError("servo %d: its counts are no angles" % id)
        self.id = id
        self.goal = None  # What it was last told, if that is known.
        self._zero = zero
        self._sign = sign
        self._counts = counts
        self._per_cd = per_cd
        self._raw_min = raw_min
        self._raw_max = raw_max
        below_cd = (zero - raw_min) * per_cd // counts
        above_cd = (raw_max - zero) * per_cd // counts
        if sign < 0:
            below_cd, above_cd = above_cd, below_cd
        self.min_cd = max(min_cd, -below_cd)
        self.max_cd = min(max_cd, above_cd)
        if self.min_cd > self.max_cd:
            raise ValueError("servo %d: there is no angle that it may have" % id)

    def raw(self, cd):
        """The position of an angle, clamped: int."""
        cd = self._sign * max(self.min_cd, min(self.max_cd, cd))
        raw = self._zero + (2 * cd * self._counts + self._per_cd) // (2 * self._per_cd)
        return max(self._raw_min, min(self._raw_max, raw))

    def cd(self, raw):
        """The angle of a position, in centidegrees: int."""
        return self._sign * ((2 * (raw - self._zero) * self._per_cd + self._counts) // (2 * self._counts))


class Profile:
    """What a planner must know of the neck.  home_cd: (yaw, pitch) when it looks straight ahead."""

    def __init__(self, yaw, pitch, writes_per_s=20, max_cd_per_s=18000, home_cd=(0, 0)):
        self.yaw = yaw
        self.pitch = pitch
        self.yaw_min_cd = yaw.min_cd
        self.yaw_max_cd = yaw.max_cd
        self.pitch_min_cd = pitch.min_cd
        self.pitch_max_cd = pitch.max_cd
        self.writes_per_s = writes_per_s
        self.max_cd_per_s = max_cd_per_s
        self.home_cd = home_cd


def within(name, limits_cd, hard_cd):
    """The limits, if they are within the hard ones, which no preference may widen; else raises ValueError.

    name: str, of the axis.  limits_cd, hard_cd: (least, most), centidegrees.
    """
    if not hard_cd[0] <= limits_cd[0] <= limits_cd[1] <= hard_cd[1]:
        raise ValueError(
            "%s: %d to %d is not within %d to %d centidegrees" % ((name,) + tuple(limits_cd) + hard_cd)
        )
    return limits_cd


class Servos:
    """The `servos` port of a robot: see `robot.head`.  Each call raises the error of the bus; making it sends nothing.

    enabled: bool, whether the owner has allowed motion. Without it `write` and `torque(True)` raise `error`.
    gap_ms: int, so long `torque(True)` waits, by `sleep_ms`, before it switches on the second: both at once pull the
    supply down.
    A driver sets HOLDS if nobody says whether a limp servo keeps its goal, and leaps there when it is switched on. Then
    a limp one is told nothing but to be where it is: what it should do waits until it holds.
    """

    HOLDS = False

    def __init__(self, bus, profile, enabled=True, error=OSError, gap_ms=0, sleep_ms=None):
        self._bus = bus
        self.profile = profile
        self._axes = (profile.yaw, profile.pitch)
        self._pose = [0, 0]
        self._enabled = enabled
        self._error = error
        self._gap_ms = gap_ms
        self._sleep_ms = sleep_ms
        self._on = self._waits = False
        self._waiting = [0, 0, 0]  # yaw, pitch, time

    def read(self):
        """[yaw, pitch] as measured, in centidegrees. The list is the same each time."""
        for i in range(2):
            axis = self._axes[i]
            self._pose[i] = axis.cd(self._bus.position(axis.id))
        return self._pose

    def write(self, yaw_cd, pitch_cd, time_ms):
        """Go there within a time, clamped to the profile. A servo whose goal stays what it was is not written to."""
        self._allow()
        if self.HOLDS and not self._on:
            self._waiting[0] = yaw_cd
            self._waiting[1] = pitch_cd
            self._waiting[2] = time_ms
            self._waits = True
            return
        self._move(self._axes[0], yaw_cd, time_ms)
        self._move(self._axes[1], pitch_cd, time_ms)

    # Raises unless the servos may be moved.
    def _allow(self):
        if not self._enabled:
            raise self._error("the owner has not enabled the servos")

    def _move(self, axis, cd, time_ms):
        raw = axis.raw(cd)
        if raw != axis.goal:
            axis.goal = None
            self._bus.move(axis.id, raw, min(time_ms, self._bus.longest_ms))
            axis.goal = raw

    def torque(self, on):
        """Switch both on or off. A servo that does not answer does not keep the other on."""
        if on:
            self._allow()
            if self.HOLDS and not self._on:
                for axis in self._axes:
                    self._bus.move(axis.id, self._bus.position(axis.id), 0)
        self._on = False
        self._switch(on)
        self._on = on
        if on and self._waits:
            self.write(self._waiting[0], self._waiting[1], self._waiting[2])
        self._waits = False

    def _switch(self, on):
        wrong = None
        for axis in self._axes:
            if not on:
                axis.goal = None  # Who lost its power has forgotten it.
            elif self._gap_ms and axis is self._axes[1]:
                self._sleep_ms(self._gap_ms)
            try:
                self._bus.torque(axis.id, on)
            except Exception as e:
                wrong = e
        if wrong is not None:
            raise wrong
