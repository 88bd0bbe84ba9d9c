"""Ten simulated minutes of voice, lights and senses under random commands and faults: the heap stays flat."""

from feeling import Imu, Inputs
from heap import dice, used
from sounds import Still

from harness import eq
from robot.lights import MODES, Lights
from robot.senses import Senses
from robot.voice import Voice
from umcp.errors import ToolError

_TICK_MS = 20
_MINUTE = 60000 // _TICK_MS
_GROWTH = 2048
_TEXTS = (
    "Hello, I am a robot. And you?",
    "\u3053\u3093\u306b\u3061\u306f\u3001\u30ed\u30dc\u30c3\u30c8\u3067\u3059\u3002",
    "\u6f22\u5b57\u3068 emoji \U0001f600!",
    "",
    "x" * 501,
)
_TONES = ("C4:100", "F#4:180", "Bb3/90", "440:200", "R:120", "nonsense", "A9,2000", "")


class Strip:
    """writes: how many.  fails: the next so many writes fail."""

    def __init__(self, count):
        self.count = count
        self.writes = self.fails = 0

    def fill(self, r, g, b):
        self.set(0, r, g, b)

    def set(self, i, r, g, b):
        if not (0 <= i < self.count and 0 <= r < 256 and 0 <= g < 256 and 0 <= b < 256):
            raise ValueError("colour")

    def show(self):
        if self.fails:
            self.fails -= 1
            raise OSError(19)
        self.writes += 1


class Soak:
    """refused, failed: counts of ToolError and OSError."""

    def __init__(self):
        self.rng = dice(7)
        self.still = Still()
        self.voice = Voice(self.still, self.still.mouth, self.rng)
        self.strips = Strip(12), Strip(1)
        self.lights = Lights({"left": self.strips[0], "right": self.strips[1]})
        self.inputs = Inputs()
        self.imu = Imu(self.rng, 20)
        self.senses = Senses(self.inputs, self.imu)
        self.now_ms = 0x3FFFFFFF - 90000
        self.refused = self.failed = self.heard = 0
        self.senses.on_event = self._hear

    def _hear(self, kind):
        self.heard += 1

    def run(self, ticks):
        for tick in range(ticks):
            if self.rng(15) == 0:
                try:
                    _COMMANDS[self.rng(len(_COMMANDS))](self)
                except ToolError:
                    self.refused += 1
            for part in (self.voice, self.lights, self.senses):
                try:
                    part.step(self.now_ms)
                except OSError:
                    self.failed += 1
            self.now_ms = (self.now_ms + _TICK_MS) & 0x3FFFFFFF
            if tick % 50 == 0:
                del self.inputs.polls[:]

    def tones(self):
        return [_TONES[self.rng(len(_TONES))] for _ in range(self.rng(40))]

    def light(self):
        mode, name = MODES[self.rng(4)], ("left", "right", "none")[self.rng(3)]
        self.lights.set(name, mode, self.rng(300), self.rng(256), 5, self.rng(2000), self.rng(2) * 700)

    def jolt(self):
        for i in range(3):
            self.imu.mg[i] = self.rng(6000) - 3000

    def upright(self):
        self.imu.mg[:] = 0, 0, 1000

    def look(self):
        found = self.senses.events(None, self.rng(self.senses.last_seq + 2), 1 + self.rng(64))
        for i in range(1, len(found)):
            eq(found[i]["seq"], found[i - 1]["seq"] + 1)
        self.senses.missed(self.rng(99))


_COMMANDS = (
    lambda soak: soak.voice.speak(_TEXTS[soak.rng(len(_TEXTS))]),
    lambda soak: soak.voice.melody(soak.tones(), soak.rng(101)),
    lambda soak: soak.voice.tone(soak.rng(5000), soak.rng(3000)),
    lambda soak: soak.voice.volume(soak.rng(101)),
    lambda soak: soak.voice.set_limit(soak.rng(101)),
    lambda soak: soak.voice.stop(),
    Soak.light,
    Soak.light,
    lambda soak: soak.lights.off(),
    lambda soak: soak.inputs.queue.append([("button", "a", soak.rng(2))] * soak.rng(5)),
    Soak.jolt,
    Soak.jolt,
    Soak.upright,
    Soak.look,
    lambda soak: setattr(soak.inputs, "fails", soak.rng(3)),
    lambda soak: setattr(soak.imu, "fails", soak.rng(3)),
    lambda soak: setattr(soak.strips[0], "fails", soak.rng(3)),
    lambda soak: (soak.voice.state(), soak.lights.state(), soak.senses.state()),
)


def test_ten_minutes_of_anything():
    soak = Soak()
    soak.run(2 * _MINUTE)
    before, tones, seq = used(), soak.still.tones, soak.senses.last_seq
    soak.run(8 * _MINUTE)
    grown = used() - before
    assert grown <= _GROWTH, grown
    assert soak.still.tones - tones > 300 and seq > 64 and soak.senses.last_seq > 2 * seq, (
        seq,
        soak.senses.last_seq,
    )
    assert soak.refused > 10 and soak.failed > 10
    eq(soak.heard, soak.senses.last_seq)
    for strip in soak.strips:
        assert 100 < strip.writes < 30 * 600, strip.writes
    soak.voice.stop()
    eq((soak.still.sounding, soak.still.open), (False, 0))
