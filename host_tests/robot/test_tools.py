"""What the tools' handlers ask of the parts, and what they answer. There is no server here, and no schema."""

import fake_parts
from fake_parts import calls, robot

from harness import araises, eq, raises
from robot.errors import ServoFault
from robot.tools_face import FaceHandlers
from robot.tools_head import HeadHandlers
from robot.tools_lights import LightHandlers
from robot.tools_senses import SenseHandlers
from robot.tools_voice import VoiceHandlers
from umcp.errors import ToolError

POSE = {"yaw": 12.3, "pitch": -4.5, "moving": False}


class Told:
    """A context. progress: list of what was told."""

    def __init__(self):
        self.told = []

    async def progress(self, done, total):
        self.told.append((done, total))


def test_the_face():
    r = robot()
    do = FaceHandlers(r)
    eq(do.set_emotion("happy"), {"emotion": "happy"})
    do.show_balloon("Hi", 2000)
    do.show_balloon("Hi")
    do.hide_balloon()
    do.set_face_color("primary", 1, 2, 3)
    do.set_face_color("secondary", 4, 5, 6)
    do.set_mouth_open(70)
    eq(
        calls(r),
        [
            ("set_emotion", "happy"),
            ("balloon", "Hi", 2000),
            ("balloon", "Hi", None),
            ("balloon", None, None),
            ("colors", (1, 2, 3), None),
            ("colors", None, (4, 5, 6)),
            ("mouth", 70),
        ],
    )
    eq(do.set_brightness(30), {"level": 30})
    eq((r.ports.display.calls, r.brightness), ([("brightness", 30)], 30))


async def test_the_head_moves_in_centidegrees():
    r = robot()
    do = HeadHandlers(r)
    eq(do.move_head(12.34, -0.06, 500, False, False), POSE)
    eq(do.move_head(-90, 8, 100, True, False), POSE)
    eq(do.look_at(100, -200, 300, False), POSE)
    eq(do.play_motion("nod", 70, False), POSE)
    eq(do.look_away(False), POSE)
    eq(do.set_torque(True), {"enabled": True})
    eq(do.set_idle_motion(False), {"enabled": False})
    eq(
        calls(r),
        [
            ("move", 1230, -10, 500, False),
            ("move", -9000, 800, 100, True),
            ("look_at", 100, -200, 300),
            ("gesture", "nod", 70),
            ("gesture", "center", 50),
            ("torque", True),
            ("idle", False),
        ],
    )


async def test_what_waits_answers_when_it_is_over():
    r = robot()
    do = HeadHandlers(r)
    r.head.turns = 10
    eq(do.move_head(1, 2, 500, False, False)["moving"], True)
    eq(r.time.ms, 0)
    r.head.turns = 10
    eq(await do.move_head(1, 2, 500, False, True), POSE)
    eq(r.time.ms, 180)
    # A head that never ends is not waited for, for ever.
    r.head.turns = 1 << 20
    eq((await do.move_head(1, 2, 500, False, True))["moving"], True)
    assert 3000 < r.time.ms - 180 <= 3040, r.time.ms


async def test_a_motion_that_the_servos_gave_up_is_a_refusal():
    r = robot()
    waiting = HeadHandlers(r).move_head(1, 2, 500, False, True)
    r.head.fault = ServoFault("lost")
    eq((await araises(ToolError, waiting)).code, "servo_fault")


async def test_the_voice():
    r = robot()
    do = VoiceHandlers(r)
    eq(do.say_message("Hello", False), {"duration_ms": 500, "complete": True, "finished": False})
    do.say_message("x" * 21, False)
    eq(r.face.calls, [("balloon", "Hello", 2000), ("balloon", "x" * 21, 2100)])
    eq(do.play_tone(440, 200, 40), {"duration_ms": 200})
    eq(do.play_melody(["C4:220"], 90, False)["finished"], False)
    eq((do.set_volume(60), do.set_volume(80)), ({"volume": 60}, {"volume": 70}))
    eq(
        r.voice.calls,
        [
            ("speak", "Hello"),
            ("speak", "x" * 21),
            ("tone", 440, 200, 40),
            ("melody", ["C4:220"], 90),
            ("volume", 60),
            ("volume", 80),
        ],
    )


async def test_a_sound_that_is_waited_for():
    r = robot()
    do = VoiceHandlers(r)
    waiting = do.play_melody(["C4:220"], 100, True)
    r.voice.turns = 10
    melody = await waiting
    eq((melody["played"], melody["finished"], r.time.ms), (1, True, 180))
    eq(r.voice.calls, [("melody", ["C4:220"], 100)])
    # Another sound has taken its place.
    waiting = do.play_melody(["C4:220"], 100, True)
    r.voice.turn += 1
    eq((await waiting)["finished"], False)
    eq(r.voice.calls[-1][0], "melody")
    # One that goes on for longer than a tool can wait is not cut.
    waiting = do.play_melody(["C4:220"], 100, True)
    r.voice.turns = 1 << 20
    eq((await waiting)["finished"], False)
    eq(r.voice.calls[-1][0], "melody")


async def test_without_a_face_a_robot_speaks_all_the_same():
    r = robot("face")
    eq(VoiceHandlers(r).say_message("Hello", False)["duration_ms"], 500)


async def test_a_speech_that_is_given_up_ends():
    r = robot()
    do = VoiceHandlers(r)
    waiting = do.say_message("Hello", True)
    r.voice.turns = 1 << 20

    class Cancelled(BaseException):
        pass

    async def cancel(ms):
        raise Cancelled()

    r.sleep_ms = cancel
    await araises(Cancelled, waiting)
    eq(r.voice.calls[-1], ("stop",))


def test_the_lights():
    r = robot()
    LightHandlers(r).set_led("left", "blink", 1, 2, 3, 250)
    eq(calls(r), [("set", "left", "blink", 1, 2, 3, 250)])


async def test_events_that_are_there_already():
    r = robot()
    do = SenseHandlers(r)
    r.senses.feel("button", "a")
    r.senses.feel("touch", "head")
    eq([e["seq"] for e in do.get_recent_events(20, 0)["events"]], [1, 2])
    eq(do.get_recent_events(20, 0, "touch"), {"events": [r.senses.felt[1]], "last_seq": 2, "missed": 0})
    eq(do.get_recent_events(20, 1), {"events": [r.senses.felt[1]], "last_seq": 2, "missed": 7})
    found = await do.wait_for_event(Told(), 1000, None, 1)
    eq((found["events"], found["timed_out"], r.time.ms), ([r.senses.felt[1]], False, 0))


async def test_an_event_that_is_waited_for():
    r = robot()
    do = SenseHandlers(r)
    r.senses.feel("button", "a")
    r.time.due += [(500, lambda: r.senses.feel("imu", "shake")), (2500, lambda: r.senses.feel("button", "b"))]
    told = Told()
    found = await do.wait_for_event(told, 45000, "button")
    eq((found["events"], found["last_seq"], found["timed_out"]), ([r.senses.felt[2]], 3, False))
    eq((r.time.ms, told.told), (2500, [(1000, 45000), (2000, 45000)]))


async def test_an_event_that_does_not_come():
    r = robot()
    found = await SenseHandlers(r).wait_for_event(Told(), 120)
    eq((found, r.time.ms), ({"events": [], "last_seq": 0, "missed": 0, "timed_out": True}, 120))


async def test_only_so_many_wait_at_once_and_each_leaves_its_place():
    r = robot()
    do = SenseHandlers(r)
    inner = []

    async def sleep_ms(ms):
        r.time.ms += ms
        if len(inner) < 3:
            inner.append(None)
            inner.append(await do.wait_for_event(Told(), 100) if len(inner) == 1 else await _code(do))

    r.sleep_ms = sleep_ms
    eq((await do.wait_for_event(Told(), 500))["timed_out"], True)
    eq([one if one in (None, "busy") else one["timed_out"] for one in inner], [None, None, "busy", True])
    eq((await do.wait_for_event(Told(), 100))["timed_out"], True)


async def _code(do):
    return (await araises(ToolError, do.wait_for_event(Told(), 100))).code


class Wrapped(fake_parts.Clock):
    """Its ticks wrap soon."""

    def now(self):
        return (self.ms + (1 << 30) - 100) & 0x3FFFFFFF


async def test_waiting_outlasts_the_wrap_of_the_clock():
    r = robot()
    r.time = Wrapped()
    r.clock, r.sleep_ms = r.time.now, r.time.sleep_ms
    found = await SenseHandlers(r).wait_for_event(Told(), 300)
    eq((found["timed_out"], r.time.ms), (True, 300))


# Refusals.


def _moves(r):
    do = HeadHandlers(r)
    return (
        lambda: do.move_head(1, 2, 500, False, True),
        lambda: do.look_at(1, 2, 3, True),
        lambda: do.play_motion("nod", 50, True),
        lambda: do.look_away(True),
        lambda: do.set_torque(True),
        lambda: do.set_idle_motion(True),
    )


def _refuses_moves(code, r):
    for call in _moves(r):
        eq(raises(ToolError, call).code, code)
    eq(r.head.calls, [])
    # What ends motion is always allowed.
    do = HeadHandlers(r)
    do.set_torque(False)
    do.set_idle_motion(False)
    eq(r.head.calls, [("torque", False), ("idle", False)])


def test_motion_off():
    r = robot()
    r.policy.motion = False
    _refuses_moves("motion_off", r)


def test_battery_low():
    r = robot()
    r.ports.power.told = {"battery_percent": 9, "charging": False, "usb": False}
    _refuses_moves("battery_low", r)
    for told in (
        {"battery_percent": 10, "charging": False, "usb": False},
        {"battery_percent": 9, "charging": True, "usb": False},
        {"battery_percent": 9, "charging": None, "usb": True},
        {"battery_percent": None, "charging": None, "usb": None},
    ):
        r.ports.power.told = told
        eq(HeadHandlers(r).play_motion("nod", 50, False), POSE)

    def fail():
        raise OSError(5)

    r.ports.power.read = fail
    eq(HeadHandlers(r).play_motion("nod", 50, False), POSE)
    r.ports.power = None
    eq(HeadHandlers(r).play_motion("nod", 50, False), POSE)


def _sounds(r):
    do = VoiceHandlers(r)
    return (
        lambda: do.say_message("Hello", True),
        lambda: do.play_tone(440, 200, 100),
        lambda: do.play_melody(["A"], 100, True),
    )


def test_quiet_hours():
    r = robot()
    r.policy.is_quiet = True
    for call in _sounds(r):
        eq(raises(ToolError, call).code, "quiet_hours")
    eq(calls(r), [])


def test_busy():
    r = robot()
    r.voice.turns = 1 << 20
    for call in _sounds(r):
        eq(raises(ToolError, call).code, "busy")
    eq(calls(r), [])


def test_what_a_part_refuses_is_the_tools_refusal():
    r = robot()
    for code in ("servo_off", "servo_fault"):
        r.head.refuses = ToolError(code, "no")
        for call in _moves(r):
            eq(raises(ToolError, call).code, code)


def test_a_robot_obeys_when_its_owner_wants_something_else():
    r = robot()
    r.policy.volume_cap = 40
    r.obey()
    eq(calls(r), [("set_limit", 40)])
    r.policy.motion = False
    r.obey()
    eq(r.head.calls, [("idle", False), ("stop",)])
