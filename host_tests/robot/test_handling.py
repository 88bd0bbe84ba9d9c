"""What is done to the robot, from an accelerometer with noise."""

from feeling import Hand, Imu
from heap import dice, without_heap

from harness import eq
from robot.handling import Handling
from robot.senses import Senses


def _robot(noise=10, seed=1, from_ms=0, at=(0, 0, 1000)):
    imu = Imu(dice(seed), noise)
    hand = Hand(Senses(None, imu), imu, from_ms).put(*at, 3000)
    eq(hand.felt(), [])
    return hand


# Carried about by a hand that trembles.
def _carry(hand, ms):
    for _ in range(ms // 200):
        hand.swing(0, 220, 200)
    return hand


def test_a_desk_is_still():
    for seed in (1, 2, 3):
        hand = _robot(18, seed)
        eq(hand.rest(120000).felt(), [])
        eq((hand.senses.state()["held"], hand.senses.state()["tilted"]), (False, False))


def test_picked_up_and_put_down_once_each():
    for seed in (1, 2, 3):
        hand = _robot(seed=seed)
        eq(_carry(hand, 4000).felt(), [("pick_up", 1)])
        eq(hand.senses.state()["held"], True)
        eq(hand.rest(500).felt(), [])
        eq(hand.rest(3000).felt(), [("put_down", 1)])
        eq(hand.rest(10000).felt(), [])
        eq(_carry(hand, 1000).rest(3000).felt(), [("pick_up", 1), ("put_down", 1)])


def test_a_knock_is_no_pick_up_and_no_shake():
    hand = _robot()
    for _ in range(20):
        hand.put(0, 0, 3500, 50).put(0, 0, 1000, 2000)
    eq(hand.felt(), [])


def test_someone_who_types_is_no_pick_up():
    hand = _robot(noise=40)
    eq(hand.rest(60000).felt(), [])


def test_shaken_once_however_long():
    for axis in (0, 1, 2):
        hand = _robot()
        felt = hand.swing(axis, 1800, 3000).rest(4000).felt()
        eq([name for name, _ in felt], ["pick_up", "shake", "put_down"])
        assert 900 <= felt[1][1] <= 6000, felt


def test_shaken_again_after_a_rest():
    hand = _robot()
    for _ in range(3):
        hand.swing(0, 1800, 1500).rest(2500)
    eq([name for name, _ in hand.felt()], ["pick_up", "shake", "put_down"] * 3)


def test_two_shakes_in_a_moment_are_one():
    hand = _robot()
    hand.swing(0, 1800, 600).rest(600).swing(0, 1800, 250).rest(4000)
    eq([name for name, _ in hand.felt()], ["pick_up", "shake", "put_down"])


def test_a_gentle_hand_does_not_shake():
    hand = _robot()
    hand.swing(0, 600, 5000).rest(3000)
    eq([name for name, _ in hand.felt()], ["pick_up", "put_down"])


def _names_of_tilts(hand):
    return [(name, value) for name, value in hand.felt() if name == "tilt"]


def test_tilted_and_upright_again():
    # 45 degrees, then 10.
    for at, tilted, upright in (
        ((0, 0, 1000), (707, 0, 707), (174, 0, 985)),
        ((0, -1000, 0), (0, -707, -707), (174, -985, 0)),
        ((577, 577, 577), (0, 0, 1000), (577, 577, 577)),
    ):
        hand = _robot(at=at)
        eq(_names_of_tilts(hand.put(*tilted, 4000)), [("tilt", 1)])
        eq(hand.senses.state()["tilted"], True)
        eq(_names_of_tilts(hand.put(*upright, 4000)), [("tilt", 0)])
        eq(hand.senses.state()["tilted"], False)


def test_on_its_head():
    hand = _robot()
    eq(_names_of_tilts(hand.put(0, 0, -1000, 4000)), [("tilt", 1)])


def test_between_the_thresholds_nothing_changes():
    # 25 to 34 degrees are either: what it was.
    hand = _robot()
    for _ in range(10):
        hand.put(423, 0, 906, 2000).put(545, 0, 838, 2000)
    eq(_names_of_tilts(hand), [])
    eq(_names_of_tilts(hand.put(643, 0, 766, 3000)), [("tilt", 1)])
    for _ in range(10):
        hand.put(545, 0, 838, 2000).put(454, 0, 891, 2000)
    eq(_names_of_tilts(hand), [])


def test_noise_at_a_threshold_does_not_chatter():
    hand = _robot(noise=50)
    hand.put(574, 0, 819, 60000)
    assert len(_names_of_tilts(hand)) <= 1


def test_a_wobble_is_told_no_sooner_than_it_can_be_followed():
    hand = _robot()
    times = []
    for at in ((643, 0, 766), (0, 0, 1000)) * 2:
        hand.put(*at, 0)
        while not _names_of_tilts(hand.rest(25)):
            assert hand.now_ms < 30000
        times.append(hand.now_ms)
    gaps = [times[i + 1] - times[i] for i in range(3)]
    assert min(gaps) >= 1500 and max(gaps) <= 2500, gaps


def test_its_own_motion_is_not_felt_and_moves_upright():
    hand = _robot()
    hand.senses.moving = True
    for _ in range(10):
        hand.swing(0, 500, 200)
    hand.put(0, 707, 707, 500)
    hand.senses.moving = False
    eq(hand.rest(5000).felt(), [])
    eq(_names_of_tilts(hand.put(0, -259, 966, 3000)), [("tilt", 1)])


def test_a_robot_that_is_not_still_at_first_has_no_upright_yet():
    imu = Imu(dice(), 10)
    hand = Hand(Senses(None, imu), imu)
    _carry(hand, 2000)
    hand.put(707, 0, 707, 500)
    eq(_names_of_tilts(hand), [])
    hand.put(0, 0, 1000, 3000)
    hand.felt()
    eq(_names_of_tilts(hand.put(707, 0, 707, 2000)), [("tilt", 1)])


def test_weightless_is_no_upright():
    hand = _robot(at=(0, 0, 100))
    eq(_names_of_tilts(hand.put(0, 0, -1000, 3000).put(0, 0, 1000, 3000)), [("tilt", 1)])


def test_ticks_may_wrap():
    hand = _robot(from_ms=0x3FFFFFFF - 3500)
    hand.swing(0, 1800, 1500).rest(4000)
    eq([name for name, _ in hand.felt()], ["pick_up", "shake", "put_down"])


def test_wild_numbers_are_bounded_and_cost_no_memory():
    told = []
    handling = Handling(lambda name, value: told.append(name))
    for _ in range(30):
        handling.sample(0, 0, 1100, 0)

    def run():
        for i in range(100):
            big = 1 << 29 if i & 1 else -(1 << 29)
            handling.moves_itself()
            handling.sample(big, big, big, i * 50)

    without_heap(run)
    for i in range(40):
        big = 1 << 29 if i & 1 else -(1 << 29)
        handling.sample(big, big, big, 100000 + i * 50)
    assert told[:2] == ["pick_up", "shake"], told
