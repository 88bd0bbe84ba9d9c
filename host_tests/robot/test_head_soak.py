"""The head for ten simulated minutes of random commands, with a bus that fails now and then."""

from fake_servos import Servos
from heap import dice, used
from servo_watch import Watch

from harness import eq
from robot.gestures import NAMES
from robot.head import Head
from umcp.errors import ToolError

MINUTE_MS = 60000
STEP_MS = 20


class Soak:
    """Commands at random."""

    def __init__(self):
        self.random = dice(5)
        self.servos = Servos()
        self.head = Head(self.servos, dice(9))
        self.head.idle(True)
        self.watch = Watch(self.servos)
        self.refused = self.moved = self.faulty = 0
        self.heap = [0] * 11

    def run(self, minutes):
        servos = self.servos
        while servos.now_ms < minutes * MINUTE_MS:
            servos.now_ms += STEP_MS
            self._break(self.random(1000))
            if self.random(50) == 0:
                self._command(self.random(9))
            self.head.step(servos.now_ms)
            self.watch.look()
            self.faulty += self.head.fault is not None
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
        self.watch.took(duration_ms)


def test_ten_minutes():
    soak = Soak()
    soak.run(10)
    assert soak.watch.most <= 20, soak.watch.most
    assert soak.moved > 300 and soak.refused > 10 and soak.watch.released > 100 and soak.faulty > 50, vars(
        soak
    )
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
