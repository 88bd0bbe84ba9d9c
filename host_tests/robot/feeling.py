"""Inputs and an IMU that a test plays."""


class Inputs:
    """queue: list of lists of (kind, name, value), one for each poll.  polls: when."""

    def __init__(self):
        self.queue = []
        self.polls = []
        self.fails = 0

    def poll(self, now_ms):
        self.polls.append(now_ms)
        if self.fails:
            self.fails -= 1
            raise OSError(5)
        return self.queue.pop(0) if self.queue else ()


class Quiet:
    """Inputs that nothing happens to, and that allocate nothing."""

    def poll(self, now_ms):
        return ()


class Imu:
    """mg: what it reads, a list that is always the same.  noise: mg, at most, of each axis, by chance."""

    def __init__(self, rng, noise=0):
        self.mg = [0, 0, 1000]
        self.noise = noise
        self.reads = 0
        self.fails = 0
        self._rng = rng
        self._seen = [0, 0, 0]

    def read(self):
        self.reads += 1
        if self.fails:
            self.fails -= 1
            raise OSError(19)
        for i in range(3):
            self._seen[i] = self.mg[i] + self._rng(2 * self.noise + 1) - self.noise
        return self._seen


class Hand:
    """Moves a robot: steps its senses, 25 ms each, and keeps what they feel as (name, value)."""

    def __init__(self, senses, imu, from_ms=0):
        self.senses = senses
        self.imu = imu
        self.now_ms = from_ms
        self._seen = 0

    def rest(self, ms):
        for _ in range(ms // 25):
            self.senses.step(self.now_ms)
            self.now_ms = (self.now_ms + 25) & 0x3FFFFFFF
        return self

    def put(self, x, y, z, ms):
        self.imu.mg[:] = x, y, z
        return self.rest(ms)

    def swing(self, axis, mg, ms, period_ms=200):
        """Back and forth about where it is, a square wave."""
        still = self.imu.mg[axis]
        for at in range(0, ms, 25):
            self.imu.mg[axis] = still + (mg if at % period_ms < period_ms // 2 else -mg)
            self.rest(25)
        self.imu.mg[axis] = still
        return self

    def felt(self):
        """What was felt since the last call."""
        found = self.senses.events("imu", self._seen, 64) if self.senses.last_seq > self._seen else []
        self._seen = self.senses.last_seq
        return [(event["name"], event["value"]) for event in found]
