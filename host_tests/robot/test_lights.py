"""The frames that strips are given, how often, and nothing more."""

from heap import without_heap

from harness import eq, raises
from robot.lights import Lights, wheel
from umcp.errors import ToolError


class Strip:
    """frames: list of (ms, colours); a colour for all if they are the same."""

    def __init__(self, count=3):
        self.count = count
        self.pixels = [(9, 9, 9)] * count
        self.frames = []
        self.now_ms = 0
        self.fails = 0

    def fill(self, r, g, b):
        for i in range(self.count):
            self.set(i, r, g, b)

    def set(self, i, r, g, b):
        assert 0 <= i < self.count and min(r, g, b) >= 0 and max(r, g, b) <= 255, (i, r, g, b)
        self.pixels[i] = (r, g, b)

    def show(self):
        if self.fails:
            self.fails -= 1
            raise OSError(19)
        one = len(set(self.pixels)) == 1
        self.frames.append((self.now_ms, self.pixels[0] if one else list(self.pixels)))


class Counter:
    """A strip that allocates nothing."""

    count = 12

    def __init__(self):
        self.shows = 0
        self.sum = 0

    def fill(self, r, g, b):
        self.sum = r + g + b

    def set(self, i, r, g, b):
        self.sum = r + g + b

    def show(self):
        self.shows += 1


def _run(lights, strip, ms, tick_ms=10, from_ms=0):
    """Step for a time, and take the frames."""
    end_ms = strip.now_ms + ms
    while strip.now_ms < end_ms:
        lights.step((from_ms + strip.now_ms) & 0x3FFFFFFF)
        strip.now_ms += tick_ms
    frames, strip.frames = strip.frames, []
    return frames


def _lights(count=3):
    strip = Strip(count)
    lights = Lights({"head": strip})
    eq(_run(lights, strip, 100), [(0, (0, 0, 0))])
    return lights, strip


def test_strips_are_dark_at_first():
    _lights()


def test_solid_is_written_once():
    lights, strip = _lights()
    lights.set("head", "solid", 10, 20, 30)
    eq(_run(lights, strip, 60000), [(100, (10, 20, 30))])
    lights.off("head")
    eq(_run(lights, strip, 1000), [(60100, (0, 0, 0))])


def test_blink_is_on_first_and_keeps_time():
    lights, strip = _lights()
    lights.set("head", "blink", 255, 0, 0, 250)
    eq(
        _run(lights, strip, 1100),
        [(100, (255, 0, 0)), (350, (0, 0, 0)), (600, (255, 0, 0)), (850, (0, 0, 0)), (1100, (255, 0, 0))],
    )


def test_a_late_step_keeps_the_phase():
    lights, strip = _lights()
    lights.set("head", "blink", 1, 1, 1, 100)
    frames = _run(lights, strip, 1000, 130)
    eq([ms for ms, _ in frames], [100, 230, 360, 490, 750, 880])
    eq([color[0] for _, color in frames], [1, 0, 1, 0, 1, 0])
    eq(_run(lights, strip, 1000, 200), [(1140, (1, 1, 1))])


def test_the_rainbow_turns_and_reaches_over_the_strip():
    lights, strip = _lights()
    lights.set("head", "rainbow", interval_ms=1500)
    eq(
        _run(lights, strip, 1500, 500),
        [
            (100, [(255, 0, 0), (0, 255, 0), (0, 0, 255)]),
            (600, [(0, 255, 0), (0, 0, 255), (255, 0, 0)]),
            (1100, [(0, 0, 255), (255, 0, 0), (0, 255, 0)]),
        ],
    )
    eq(_run(lights, strip, 250, 250), [(1600, [(255, 0, 0), (0, 255, 0), (0, 0, 255)])])
    eq(_run(lights, strip, 1, 1), [(1850, [(255, 255, 0), (0, 255, 255), (255, 0, 255)])])


def test_a_rainbow_of_one():
    lights, strip = _lights(1)
    lights.set("head", "rainbow", interval_ms=600)
    eq(
        [color for _, color in _run(lights, strip, 600, 100)],
        [(255, 0, 0), (255, 255, 0), (0, 255, 0)] + [(0, 255, 255), (0, 0, 255), (255, 0, 255)],
    )


def test_the_wheel_is_whole_and_has_no_leaps():
    eq(
        [wheel(place) for place in (0, 1, 254, 255, 510, 765, 766, 1019, 1020, 1529)],
        [0, 1, 254, 255, 255, 255, 254, 1, 0, 0],
    )
    for place in range(1530):
        rgb = wheel(place + 510), wheel(place), wheel(place + 1020)
        assert max(rgb) == 255 and min(rgb) == 0, (place, rgb)
        assert abs(wheel(place + 1) - rgb[1]) <= 1, place


def test_thirty_writes_a_second_at_most():
    for mode, interval_ms in (("rainbow", 50), ("rainbow", 777), ("blink", 50)):
        for tick_ms in (1, 7, 20, 33):
            lights, strip = _lights()
            lights.set("head", mode, 9, 9, 9, interval_ms)
            times = [ms for ms, _ in _run(lights, strip, 3000, tick_ms)]
            assert len(times) > 20
            for i in range(len(times) - 30):
                assert times[i + 30] - times[i] >= 1000, (mode, tick_ms, times[i])


def test_many_commands_are_no_more_writes_and_the_last_one_holds():
    lights, strip = _lights()
    shows = 0
    for i in range(200):
        lights.set("head", "solid", i, i, i)
        shows += len(_run(lights, strip, 5, 5))
    assert 25 <= shows <= 30, shows
    lights.set("head", "solid", 1, 2, 3)
    eq(_run(lights, strip, 200)[-1][1], (1, 2, 3))


def test_off_by_itself():
    lights, strip = _lights()
    lights.set("head", "blink", 5, 5, 5, 400, 1000)
    eq(
        _run(lights, strip, 5000),
        [(100, (5, 5, 5)), (500, (0, 0, 0)), (900, (5, 5, 5)), (1100, (0, 0, 0))],
    )
    eq(lights.state()["head"]["mode"], "off")
    lights.set("head", "solid", 5, 5, 5, off_ms=300)
    lights.set("head", "solid", 6, 6, 6)
    eq(_run(lights, strip, 5000), [(5100, (6, 6, 6))])


def test_ticks_may_wrap_while_it_blinks():
    plain = _lights()
    wrapped = _lights()
    frames = []
    for from_ms, (lights, strip) in ((0, plain), (0x3FFFFFFF - 400, wrapped)):
        lights.set("head", "blink", 5, 5, 5, 130, 700)
        frames.append(_run(lights, strip, 1000, from_ms=from_ms))
    eq(frames[0], frames[1])
    eq(len(frames[0]), 7)


def test_each_strip_is_its_own():
    left, right = Strip(), Strip(1)
    lights = Lights({"right": right, "left": left})
    eq(lights.names, ("left", "right"))
    lights.set("left", "solid", 1, 2, 3)
    lights.step(0)
    eq((left.frames, right.frames), ([(0, (1, 2, 3))], [(0, (0, 0, 0))]))
    lights.set("right", "solid", 7, 7, 7)
    lights.step(100)
    lights.off()
    lights.step(200)
    eq([color for _, color in left.frames], [(1, 2, 3), (0, 0, 0)])
    eq([color for _, color in right.frames], [(0, 0, 0), (7, 7, 7), (0, 0, 0)])


def test_what_is_refused_changes_nothing():
    lights = _lights()[0]
    lights.set("head", "solid", 1, 2, 3)
    before = lights.state()
    eq(raises(ToolError, lights.set, "tail", "solid", 1, 1, 1).code, "no_light")
    eq(raises(ToolError, lights.set, "head", "strobe", 1, 1, 1).code, "no_mode")
    eq(raises(ToolError, lights.off, "tail").code, "no_light")
    eq(lights.state(), before)


def test_numbers_are_clamped():
    lights, strip = _lights()
    lights.set("head", "blink", 256, -1, 999, 1)
    eq(
        lights.state(),
        {"head": {"mode": "blink", "red": 255, "green": 0, "blue": 255, "interval_ms": 50, "count": 3}},
    )
    lights.set("head", "blink", interval_ms=99999)
    eq(lights.state()["head"]["interval_ms"], 10000)
    _run(lights, strip, 100)


def test_a_strip_that_fails_is_written_again_and_hinders_no_other():
    bad, good = Strip(), Strip()
    bad.fails = 3
    lights = Lights({"bad": bad, "good": good})
    lights.set("bad", "solid", 1, 2, 3)
    lights.set("good", "solid", 4, 5, 6)
    failures = []
    for ms in range(0, 4000, 10):
        good.now_ms = bad.now_ms = ms
        try:
            lights.step(ms)
        except OSError:
            failures.append(ms)
    eq((good.frames, failures), ([(0, (4, 5, 6))], [0, 1000, 2000]))
    eq(bad.frames, [(3000, (1, 2, 3))])


def test_steps_allocate_nothing():
    strip = Counter()
    lights = Lights({"a": strip, "b": Counter()})

    def run():
        now_ms = 0x3FFFFFFF - 900
        for _ in range(300):
            now_ms = now_ms + 11 if now_ms < 0x3FFFFFF0 else 0
            lights.step(now_ms)

    for mode in ("rainbow", "blink", "solid", "off"):
        lights.set("a", mode, 1, 2, 3, 100, 2000)
        lights.set("b", "rainbow", interval_ms=10000)
        shows = strip.shows
        without_heap(run)
        assert strip.shows > shows
