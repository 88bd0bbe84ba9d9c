"""A `servos` port that notes what it is told, moves as real ones do, and fails when it is told to."""

from harness import raises
from robot.errors import ServoFault
from robot.head import Head
from umcp.errors import ToolError


class Profile:
    yaw_min_cd = -9000
    yaw_max_cd = 9000
    pitch_min_cd = -1000
    pitch_max_cd = 8500
    writes_per_s = 20
    max_cd_per_s = 18000


class Servos:
    """now_ms: int, set by the test before each step.  trace: list of (ms, what, ...), one for each packet.

    fails: bool, nothing answers (and nothing is done).  deaf: int, so many packets more are not answered.
    silent: bool, keep no trace: then a call allocates nothing.
    """

    def __init__(self, profile=Profile, yaw_cd=0, pitch_cd=0):
        self.profile = profile
        self.now_ms = 0
        self.trace = []
        self.fails = self.silent = False
        self.deaf = 0
        self.on = [False, False]
        self.at = [yaw_cd, pitch_cd]
        self.goal = [None, None]
        self.since_ms = [0, 0]
        self.from_cd = [yaw_cd, pitch_cd]
        self.took_ms = [0, 0]

    def read(self):
        self._where()
        if self.fails:
            raise ServoFault("none of them answers")
        return self.at

    def write(self, yaw_cd, pitch_cd, time_ms):
        for axis in range(2):
            cd = pitch_cd if axis else yaw_cd
            if cd != self.goal[axis]:
                self._where()
                self._packet("write", axis, cd, time_ms)
                self.goal[axis] = cd
                self.from_cd[axis] = self.at[axis]
                self.since_ms[axis] = self.now_ms
                self.took_ms[axis] = time_ms

    def torque(self, on):
        self._where()
        wrong = None
        for axis in range(2):
            if not on:
                self.goal[axis] = None
            try:
                self._packet("torque", axis, on, 0)
                self.on[axis] = on
            except ServoFault as e:
                wrong = e
        if wrong:
            raise wrong

    def _packet(self, what, axis, value, time_ms):
        if not self.silent:
            self.trace.append((self.now_ms, what, axis, value, time_ms))
        if self.deaf or self.fails:
            self.deaf = max(0, self.deaf - 1)
            raise ServoFault("servo %d does not answer" % (axis + 1))

    # A servo goes straight to its goal, and is there when its time is over.
    def _where(self):
        for axis in range(2):
            if self.on[axis] and self.goal[axis] is not None:
                way = self.goal[axis] - self.from_cd[axis]
                took = self.now_ms - self.since_ms[axis]
                if took >= self.took_ms[axis]:
                    self.at[axis] = self.goal[axis]
                else:
                    self.at[axis] = self.from_cd[axis] + way * took // self.took_ms[axis]

    def told(self, what):
        """The traced packets of one kind."""
        return [row for row in self.trace if row[1] == what]


def run(head, servos, until_ms, every_ms=20):
    """Step until a time."""
    while servos.now_ms < until_ms:
        servos.now_ms += every_ms
        head.step(servos.now_ms & 0x3FFFFFFF)


def most_in_a_second(trace):
    """The most packets within any second."""
    times = [row[0] for row in trace]
    most = start = 0
    for end in range(len(times)):
        while times[end] - times[start] >= 1000:
            start += 1
        most = max(most, end - start + 1)
    return most


def made(yaw_cd=0, pitch_cd=0, rng=None, profile=Profile):
    """(a head, its servos)"""
    servos = Servos(profile, yaw_cd, pitch_cd)
    return Head(servos, rng), servos


def goals(servos, axis):
    """What one of them was told, in centidegrees."""
    return [row[3] for row in servos.told("write") if row[2] == axis]


def switches(servos):
    """When the torque went on and off: list of (ms, on)."""
    return [(row[0], row[3]) for row in servos.told("torque") if row[2] == 0]


def code(call, *args):
    """The code with which it is refused."""
    return raises(ToolError, call, *args).code
