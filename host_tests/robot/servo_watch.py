"""Watches what a head tells its servos: that it lets them go in time, and how many packets it sends."""

from fake_servos import most_in_a_second

IDLE_MS = 1500  # the longest that an idle motion takes
_SETTLE_MS = 150


class Watch:
    """servos: `fake_servos.Servos`.

    released: int, how often they were let go.  most: the most packets in any second.
    """

    def __init__(self, servos):
        self._servos = servos
        self._next_ms = IDLE_MS  # what the motion takes that comes next
        self._due_ms = None  # by when they must be let go, while the torque may be on
        self.released = self.most = 0

    def took(self, duration_ms):
        """A command was taken that lasts so long."""
        self._next_ms = duration_ms
        if self._due_ms is not None:
            self._due_ms = self._servos.now_ms + duration_ms + _SETTLE_MS

    def look(self):
        """To be called after each step."""
        now_ms = self._servos.now_ms
        trace = self._servos.trace
        for when_ms, what, axis, on, _ in trace:
            if when_ms == now_ms and what == "torque" and axis == 0:
                self._switched(on)
        assert self._due_ms is None or now_ms <= self._due_ms, (now_ms, self._due_ms)
        self.most = max(self.most, most_in_a_second(trace))
        while trace and now_ms - trace[0][0] >= 1000:
            trace.pop(0)

    def _switched(self, on):
        if not on:
            self.released += self._due_ms is not None
            self._due_ms = None
            self._next_ms = IDLE_MS
        elif self._due_ms is None:
            self._due_ms = self._servos.now_ms + self._next_ms + _SETTLE_MS
