"""Servos by pulse width: which pulses, from when to when, and how they move virtual servos that nobody can ask."""

from neck_moves import moved, run

from drivers.pwm_servo import PULSES, Axis, Pulses, Servos, sg90
from harness import eq, raises
from robot.errors import ServoFault
from robot.head import Head
from tsumiki.chips.pwm_servos import PwmServos


class Fault(Exception):
    pass


def neck(positions=None, profile=None, **options):
    """(servos, the virtual ones)"""
    line = PwmServos(positions, {0: (550, 2400), 1: (1170, 1570)})
    makers = (line.maker(0), line.maker(1))
    return Servos(makers, profile or sg90(), line.sleep_ms, error=ServoFault, **options), line


def widths(line, id):
    return [ns // 1000 for _, which, _, ns in line.trace if which == id]


def test_the_widths_of_angles():
    # 0, 90, 180 degrees of a servo are its first pulse, the middle and its last.
    for name, first, middle, last in (
        ("stack-chan", 500, 1450, 2400),
        ("servoeasing", 544, 1472, 2400),
        ("uiflow", 500, 1500, 2500),
    ):
        eq(PULSES[name], (first, last))
        axis = Axis(0, -9000, 9000, pulses=name)
        eq([axis.raw(cd) for cd in (-9000, 0, 9000)], [first, middle, last])
    yaw, pitch = sg90().yaw, sg90().pitch
    eq([yaw.raw(cd) for cd in (-6000, 3000, 6000)], [817, 1767, 2083])
    # Up is the shorter pulse.
    eq([pitch.raw(cd) for cd in (2500, 0, -1000)], [1186, 1450, 1556])
    for axis in (yaw, pitch):
        for cd in range(axis.min_cd, axis.max_cd, 7):
            assert abs(axis.cd(axis.raw(cd)) - cd) <= 5, cd


def test_a_trim_moves_the_middle_and_not_the_range():
    profile = sg90(trims_cd=(500, -300))
    eq((profile.yaw.raw(0), profile.pitch.raw(0)), (1502, 1418))
    eq((profile.yaw_min_cd, profile.yaw_max_cd), (-6000, 6000))
    # So far aside that the pulses do not reach.
    eq(Axis(0, -8000, 8000, trim_cd=3000).max_cd, 6006)


def test_there_is_no_pulse_before_torque_and_none_after_it():
    servos, line = neck()
    eq(servos.read(), [0, 0])
    servos.write(1000, 500, 100)
    eq(line.trace, [])
    servos.torque(True)
    eq(line.trace, [(0, 0, 50, 1556000), (100, 1, 50, 1397000)])
    servos.write(2000, 500, 100)
    eq(line.trace[2:], [(100, 0, 50, 1661000)])
    servos.torque(False)
    eq(line.trace[3:], [(100, 0, 50, 0), (100, 1, 50, 0)])
    servos.torque(False)
    eq(len(line.trace), 5)
    servos.write(0, 0, 100)
    eq(len(line.trace), 5)
    eq(line.faults, [])


def test_the_pose_is_what_was_told_last():
    servos, line = neck({0: 2000, 1: 1300})
    eq(servos.read(), [0, 0])
    servos.torque(True)
    servos.write(3000, 1000, 100)
    for told, seen in zip((3000, 1000), servos.read()):
        assert abs(told - seen) <= 5
    servos.torque(False)
    line.push(0, 900)
    assert abs(servos.read()[0] - 3000) <= 5


def test_torque_twice_makes_one_pwm():
    servos, line = neck()
    servos.torque(True)
    servos.torque(True)
    eq(len(line.trace), 2)


def test_the_first_motion_is_slow_and_the_next_is_not():
    servos, line = neck()
    eq(servos.profile.max_cd_per_s, 3000)
    head = Head(servos)
    run(head, line, 20)
    eq(head.move(6000, 0, 500), 3000)
    run(head, line, 4000)
    eq((head.busy, line.position(0)), (False, 2083))
    eq(servos.profile.max_cd_per_s, 18000)
    eq(head.move(0, 0, 500), 500)
    # Letting go what never had force is no motion.
    servos, _ = neck()
    servos.torque(False)
    eq(servos.profile.max_cd_per_s, 3000)


def test_the_head_moves_in_short_pieces_and_lets_go():
    servos, line = neck()
    moved(servos, line, 0, 0)
    del line.trace[:]
    head = moved(servos, line, 3000, 2000, 1000)
    eq((line.position(0), line.position(1)), (1767, 1239))
    eq([motor.on for motor in line.motors.values()], [False, False])
    eq((line.faults, head.fault), ([], None))
    for id in (0, 1):
        told = widths(line, id)[:-1]
        pieces = [abs(b - a) for a, b in zip(told, told[1:])]
        assert len(pieces) > 20 and max(pieces) < 22, pieces
    times = [entry[0] for entry in line.trace]
    assert len(line.trace) <= 60 and times[-1] - times[0] < 1400, (len(line.trace), times[-1] - times[0])


def test_one_starts_after_the_other():
    servos, line = neck(gap_ms=0)
    servos.torque(True)
    eq(line.faults, ["servo 1: starts with another"])


def test_no_pulse_is_beyond_the_profile():
    servos, line = neck(profile=sg90(yaw_cd=(-8000, 8000)))
    servos.torque(True)
    for pose in ((20000, 20000), (-20000, -20000)):
        servos.write(pose[0], pose[1], 100)
    eq(widths(line, 0)[1:], [2294, 606])
    eq(widths(line, 1)[1:], [1186, 1556])
    eq(line.faults, [])


def test_a_profile_has_limits_that_no_preference_widens():
    profile = sg90()
    eq(
        (profile.yaw_min_cd, profile.yaw_max_cd, profile.pitch_min_cd, profile.pitch_max_cd),
        (-6000, 6000, -1000, 2500),
    )
    raises(ValueError, sg90, yaw_cd=(-8100, 6000))
    raises(ValueError, sg90, pitch_cd=(-1000, 2600))
    raises(ValueError, sg90, pitch_cd=(-1100, 2500))
    raises(ValueError, sg90, pulses="sg9")
    raises(ValueError, Axis, 2, -6000, 6000)


def test_a_width_that_no_servo_has_is_refused():
    line = PwmServos()
    pulses = Pulses((line.maker(0), line.maker(1)), (1450, 1450))
    pulses.torque(0, True)
    for us in (499, 2501, 0):
        raises(ValueError, pulses.move, 0, us, 0)
    pulses.move(0, 500, 0)
    pulses.move(0, 2500, 0)
    eq(widths(line, 0), [1450, 500, 2500])


def test_without_the_owner_s_leave_there_is_no_pulse():
    servos, line = neck(enabled=False)
    raises(ServoFault, servos.torque, True)
    raises(ServoFault, servos.write, 0, 0, 100)
    servos.torque(False)
    eq(line.trace, [])


def test_a_pwm_that_fails_does_not_keep_the_other_on():
    class Broken:
        def __init__(self, freq, duty_ns):
            pass

        def deinit(self):
            raise OSError(5)

    line = PwmServos()
    servos = Servos((Broken, line.maker(1)), sg90(), line.sleep_ms)
    servos.torque(True)
    assert line.motors[1].on
    raises(OSError, servos.torque, False)
    assert not line.motors[1].on


def test_writing_allocates_nothing():
    from micropython import heap_lock, heap_unlock

    class Still:
        def __init__(self, freq, duty_ns):
            pass

        def duty_ns(self, ns):
            pass

        def deinit(self):
            pass

    servos = Servos((Still, Still), sg90(), lambda ms: None)
    servos.torque(True)
    heap_lock()
    try:
        servos.read()
        servos.write(100, 600, 100)
        servos.torque(False)
    finally:
        heap_unlock()


def test_the_virtual_servos_mind_what_real_ones_would():
    line = PwmServos(stops={0: (600, 2300)})
    pwm = line.maker(0)(freq=60, duty_ns=1450000)
    for us in (499, 2501, 599, 2301):
        pwm.duty_ns(us * 1000)
    eq(
        line.faults,
        [
            "servo 0: 60 Hz",
            "servo 0: 60 Hz",
            "servo 0: a pulse of 499 us",
            "servo 0: 60 Hz",
            "servo 0: a pulse of 2501 us",
        ]
        + ["servo 0: 60 Hz", "servo 0: pushes against its stop at 599 us"]
        + ["servo 0: 60 Hz", "servo 0: pushes against its stop at 2301 us"],
    )
    pwm.deinit()
    raises(ValueError, pwm.duty_ns, 1450000)


def test_a_virtual_servo_goes_at_its_own_speed_from_wherever_it_is():
    line = PwmServos({0: 2000})
    pwm = line.maker(0)(freq=50, duty_ns=1367000)
    line.wait(50)
    assert abs(line.position(0) - 1683) < 3, line.position(0)
    pwm.deinit()
    line.wait(1000)
    assert abs(line.position(0) - 1683) < 3, line.position(0)
    line.push(0, 1000)
    line.maker(0)(freq=50, duty_ns=1367000)
    line.push(0, 2000)
    line.wait(60)
    eq(line.position(0), 1367)
