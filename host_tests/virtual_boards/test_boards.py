"""The whole firmware on the virtual chips of each board: it boots, serves, shows a face, moves, sounds and feels."""

import pytest

from virtual_boards.robots import ALL, ENABLED, until

RED, BLUE = 0xF800, 0x001F
# Board, options, preferences; then what is found, and missing, beside what every board has.
KINDS = {
    "core": ("m5stack_core", (), {}, "buttons display power speaker", "imu servos"),
    "core-old": ("m5stack_core", ("old",), {}, "buttons display power speaker", "imu servos"),
    "fire": ("m5stack_core", ("fire",), {}, "buttons display imu leds power speaker", "servos"),
    "core2": ("m5stack_core2", (), {}, "display imu power speaker touch", "servos"),
    "core2-axp2101": (
        "m5stack_core2",
        ("axp2101", "bmi270", "bottom"),
        {"board.leds": 10},
        "display imu leds power speaker touch",
        "servos",
    ),
    "cores3": ("m5stack_cores3", (), {}, "amplifier display expander imu power speaker touch", "servos"),
    "kit": (
        "stackchan_kit",
        (),
        {"servo.enabled": True},
        "5V_out amplifier body display expander head_touch imu leds monitor power servos speaker touch",
        "",
    ),
    "atoms3r": ("m5stack_atoms3r", (), {}, "button display imu light", "servos"),
    "atoms3r-2026": (
        "m5stack_atoms3r",
        ("st7735s",),
        {"board.panel": "st7735s"},
        "button display imu light",
        "servos",
    ),
}
FACE = "hide_balloon set_brightness set_emotion set_face_color set_mouth_open show_balloon".split()
VOICE = "play_melody play_tone say_message set_volume".split()
HEAD = "get_head_pose look_at look_away move_head play_motion set_idle_motion set_torque".split()
SENSES = ["get_recent_events", "wait_for_event"]
ALWAYS = ["get_robot_status", "self_test"]


@pytest.fixture(params=KINDS, scope="module")
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def robot(kind, tmp_path_factory):
    from virtual_boards.robots import Robot

    name, options, preferences, _, _ = KINDS[kind]
    one = Robot(tmp_path_factory.mktemp(kind), name, preferences, options=options)
    yield one
    one.close()


def words(text):
    return sorted(word.replace("_", " ").replace("5V", "5 V") for word in text.split())


def test_it_serves_mcp_and_tells_its_parts(robot, kind):
    assert robot.told["serverInfo"]["name"] == "tsumiki"
    name, options, _, found, missing = KINDS[kind]
    told = robot.use("self_test")
    assert told["board"] == ("m5stack_fire" if "fire" in options else name)
    assert sorted(told["found"]) == words(found)
    assert sorted(told["missing"]) == words(missing)
    assert told["failing"] == {}


def test_its_tools_are_those_of_its_parts(robot, kind):
    found = words(KINDS[kind][3])
    wanted = [*FACE, *SENSES, *ALWAYS]
    wanted += VOICE if "speaker" in found else []
    wanted += HEAD if "servos" in found else []
    wanted += ["set_led"] if "leds" in found else []
    assert sorted(robot.tools()) == sorted(wanted)


def test_its_face_has_its_true_colours(robot):
    robot.use("set_face_color", key="primary", red=255, green=0, blue=0)
    robot.use("set_face_color", key="secondary", red=0, green=0, blue=255)
    assert until(lambda: set(robot.frame()) == {RED, BLUE})
    frame = robot.frame()
    lit = frame.count(RED)
    assert len(frame) in (320 * 240, 128 * 128)
    assert len(frame) // 100 < lit < len(frame) // 4
    # Two eyes in the upper half, and nothing at the edges.
    width = 320 if len(frame) == 320 * 240 else 128
    rows = [frame[y * width : (y + 1) * width] for y in range(len(frame) // width)]
    assert RED not in rows[0] + rows[-1] + [row[0] for row in rows] + [row[-1] for row in rows]
    upper = [x for row in rows[: len(rows) // 2] for x, colour in enumerate(row) if colour == RED]
    assert min(upper) < width // 2 < max(upper)
    assert not [x for x in upper if abs(x - width // 2) < width // 20]


def test_its_light(robot):
    panel = robot.wiring.panels[0][4]
    assert panel.backlight >= 99
    robot.use("set_brightness", level=40)
    assert 30 <= until(lambda: panel.backlight < 60 and panel.backlight) <= 50
    robot.use("set_brightness", level=0)
    assert until(lambda: panel.backlight == 0)
    robot.use("set_brightness", level=100)


def test_it_feels(robot, kind):
    name = KINDS[kind][0]
    lines = {
        "m5stack_core": ("button b 1", ("button", "b")),
        "m5stack_core2": ("button c 1", ("button", "c")),
        "m5stack_cores3": ("touch screen 1", ("touch", "screen")),
        "stackchan_kit": ("touch front 1", ("touch", "front")),
        "m5stack_atoms3r": ("button a 1", ("button", "a")),
    }
    line, wanted = lines[name]
    robot.feel(line)

    def felt():
        events = robot.use("get_recent_events")["events"]
        return wanted in [(one["kind"], one["name"]) for one in events]

    assert until(felt), robot.use("get_recent_events")
    robot.feel(line[:-1] + "0")


def test_it_sounds(robot, kind):
    if "speaker" not in words(KINDS[kind][3]):
        assert "play_tone" not in robot.tools()
        return
    speaker = robot.chip("speaker")
    robot.use("play_tone", hz=440, duration_ms=300)
    if KINDS[kind][0] == "m5stack_core":
        assert until(lambda: speaker.hz == 440)
        assert until(lambda: speaker.hz == 0)
    else:
        assert until(lambda: speaker.samples > 2000)


def test_its_lights(robot, kind):
    if "leds" not in words(KINDS[kind][3]):
        assert "set_led" not in robot.tools()
        return
    robot.use("set_led", led="left", mode="solid", red=255, green=0, blue=0)
    robot.use("set_led", led="right", mode="solid", red=0, green=0, blue=255)
    if KINDS[kind][0] == "stackchan_kit":
        assert until(lambda: robot.chip("body").leds == [(168, 0, 0)] * 6 + [(0, 0, 168)] * 6)
    else:
        assert until(lambda: robot.chip("leds").colours == ["400000"] * 5 + ["000040"] * 5)


def test_nothing_was_wrong(robot):
    """After all of the above."""
    assert robot.faults() == []
    assert "Traceback" not in robot.output()


def test_tools_of_the_same_name_are_the_same_on_all_boards(start):
    tools = {}
    for name in ALL:
        for tool, told in start(name, ENABLED).tools().items():
            if tool in SENSES:  # These name the kinds of events that there can be.
                kind = told["inputSchema"]["properties"]["kind"]
                assert ("imu" in kind.pop("enum")) == (name != "m5stack_core")
            tools.setdefault(tool, []).append(told)
    assert len(tools) == len(FACE + VOICE + HEAD + SENSES + ALWAYS) + 1
    for name, found in tools.items():
        assert all(told == found[0] for told in found), name
    assert len(tools["set_emotion"]) == len(ALL) and len(tools["move_head"]) == len(ALL) - 1
