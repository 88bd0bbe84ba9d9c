"""What all necks share: angles and limits, the owner's leave, the gap between two servos, and who is told what."""

from drivers.neck import Axis, Profile, Servos, within
from drivers.scs0009 import kit
from harness import eq, raises


class Fault(Exception):
    pass


class Counts(Axis):
    IDS = (1, 9)
    RAW = (-1500, 1500)


class Bus:
    """Notes what it is told.  dead: ids that do not answer."""

    longest_ms = 1000

    def __init__(self):
        self.calls = []
        self.dead = ()
        self.at = {1: 100, 2: -100}

    def _note(self, *call):
        self.calls.append(call)
        if call[1] in self.dead:
            raise Fault("servo %d does not answer" % call[1])

    def position(self, id):
        self._note("position", id)
        return self.at[id]

    def move(self, id, raw, time_ms):
        self._note("move", id, raw, time_ms)

    def torque(self, id, on):
        self._note("torque", id, on)


def profile():
    # Tenths of a degree, the second one turned round.
    yaw = Counts(1, 0, -9000, 9000, 1, -1500, 1500, 1, 10)
    pitch = Counts(2, 0, -1000, 2500, -1, -1500, 1500, 1, 10)
    return Profile(yaw, pitch)


def made(**options):
    bus = Bus()
    return Servos(bus, profile(), **options), bus


def test_counts_below_zero_are_angles_too():
    servos, bus = made()
    eq(servos.read(), [1000, 1000])
    servos.write(-9000, 2500, 50)
    eq(bus.calls[2:], [("move", 1, -900, 50), ("move", 2, -250, 50)])
    axis = servos.profile.yaw
    # -1 is a goal like any other, and no sign of an unknown one.
    servos.write(-10, 2500, 50)
    eq(axis.goal, -1)
    servos.write(-10, 2500, 50)
    eq(len(bus.calls), 5)


def test_every_write_is_clamped_to_the_profile_and_to_the_longest_time():
    servos, bus = made()
    servos.write(1 << 20, 1 << 20, 1 << 20)
    servos.write(-(1 << 20), -(1 << 20), 0)
    eq([call[2:] for call in bus.calls], [(900, 1000), (-250, 1000), (-900, 0), (100, 0)])


def test_nothing_is_sent_before_it_is_asked_for():
    _, bus = made()
    eq(bus.calls, [])


def test_without_the_owner_s_leave_nothing_moves_and_all_can_be_let_go():
    servos, bus = made(enabled=False, error=Fault)
    for call in (lambda: servos.write(0, 0, 100), lambda: servos.torque(True)):
        eq(str(raises(Fault, call)), "the owner has not enabled the servos")
    eq(bus.calls, [])
    eq(servos.read(), [1000, 1000])
    servos.torque(False)
    eq(bus.calls[2:], [("torque", 1, False), ("torque", 2, False)])


def test_the_second_is_switched_on_after_a_gap_and_off_without_one():
    bus = Bus()
    slept = []

    def sleep_ms(ms):
        slept.append((ms, len(bus.calls)))

    servos = Servos(bus, profile(), gap_ms=100, sleep_ms=sleep_ms)
    servos.torque(True)
    eq(slept, [(100, 1)])
    eq(bus.calls, [("torque", 1, True), ("torque", 2, True)])
    servos.torque(False)
    eq(len(slept), 1)


def test_one_that_is_gone_does_not_keep_the_other_on():
    servos, bus = made()
    bus.dead = (1,)
    eq(str(raises(Fault, servos.torque, False)), "servo 1 does not answer")
    eq(bus.calls, [("torque", 1, False), ("torque", 2, False)])


def test_a_goal_that_was_not_taken_is_told_again():
    servos, bus = made()
    bus.dead = (2,)
    raises(Fault, servos.write, 0, 0, 100)
    bus.dead = ()
    servos.write(0, 0, 100)
    eq([call[1] for call in bus.calls], [1, 2, 2])
    servos.torque(False)
    servos.write(0, 0, 100)
    eq([call[1] for call in bus.calls[5:]], [1, 2])


def test_after_a_lost_answer_the_old_goal_is_told_again_too():
    servos, bus = made()
    servos.write(1000, 0, 100)
    bus.dead = (1,)
    raises(Fault, servos.write, 2000, 0, 100)
    bus.dead = ()
    # It may have taken the other one, or not.
    servos.write(1000, 0, 100)
    eq(bus.calls[3:], [("move", 1, 100, 100)])


def test_an_axis_that_makes_no_sense_is_refused():
    right = (1, 0, -9000, 9000, 1, -1500, 1500, 1, 10)
    Counts(*right)
    for at, wrong in (
        (0, 0),
        (0, 10),
        (1, None),
        (1, True),
        (1, 1501),
        (2, 9001),
        (4, 0),
        (5, -1501),
        (6, 1501),
    ):
        values = list(right)
        values[at] = wrong
        raises(ValueError, Counts, *values)
    for at in (7, 8):
        values = list(right)
        values[at] = 0
        raises(ValueError, Counts, *values)
    # The base is nobody's servo.
    raises(ValueError, Axis, *right)


def test_a_preference_may_narrow_and_widen_but_not_beyond_the_hard_limits():
    eq(within("pitch", (500, 8500), (0, 8800)), (500, 8500))
    eq(within("pitch", (0, 8800), (0, 8800)), (0, 8800))
    for wrong in ((-1, 8500), (500, 8801), (8500, 500)):
        assert "pitch" in str(raises(ValueError, within, "pitch", wrong, (0, 8800)))


def test_the_kit_s_limits():
    usual = kit(460, 620)
    eq((usual.pitch_min_cd, usual.pitch_max_cd), (500, 8500))
    wide = kit(460, 620, pitch_cd=(0, 8800))
    eq((wide.pitch_min_cd, wide.pitch_max_cd), (0, 8800))
    eq([wide.pitch.raw(cd) for cd in (-9000, 0, 8800, 9000)], [620, 620, 902, 902])
    narrow = kit(460, 620, yaw_cd=(-4500, 4500))
    eq((narrow.yaw_min_cd, narrow.yaw_max_cd), (-4500, 4500))
    raises(ValueError, kit, 460, 620, pitch_cd=(-100, 8500))
    raises(ValueError, kit, 460, 620, pitch_cd=(500, 8900))
    raises(ValueError, kit, 460, 620, yaw_cd=(-12900, 0))
