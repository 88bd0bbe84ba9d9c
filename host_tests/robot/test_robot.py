"""The robot that owns its parts: it steps them all, whatever fails, and has none that its board lacks."""

from fake_board import Board
from fake_parts import Policy
from heap import without_heap

from harness import eq
from robot.errors import ServoFault
from robot.robot import Robot

ALL = ("display", "servos", "speaker", "leds", "inputs", "power", "system")


class Log:
    def __init__(self):
        self.lines = []

    def __call__(self, level, text, exception=None):
        self.lines.append((level, text, exception))


def made(without=("display",)):
    """A robot of real parts, without a screen: only MicroPython can draw."""
    board = Board(without)
    robot = Robot(board, Policy(), lambda n: 0, lambda: 0, None, Log())
    return robot, board


def steps(robot, from_ms, count):
    for i in range(count):
        robot.step(from_ms + 30 * i)


def test_a_robot_has_the_parts_of_its_board():
    parts = {"servos": "head", "speaker": "voice", "leds": "lights", "inputs": "senses"}
    robot, _ = made()
    eq([name for name in parts.values() if getattr(robot, name) is None], [])
    eq((robot.face, robot.painter), (None, None))
    for port, name in parts.items():
        robot, _ = made(("display", port))
        eq([one for one in parts.values() if getattr(robot, one) is None], [name])
        robot.step(0)
    robot, _ = made(ALL)
    robot.step(0)
    eq((robot.has_brightness, robot.moving), (False, False))


def test_a_step_lets_all_parts_go_on():
    robot, board = made()
    robot.voice.tone(440, 100)
    robot.lights.set("left", "solid", 1, 2, 3)
    robot.head.move(1000, 2000, 200)
    board.inputs.felt.append(("button", "a", 1))
    steps(robot, 0, 40)
    eq(board.speaker.heard, [(440, 100), None])
    eq(board.leds["left"].colors, [(1, 2, 3)] * 2)
    eq((board.servos.at, board.servos.on), ([1000, 2000], False))
    eq((robot.senses.last_seq, robot.changed), (1, 1))


def test_a_step_allocates_nothing():
    robot, _ = made()
    robot.lights.set("left", "blink", 1, 2, 3, 5000)
    robot.head.move(1000, 2000, 2000)
    steps(robot, 0, 5)
    without_heap(lambda: robot.step(150))
    without_heap(lambda: robot.step(180))


def test_a_part_that_fails_stops_no_other_and_is_not_logged_for_ever():
    robot, board = made()

    def fail(now_ms):
        raise RuntimeError("broken")

    board.inputs.poll = fail
    robot.lights.step = fail
    steps(robot, 0, 100)
    robot.voice.tone(440, 100)
    steps(robot, 3000, 10)
    eq(board.speaker.heard, [(440, 100), None])
    eq(robot.faults["Lights"], 110)
    texts = [text for level, text, e in robot._log.lines if text.startswith("Lights")]
    eq(texts, ["Lights failed (%d)" % 2**i for i in range(7)])
    assert robot.faults["Senses"] >= 3


def test_what_the_head_does_is_not_felt():
    robot, _ = made()
    eq((robot.moving, robot.senses.moving), (False, False))
    robot.head.move(1000, 2000, 200)
    robot.step(0)
    eq((robot.moving, robot.senses.moving), (True, True))
    steps(robot, 30, 40)
    robot.step(3000)
    eq((robot.moving, robot.senses.moving), (False, False))


def test_a_servo_that_is_lost_leaves_the_rest_alone():
    robot, board = made()
    robot.head.move(1000, 2000, 200)
    steps(robot, 0, 3)
    board.servos.broken = ServoFault()
    robot.voice.tone(440, 100)
    steps(robot, 90, 20)
    eq(board.speaker.heard[-1], None)
    eq((robot.head.fault.code, robot.head.busy), ("servo_fault", False))
    board.servos.broken = None
    steps(robot, 1000, 200)
    eq(board.servos.on, False)


def test_a_head_is_where_it_was_measured_last():
    robot, board = made()
    eq(robot.head.last_pose(), (0, 1000))
    board.servos.at = [500, 700]
    eq((robot.head.pose(), robot.head.last_pose()), ((500, 700), (500, 700)))
    robot.head.move(2000, 3000, 500)
    steps(robot, 0, 5)
    told = robot.head.last_pose()
    board.servos.at = [0, 0]
    robot.head.pose()
    eq(robot.head.last_pose(), told)


def test_a_robot_starts_without_an_answer_of_its_servos():
    board = Board(("display",))
    board.servos.broken = ServoFault()
    robot = Robot(board, Policy(), lambda n: 0, lambda: 0, None, Log())
    eq((robot.head.last_pose(), len(robot._log.lines)), ((0, 0), 1))
