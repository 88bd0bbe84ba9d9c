"""The types of the tools: what a client may send, and what it is told. No handler runs here."""

from fake_parts import robot

from harness import eq, raises
from robot import geometry
from robot.tools import ACTS, READS, SETS, parts, rows
from robot.tools_face import EMOTIONS
from umcp.errors import Violation
from umcp.types import Object

NAMES = (
    "set_emotion show_balloon hide_balloon set_face_color set_mouth_open set_brightness say_message play_tone "
    "play_melody set_volume play_motion move_head look_at look_away get_head_pose set_torque set_idle_motion set_led "
    "get_recent_events wait_for_event get_robot_status self_test"
)
RED = {"key": "primary", "red": 255, "green": 0, "blue": 0}
LED = {"led": "left", "mode": "solid"}
POINT = {"x_mm": 5000, "y_mm": -5000, "z_mm": 0}
# tool, arguments that it takes, what the handler gets beside them
TAKEN = (
    ("set_emotion", {"emotion": "hot"}, {}),
    ("show_balloon", {"text": "x" * 80}, {}),
    ("show_balloon", {"text": "\u30b9", "duration_ms": 1000}, {}),
    ("show_balloon", {"text": "x", "duration_ms": 60000}, {}),
    ("hide_balloon", {}, {}),
    ("set_face_color", RED, {}),
    ("set_mouth_open", {"open": 100}, {}),
    ("set_brightness", {"level": 0}, {}),
    ("say_message", {"message": "x" * 500}, {"wait": True}),
    ("say_message", {"message": "x", "wait": False}, {}),
    ("play_tone", {"hz": 40, "duration_ms": 30}, {"level": 100}),
    ("play_tone", {"hz": 4000, "duration_ms": 2000, "level": 100}, {}),
    ("play_melody", {"tones": ["C4:220"]}, {"level": 100, "wait": True}),
    ("play_melody", {"tones": ["R"] * 32, "level": 0, "wait": False}, {}),
    ("set_volume", {"volume": 100}, {}),
    ("play_motion", {"motion": "celebrate"}, {"intensity": 50, "wait": True}),
    ("move_head", {"yaw": -90, "pitch": 85}, {"duration_ms": 500, "hold": False, "wait": True}),
    ("move_head", {"yaw": 90, "pitch": -10.5, "duration_ms": 5000, "hold": True, "wait": False}, {}),
    ("look_at", POINT, {"wait": True}),
    ("look_away", {}, {"wait": True}),
    ("get_head_pose", {}, {}),
    ("set_torque", {"enabled": False}, {}),
    ("set_idle_motion", {"enabled": True}, {}),
    ("set_led", LED, {"red": 0, "green": 0, "blue": 0, "interval_ms": 500}),
    ("get_recent_events", {}, {"limit": 20, "since_seq": 0}),
    ("get_recent_events", {"kind": "imu", "since_seq": 0, "limit": 64}, {}),
    ("wait_for_event", {}, {"timeout_ms": 5000}),
    ("wait_for_event", {"timeout_ms": 100}, {}),
    ("wait_for_event", {"timeout_ms": 45000}, {}),
    ("get_robot_status", {}, {}),
    ("self_test", {}, {}),
)
# tool, arguments that it refuses, the path of what is wrong
REFUSED = (
    ("set_emotion", {}, "/emotion"),
    ("set_emotion", {"emotion": "bored"}, "/emotion"),
    ("set_emotion", {"emotion": 1}, "/emotion"),
    ("set_emotion", {"emotion": "hot", "x": 1}, "/x"),
    ("show_balloon", {"text": ""}, "/text"),
    ("show_balloon", {"text": "x" * 81}, "/text"),
    ("show_balloon", {"text": "x", "duration_ms": 999}, "/duration_ms"),
    ("show_balloon", {"text": "x", "duration_ms": 60001}, "/duration_ms"),
    ("hide_balloon", {"now": True}, "/now"),
    ("set_face_color", dict(RED, key="third"), "/key"),
    ("set_face_color", dict(RED, red=256), "/red"),
    ("set_face_color", dict(RED, blue=-1), "/blue"),
    ("set_mouth_open", {"open": 101}, "/open"),
    ("set_mouth_open", {"open": 0.5}, "/open"),
    ("set_brightness", {"level": -1}, "/level"),
    ("say_message", {"message": ""}, "/message"),
    ("say_message", {"message": "x" * 501}, "/message"),
    ("play_tone", {"hz": 39, "duration_ms": 30}, "/hz"),
    ("play_tone", {"hz": 4001, "duration_ms": 30}, "/hz"),
    ("play_tone", {"hz": 440, "duration_ms": 29}, "/duration_ms"),
    ("play_tone", {"hz": 440, "duration_ms": 2001}, "/duration_ms"),
    ("play_tone", {"hz": 440, "duration_ms": 30, "level": 101}, "/level"),
    ("play_melody", {"tones": []}, "/tones"),
    ("play_melody", {"tones": ["A"] * 33}, "/tones"),
    ("play_melody", {"tones": ["A", 5]}, "/tones/1"),
    ("play_melody", {"tones": ["A" * 17]}, "/tones/0"),
    ("set_volume", {"volume": 101}, "/volume"),
    ("play_motion", {"motion": "jump"}, "/motion"),
    ("play_motion", {"motion": "nod", "intensity": 101}, "/intensity"),
    ("move_head", {"yaw": 90.1, "pitch": 0}, "/yaw"),
    ("move_head", {"yaw": 0, "pitch": -10.6}, "/pitch"),
    ("move_head", {"yaw": 0, "pitch": 85.01}, "/pitch"),
    ("move_head", {"yaw": 0}, "/pitch"),
    ("move_head", {"yaw": 0, "pitch": 0, "duration_ms": 99}, "/duration_ms"),
    ("move_head", {"yaw": 0, "pitch": 0, "duration_ms": 5001}, "/duration_ms"),
    ("move_head", {"yaw": 0, "pitch": 0, "hold": 1}, "/hold"),
    ("look_at", dict(POINT, x_mm=5001), "/x_mm"),
    ("look_at", dict(POINT, y_mm=-5001), "/y_mm"),
    ("look_at", dict(POINT, z_mm="up"), "/z_mm"),
    ("look_away", {"wait": "perhaps"}, "/wait"),
    ("get_head_pose", {"x": 1}, "/x"),
    ("set_torque", {"enabled": None}, "/enabled"),
    ("set_idle_motion", {}, "/enabled"),
    ("set_led", dict(LED, led="top"), "/led"),
    ("set_led", dict(LED, mode="flash"), "/mode"),
    ("set_led", dict(LED, green=256), "/green"),
    ("set_led", dict(LED, interval_ms=49), "/interval_ms"),
    ("set_led", dict(LED, interval_ms=10001), "/interval_ms"),
    ("get_recent_events", {"kind": "smell"}, "/kind"),
    ("get_recent_events", {"limit": 65}, "/limit"),
    ("get_recent_events", {"limit": 0}, "/limit"),
    ("get_recent_events", {"since_seq": -1}, "/since_seq"),
    ("wait_for_event", {"timeout_ms": 99}, "/timeout_ms"),
    ("wait_for_event", {"timeout_ms": 45001}, "/timeout_ms"),
    ("get_robot_status", {"of": "head"}, "/of"),
    ("self_test", {"part": "imu"}, "/part"),
)


def _rows(robot):
    return [row for part in parts(robot) for row in rows(robot, part)]


def _tools(*without):
    return {row[0]: row for row in _rows(robot(*without))}


def test_what_is_taken():
    tools = _tools()
    for name, arguments, more in TAKEN:
        seen = Object(tools[name][2]).check(arguments)
        eq((name, seen), (name, dict(arguments, **more)))
    eq(sorted({name for name, _, _ in TAKEN}), sorted(tools))


def test_what_is_refused():
    tools = _tools()
    for name, arguments, path in REFUSED:
        error = raises(Violation, Object(tools[name][2]).check, arguments)
        eq((name, arguments, error.path), (name, arguments, path))
    eq(sorted({name for name, _, _ in REFUSED}), sorted(tools))


def test_values_are_folded_to_what_the_handlers_know():
    tools = _tools()
    for given, seen in (
        ("HAPPY", "happy"),
        ("doubt", "doubtful"),
        ("Doubt", "doubtful"),
        ("DOUBTFUL", "doubtful"),
    ):
        eq(Object(tools["set_emotion"][2]).check({"emotion": given}), {"emotion": seen})
    eq(Object(tools["play_motion"][2]).check({"motion": "Nod"})["motion"], "nod")


def test_the_volume_has_the_owners_cap():
    r = robot()
    r.policy.volume_cap = 40
    volume = next(row for row in _rows(r) if row[0] == "set_volume")[2]
    eq(Object(volume).check({"volume": 40}), {"volume": 40})
    eq(raises(Violation, Object(volume).check, {"volume": 41}).path, "/volume")


def test_a_part_that_is_absent_has_no_tools():
    eq(" ".join([row[0] for row in _rows(robot())]), NAMES)
    for part, gone in (
        ("face", NAMES.split()[:6]),
        ("voice", NAMES.split()[6:10]),
        ("head", NAMES.split()[10:17]),
        ("lights", ["set_led"]),
        ("senses", NAMES.split()[18:20]),
    ):
        eq([name for name in NAMES.split() if name not in _tools(part)], gone)
    eq(sorted(_tools("face", "voice", "head", "lights", "senses")), ["get_robot_status", "self_test"])


def test_a_screen_without_a_dimmer_has_no_brightness():
    r = robot()

    class Plain:
        pass

    r.ports.display = Plain()
    assert "set_brightness" not in [row[0] for row in _rows(r)]


def test_hints_are_true():
    hints = {READS["readOnlyHint"]: set()}
    tools = _tools()
    for name, row in tools.items():
        assert row[5] in (READS, SETS, ACTS), name
        if row[5] is READS:
            hints[True].add(name)
    eq(
        sorted(hints[True]),
        ["get_head_pose", "get_recent_events", "get_robot_status", "self_test", "wait_for_event"],
    )
    # Twice is more than once.
    acts = sorted([name for name, row in tools.items() if row[5] is ACTS])
    eq(acts, ["play_melody", "play_motion", "play_tone", "say_message", "show_balloon"])


def test_a_description_is_one_short_sentence():
    for name, row in _tools().items():
        text = row[1]
        assert text.endswith(".") and ". " not in text and len(text) <= 80, name


def test_the_face_knows_each_emotion():
    eq(EMOTIONS, tuple([row[0] for row in geometry.EMOTIONS]))
