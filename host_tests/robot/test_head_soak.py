"""The head for ten simulated minutes of random commands, with a bus that fails now and then."""

from fake_servos import Servos, most_in_a_second
from heap import dice, used

from harness import eq
from robot.gestures import NAMES
from robot.head import Head
from umcp.errors import ToolError

MINUTE_MS = 60000
STEP_MS = 20


# The longest that an idle motion takes.
IDLE_MS = 1500


class Soak:
    """Commands at random, and the last time by which the servos must have been let go."""

    def __init__(self):
        self.random = dice(5)
        self.servos = Servos()
        self.head = Head(self.servos, dice(9))
        self.head.idle(True)
        self.next_ms = IDLE_MS  # what the motion takes that comes next
        self.on_ms = self.due_ms = None  # while the torque may be on
        self.refused = self.moved = self.faulty = self.released = self.most = 0
        self.heap = [0] * 11

    def run(self, minutes):
        servos = self.servos
        while servos.now_ms < minutes * MINUTE_MS:
            servos.now_ms += STEP_MS
            self._break(self.random(1000))
            if self.random(50) == 0:
                self._command(self.random(9))
            self.head.step(servos.now_ms)
            self._look(servos.now_ms)
            if servos.now_ms % MINUTE_MS == 0:
                self.heap[servos.now_ms // MINUTE_MS] = used()

    # Every ten seconds or so a few packets are lost, or the bus is dead for a second.
    def _break(self, chance):
        if chance == 0:
            self.servos.deaf = 1 + self.random(8)
        elif chance == 1:
            self.servos.fails = True
        elif chance < 20:
            self.servos.fails = False

    def _command(self, kind):
        random = self.random
        head = self.head
        try:
            if kind == 0:
                self._took(head.gesture(NAMES[random(len(NAMES))], random(101)))
            elif kind == 1:
                self._took(head.look_at(random(2000) - 500, random(2000) - 1000, 1 + random(1000)))
            elif kind == 2:
                head.idle(random(3) > 0)
            elif kind == 3:
                head.stop()
                self._took(0)
            else:
                self._took(head.move(random(24000) - 12000, random(12000) - 3000, random(1500)))
        except ToolError as e:
            eq(e.code, "servo_fault")
            self.refused += 1

    def _took(self, duration_ms):
        self.moved += 1
        self.next_ms = duration_ms
        if self.due_ms is not None:
            self.due_ms = self.servos.now_ms + duration_ms + 150

    def _look(self, now_ms):
        trace = self.servos.trace
        for when_ms, what, axis, on, _ in trace:
            if when_ms == now_ms and what == "torque" and axis == 0:
                self._switched(on)
        assert self.due_ms is None or now_ms <= self.due_ms, (self.on_ms, self.due_ms)
        self.most = max(self.most, most_in_a_second(trace))
        while trace and now_ms - trace[0][0] >= 1000:
            trace.pop(0)
        self.faulty += self.head.fault is not None

    def _switched(self, on):
        if not on:
            self.released += self.due_ms is not None
            self.due_ms = None
            self.next_ms = IDLE_MS
        elif self.due_ms is None:
            self.on_ms = self.servos.now_ms
            self.due_ms = self.on_ms + self.next_ms + 150


def test_ten_minutes():
    soak = Soak()
    soak.run(10)
    assert soak.most <= 20, soak.most
    assert soak.moved > 300 and soak.refused > 10 and soak.released > 100 and soak.faulty > 50, vars(soak)
    servos = soak.servos
    servos.fails = False
    servos.deaf = 0
    soak.head.idle(False)
    soak.head.stop()
    for _ in range(400):
        servos.now_ms += STEP_MS
        soak.head.step(servos.now_ms)
    eq((servos.on, soak.head.busy), ([False, False], False))
    spread = soak.heap[2:]
    assert max(spread) - min(spread) <= 2048, spread
