"""The gestures: what their table comes to for a head, and what the head makes of it."""

from fake_servos import Profile, Servos, most_in_a_second, run

from harness import eq, raises
from robot.gestures import GESTURES, NAMES, path
from robot.head import Head
from robot.tools_head import MOTIONS
from umcp.errors import ToolError

LOW = (-9000, -1000)
HIGH = (9000, 8500)
WANTED = (
    "nod shake_head look_left look_right look_up look_down center greet bow celebrate think surprised sleepy"
)


def keys(name, intensity=100, start=(0, 2000), home=(0, 0), low=LOW, high=HIGH):
    found = path(name, intensity, start, home, low, high)
    return [tuple(found[i : i + 3]) for i in range(0, len(found), 3)]


def test_there_are_thirteen_and_the_tool_offers_them():
    eq(NAMES, tuple(WANTED.split()))
    eq(MOTIONS, NAMES)


def test_the_table_is_within_reason():
    for _, _, *frames in GESTURES:
        eq({len(frame) for frame in frames}, {3})
        assert all(abs(yaw) <= 60 and abs(pitch) <= 60 and 100 <= ms <= 5000 for yaw, pitch, ms in frames)
        assert sum(frame[2] for frame in frames) < 6000


def test_intensity_scales_the_angles():
    eq(keys("look_left", 50), [(3000, 0, 500)])
    eq(keys("look_right", 100), [(-6000, 0, 500)])
    eq(keys("look_up", 50), [(0, 3000, 500)])
    eq(keys("nod", 50), [(0, 800, 220), (0, 2400, 220), (0, 800, 220), (0, 2000, 220)])
    for name in NAMES:
        for yaw, pitch, _ in keys(name, 0, start=(0, 0)):
            eq((yaw, pitch), (0, 0))


def test_what_looks_somewhere_is_relative_to_home():
    eq(keys("center", start=(5000, 5000), home=(100, 2000)), [(100, 2000, 500)])
    eq(keys("look_left", 50, start=(-4000, 5000), home=(0, 2000)), [(3000, 2000, 500)])


def test_what_does_not_ends_where_it_began():
    for name, from_home, *_ in GESTURES:
        if not from_home:
            for start in ((0, 0), (9000, 8500), (-9000, -1000), (3210, 4560)):
                eq(keys(name, 80, start=start)[-1][:2], start)


def test_near_a_limit_a_gesture_has_its_room():
    for name, from_home, *_ in GESTURES:
        if from_home:
            continue
        free = keys(name, 60, start=(0, 3500))
        for start in ((9000, 8500), (-9000, -1000)):
            near = keys(name, 60, start=start)
            for axis in range(2):
                swing = [key[axis] for key in free[:-1]]
                made = [key[axis] for key in near[:-1]]
                if any(cd != free[-1][axis] for cd in swing):
                    assert max(made) - min(made) >= max(swing) - min(swing), (name, start, axis)


def test_no_gesture_leaves_the_range():
    for name in NAMES:
        for start in ((9000, 8500), (-9000, 500), (0, 500)):
            for yaw, pitch, _ in keys(name, 100, start, (0, 2000), (-9000, 500), (9000, 8500)):
                assert -9000 <= yaw <= 9000 and 500 <= pitch <= 8500, name


def test_a_name_that_is_unknown_moves_nothing():
    servos = Servos()
    eq(raises(ToolError, Head(servos).gesture, "dance").code, "no_gesture")
    eq(servos.trace, [])


def test_the_head_makes_each_of_them():
    for name in NAMES:
        for start in ((0, 0), (2000, 3000)):
            servos = Servos(Profile, start[0], start[1])
            head = Head(servos)
            duration_ms = head.gesture(name, 60)
            frames = keys(name, 60, start)
            assert duration_ms >= sum(frame[2] for frame in frames)
            run(head, servos, duration_ms + 300)
            eq((servos.at, head.busy, servos.on[0]), (list(frames[-1][:2]), False, False))
            on, off = [row[0] for row in servos.told("torque") if row[2] == 0]
            assert off - on <= duration_ms + 150
            assert most_in_a_second(servos.trace) <= 20
            _reaches(servos, frames, name)


# Each extreme of the table is one that the servos were told.
def _reaches(servos, frames, name):
    for axis in range(2):
        told = [row[3] for row in servos.told("write") if row[2] == axis]
        for frame in frames:
            assert min(abs(cd - frame[axis]) for cd in told) <= 60, (name, axis, frame, told)
