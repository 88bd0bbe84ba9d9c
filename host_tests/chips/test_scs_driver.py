"""The real servo driver, and the head on it, under MicroPython against the virtual bus: what the bus saw counts."""

import json
import socket

import pytest

from chips.servos import Driver, ServosProcess

# How long the driver waits while no answer comes, and else, for the machine may be busy.
SOON = "patience(50)"
LONG = "patience(2000)"


@pytest.fixture(scope="module")
def servos():
    with ServosProcess() as process:
        yield process


@pytest.fixture
def view(servos):
    """The bus, whole and still, with the head at 0, 20 degrees."""
    with servos.view() as view:
        view.fail("")
        view.echo(False)
        view.lose_power()
        view.push(1, 460)
        view.push(2, 684)
        view.trace()
        yield view


@pytest.fixture
def driver(servos, view):
    """A `Driver`."""
    made = Driver(servos.address)
    yield made
    made.close()


def packets(view, *kinds):
    return [(e["do"], e["id"], e["address"], e["data"]) for e in view.trace() if e["do"] in kinds]


def _until(driver, ready):
    """Step the head till something is so."""
    for _ in range(100):
        if ready():
            return
        driver("run(100)")
    raise AssertionError("it never came")


def test_it_reads_moves_and_lets_go(driver, view):
    assert driver("servos.read()") == "[0, 2000]"
    assert driver("servos.torque(True)") == "None"
    assert driver("servos.write(1000, 3000, 0)") == "None"
    assert driver("servos.torque(False)") == "None"
    assert packets(view, "read", "write") == [
        ("read", 1, 56, "01cc"),
        ("read", 2, 56, "02ac"),
        ("write", 1, 40, "01"),
        ("write", 2, 40, "01"),
        ("write", 1, 42, "01ac00000000"),
        ("write", 2, 42, "02cc00000000"),
        ("write", 1, 40, "00"),
        ("write", 2, 40, "00"),
    ]


def test_an_echo_changes_nothing(driver, view):
    view.echo(True)
    assert driver("bus.ping(1)") == "None"
    assert driver("servos.read()") == "[0, 2000]"
    assert driver("servos.write(500, 2500, 50)") == "None"
    assert driver("servos.torque(False)") == "None"
    assert [e["error"] for e in view.trace()] == [0] * 7


def test_no_write_is_out_of_range(driver, view):
    for yaw, pitch in ((20000, 20000), (-20000, -20000)):
        assert driver("servos.write(%d, %d, 100)" % (yaw, pitch)) == "None"
    assert driver("bus.move(1, 1024, 0)").startswith("! ValueError")
    goals = [int(e[3][:4], 16) for e in packets(view, "write")]
    assert goals == [172, 892, 748, 636]


def test_a_servo_that_refuses(driver, view):
    # Somebody has set limits in its EEPROM that our profile does not know.
    with socket.create_connection(("127.0.0.1", int(view._sock.getpeername()[1]))) as line:
        for body in (bytes((1, 4, 3, 48, 0)), bytes((1, 7, 3, 9, 1, 0, 2, 0))):
            line.sendall(b"\xff\xff" + body + bytes((~sum(body) & 0xFF,)))
            assert line.recv(16) == bytes.fromhex("ffff010200fc")
        assert driver("servos.write(9000, 2000, 100)") == "! servo_fault: servo 1 refuses: error 0x08"
        assert driver("servos.write(0, 2000, 100)") == "None"
        for body in (bytes((1, 7, 3, 9, 0, 0, 3, 255)), bytes((1, 4, 3, 48, 1))):
            line.sendall(b"\xff\xff" + body + bytes((~sum(body) & 0xFF,)))
            assert line.recv(16) == bytes.fromhex("ffff010200fc")


@pytest.mark.parametrize(
    "fault, said",
    [
        ("hang", "does not answer"),
        ("mute", "does not answer"),
        ("checksum", "answers with a wrong checksum"),
    ],
)
def test_a_bus_that_breaks_and_comes_back(driver, view, fault, said):
    view.fail(fault)
    driver(SOON)
    refusal = "! servo_fault: servo 1 " + said
    assert driver("bus.ping(1)") == refusal
    assert driver("servos.read()") == refusal
    assert driver("servos.write(0, 2000, 100)") == refusal
    assert driver("head.move(1000, 2000)") == refusal
    # Both are let go, though the first does not answer.
    view.trace()
    assert driver("servos.torque(False)") == "! servo_fault: servo 2 " + said
    assert [e["id"] for e in view.trace()] == [1, 2]
    view.fail("")
    driver(LONG)
    assert driver("servos.read()") == "[0, 2000]"
    assert driver("servos.write(500, 2000, 0)") == "None"
    assert [e["id"] for e in view.trace() if e["do"] == "write"] == [1, 2]


def test_one_lost_answer_is_asked_for_again(driver, view):
    driver("patience(500)")
    view.fail("hang", 1)
    assert driver("servos.read()") == "[0, 2000]"
    assert [e["do"] for e in view.trace()] == ["hang", "read", "read"]


def test_the_head_moves_and_lets_go(driver, view):
    assert driver("head.move(3000, 4000, 500)") == "500"
    assert driver("finish()") == "False"
    assert driver("head.pose()") == "(3000, 4000)"
    writes = packets(view, "write")
    assert [e[:3] for e in writes[:4]] == [
        ("write", 1, 42),
        ("write", 2, 42),
        ("write", 1, 40),
        ("write", 2, 40),
    ]
    assert [e[1:] for e in writes[-2:]] == [(1, 40, "00"), (2, 40, "00")]
    goals = [e for e in writes[2:] if e[2] == 42]
    # The yaw's counts go down to its left; 30 degrees are 96 of them. None is told twice in a row, nor goes back.
    for id, last, sign in ((1, 364, -1), (2, 748, 1)):
        told = [sign * int(e[3][:4], 16) for e in goals if e[1] == id]
        assert told == sorted(set(told)) and told[-1] == sign * last
    state = view.state()
    assert [state[id]["position"] for id in (1, 2)] == [364, 748]
    assert not state[1]["torque"] and not state[2]["torque"]


def test_the_head_does_not_leap_to_an_old_goal(driver, view):
    assert driver("head.move(-6000, 2000, 500)") == "500"
    assert driver("finish()") == "False"
    view.push(1, 300)
    view.trace()
    assert driver("head.move(4900, 2000, 500)") == "500"
    assert driver("finish()") == "False"
    goals = [int(e[3][:4], 16) for e in packets(view, "write") if e[1:3] == (1, 42)]
    assert goals[0] == 300 and set(goals) <= set(range(300, 310)), goals


def test_a_bus_that_hangs_in_a_motion_is_let_go_when_it_comes_back(driver, view):
    assert driver("head.move(6000, 4000, 3000)") == "3000"
    _until(driver, lambda: view.state()[1]["torque"])
    view.fail("hang")
    driver(SOON)
    assert driver("finish()") == "False"
    assert "servo_fault: servo" in driver("head.fault")
    assert view.state()[1]["torque"]
    assert packets(view, "hang")
    view.fail("")
    driver(LONG)
    _until(driver, lambda: not view.state()[1]["torque"] and not view.state()[2]["torque"])
    assert driver("head.move(0, 2000, 500)") == "500"
    assert driver("finish()") == "False"
    assert driver("head.pose()") == "(0, 2000)"
    assert driver("head.fault") == "None"


def test_servos_that_lost_their_power_are_armed_anew(driver, view):
    assert driver("head.move(3000, 2000, 500, True)") == "500"
    assert driver("finish()") == "False"
    assert view.state()[1]["torque"]
    view.lose_power()
    assert driver("head.stop()") == "None"
    assert driver("finish()") == "False"
    assert driver("head.move(0, 2000, 500)") == "500"
    assert driver("finish()") == "False"
    assert view.state()[1]["position"] == 460


def test_what_looks_on_is_told_what_is_wrong(servos):
    with socket.create_connection(("127.0.0.1", servos.port)) as line, line.makefile("rb") as answers:
        for wrong in (
            b"{\n",
            b'{"do":"dance"}\n',
            b'{"do":"push","id":9,"position":1}\n',
            b'{"do":"echo"}\n',
        ):
            line.sendall(wrong)
            assert "error" in json.loads(answers.readline())
    with servos.view() as view, pytest.raises(ValueError, match="no such fault"):
        view.fail("smoke")
