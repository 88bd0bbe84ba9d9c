"""The head: turns yaw and pitch smoothly, in integer centidegrees, and lets the servos go when it is there.

The `servos` port that it is given has
- `profile`: yaw_min_cd, yaw_max_cd, pitch_min_cd, pitch_max_cd, max_cd_per_s, writes_per_s (10 or more), and perhaps
  home_cd, (yaw, pitch) when it looks straight ahead;
- `read()` -> (yaw_cd, pitch_cd), measured;
- `write(yaw_cd, pitch_cd, time_ms)`: be there in that time; clamps again, and tells no servo what it was told last;
- `torque(on)`.
Each raises `robot.errors.ServoFault` when a servo does not answer.

What the servos need (reports from SCS0009 users): more than 20 goals a second hang their bus, and two axes in one go
may too; a goal far away does, so the way is cut into short pieces; force without end wears them out.
"""

from umcp.errors import ToolError

from .errors import ServoFault
from .pace import Pace

try:
    from micropython import const
except ImportError:
    const = int

_TICKS = const(0x3FFFFFFF)
_FINE = const(512)  # steps of the easing
_SETTLE_MS = const(100)  # The servos trail the last goal; steps are 50 ms apart at most: 150 in all.
_LATE_MS = const(200)  # A step later than this stretches the motion, or the head would leap.
_JITTER_MS = const(60)
_SHORTEST_MS = const(100)
_LONGEST_MS = const(5000)
_HOLD_MS = const(60000)  # Longer than this nothing is held.
_LOST = const(3)  # So many faults in a row end a motion.
_RETRY_MS = const(100)  # Releasing is tried again until it is done, each time twice as much later, up to
_RETRIES_MS = const(5000)
_BOTH = const(2)  # writes to let both servos know something

# What comes next: nothing, telling the servos to stay where they are, torque, the way, holding, letting go.
_REST = const(0)
_ARM = const(1)
_ON = const(2)
_WAY = const(3)
_HOLD = const(4)
_OFF = const(5)


class Head:
    """servos: the port, see above.  rng: `rng(n)` -> int, 0 to n-1, for the idle motion.

    Each command measures where the head is, replaces what it does, and returns its duration in ms, which is longer
    than asked where the servos are not that fast. Angles are clamped to the profile. Raises ToolError `servo_off`
    after `torque(False)`, and `servo_fault` when the servos do not answer.
    fault: the ServoFault that ended the last motion, or that keeps the torque on after it, or None.
    """

    def __init__(self, servos, rng=None):
        self._servos = servos
        self.profile = profile = servos.profile
        self._low = (profile.yaw_min_cd, profile.pitch_min_cd)
        self._high = (profile.yaw_max_cd, profile.pitch_max_cd)
        home = getattr(profile, "home_cd", (0, 0))
        self._home = (self._clamped(0, home[0]), self._clamped(1, home[1]))
        self._pace = Pace(profile.writes_per_s)
        # Six writes of each second are for arming, torque and release.
        self._gap_ms = 1000 // (profile.writes_per_s - 6) + 1
        self._rng = rng
        self._phase = _REST
        self._torque = self._limp = self._hold = self._wandering = False
        self._sent = [0, 0]  # where the servos should be by now: measured, or told last
        self._told = [0, 0]  # what they were told last
        self._from = [0, 0]
        self._to = [0, 0]
        self._path = self._single = [0, 0, 0]  # yaw, pitch, ms, yaw, pitch, ms, ...
        self._key = self._way_ms = self._arm_ms = 0
        self._axis = 0
        self._stepped_ms = 0
        self._wrote_ms = [0, 0]  # to each
        self._last_ms = 0  # to any
        self._start_ms = None  # of the way to the key, or of what else the phase waits for
        self._lost = self._wait_ms = 0
        self.fault = None
        self._idle_ms = -1  # until the next idle motion; below 0: there is none
        self._rested_ms = 0

    @property
    def busy(self):
        """True from a command until the servos are let go, or hold. An idle motion is not busy."""
        if self._phase == _OFF and self.fault is not None:
            return False
        return self._phase != _REST and self._phase != _HOLD and not self._wandering

    @property
    def turning(self):
        """True while the head moves, or is about to: in an idle motion too."""
        return self._phase != _REST and self._phase != _HOLD

    def pose(self):
        """(yaw_cd, pitch_cd), measured."""
        yaw_cd, pitch_cd = self._servos.read()
        if self._phase == _REST:
            self._sent[0] = yaw_cd
            self._sent[1] = pitch_cd
        return yaw_cd, pitch_cd

    def last_pose(self):
        """(yaw_cd, pitch_cd), what was told or measured last: it costs the bus nothing."""
        return self._sent[0], self._sent[1]

    def move(self, yaw_cd, pitch_cd, duration_ms=500, hold=False):
        """Turn to a pose in 100-5000 ms.  hold: bool, keep the torque on there, for a minute at most."""
        self._measure()
        return self._go(yaw_cd, pitch_cd, duration_ms, hold)

    def look_at(self, x_mm, y_mm, z_mm, duration_ms=500):
        """Look at a point: x forward, y left, z up from between the eyes. ToolError `no_direction` for 0, 0, 0."""
        if not (x_mm or y_mm or z_mm):
            raise ToolError("no_direction", "the point is where the head is")
        from math import atan2, sqrt  # late (RAM): rare

        yaw = atan2(y_mm, x_mm)
        pitch = atan2(z_mm, sqrt(x_mm * x_mm + y_mm * y_mm))
        return self.move(_centidegrees(yaw), _centidegrees(pitch), duration_ms)

    def gesture(self, name, intensity=50):
        """Make a gesture.  name: one of `robot.gestures.NAMES`, else ToolError `no_gesture`.  intensity: int, 0-100."""
        from .gestures import path  # late (RAM): a table

        self._measure()
        return self._start(path(name, intensity, self._sent, self._home, self._low, self._high), False)

    def stop(self):
        """End the motion where the head is, and let the servos go. Asks the servos nothing."""
        if self._phase != _REST:
            self._release_next()

    def torque(self, on):
        """Hold the head where it is, for a minute at most; or let it go, in the next step, and refuse all motion."""
        self._limp = not on
        if on:
            self._measure()
            self._go(self._sent[0], self._sent[1], _SHORTEST_MS, True)
        else:
            self.fault = None
            self._lost = 0
            self._release_next()

    def idle(self, on):
        """Look around by itself while nothing else is to be done. Needs the rng."""
        self._idle_ms = self._pause_ms() if on else -1
        self._rested_ms = self._stepped_ms
        if not on and self._wandering:
            self.stop()

    def step(self, now_ms):
        """Go on.  now_ms: int, ticks, at most 50 ms after the last ones. Allocates nothing unless a servo fails."""
        late_ms = ((now_ms - self._stepped_ms) & _TICKS) - _LATE_MS
        self._stepped_ms = now_ms
        if self._phase == _REST:
            if self._idle_ms >= 0:
                self._wander(now_ms)
            return
        if late_ms > 0 and self._start_ms is not None:
            self._start_ms = (self._start_ms + late_ms) & _TICKS
        try:
            self._next(now_ms)
        except (ServoFault, OSError) as e:
            self._failed(now_ms, e)

    def _next(self, now_ms):
        if self._phase == _ARM:
            self._arm(now_ms)
        elif self._phase == _ON:
            self._switch_on(now_ms)
        elif self._phase == _WAY:
            self._turn(now_ms)
        elif self._phase == _HOLD and (now_ms - self._start_ms) & _TICKS >= _HOLD_MS:
            self._release_next()
        if self._phase == _OFF:
            self._release(now_ms)

    # What the servos were told last may be far from where they are: with the torque on they would leap there.
    def _arm(self, now_ms):
        if self._pace.fits(now_ms, 3 * _BOTH):
            self._pace.note(now_ms, _BOTH)
            self._servos.write(self._sent[0], self._sent[1], self._arm_ms)
            self._told[0] = self._sent[0]
            self._told[1] = self._sent[1]
            self._phase = _ON

    def _switch_on(self, now_ms):
        if not self._pace.fits(now_ms, 2 * _BOTH):
            return
        self._pace.note(now_ms, _BOTH)
        if self._start_ms is None:  # It may be on even if nothing answers.
            self._start_ms = now_ms
        self._servos.torque(True)
        self._torque = True
        self._phase = _WAY

    def _turn(self, now_ms):
        if self._start_ms is None:
            self._start_ms = now_ms
        elapsed_ms = (now_ms - self._start_ms) & _TICKS
        while elapsed_ms >= self._way_ms and self._key + 3 < len(self._path):
            elapsed_ms -= self._way_ms
            self._start_ms = (self._start_ms + self._way_ms) & _TICKS
            self._load(self._key + 3)
        if elapsed_ms >= self._way_ms + _SETTLE_MS:
            if self._hold:
                self._start_ms = now_ms
                self._phase = _HOLD
            else:
                self._release_next()
        elif (now_ms - self._last_ms) & _TICKS >= self._gap_ms and self._pace.fits(now_ms, 1 + _BOTH):
            self._write(now_ms, elapsed_ms)

    # Tell one axis where to be when it is its turn again: both are never told at once.
    def _write(self, now_ms, elapsed_ms):
        axis = self._axis
        span_ms = self._gap_ms
        if self._told[axis] == self._to[axis]:
            axis ^= 1
        elif self._told[axis ^ 1] != self._to[axis ^ 1]:
            span_ms *= 2
        # The next goal will be as long in coming as this one was: steps are not at any time.
        since_ms = (now_ms - self._wrote_ms[axis]) & _TICKS
        if span_ms < since_ms < span_ms + _JITTER_MS:
            span_ms = since_ms
        way_ms = self._way_ms
        goal_cd = self._from[axis] + _eased(
            self._to[axis] - self._from[axis], min(elapsed_ms + span_ms, way_ms), way_ms
        )
        self._axis = axis ^ 1
        if goal_cd == self._told[axis]:
            return
        time_ms = min(span_ms, way_ms - elapsed_ms)
        time_ms = max(time_ms, abs(goal_cd - self._sent[axis]) * 1000 // self.profile.max_cd_per_s, 20)
        self._wrote_ms[axis] = self._last_ms = now_ms
        self._pace.note(now_ms, 1)
        if axis:
            self._servos.write(self._told[0], goal_cd, time_ms)
        else:
            self._servos.write(goal_cd, self._told[1], time_ms)
        self._sent[axis] = self._told[axis] = goal_cd
        self._lost = 0

    def _release_next(self):
        self._phase = _OFF
        self._start_ms = None
        self._wait_ms = 0

    def _release(self, now_ms):
        if self._start_ms is not None and (now_ms - self._start_ms) & _TICKS < self._wait_ms:
            return
        if not self._pace.fits(now_ms, _BOTH):
            return
        self._pace.note(now_ms, _BOTH)
        self._torque = False
        self._servos.torque(False)
        self._phase = _REST
        self._wandering = False
        self._wait_ms = 0
        self._rested_ms = now_ms

    def _failed(self, now_ms, e):
        self._lost += 1
        if self._lost < _LOST:
            return
        if self._phase == _OFF:
            self._start_ms = now_ms
            self._wait_ms = min(max(2 * self._wait_ms, _RETRY_MS), _RETRIES_MS)
        else:
            self._release_next()
        if self.fault is None:
            self.fault = e

    def _measure(self):
        if self._limp:
            raise ToolError("servo_off", "the head was let go; switch the torque on first")
        yaw_cd, pitch_cd = self._servos.read()
        self._sent[0] = self._clamped(0, yaw_cd)
        self._sent[1] = self._clamped(1, pitch_cd)
        # From beyond the range, where only a hand can have put it, it comes back slowly.
        beyond_cd = abs(yaw_cd - self._sent[0]) + abs(pitch_cd - self._sent[1])
        self._arm_ms = beyond_cd * 1000 // self.profile.max_cd_per_s

    def _go(self, yaw_cd, pitch_cd, duration_ms, hold):
        path = self._single
        path[0] = self._clamped(0, yaw_cd)
        path[1] = self._clamped(1, pitch_cd)
        path[2] = max(_SHORTEST_MS, min(_LONGEST_MS, duration_ms))
        return self._start(path, hold)

    # Follow a path from where the head was measured; returns its duration.
    def _start(self, path, hold):
        total_ms = 0
        yaw_cd, pitch_cd = self._sent
        for at in range(0, len(path), 3):
            distance_cd = max(abs(path[at] - yaw_cd), abs(path[at + 1] - pitch_cd))
            # The easing is 3/2 times as fast in the middle as on average.
            path[at + 2] = max(path[at + 2], distance_cd * 1500 // self.profile.max_cd_per_s)
            total_ms += path[at + 2]
            yaw_cd = path[at]
            pitch_cd = path[at + 1]
        self._path = path
        self._hold = hold
        self._wandering = False
        self._load(0)
        self._start_ms = None
        self._lost = self._wait_ms = 0
        self.fault = None
        self._phase = _WAY if self._torque else _ARM
        return total_ms

    def _load(self, key):
        self._key = key
        for axis in range(2):
            self._from[axis] = self._sent[axis]
            self._to[axis] = self._path[key + axis]
        self._way_ms = self._path[key + 2]

    def _clamped(self, axis, cd):
        return max(self._low[axis], min(self._high[axis], cd))

    # Every 4-8 s: half of the time a look around, else a small move, a glance, or back to the middle.
    def _wander(self, now_ms):
        if (now_ms - self._rested_ms) & _TICKS < self._idle_ms or self._limp:
            return
        self._rested_ms = now_ms
        self._idle_ms = self._pause_ms()
        try:
            self._measure()
        except (ServoFault, OSError):
            return
        spread_cd = _SPREADS[self._rng(len(_SPREADS))] * 100
        yaw_cd = self._home[0] + self._rng(2 * spread_cd + 1) - spread_cd
        pitch_cd = self._home[1] + (self._rng(2 * spread_cd + 1) - spread_cd) // 3
        self._go(yaw_cd, pitch_cd, 500 + self._rng(1000), False)
        self._wandering = True

    def _pause_ms(self):
        return 4000 + self._rng(4000)


_SPREADS = (20, 20, 20, 20, 20, 6, 6, 6, 30, 0)  # degrees of yaw; a third of it for the pitch


# How much of a way is done: slow, fast, slow (3p^2 - 2p^3), exact at its end, and below 2**30 all along.
def _eased(delta_cd, at_ms, way_ms):
    p = at_ms * _FINE // way_ms
    return (delta_cd * (p * p * (3 * _FINE - 2 * p) >> 13)) >> 14


def _centidegrees(radians):
    return round(radians * 5729.578)
