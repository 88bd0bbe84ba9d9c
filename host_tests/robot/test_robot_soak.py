# interpreters: micropython
"""The whole robot for ten simulated minutes: tools at random, ports that fail, an owner who changes his mind.

What the parts do by themselves is in the soaks of the parts.
"""

import json

from fake_board import Board, Display, Power
from fake_parts import Policy
from fake_servos import Servos
from feeling import Imu, Inputs
from heap import dice, used
from servo_watch import Watch

from harness import eq
from robot import tools
from robot.gestures import NAMES
from robot.robot import Robot
from robot.status import status
from robot.tools_face import EMOTIONS

_MINUTE_MS = 60000
_STEP_MS = 34
_START_MS = 0x3FFFFFFF - 90000  # The ticks wrap in the second minute.
_HOLD_MS = 60000
_GROWTH = 2048
_REFUSALS = ("servo_fault", "servo_off", "motion_off", "battery_low", "busy", "quiet_hours", "no_direction")
_MOVING = ("move_head", "look_at", "look_away", "play_motion")
_TEXTS = ("Hello!", "\u3053\u3093\u306b\u3061\u306f", "a long text " * 6)


class Panel(Display):
    """fails: the next so many rectangles do not get through."""

    fails = 0

    def blit(self, x, y, w, h, buf):
        if self.fails:
            self.fails -= 1
            raise OSError(5)
        self.blits += 1


class Sound:
    sounding = False
    tones = fails = 0

    def tone(self, hz, level):
        if self.fails:
            self.fails -= 1
            raise OSError(5)
        self.sounding = True
        self.tones += 1

    def silence(self):
        self.sounding = False


class Strip:
    count = 6
    fails = writes = 0

    def fill(self, r, g, b):
        pass

    def set(self, i, r, g, b):
        pass

    def show(self):
        if self.fails:
            self.fails -= 1
            raise OSError(19)
        self.writes += 1


class Host:
    """Of the tools.  wrong: list of what should not have happened."""

    max_result = 32768

    def __init__(self):
        self.wrong = []

    def log(self, level, text, exception=None):
        self.wrong.append((text, exception))


class Soak:
    """refused: {code: count}.  called, failures: counts."""

    def __init__(self):
        self.random = dice(11)
        self.servos = Servos()
        self.watch = Watch(self.servos)
        self.board = board = Board()
        board.display, board.servos, board.speaker = Panel(), self.servos, Sound()
        board.leds = {"left": Strip(), "right": Strip()}
        board.inputs, board.imu, board.power = Inputs(), Imu(self.random, 20), Power()
        self.policy = Policy()
        self.host = Host()
        self.robot = Robot(board, self.policy, dice(3), self._now_ms, None, self._failed)
        self.tools = {}
        tools.offer(self.robot, self)
        self.refused = {}
        self.called = self.failures = 0

    def add_tool(self, tool):
        self.tools[tool.name] = tool

    def remove_tool(self, name):
        self.tools.pop(name, None)

    def _now_ms(self):
        return (self.servos.now_ms + _START_MS) & 0x3FFFFFFF

    def _failed(self, level, text, exception=None):
        self.failures += 1

    def run(self, ms):
        end_ms = self.servos.now_ms + ms
        while self.servos.now_ms < end_ms:
            self.servos.now_ms += _STEP_MS
            if self.random(12) == 0:
                self.call(_CALLS[self.random(len(_CALLS))](self.random))
            if self.random(30) == 0:
                _EVENTS[self.random(len(_EVENTS))](self)
            self.robot.step(self._now_ms())
            self.watch.look()
            del self.board.inputs.polls[:]

    def call(self, name_and_arguments):
        name, arguments = name_and_arguments
        was_moving = self.robot.moving
        answer = json.loads(b"{" + self.tools[name].run(arguments, self.host) + b"}")
        self.called += 1
        eq(self.robot.calls[-1][:2], [self.called, name])
        if "isError" in answer:
            code = answer["content"][0]["text"].split(":")[0]
            # The owner's cap is in the schema.
            assert code in _REFUSALS or (code, name) == ("invalid_arguments", "set_volume"), (name, answer)
            self.refused[code] = self.refused.get(code, 0) + 1
        elif name in _MOVING or (name == "set_torque" and arguments["enabled"]):
            head = self.robot.head
            assert head.turning, (name, was_moving)
            self.watch.took(sum(head._path[2::3]) + (_HOLD_MS if head._hold else 0))
        elif name == "set_torque":
            self.watch.took(0)

    # A policy is obeyed at once where it is told, as the app does.
    def owner(self):
        random = self.random
        self.policy.motion = random(6) > 0
        self.policy.is_quiet = random(4) == 0
        self.policy.volume_cap = random(101)
        self.robot.obey()
        if not self.policy.motion:
            self.watch.took(0)

    def power(self):
        self.board.power.told = {"battery_percent": self.random(100), "charging": False, "usb": None}

    def jolt(self):
        for i in range(3):
            self.board.imu.mg[i] = self.random(6000) - 3000

    def upright(self):
        self.board.imu.mg[:] = 0, 0, 1000

    def press(self):
        self.board.inputs.queue.append([("button", "a", 1), ("button", "a", 0)])

    def fail(self):
        board = self.board
        for port in (board.display, board.speaker, board.leds["left"], board.inputs, board.imu):
            port.fails = self.random(3)

    def heal(self):
        self.servos.fails = False
        self.servos.deaf = 0

    def mend(self):
        self.heal()
        self.upright()
        self.policy.motion = True
        self.policy.is_quiet = False
        self.board.power.told = {"battery_percent": 80}
        for port in self.board.display, self.board.speaker, self.board.leds["left"]:
            port.fails = 0


def _move(random):
    return "move_head", {
        "yaw": random(181) - 90,
        "pitch": random(96) - 10,
        "duration_ms": 100 + random(1500),
        "hold": random(9) == 0,
        "wait": False,
    }


def _look(random):
    point = {name: random(2001) - 1000 for name in ("x_mm", "y_mm", "z_mm")}
    return "look_at", dict(point, wait=False)


def _light(random):
    mode = ("solid", "blink", "rainbow", "off")[random(4)]
    return "set_led", {"led": ("left", "right")[random(2)], "mode": mode, "red": random(256)}


def _colour(random):
    rgb = {name: random(256) for name in ("red", "green", "blue")}
    return "set_face_color", dict(rgb, key=("primary", "secondary")[random(2)])


_CALLS = (
    _move,
    _move,
    _move,
    _move,
    _look,
    _look,
    lambda random: ("look_away", {"wait": False}),
    lambda random: (
        "play_motion",
        {"motion": NAMES[random(len(NAMES))], "intensity": random(101), "wait": False},
    ),
    lambda random: ("set_torque", {"enabled": random(6) > 0}),
    lambda random: ("set_idle_motion", {"enabled": random(3) > 0}),
    lambda random: ("get_head_pose", {}),
    lambda random: ("set_emotion", {"emotion": EMOTIONS[random(8)]}),
    lambda random: ("show_balloon", {"text": _TEXTS[random(3)], "duration_ms": 1000 + random(9000)}),
    lambda random: ("hide_balloon", {}),
    lambda random: ("set_mouth_open", {"open": random(101)}),
    lambda random: ("set_brightness", {"level": random(101)}),
    lambda random: ("say_message", {"message": _TEXTS[random(3)], "wait": False}),
    lambda random: ("play_tone", {"hz": 40 + random(3900), "duration_ms": 30 + random(900)}),
    lambda random: ("play_melody", {"tones": ["C4:100", "R:60", "440:90"], "wait": False}),
    lambda random: ("set_volume", {"volume": random(101)}),
    lambda random: ("get_recent_events", {"since_seq": random(50)}),
    lambda random: ("get_robot_status", {}),
    _light,
    _colour,
)
_EVENTS = (
    Soak.press,
    Soak.press,
    Soak.jolt,
    Soak.upright,
    Soak.upright,
    Soak.fail,
    Soak.owner,
    Soak.power,
    lambda soak: setattr(soak.servos, "deaf", 1 + soak.random(8)),
    lambda soak: setattr(soak.servos, "fails", True),
    Soak.heal,
    Soak.heal,
    Soak.heal,
)


def test_ten_minutes_of_all_that_can_be_asked():
    soak = Soak()
    soak.run(2 * _MINUTE_MS)
    heap = [_used(soak)]
    for _ in range(8):
        soak.run(_MINUTE_MS)
        heap.append(_used(soak))
    eq(soak.host.wrong, [])
    _look_at(soak)
    assert max(heap) - min(heap) <= _GROWTH, heap
    _look_at_the_end(soak)


# The types of the part that was used last are another part's each time.
def _used(soak):
    soak.robot.tools = None
    return used()


def _look_at(soak):
    board, robot, watch = soak.board, soak.robot, soak.watch
    assert watch.most <= 20, watch.most
    assert soak.called > 700 and watch.released > 50, (soak.called, watch.released)
    eq(sorted(soak.refused), sorted(_REFUSALS[:-1] + ("invalid_arguments",)))
    eq(sorted(robot.faults), ["Lights", "Painter", "Senses", "Voice"])
    # Each fault is counted, and few are told.
    assert sum(robot.faults.values()) > 5 * soak.failures > 0, (robot.faults, soak.failures)
    assert board.display.blits > 10000 and board.speaker.tones > 100 and robot.senses.last_seq > 200
    assert robot.changed == soak.called + robot.senses.last_seq
    eq([call[0] for call in robot.calls], list(range(soak.called - 7, soak.called + 1)))


# When all is well again each part works, and what it did before is over.
def _look_at_the_end(soak):
    soak.mend()
    for call in (
        ("set_torque", {"enabled": False}),
        ("set_torque", {"enabled": True}),
        ("set_idle_motion", {"enabled": False}),
        ("look_away", {"wait": False}),
    ):
        soak.call(call)
    before = soak.board.display.blits
    random, soak.random = soak.random, lambda n: n - 1  # Nothing more happens.
    for _ in range(400):
        soak.run(_STEP_MS)
    soak.random = random
    eq((soak.servos.on, soak.robot.head.busy, soak.robot.head.fault), ([False, False], False, None))
    eq((soak.board.speaker.sounding, soak.robot.voice.busy), (False, False))
    assert soak.board.display.blits > before
    told = status(soak.robot)
    eq((told["head"]["moving"], told["battery"]), (False, {"battery_percent": 80}))
