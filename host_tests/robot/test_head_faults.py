"""The head when the bus fails, the loop stalls or too much is wanted: it is let go in the end whatever happens."""

from fake_servos import code, goals, made, most_in_a_second, run
from heap import dice

from harness import eq
from robot.errors import ServoFault
from robot.pace import Pace


def test_a_dead_bus_is_a_refusal_and_nothing_moves():
    head, servos = made()
    servos.fails = True
    for call in (head.pose, lambda: head.move(0, 0), lambda: head.gesture("nod"), lambda: head.torque(True)):
        eq(code(call), "servo_fault")
    assert not head.busy
    run(head, servos, 1000)
    eq(servos.trace, [])
    servos.fails = False
    head.move(500, 0)
    run(head, servos, 2000)
    eq(servos.at[0], 500)


def test_lost_answers_do_not_end_a_motion():
    for lost_at_ms in range(0, 600, 20):
        head, servos = made()
        head.move(3000, 2000, 500)
        run(head, servos, lost_at_ms)
        servos.deaf = 2
        run(head, servos, 2000)
        eq((servos.deaf, servos.on, head.busy, head.fault), (0, [False, False], False, None))
        if lost_at_ms < 300:
            eq(servos.at, [3000, 2000])


def test_a_bus_that_dies_ends_the_motion_and_is_let_go_when_it_comes_back():
    for dies_ms in range(0, 700, 20):
        head, servos = made()
        head.move(3000, 2000, 500)
        run(head, servos, dies_ms)
        servos.fails = True
        run(head, servos, 3000)
        assert not head.busy
        if not servos.on[0] and not servos.trace[-1][3]:
            continue
        eq(type(head.fault), ServoFault)
        first = next(row for row in servos.told("torque") if row[3] is False)[0]
        assert first <= 20 + 40 + 500 + 150, first
        servos.fails = False
        run(head, servos, 9000)
        eq(servos.on, [False, False])
        count = len(servos.trace)
        run(head, servos, 20000)
        eq(len(servos.trace), count)


def test_trying_to_let_go_gets_rare():
    head, servos = made()
    head.move(3000, 0, 500)
    run(head, servos, 300)
    servos.fails = True
    run(head, servos, 60000)
    tries = [row[0] for row in servos.told("torque") if row[2:4] == (0, False)]
    gaps = [b - a for a, b in zip(tries, tries[1:])]
    eq(gaps[:4], [100, 200, 400, 800])
    assert 5000 <= max(gaps) <= 5020 and len(tries) < 20


def test_a_motion_while_letting_go_fails_arms_anew():
    head, servos = made()
    head.move(3000, 0, 500)
    run(head, servos, 300)
    servos.fails = True
    run(head, servos, 1000)
    servos.fails = False
    del servos.trace[:]
    head.move(0, 0, 500)
    eq(head.fault, None)
    assert head.busy
    run(head, servos, 3000)
    eq([row[1] for row in servos.trace[:4]], ["write", "write", "torque", "torque"])
    eq((servos.at, servos.on), ([0, 0], [False, False]))


def test_a_loop_that_stalls_stretches_the_motion():
    head, servos = made()
    head.move(6000, 0, 1000)
    run(head, servos, 400)
    servos.now_ms += 3000
    run(head, servos, 6000)
    eq((servos.at[0], servos.on[0]), (6000, False))
    way = goals(servos, 0)
    assert max(b - a for a, b in zip(way, way[1:])) < 3000, way


def test_the_clock_may_wrap():
    head, servos = made()
    servos.now_ms = (1 << 30) - 500
    for axis in range(2):
        servos.since_ms[axis] = servos.now_ms
    head.move(3000, 500, 1000)
    run(head, servos, (1 << 30) + 2000)
    eq((servos.at, servos.on), ([3000, 500], [False, False]))
    assert most_in_a_second(servos.trace) <= 20


def test_never_more_than_20_writes_in_a_second():
    for every_ms in (1, 5, 10, 20, 33, 50):
        head, servos = made(rng=dice())
        head.idle(True)
        random = dice(7)
        for i in range(60):
            head.move(random(9000) - 4500, random(4000), 100 + random(900))
            run(head, servos, servos.now_ms + random(1500), every_ms)
            if i % 9 == 0:
                head.torque(False)
                run(head, servos, servos.now_ms + 60, every_ms)
                head.torque(True)
        assert 10 < most_in_a_second(servos.trace) <= 20, most_in_a_second(servos.trace)


def test_pace_counts_a_sliding_second():
    pace = Pace(4)
    pace.note(0, 3)
    eq([pace.fits(999, n) for n in (1, 2)], [True, False])
    pace.note(999, 1)
    eq([pace.fits(999, 1), pace.fits(1000, 3), pace.fits(1000, 4)], [False, True, False])
    pace.note(1000, 3)
    eq(
        [pace.fits(1998, 1), pace.fits(1999, 1), pace.fits(1999, 2), pace.fits(2000, 4)],
        [False, True, False, True],
    )
