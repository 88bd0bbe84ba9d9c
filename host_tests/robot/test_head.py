"""The head: smooth within its limits, started from where it is, and let go in the end."""

from fake_servos import Profile, code, goals, made, most_in_a_second, run, switches
from heap import dice, without_heap

from harness import eq


def test_a_move_arrives_and_lets_go_in_time():
    for duration_ms in (100, 500, 1230, 5000):
        head, servos = made()
        eq(head.move(1000, -400, duration_ms), duration_ms)
        run(head, servos, 6000)
        eq(servos.at, [1000, -400])
        eq(head.pose(), (1000, -400))
        on, off = switches(servos)
        eq((on[1], off[1]), (True, False))
        assert duration_ms + 100 <= off[0] - on[0] <= duration_ms + 150, (on, off)
        assert not head.busy and head.fault is None


def test_the_way_is_smooth_and_in_short_pieces():
    head, servos = made()
    head.move(6000, 0, 2000)
    run(head, servos, 3000)
    steps = goals(servos, 0)
    eq(steps[0], 0)
    eq(steps[-1], 6000)
    pieces = [b - a for a, b in zip(steps, steps[1:])]
    assert len(pieces) > 20 and min(pieces) > 0
    top = pieces.index(max(pieces))
    assert all(b - a > -30 for a, b in zip(pieces, pieces[1 : top + 1])), pieces
    assert all(a - b > -30 for a, b in zip(pieces[top:], pieces[top + 1 :])), pieces
    assert max(pieces) < 6000 * 1.6 * 80 / 2000, max(pieces)
    # The pitch was told nothing but to stay.
    eq(goals(servos, 1), [0])


def test_both_axes_take_turns():
    head, servos = made()
    head.move(3000, 3000, 1000)
    run(head, servos, 2000)
    told = servos.told("write")[2:]
    times = [row[0] for row in told]
    eq(len(set(times)), len(times))
    axes = [row[2] for row in told]
    assert all(a != b for a, b in zip(axes, axes[1:-1])), axes
    eq(servos.at, [3000, 3000])


def test_no_servo_is_faster_than_it_may_be():
    for yaw_cd in (-9000, 4000, 9000):
        head, servos = made()
        duration_ms = head.move(yaw_cd, 500, 100)
        eq(duration_ms, abs(yaw_cd) * 1500 // 18000)
        before = 0
        for until_ms in range(20, 2000, 20):
            run(head, servos, until_ms)
            servos.read()
            assert abs(servos.at[0] - before) <= 18000 * 20 // 1000 + 1, until_ms
            before = servos.at[0]
        eq(servos.at[0], yaw_cd)


def test_the_limits_of_the_profile_are_kept():
    for yaw_cd, pitch_cd, wanted in (
        (20000, 0, [9000, 0]),
        (-20000, -20000, [-9000, -1000]),
        (0, 9000, [0, 8500]),
    ):
        head, servos = made()
        head.move(yaw_cd, pitch_cd)
        run(head, servos, 3000)
        eq(servos.at, wanted)


def test_a_duration_is_bounded():
    head, _ = made()
    eq([head.move(100, 0, ms) for ms in (-5, 0, 99, 100, 5000, 5001, 10**8)], [100] * 4 + [5000] * 3)


def test_it_starts_from_the_measured_pose():
    head, servos = made()
    head.move(2000, 1000)
    run(head, servos, 2000)
    # Somebody turns the head by hand.
    servos.at[:] = [-5000, 3000]
    del servos.trace[:]
    head.move(-4000, 3000, 1000)
    run(head, servos, 4000)
    first = servos.trace[:4]
    eq([row[1:4] for row in first[:2]], [("write", 0, -5000), ("write", 1, 3000)])
    eq([row[1:4] for row in first[2:]], [("torque", 0, True), ("torque", 1, True)])
    assert all(-5000 <= cd <= -4000 for cd in goals(servos, 0))


def test_from_beyond_its_range_it_comes_back_slowly():
    head, servos = made(yaw_cd=12600)
    head.move(0, 0)
    run(head, servos, 100)
    eq(servos.trace[0][1:], ("write", 0, 9000, 3600 * 1000 // 18000))


def test_a_later_command_replaces_a_running_one_from_where_it_is():
    head, servos = made()
    head.move(8000, 0, 2000)
    run(head, servos, 1000)
    here = head.pose()[0]
    assert 2500 < here < 5000
    del servos.trace[:]
    head.move(0, 0, 1000)
    run(head, servos, 4000)
    way = goals(servos, 0)
    assert way[0] <= here and abs(way[0] - here) < 500, way
    eq(way, sorted(way, reverse=True))
    eq(servos.at, [0, 0])
    # The torque was on all along: it was let go once.
    eq([on for _, on in switches(servos)], [False])
    assert 2000 < switches(servos)[0][0] <= 1000 + 20 + 1000 + 150


def test_many_commands_are_one_motion():
    head, servos = made()
    for i in range(40):
        head.move(100 * i, 50 * i, 300)
        run(head, servos, 100 * (i + 1))
    run(head, servos, 6000)
    eq([on for _, on in switches(servos)], [True, False])
    eq(servos.at, [3900, 1950])
    assert most_in_a_second(servos.trace) <= 20


def test_holding_ends_by_itself_or_by_the_next_command():
    head, servos = made()
    head.move(1000, 0, 500, True)
    run(head, servos, 30000)
    assert servos.on[0] and not head.busy
    head.move(0, 0, 500)
    assert head.busy
    run(head, servos, 31000)
    assert not servos.on[0]
    head.move(1000, 0, 500, True)
    run(head, servos, 91000)
    assert servos.on[0]
    run(head, servos, 93000)
    assert not servos.on[0]


def test_torque_off_ends_all_and_refuses_what_follows():
    head, servos = made()
    head.move(5000, 0, 2000)
    run(head, servos, 1000)
    head.torque(False)
    run(head, servos, 1200)
    assert not servos.on[0] and not head.busy
    for call in (lambda: head.move(0, 0), lambda: head.gesture("nod"), lambda: head.look_at(100, 0, 0)):
        eq(code(call), "servo_off")
    del servos.trace[:]
    run(head, servos, 9000)
    eq(servos.trace, [])
    head.torque(True)
    run(head, servos, 9500)
    eq((servos.on, head.busy), ([True, True], False))
    head.move(0, 0)
    run(head, servos, 11000)
    eq((servos.on, servos.at), ([False, False], [0, 0]))


def test_stop_lets_go_at_once():
    head, servos = made()
    head.move(5000, 0, 2000)
    run(head, servos, 1000)
    head.stop()
    assert head.busy
    run(head, servos, 1040)
    assert not head.busy and not servos.on[0]
    head.stop()
    del servos.trace[:]
    run(head, servos, 2000)
    eq(servos.trace, [])


def test_looking_at_a_point():
    for point, wanted in (
        ((1000, 0, 0), (0, 0)),
        ((1000, 1000, 0), (4500, 0)),
        ((1000, -1000, 0), (-4500, 0)),
        ((1000, 0, 1000), (0, 4500)),
        ((3000, 4000, 5000), (5313, 4500)),
        ((-1, 0, 0), (9000, 0)),
        ((0, 0, 5000), (0, 8500)),
        ((1, 0, -5000), (0, -1000)),
    ):
        head, servos = made()
        head.look_at(*point)
        run(head, servos, 3000)
        assert max(abs(servos.at[i] - wanted[i]) for i in range(2)) <= 1, (point, servos.at)
    head, servos = made()
    eq(code(head.look_at, 0, 0, 0), "no_direction")
    eq(servos.trace, [])


def test_idle_motion_looks_around_lets_go_and_can_be_turned_off():
    head, servos = made(rng=dice())
    run(head, servos, 20000)
    eq(servos.trace, [])
    head.idle(True)
    seen = set()
    for _ in range(600):
        run(head, servos, servos.now_ms + 100)
        seen.add(servos.at[0] // 500)
        assert not head.busy
        assert -3000 <= servos.at[0] <= 3000 and -1000 <= servos.at[1] <= 1000
    count = len(switches(servos))
    assert len(seen) > 5 and 2 * 6 <= count <= 2 * 15, (seen, count)
    head.idle(False)
    run(head, servos, servos.now_ms + 200)
    count = len(servos.trace)
    run(head, servos, servos.now_ms + 20000)
    eq(len(servos.trace), count)
    assert not servos.on[0]


def test_idle_motion_gives_way_and_outlives_a_dead_bus():
    head, servos = made(rng=dice())
    head.idle(True)
    while not servos.on[0]:
        run(head, servos, servos.now_ms + 20)
    head.move(6000, 0, 500)
    assert head.busy
    run(head, servos, servos.now_ms + 1000)
    eq(servos.at, [6000, 0])
    servos.fails = True
    run(head, servos, servos.now_ms + 30000)
    servos.fails = False
    del servos.trace[:]
    run(head, servos, servos.now_ms + 30000)
    assert len(switches(servos)) >= 4


def test_a_limp_head_does_not_idle():
    head, servos = made(rng=dice())
    head.idle(True)
    head.torque(False)
    run(head, servos, 1000)
    del servos.trace[:]
    run(head, servos, 60000)
    eq(servos.trace, [])


def test_a_home_of_its_own():
    class High(Profile):
        pitch_min_cd = 500
        home_cd = (0, 2000)

    head, servos = made(pitch_cd=4500, profile=High)
    head.gesture("center")
    run(head, servos, 2000)
    eq(servos.at, [0, 2000])


def test_a_step_allocates_nothing():
    head, servos = made(rng=dice())
    servos.silent = True
    head.idle(True)

    def steps():
        for _ in range(1500):
            servos.now_ms += 20
            head.step(servos.now_ms)

    without_heap(steps)
    for hold in (False, True):
        head.move(3000, 1000, 800, hold)
        without_heap(steps)
    head.gesture("celebrate", 100)
    without_heap(steps)
    head.gesture("sleepy", 100)
    without_heap(steps)
