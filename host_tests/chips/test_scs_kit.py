"""What the kit's servos must be kept from, on the virtual bus: the real driver and the head, and what the bus saw."""

import pytest

from chips.servos import Driver, ServosProcess

GOAL, TORQUE, POSITION = 42, 40, 56


@pytest.fixture(scope="module")
def process():
    with ServosProcess() as process:
        yield process


@pytest.fixture
def view(process):
    """The bus, whole and still, with the head at 0, 20 degrees, and nothing seen yet."""
    with process.view() as view:
        view.fail("")
        view.echo(False)
        view.lose_power()
        view.push(1, 460)
        view.push(2, 684)
        view.trace()
        yield view


@pytest.fixture
def driver(process, view):
    made = Driver(process.address)
    yield made
    made.close()


def test_nothing_is_sent_until_somebody_asks_for_it(driver, view):
    # The bus, the port and the head are made, and the head goes on for a while.
    assert driver("run(500)") == "False"
    assert view.trace() == []
    assert [servo["torque"] for servo in view.state().values()] == [False, False]


def test_without_the_owner_s_leave_nothing_is_written_and_the_head_is_a_fault(driver, view):
    off = "Servos(bus, kit(460, 620), enabled=False, error=ServoFault)"
    refusal = "! servo_fault: the owner has not enabled the servos"
    assert driver("%s.write(0, 2000, 100)" % off) == refusal
    assert driver("%s.torque(True)" % off) == refusal
    assert driver("%s.read()" % off) == "[0, 2000]"
    assert [entry["do"] for entry in view.trace()] == ["read", "read"]
    assert driver("head.__init__(%s)" % off) == "None"
    assert driver("head.move(3000, 3000)") == "500"
    assert driver("finish()") == "False"
    assert "has not enabled" in driver("head.fault")
    seen = view.trace()
    assert {entry["data"] for entry in seen if entry["do"] == "write"} <= {"00"}
    assert [servo["torque"] for servo in view.state().values()] == [False, False]


def test_the_pose_is_measured_before_the_first_move(driver, view):
    view.push(1, 400)
    view.push(2, 700)
    assert driver("head.move(0, 2000, 500)") == "500"
    assert driver("finish()") == "False"
    seen = [(entry["do"], entry["id"], entry["address"]) for entry in view.trace()]
    assert seen[:6] == [
        ("read", 1, POSITION),
        ("read", 2, POSITION),
        ("write", 1, GOAL),
        ("write", 2, GOAL),
        ("write", 1, TORQUE),
        ("write", 2, TORQUE),
    ]


def test_the_first_goal_is_where_it_was_measured(driver, view):
    view.push(1, 400)
    view.push(2, 700)
    assert driver("head.move(0, 2000, 500)") == "500"
    assert driver("finish()") == "False"
    first = [entry["data"][:4] for entry in view.trace() if entry["address"] == GOAL][:2]
    assert first == ["%04x" % 400, "%04x" % 700]


def test_no_head_without_its_zero(driver, view):
    for zeros in ("None, 620", "460, None"):
        assert driver("kit(%s)" % zeros).startswith("! ValueError")
    assert view.trace() == []


@pytest.mark.parametrize("limits, goals", [("(500, 8500)", [892, 636]), ("(0, 8800)", [902, 620])])
def test_the_pitch_stays_within_its_limits(driver, view, limits, goals):
    assert driver("servos.__init__(bus, kit(460, 620, pitch_cd=%s))" % limits) == "None"
    assert driver("servos.write(0, 32000, 100)") == "None"
    assert driver("servos.write(0, -32000, 100)") == "None"
    told = [int(entry["data"][:4], 16) for entry in view.trace() if entry["id"] == 2]
    assert told == goals


@pytest.mark.parametrize("limits", ["(-100, 8500)", "(500, 8900)"])
def test_no_preference_widens_the_hard_limits(driver, view, limits):
    assert driver("kit(460, 620, pitch_cd=%s)" % limits).startswith("! ValueError")
    assert view.trace() == []


@pytest.mark.parametrize("fault", ["hang", "mute", "checksum"])
def test_a_write_that_is_not_acknowledged_is_a_fault_and_is_not_repeated(driver, view, fault):
    view.fail(fault)
    driver("patience(50)")
    for call in ("servos.write(500, 2500, 100)", "bus.torque(1, True)", "bus.move(1, 460, 20)"):
        view.trace()
        assert driver(call).startswith("! servo_fault: servo 1 ")
        assert len(view.trace()) == 1, call


def test_a_bus_that_hangs_ends_the_motion_and_is_left_in_peace(driver, view):
    assert driver("head.move(6000, 4000, 3000)") == "3000"
    assert driver("run(500)") == "True"
    view.trace()
    view.fail("hang")
    driver("patience(20)")
    assert driver("finish()") == "False"
    assert driver("head.fault").startswith("ServoFault(")
    # Three goals in vain, and letting go, ever less often.
    assert len(view.trace()) <= 3 + 2 + 2
    assert driver("head.move(0, 2000)").startswith("! servo_fault: ")
    # A question for the position is all that a new command costs, asked twice.
    view.trace()
    assert driver("head.move(0, 2000)").startswith("! servo_fault: ")
    assert [entry["do"] for entry in view.trace()] == ["hang", "hang"]
    driver("run(2000)")
    assert len(view.trace()) <= 2 * 6
