"""The face's numbers over time."""

from heap import dice, without_heap

from harness import eq, raises
from robot.face import ALL, BALLOON, EFFECT, LEFT_EYE, LIPS, RIGHT_EYE, Face
from robot.geometry import EFFECTS, EMOTIONS, EYES, MOUTH
from umcp.errors import ToolError


def calm(n):
    return n // 2


def passed(face, ms, start_ms=0, step_ms=33):
    """All flags of the steps of some time; and the time after it."""
    flags = 0
    now_ms = start_ms
    while now_ms < start_ms + ms:
        flags |= face.step(now_ms)
        now_ms += step_ms
    return flags, now_ms


def seen(face, what, ms, step_ms=33, start_ms=0):
    """Every value that `what(state)` takes in some time: a list without repeats."""
    values = []
    for now_ms in range(start_ms, start_ms + ms, step_ms):
        face.step(now_ms)
        value = what(face.state())
        if not values or values[-1] != value:
            values.append(value)
    return values


def test_a_new_face_is_neutral_and_all_of_it_is_to_be_painted():
    face = Face(calm)
    state = face.state()
    eq((state["emotion"], state["effect"], state["balloon"], state["screen"]), ("neutral", None, None, None))
    eq([eye[:2] for eye in state["eyes"]], [list(centre) for centre in EYES])
    eq(state["mouth"][:2], list(MOUTH))
    assert face.dirty & ALL and face.step(0) & ALL
    assert not face.step(33) & ALL


def test_every_emotion_has_its_own_eyes_and_its_own_mouth():
    eyes = []
    mouths = []
    for name, _, effect, _ in EMOTIONS:
        face = Face(calm)
        face.set_emotion(name)
        passed(face, 400)
        state = face.state()
        eq((state["emotion"], state["effect"]), (name, effect))
        eyes.append([eye[2:] for eye in state["eyes"]])
        mouths.append(state["mouth"][2:])
    eq(len(EMOTIONS), 8)
    for i in range(8):
        assert eyes[i] not in eyes[:i] and mouths[i] not in mouths[:i], EMOTIONS[i][0]


def test_an_emotion_takes_its_time_and_a_later_one_starts_from_what_is_seen():
    face = Face(calm)
    passed(face, 400)
    face.set_emotion("happy")
    widths = seen(face, lambda state: state["mouth"][2], 400, start_ms=433)
    eq((widths[0] < 80, widths[-1]), (True, 82))
    assert len(widths) > 3 and widths == sorted(widths), widths
    face.set_emotion("sad")
    face.step(870)
    assert 52 < face.state()["mouth"][2] < 82


def test_an_unknown_emotion_or_effect_changes_nothing():
    face = Face(calm)
    for call, name, code in (
        (face.set_emotion, "furious", "unknown_emotion"),
        (face.set_emotion, None, "unknown_emotion"),
        (face.effect, "rain", "unknown_effect"),
    ):
        eq(raises(ToolError, call, name).code, code)
    eq((face.emotion, face.effect_shown), ("neutral", None))
    face.set_emotion("angry")
    eq(face.effect_shown, "anger")


def test_a_blink_closes_the_eyes_for_a_moment_and_comes_again():
    face = Face(calm)
    heights = seen(face, lambda state: [eye[3] for eye in state["eyes"]], 10000, 20)
    eq([pair[0] for pair in heights[:6]], [14, 6, 3, 7, 14, 6])
    assert all(a == b for a, b in heights)
    blinks = sum(pair[0] == 3 for pair in heights)
    assert 2 <= blinks <= 4, blinks


def test_it_breathes():
    face = Face(calm)
    ups = seen(face, lambda state: state["mouth"][1] - MOUTH[1], 5000)
    eq((min(ups), max(ups)), (-3, 3))
    assert len(ups) < 25, "a pixel at a time: %r" % ups


def test_the_eyes_wander_a_little():
    places = seen(Face(dice()), lambda state: state["eyes"][0][0] - EYES[0][0], 20000)
    assert set(places) == {-2, -1, 0, 1, 2}, places


def test_gaze_goes_there_and_is_clamped():
    for x, y, to in ((100, 0, (12, 0)), (-100, 0, (-12, 0)), (0, 100, (0, -9)), (900, -900, (12, 9))):
        face = Face(calm)
        before = face.state()["eyes"]
        face.gaze(x, y)
        face.step(0)
        middle = face.state()["eyes"]
        passed(face, 600, 33)
        face._breath_ms = -33  # The next step is at the breath's rest.
        face.step(1000 - 33)
        for i in range(2):
            eq(face.state()["eyes"][i][0] - before[i][0], to[0])
            assert abs(middle[i][0] - before[i][0]) <= abs(to[0])
        eq(face._gaze_y, to[1])


def test_the_mouth_opens_by_level_and_closes():
    face = Face(calm)
    heights = []
    now_ms = 0
    for level in (0, 50, 100, 1000, 0, -5):
        face.mouth(level)
        _, now_ms = passed(face, 500, now_ms)
        heights.append((face.state()["open"], face.state()["mouth"][3]))
    eq(heights, [(0, 6), (50, 26), (100, 46), (100, 46), (0, 6), (0, 6)])


def test_an_open_mouth_of_any_emotion_is_taller_than_a_closed_one():
    for name, _, _, _ in EMOTIONS:
        face = Face(calm)
        face.set_emotion(name)
        _, now_ms = passed(face, 500)
        closed = face.state()["mouth"][3]
        face.mouth(100)
        passed(face, 500, now_ms)
        assert face.state()["mouth"][3] >= closed + 10, name


def test_effects_move_until_they_go():
    for name in EFFECTS:
        face = Face(calm)
        face.effect(name)
        eq(seen(face, lambda state: state["effect_phase"], 1240, 10), [0, 1, 2, 3, 4, 5, 6, 7])
        face.effect(None)
        assert face.step(2000) & EFFECT
        eq(passed(face, 3000, 2033)[0] & EFFECT, 0)
        eq(face.state()["effect"], None)


def test_colours():
    face = Face(calm)
    passed(face, 100)
    face.colors((255, 128, 0), None)
    face.colors(None, (1, 2, 3))
    assert face.step(200) & ALL
    eq((face.state()["primary"], face.state()["secondary"]), (0xFF8000, 0x010203))


def test_only_what_changes_is_told():
    face = Face(calm)
    passed(face, 100)
    face.dirty = 0
    face.mouth(100)
    flags = face.step(133)
    eq((flags, face.dirty), (flags, flags))
    assert flags & LIPS and not flags & (EFFECT | BALLOON | ALL | LEFT_EYE | RIGHT_EYE)
    eq(face.step(140), 0)
    eq(face.dirty, flags)
    face.balloon("hi", 1000)
    face.effect("heart")
    eq(face.dirty & (BALLOON | EFFECT), BALLOON | EFFECT)
    eq(face.step(180) & (BALLOON | EFFECT), BALLOON | EFFECT)


def test_the_balloon_goes_in_time():
    face = Face(calm)
    passed(face, 100)
    face.balloon("hello", 1000)
    eq(face.state()["balloon"], ["hello"])
    passed(face, 950, 132)
    eq(face.state()["balloon"], ["hello"])
    flags, _ = passed(face, 150, 1122)
    eq((face.state()["balloon"], bool(flags & BALLOON)), (None, True))
    face.balloon("stays", None)
    passed(face, 70000, 2000, 500)
    eq(face.state()["balloon"], ["stays"])
    face.balloon(None)
    eq((face.state()["balloon"], face.step(90000) & BALLOON), (None, BALLOON))


def test_the_screen_takes_the_place_of_the_face():
    face = Face(calm)
    passed(face, 100)
    face.screen(["http://robot.local/", "hello"], 150)
    assert face.step(200) & ALL
    eq(face.state()["screen"], {"lines": ["http://robot.local/", "hello"], "battery_percent": 100})
    face.screen(None)
    assert face.step(300) & ALL
    eq(face.state()["screen"], None)
    face.screen(["x" * 1000] * 30)
    eq([len(line) for line in face.state()["screen"]["lines"]], [160] * 9)


def test_time_may_wrap_stand_still_or_jump():
    face = Face(dice())
    face.balloon("wrap", 2000)
    _, now_ms = passed(face, 990, 0x3FFFFFFF - 500)
    for i in range(60):
        face.step((now_ms + 33 * i) & 0x3FFFFFFF)
    eq(face.state()["balloon"], None)
    for now_ms in (10**6, 10**6, 10**9, 10**9 + 33):
        face.step(now_ms)
    eq(len(face.state()["eyes"]), 2)
    for value in face.state()["eyes"][0]:
        assert -400 < value < 400


def test_a_step_allocates_nothing():
    face = Face(calm)
    random = dice(7)
    now_ms = 0x3FFFFFFF - 10000
    for name, _, _, _ in EMOTIONS * 3:
        face.set_emotion(name)
        face.mouth(random(101))
        face.gaze(random(201) - 100, random(201) - 100)
        face.balloon("one two three four five six seven eight nine ten, and so on to the end of it", 3000)
        for _ in range(40):
            now_ms = (now_ms + 33) & 0x3FFFFFFF
            steps.set(face, now_ms)
            without_heap(steps.run)


class _Steps:
    def set(self, face, now_ms):
        self.face = face
        self.now_ms = now_ms

    def run(self):
        return self.face.step(self.now_ms)


steps = _Steps()


def test_the_state_is_plain_and_its_own():
    face = Face(calm)
    face.balloon("a", None)
    face.screen(["b"])
    state = face.state()
    state["eyes"][0][0] = 999
    state["balloon"][0] = "z"
    assert face.state()["eyes"][0][0] != 999 and face.state()["balloon"] == ["a"]

    def plain(value):
        if type(value) is dict:
            return all(type(k) is str and plain(v) for k, v in value.items())
        if type(value) is list:
            return all(plain(v) for v in value)
        return value is None or type(value) in (int, str)

    assert plain(state)
