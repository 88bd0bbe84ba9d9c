"""The whole device on each board's virtual chips: parts, then Wi-Fi, then MCP, and its address on its screen."""

import pytest

from virtual_boards.robots import ALL, until

HOME = {"wifi.names": ["home"], "wifi.passwords": ["a-password"]}
XL330 = {"servo.enabled": True, "servo.kind": "xl330"}


@pytest.mark.parametrize("name", ALL)
def test_a_device(start, name):
    robot = start(name, HOME, device=True)
    assert until(lambda: robot.use("get_robot_status")["system"].get("rssi") == -50)
    status = robot.use("get_robot_status")
    assert status["face"]["screen"]["lines"][0] == "http://127.0.0.1:8080/"
    assert "home" in status["face"]["screen"]["lines"]
    assert "starving" not in status
    with robot.held():
        trace = list(robot.server.soc.trace)
    assert trace.index("booted") < trace.index("wifi on")
    assert robot.faults() == []
    assert "Traceback" not in robot.output()


@pytest.mark.parametrize("name, options", [("m5stack_core2", ("xl330",)), ("stackchan_kit", ())])
def test_its_servos_line_is_there_before_its_radio(start, name, options):
    robot = start(
        name, {**HOME, **XL330} if options else {**HOME, "servo.enabled": True}, options=options, device=True
    )
    assert until(lambda: "wifi on" in list(robot.server.soc.trace))
    with robot.held():
        trace = list(robot.server.soc.trace)
    lines = [i for i, line in enumerate(trace) if line.startswith("uart1 tx")]
    assert len(lines) == 1 and lines[0] < trace.index("wifi on")
    robot.use("move_head", yaw=10, pitch=8)
    assert robot.faults() == []


def test_a_board_without_chips_still_joins_and_serves(start):
    robot = start(
        "stackchan_kit", HOME, without=("pmic", "expander", "body", "panel", "touch", "imu"), device=True
    )
    assert until(lambda: robot.use("get_robot_status")["system"].get("rssi") == -50)
    assert len(robot.use("self_test")["missing"]) > 5
