"""Whatever is missing, broken or wrong: the robot serves, tells what it lacks, and the rest works."""

import pytest

from tsumiki.chips.boards import BOARDS
from virtual_boards.robots import ALL, ENABLED, Robot

# What is missing with a chip. Who cannot be asked is not missed: panel, speaker and lights only listen, and serial
# servos are asked when they are to move.
SILENT = {"panel", "speaker", "leds", "servos"}
GONE = {
    "pmic": {"power"},
    "expander": {"expander", "amplifier", "speaker"},
    "amplifier": {"amplifier", "speaker"},
    "touch": {"touch"},
    "imu": {"imu"},
    "light": {"light"},
    "body": {"body", "leds", "servos"},
    "head touch": {"head touch"},
    "monitor": {"monitor"},
}
MORE = {
    ("m5stack_core2", "pmic"): {"speaker"},
    ("stackchan_kit", "pmic"): {"5 V out"},
    ("stackchan_kit", "expander"): {"5 V out"},
}
PORTS = {"power": "get_robot_status", "speaker": "play_tone", "servos": "move_head", "leds": "set_led"}


def chips(name, *options):
    return [chip for chip in BOARDS[name]((), options).chips]


CASES = [(name, (), chip) for name in ALL for chip in chips(name)]
CASES += [("m5stack_core", ("fire",), chip) for chip in ("imu", "leds")]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """What is told by a board that has everything: `whole(name, options)` -> (missing, found, tools), sets."""
    known = {}

    def told(name, options):
        if (name, options) not in known:
            robot = Robot(tmp_path_factory.mktemp("whole"), name, preferences(name), options=options)
            known[name, options] = parts(robot)
            robot.close()
        return known[name, options]

    return told


def preferences(name):
    return {"servo.enabled": True} if name == "stackchan_kit" else {}


def parts(robot):
    told = robot.use("self_test")
    assert all(told["missing"].values())
    return set(told["missing"]), set(told["found"]), set(robot.tools())


@pytest.mark.parametrize("name, options, chip", CASES)
def test_each_chip_in_turn(start, whole, name, options, chip):
    robot = start(name, preferences(name), without=(chip,), options=options)
    gone = (set() if chip in SILENT else GONE[chip]) | MORE.get((name, chip), set())
    missing, found, tools = whole(name, options)
    now = parts(robot)
    assert now[:2] == (missing | gone, found - gone)
    absent = tools - now[2]
    assert {tool for part, tool in PORTS.items() if part in gone - {"power"}} <= absent
    if not gone & {"speaker", "servos", "leds", "imu", "touch"}:
        assert not absent
    robot.use("set_emotion", emotion="happy")
    status = robot.use("get_robot_status")
    assert ("battery" in status) == ("power" in now[1])
    assert robot.output().count("Traceback") == (name == "stackchan_kit" and chip == "servos")


@pytest.mark.parametrize("name", ALL)
def test_all_chips_at_once(start, name):
    robot = start(name, ENABLED, without=chips(name))
    assert {"get_robot_status", "self_test", "set_emotion"} <= set(robot.tools())
    assert len(robot.use("self_test")["missing"]) >= 2
    robot.use("set_emotion", emotion="sad")


@pytest.mark.parametrize("name", ALL)
def test_a_bus_that_is_held(start, name, monkeypatch):
    build = BOARDS[name].build

    def stuck(self):
        build(self)
        for bus in self.i2c.values():
            bus.stuck = True

    monkeypatch.setattr(BOARDS[name], "build", stuck)
    robot = start(name)
    told = robot.use("self_test")
    assert "its bus is stuck" in told["missing"].values()
    assert "display" in told["found"]


@pytest.mark.parametrize(
    "code, name",
    [
        ("m5stack_core", "m5stack_core2"),
        ("m5stack_core2", "m5stack_core"),
        ("m5stack_core2", "m5stack_cores3"),
        ("m5stack_cores3", "m5stack_core2"),
        ("m5stack_cores3", "m5stack_atoms3r"),
        ("stackchan_kit", "m5stack_cores3"),
        ("m5stack_cores3", "stackchan_kit"),
        ("m5stack_atoms3r", "stackchan_kit"),
        ("m5stack_atoms3r", "m5stack_core"),
    ],
)
def test_the_wrong_board(start, code, name):
    robot = start(name, ENABLED, code=code)
    assert {"get_robot_status", "self_test"} <= set(robot.tools())
    told = robot.use("self_test")
    assert told["missing"] or told["failing"]
    robot.use("get_robot_status")


# No power chip may be harmed by the code of another board that has one at the same address.
@pytest.mark.parametrize("code", ["m5stack_cores3", "stackchan_kit"])
def test_the_power_chip_of_another_board_is_not_harmed(start, code):
    robot = start("m5stack_core2", code=code, options=("axp2101",))
    with robot.held():
        assert robot.chip("pmic").cpu_powered
        assert robot.chip("pmic").faults == []


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{not json",
        b"[1, 2]",
        b"\xff\xfe\x00" * 100,
        b'{"mcp.token":"a-token-of-a-virtual-board","servo.enabled":"yes","servo.kind":5,"board.leds":"many"}',
        b'{"mcp.token":"a-token-of-a-virtual-board","board.leds":-5,"board.leds_pin":9999,"board.panel":"oled"}',
        b'{"mcp.token":"a-token-of-a-virtual-board","board.leds":1000000,"servo.yaw_zero":-70000,"servo.enabled":true}',
        b" " * 10000,
    ],
    ids=["empty", "no-json", "list", "noise", "types", "ranges", "more-ranges", "long"],
)
@pytest.mark.parametrize("name", ["m5stack_core2", "stackchan_kit"])
def test_a_broken_config(start, name, raw):
    robot = start(name, raw)
    assert {"get_robot_status", "self_test", "set_emotion"} <= set(robot.tools())
    assert "display" in robot.use("self_test")["found"]
    if b'"yes"' in raw:
        assert "move_head" not in robot.tools()
