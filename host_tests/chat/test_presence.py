"""What shows of a dialogue on the robot: gaze, dots, the answer said and shown, and quiet where it is wanted."""

import asyncio

from robots import Stepped, robot_of
from talking import Talk, Tool

from chat.dialogue import CALLING, IDLE, REFUSED, THINKING
from chat.presence import Presence, _pieces
from harness import eq


def shown(robot):
    raw = robot.face.words.raw
    return None if raw is None else bytes(raw).decode()


def looks_up(robot):
    return robot.face._gaze_to_y < 0


async def test_it_thinks_and_looks_at_you_again():
    robot = robot_of()
    presence = Presence(robot)
    presence.watch(THINKING, "")
    eq((presence.state, shown(robot), looks_up(robot)), ("thinking", "...", True))
    presence.watch(CALLING, "set_emotion")
    eq((presence.state, shown(robot)), ("calling", "..."))
    presence.watch(IDLE, "")
    eq((presence.state, shown(robot), looks_up(robot)), ("idle", None, False))


async def test_what_the_model_shows_stays():
    robot = robot_of()
    presence = Presence(robot)
    presence.watch(THINKING, "")
    robot.face.balloon("I have it", 5000)
    presence.watch(IDLE, "")
    eq(shown(robot), "I have it")
    presence.watch(REFUSED, "servo_off: no")
    eq((presence.state, shown(robot)), ("idle", "servo_off: no"))


async def test_an_answer_is_said_with_the_mouth_in_step():
    robot = robot_of()
    async with Stepped(robot):
        opened = []
        say = asyncio.create_task(Presence(robot).say("Hello, hello"))
        while not say.done():
            opened.append(robot.face._open_to)
            await asyncio.sleep_ms(10)
        assert max(opened) > 30 and robot.face._open_to == 0, opened
        assert [heard for heard in robot.ports.speaker.heard if heard], "no sound"
        eq(robot.ports.speaker.heard[-1], None)


async def test_states_while_it_speaks():
    robot = robot_of()
    presence = Presence(robot)
    async with Stepped(robot):
        say = asyncio.create_task(presence.say("Hello"))
        await asyncio.sleep_ms(30)
        eq((presence.state, shown(robot)), ("speaking", "Hello"))
        await say
        eq(presence.state, "idle")


async def test_listening_is_quiet():
    robot = robot_of()
    presence = Presence(robot)
    async with Stepped(robot):
        say = asyncio.create_task(presence.say("Hello, this is a long answer, and a longer one"))
        await asyncio.sleep_ms(50)
        presence.listen()
        eq((presence.state, robot.voice.busy, shown(robot)), ("listening", False, None))
        await say
        eq(presence.state, "listening")
        presence.listen(False)
        eq(presence.state, "idle")


async def test_whoever_gives_up_wants_it_quiet():
    robot = robot_of()
    async with Stepped(robot):
        say = asyncio.create_task(Presence(robot).say("Hello, this is a long answer"))
        await asyncio.sleep_ms(50)
        eq(robot.voice.busy, True)
        say.cancel()
        await asyncio.sleep_ms(10)
        eq(robot.voice.busy, False)


async def test_without_sound_it_is_shown():
    quiet = robot_of(robot__quiet_from=0, robot__quiet_until=1439)
    quiet.policy._minute = lambda: 5
    for robot in (quiet, robot_of(("speaker",))):
        async with Stepped(robot):
            say = asyncio.create_task(Presence(robot).say("Hello"))
            await asyncio.sleep_ms(50)
            eq(shown(robot), "Hello")
            say.cancel()
            eq(robot.ports.speaker is None or not robot.ports.speaker.heard, True)


async def test_a_robot_of_few_parts():
    robot = robot_of(("display", "speaker", "servos"))
    presence = Presence(robot)
    for state in (THINKING, CALLING, REFUSED, IDLE):
        presence.watch(state, "x")
    presence.listen()
    await presence.say("Hello")
    await presence.rest()


def test_long_answers_are_said_in_pieces():
    text = "This is a sentence. " * 60
    pieces = list(_pieces(text))
    assert len(pieces) == 3 and all([piece.strip().endswith(".") for piece in pieces]), pieces
    eq("".join([piece.replace(" ", "") for piece in pieces]), text.replace(" ", ""))
    eq([len(piece) for piece in _pieces("x" * 1100)], [500, 500, 100])
    eq([len(piece) for piece in _pieces("x" * 300 + " " + "y" * 300)], [301, 300])
    eq(list(_pieces("")), [])


async def test_rest_waits_for_the_head():
    robot = robot_of()
    async with Stepped(robot):
        robot.head.move(4000, 2000, 400, False)
        await asyncio.sleep_ms(50)
        eq(robot.moving, True)
        await Presence(robot).rest()
        eq(robot.moving, False)


async def test_a_dialogue_shows():
    robot = robot_of()
    presence = Presence(robot)
    states = []
    changed = robot.changed

    async def slow(messages):
        states.append((presence.state, shown(robot)))
        return "Hi"

    talk = Talk(
        [("say", "{}")], slow, tools=(Tool("say", lambda a: states.append(presence.state) or "done"),)
    )
    talk.dialogue._watch = presence.watch
    eq((await talk.post()).ok, True)
    eq((states, presence.state), (["calling", ("thinking", "...")], "idle"))
    eq(robot.changed, changed + 4)  # So that who watches the status is told.
