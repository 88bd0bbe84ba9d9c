"""Heads on virtual servos: none moves, or is even fed, before its owner has said so; then it goes where it is told."""

import pytest

from virtual_boards.robots import ENABLED

# What: board, options, preferences, (count at 20 degrees to the left, count at 30 or 8 degrees up), that pitch.
HEADS = {
    "kit": ("stackchan_kit", (), {"servo.enabled": True}, (396, 716), 30),
    "core2": ("m5stack_core2", (), ENABLED, (396, 716), 30),
    "core": ("m5stack_core", (), ENABLED, (396, 716), 30),
    "cores3": ("m5stack_cores3", (), ENABLED, (396, 716), 30),
    "xl330": (
        "m5stack_core2",
        ("xl330",),
        {"servo.enabled": True, "servo.kind": "xl330"},
        (2276, 1957),
        8,
    ),
    "rs30x": ("m5stack_core2", ("rs30x",), {"servo.enabled": True, "servo.kind": "rs30x"}, (-200, 80), 8),
    "pwm": ("m5stack_core2", ("pwm",), {"servo.enabled": True, "servo.kind": "pwm"}, (1661, 1366), 8),
    "pwm-core": ("m5stack_core", ("pwm",), {"servo.enabled": True, "servo.kind": "pwm"}, (1661, 1366), 8),
    "pwm-fire": (
        "m5stack_core",
        ("fire", "pwm"),
        {"servo.enabled": True, "servo.kind": "pwm"},
        (1661, 1366),
        8,
    ),
    "pwm-cores3": (
        "m5stack_cores3",
        ("pwm",),
        {"servo.enabled": True, "servo.kind": "pwm", "servo.yaw_pin": 1, "servo.pitch_pin": 2},
        (1661, 1366),
        8,
    ),
}


def positions(robot):
    """[yaw, pitch] of the virtual servos, in their own counts."""
    servos = robot.chip("servos")
    with robot.held():
        if hasattr(servos, "servos"):
            found = [servos.servos[id] for id in (1, 2)]
            return [
                one.position if hasattr(one, "position") else one.motor.at(servos.now_ms) for one in found
            ]
        return [servos.position(id) for id in (0, 1)]


@pytest.mark.parametrize("head", HEADS)
def test_it_goes_where_it_is_told(start, head):
    name, options, preferences, counts, pitch = HEADS[head]
    robot = start(name, preferences, options=options)
    pose = robot.use("move_head", yaw=20, pitch=pitch, duration_ms=600)
    assert abs(pose["yaw"] - 20) < 1 and abs(pose["pitch"] - pitch) < 1
    assert all(abs(at - wanted) <= 3 for at, wanted in zip(positions(robot), counts)), positions(robot)
    robot.use("play_motion", motion="center")
    assert robot.faults() == []


@pytest.mark.parametrize("head", HEADS)
def test_without_its_owners_word_nothing_reaches_a_servo(start, head):
    name, options, preferences, _, _ = HEADS[head]
    robot = start(name, {**preferences, "servo.enabled": False}, options=options)
    assert not [tool for tool in robot.tools() if "head" in tool or "torque" in tool]
    told = robot.use("self_test")["missing"]["servos"]
    assert told.startswith("servo.enabled is off")
    with robot.held() as wiring:
        assert not [
            line for line in robot.server.soc.trace if line.startswith(("uart", "pwm5", "pwm2 ", "pwm19"))
        ]
        assert not list(robot.chip("servos").trace)
        if name == "stackchan_kit":
            assert not wiring.chips["body"].servo_power
    assert robot.faults() == []


def test_the_kit_without_its_zero_has_no_head(start):
    robot = start("stackchan_kit", {"servo.enabled": True})
    assert "move_head" in robot.tools()
    robot = start("stackchan_kit", {"servo.enabled": True}, options=("blank",))
    assert "move_head" not in robot.tools()
    assert "servo.yaw_zero" in robot.use("self_test")["missing"]["servos"]
    with robot.held():
        assert not list(robot.chip("servos").trace)
        assert not robot.chip("body").servo_power
    robot = start("stackchan_kit", ENABLED, options=("blank",))
    assert "move_head" in robot.tools()


@pytest.mark.parametrize(
    "name, preferences, why",
    [
        (
            "m5stack_core2",
            {"servo.kind": "sts3215"},
            "servo.kind is sts3215: none of pwm, rs30x, scs0009, xl330",
        ),
        ("m5stack_core2", {"servo.kind": "scs0009"}, "servo.yaw_zero and servo.pitch_zero must be set"),
        ("m5stack_core2", {"servo.kind": "pwm", "servo.yaw_pin": 34}, "pin can only be input"),
        ("m5stack_core2", {"servo.kind": "pwm", "servo.yaw_pin": 27}, "pin 27 cannot be both yaw and pitch"),
        (
            "m5stack_core2",
            {"servo.kind": "pwm", "servo.yaw_pin": 5},
            "servo.yaw_pin: pin 5 belongs to the board",
        ),
        ("m5stack_core2", {"servo.kind": "pwm", "servo.yaw_pin": 24}, "invalid pin"),
        ("m5stack_cores3", {"servo.kind": "pwm"}, "servo.yaw_pin must be set"),
        ("m5stack_atoms3r", {"servo.kind": "xl330"}, "servo.tx_pin must be set"),
        ("m5stack_core2", {}, "servo.kind does not say what they are"),
        ("stackchan_kit", {"servo.kind": "none"}, "servo.kind does not say what they are"),
    ],
)
def test_a_wrong_preference_is_told(start, name, preferences, why):
    robot = start(name, {"servo.enabled": True, **preferences})
    assert robot.use("self_test")["missing"]["servos"].startswith(why)
    assert "move_head" not in robot.tools()


def test_servos_on_the_pins_of_the_inner_bus_are_refused(start):
    """Port A of a Basic: the pulses would end the bus."""
    pins = {"servo.kind": "pwm", "servo.enabled": True, "servo.yaw_pin": 22, "servo.pitch_pin": 21}
    robot = start("m5stack_core", pins)
    assert robot.use("self_test")["missing"]["servos"] == "servo.yaw_pin: pin 22 belongs to the board"
    assert robot.use("get_robot_status")["battery"]["battery_percent"] == 75
    assert robot.faults() == []


@pytest.mark.parametrize("fault", ["hang", "mute", "checksum"])
def test_servos_that_do_not_answer(start, fault):
    robot = start("stackchan_kit", {"servo.enabled": True})
    with robot.held():
        robot.chip("servos").fail(fault)
    result = robot.ask("tools/call", {"name": "move_head", "arguments": {"yaw": 10, "pitch": 20}})
    assert result["isError"] and "servo_fault" in result["content"][0]["text"]
    assert "servos" in robot.use("self_test")["failing"]
    with robot.held():
        robot.chip("servos").fail("")
    robot.use("move_head", yaw=10, pitch=20)
    assert robot.use("self_test")["failing"] == {}
