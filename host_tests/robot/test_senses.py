"""The ring of events: numbers, overflow, kinds; and ports that fail."""

from feeling import Hand, Imu, Inputs, Quiet
from heap import dice, without_heap

from harness import eq, raises
from robot.senses import Senses


def _senses(size=64):
    inputs = Inputs()
    return Senses(inputs, None, size), inputs


def _feel(senses, inputs, *events):
    inputs.queue.append(list(events))
    senses.step(0)


def _seqs(events):
    return [event["seq"] for event in events]


def test_an_event_is_numbered_and_grows_old():
    senses, inputs = _senses()
    eq((senses.last_seq, senses.events(), senses.missed(0)), (0, [], 0))
    inputs.queue += [[], [("button", "a", 1)]]
    senses.step(100)
    senses.step(120)
    eq(senses.last_seq, 1)
    senses.step(150)
    eq(senses.events(), [{"seq": 1, "kind": "button", "name": "a", "value": 1, "age_ms": 30}])
    eq(inputs.polls, [100, 120, 150])


def test_kinds_are_those_of_the_parts():
    imu = Imu(dice())
    eq(Senses(Inputs(), imu).kinds, ("button", "touch", "imu"))
    eq(Senses(Inputs(), None).kinds, ("button", "touch"))
    eq(Senses(None, imu).kinds, ("imu",))


def test_events_of_a_kind_since_a_number_up_to_a_limit():
    senses, inputs = _senses()
    for i in range(10):
        _feel(senses, inputs, ("button" if i % 2 else "touch", "n", i))
    eq(_seqs(senses.events()), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    eq(_seqs(senses.events("touch")), [1, 3, 5, 7, 9])
    eq(_seqs(senses.events("imu")), [])
    eq(_seqs(senses.events(None, 8)), [9, 10])
    eq(_seqs(senses.events("button", 4)), [6, 8, 10])
    eq(_seqs(senses.events(None, 10)), [])
    eq(_seqs(senses.events(None, 9)), [10])
    # With a number the next ones, to go on from; without one the latest.
    eq(_seqs(senses.events(None, 2, 3)), [3, 4, 5])
    eq(_seqs(senses.events("button", 2, 2)), [4, 6])
    eq(_seqs(senses.events(None, 0, 3)), [8, 9, 10])
    eq(_seqs(senses.events("touch", 0, 2)), [7, 9])
    eq(_seqs(senses.events(None, 0, 0)), [])
    eq(_seqs(senses.events(None, 3, 0)), [])


def test_a_number_of_before_a_restart_is_none():
    senses, inputs = _senses()
    for _ in range(3):
        _feel(senses, inputs, ("touch", "n", 1))
    for since in (4, 500, -1):
        eq(_seqs(senses.events(None, since)), [1, 2, 3])
    eq((senses.missed(500), senses.missed(3)), (0, 0))


def test_the_ring_forgets_the_oldest_and_says_so():
    senses, inputs = _senses(4)
    for i in range(1, 5):
        _feel(senses, inputs, ("touch", "n", i))
    eq((_seqs(senses.events()), senses.missed(0)), ([1, 2, 3, 4], 0))
    _feel(senses, inputs, ("touch", "n", 5))
    eq((_seqs(senses.events()), senses.missed(0), senses.missed(1)), ([2, 3, 4, 5], 1, 0))
    eq(_seqs(senses.events(None, 1)), [2, 3, 4, 5])
    _feel(senses, inputs, ("touch", "n", 6), ("button", "b", 7), ("touch", "n", 8))
    eq(
        (_seqs(senses.events(None, 1)), senses.missed(1), senses.missed(3), senses.missed(4)),
        ([5, 6, 7, 8], 3, 1, 0),
    )
    eq(senses.missed(99), 4)


def test_numbers_only_grow_however_often_the_ring_goes_round():
    senses, inputs = _senses(8)
    seen = 0
    missed = 0
    rng = dice(5)
    for i in range(1, 300):
        _feel(senses, inputs, *[("button", "n", i)] * rng(4))
        if rng(3) == 0:
            gap = senses.missed(seen)
            found = _seqs(senses.events(None, seen)) if seen else list(range(1, senses.last_seq + 1))[-8:]
            eq(found, list(range(seen + gap + 1, senses.last_seq + 1)))
            seen = senses.last_seq
            missed += gap
    assert senses.last_seq > 400 and missed > 0
    eq(
        [event["seq"] - event["value"] for event in senses.events()],
        [e["seq"] - e["value"] for e in senses.events()],
    )


def test_a_callback_hears_of_each_event_when_it_can_be_read():
    senses, inputs = _senses()
    heard = []
    senses.on_event = lambda kind: heard.append((kind, senses.last_seq, len(senses.events())))
    _feel(senses, inputs)
    _feel(senses, inputs, ("touch", "n", 1), ("button", "n", 1))
    eq(heard, [("touch", 1, 1), ("button", 2, 2)])


def test_inputs_that_fail_are_left_alone_for_a_second():
    senses, inputs = _senses()
    inputs.fails = 2
    inputs.queue.append([("touch", "n", 1)])
    raised = []
    for ms in range(0, 3000, 250):
        try:
            senses.step(ms)
        except OSError:
            raised.append(ms)
    eq((raised, inputs.polls[:4], senses.last_seq), ([0, 1000], [0, 1000, 2000, 2250], 1))


def test_an_imu_that_fails_hinders_no_button():
    inputs, imu = Inputs(), Imu(dice())
    senses = Senses(inputs, imu)
    imu.fails = 2
    inputs.queue += [[("button", "a", 1)], [("button", "a", 0)]]
    raises(OSError, senses.step, 0)
    senses.step(500)
    eq((senses.last_seq, imu.reads, senses.state()), (2, 1, {"last_seq": 2, "held": False, "tilted": False}))
    raises(OSError, senses.step, 1000)
    senses.step(2000)
    eq((imu.reads, senses.state()["mg"]), (3, [0, 0, 1000]))


def test_both_may_fail():
    inputs, imu = Inputs(), Imu(dice())
    senses = Senses(inputs, imu)
    inputs.fails = imu.fails = 1
    raises(OSError, senses.step, 0)
    eq((len(inputs.polls), imu.reads), (1, 1))
    senses.step(1000)
    eq((len(inputs.polls), imu.reads), (2, 2))


def test_the_imu_is_read_twenty_times_a_second():
    imu = Imu(dice())
    senses = Senses(None, imu)
    for ms in range(0, 1000, 10):
        senses.step(ms)
    eq(imu.reads, 20)


def test_what_the_status_has_of_them():
    eq(_senses()[0].state(), {"last_seq": 0})
    imu = Imu(dice())
    hand = Hand(Senses(Inputs(), imu), imu).put(1, -2, 998, 100)
    eq(hand.senses.state(), {"last_seq": 0, "held": False, "tilted": False, "mg": [1, -2, 998]})


def test_steps_allocate_nothing_when_nothing_happens():
    imu = Imu(dice(), 15)
    senses = Senses(Quiet(), imu)

    def run():
        now_ms = 0x3FFFFFFF - 4000
        for _ in range(300):
            senses.step(now_ms)
            now_ms = now_ms + 30 if now_ms < 0x3FFFFFE0 else 0

    without_heap(run)
    assert imu.reads > 100
    eq(senses.last_seq, 0)
