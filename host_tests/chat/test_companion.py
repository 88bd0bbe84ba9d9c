"""The whole robot with a dialogue: what its preferences make, what its status tells, and two of them together."""

import asyncio
import json
import sys

from ram_files import Files
from robots import TOKEN, Preferences, Running, until
from scripted_model import ScriptedModel, answer, cut, fails

from chat import companion
from harness import eq, port
from net.mcpclient import McpClient


def configured(model, **more):
    found = {"chat__model": "m", "chat__url": model.url, "chat__key": "sk-secret"}
    found.update(more)
    return found


def uses(*robots):
    """The preferences of a robot that uses others: (name, url)."""
    return {
        "servers__names": [name for name, _ in robots],
        "servers__urls": [url for _, url in robots],
        "servers__tokens": [TOKEN for _ in robots],
    }


async def status_of(run):
    client = McpClient(run.url, TOKEN)
    await client.initialize()
    contents = await client.read_resource("robot://status")
    await client.close()
    return json.loads(contents[0]["text"])


async def test_nobody_asked_for_it():
    for module in [name for name in sys.modules if name.startswith("chat")]:
        del sys.modules[module]
    async with Running() as run:
        eq(run.chat, None)
        assert "chat" not in await status_of(run)
    async with Running(profile="core", chat__model="m", servers__names=["a"]) as run:
        eq(run.chat, None)
    assert not [name for name in sys.modules if name.startswith("chat")], "it was imported"


async def test_it_answers_moves_and_speaks():
    script = [
        answer(
            "",
            ("set_emotion", {"emotion": "happy"}),
            ("move_head", {"yaw": 20, "pitch": 20, "duration_ms": 100}),
        ),
        answer("Good morning!"),
    ]
    async with ScriptedModel(script) as model:
        async with Running(**configured(model)) as run:
            reply = await run.chat.post("Good morning")
            eq((reply.ok, reply.text), (True, "Good morning!"))
            eq((run.app.robot.face.emotion, run.board.servos.at), ("happy", [2000, 2000]))
            assert [heard for heard in run.board.speaker.heard if heard], "it said nothing"
            eq(len(model.offered()), 22)
            assert model.bodies[0]["messages"][0]["content"].startswith("You are a small robot")
            told = await status_of(run)
            eq(told["chat"], {"state": "idle", "tools": 22})
            eq(told["servers"], {})
            eq([call[1] for call in told["calls"]], ["set_emotion", "move_head"])
            assert "sk-secret" not in json.dumps(told)
            said = len(run.board.speaker.heard)
            eq((await run.chat.post("Quietly", aloud=False)).ok, True)
            eq(len(run.board.speaker.heard), said)


async def test_what_its_owner_forbids_later():
    async with ScriptedModel([answer("Ok.")]) as model:
        async with Running(**configured(model, chat__system="Be a cat.")) as run:
            run.preferences.set("robot.motion", False)
            await run.chat.post("Hello", False)
            offered = model.offered()
            assert "move_head" not in offered and "set_emotion" in offered, offered
            run.preferences.set("robot.tools", ["set_emotion"])
            await run.chat.post("Hello", False)
            eq(model.offered(), ["set_emotion"])
            eq(model.bodies[0]["messages"][0]["content"], "Be a cat.")


async def test_preferences_that_make_no_dialogue():
    for more in (
        {"chat__url": "https://127.0.0.1/v1"},
        {"chat__url": "ftp://x"},
        {"chat__provider": "nobody", "chat__url": "http://127.0.0.1/v1"},
        {"chat__ca": "/no/such/file.der", "chat__url": "https://127.0.0.1/v1"},
    ):
        async with Running(chat__model="m", **more) as run:
            reply = await run.chat.post("Hello")
            eq((reply.ok, reply.reason), (False, "config"))
            told = (await status_of(run))["chat"]
            eq((told["state"], len(run.log.texts("error"))), ("off", 1))
            assert told["error"] == reply.detail, told


async def test_why_the_last_turn_failed():
    async with Running(chat__model="m", chat__url="http://127.0.0.1:1/v1") as run:
        eq((await run.chat.post("Hello")).reason, "unreachable")
        eq((await status_of(run))["chat"]["error"], "unreachable")


async def test_decisions_are_kept_where_they_are_asked_for():
    script = [answer("", ("set_emotion", {"emotion": "sad"})), answer("Oh.")]
    with Files() as files:
        async with ScriptedModel(script) as model:
            async with Running(**configured(model, chat__record=True)) as run:
                run.chat.dialogue._recorder._path = files.path("d.ndjson")
                await run.chat.post("The key is sk-secret", False)
        with open(files.path("d.ndjson")) as f:  # noqa: ASYNC230, it is in memory
            line = json.loads(f.read())
    eq((line["got"], line["expect"]), ({"tool": "set_emotion", "arguments": {"emotion": "sad"}},) * 2)
    eq(line["context"], [{"role": "user", "content": "The key is [redacted]"}])
    eq(len(line["offered"]), 22)


async def test_two_robots_in_each_others_dialogues():
    wink = answer("", ("b_set_emotion", {"emotion": "happy"}), ("set_emotion", {"emotion": "cold"}))
    wave = answer(
        "", ("a_set_led", {"led": "left", "mode": "solid", "red": 9}), ("a_set_emotion", {"emotion": "bored"})
    )
    async with ScriptedModel([wink, answer("Done.")]) as one, ScriptedModel([wave, answer("Well.")]) as two:
        ports = port(), port()
        urls = ["http://127.0.0.1:%d/mcp" % at for at in ports]
        a = Running(ports[0], **configured(one, **uses(("b", urls[1]))))
        b = Running(ports[1], **configured(two, **uses(("a", urls[0]))))
        async with a, b:
            await until(lambda: a.chat.state()["tools"] == b.chat.state()["tools"] == 44)
            reply = await a.chat.post("Make the other one happy", False)
            eq((reply.text, reply.refusals), ("Done.", []))
            eq((a.app.robot.face.emotion, b.app.robot.face.emotion), ("cold", "happy"))
            reply = await b.chat.post("And you?", False)
            eq((reply.text, reply.refusals), ("Well.", []))
            refused = two.results()["c1"]
            assert refused.startswith("invalid_arguments: /emotion: "), refused
            eq((await status_of(a))["calls"][-1][1], "set_emotion")
            eq((await status_of(a))["servers"], {"b": {"state": "up", "tools": 22}})


async def test_one_robot_goes_and_the_other_says_so():
    call = answer("", ("b_set_emotion", {"emotion": "happy"}))
    async with ScriptedModel([call, answer("It is gone.")]) as model:
        at = port()
        async with Running(**configured(model, **uses(("b", "http://127.0.0.1:%d/mcp" % at)))) as a:
            async with Running(at):
                await until(lambda: a.chat.state()["tools"] == 44)
            reply = await a.chat.post("Make it happy", False)
            eq((reply.ok, [name for name, _ in reply.refusals]), (True, ["b_set_emotion"]))
            assert model.results()["c0"].startswith("unreachable: "), model.results()
            eq(a.chat.servers.state()["b"]["state"], "down")


async def test_servers_without_a_model():
    async with Running() as b:
        async with Running(**uses(("b", b.url))) as a:
            await until(lambda: a.chat.state()["tools"] == 22)
            eq((await a.chat.post("Hello")).reason, "config")
            eq((await status_of(a))["chat"], {"state": "off", "tools": 22})


def slow(text, ms):
    """A model that thinks for a while."""
    return lambda dialect: [ms] + answer(text)(dialect)


async def over_http(run, body, token=TOKEN, more="", until_then=None):
    """(status, JSON or None) of POST /chat; with `until_then` nothing: it hangs up as soon as that is true."""
    stream, _ = await asyncio.open_connection("127.0.0.1", run.port)
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = "POST /chat HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n"
    head += "Authorization: Bearer %s\r\n%sContent-Length: %d\r\n\r\n" % (token, more, len(raw))
    stream.write(head.encode() + raw)
    await stream.drain()
    answer = None
    if until_then is not None:
        await until(until_then)
    else:
        # Not to the end: whoever is refused is waited for, a second long.
        status = int((await stream.readline()).split()[1])
        size = 0
        line = b"-"
        while line.strip():
            line = (await stream.readline()).lower()
            if line.startswith(b"content-length:"):
                size = int(line[15:])
        body = await stream.readexactly(size)
        answer = status, json.loads(body) if status == 200 else None
    stream.close()
    await stream.wait_closed()
    return answer


async def test_what_a_person_says_over_http():
    async with ScriptedModel([answer("", ("fly", {})), answer("Hello, you!")]) as model:
        async with Running(**configured(model)) as run:
            told = {"ok": True, "text": "Hello, you!", "refusals": []}
            eq(await over_http(run, {"text": "Hello"}), (200, told))
            await until(lambda: [heard for heard in run.board.speaker.heard if heard])
            run.app.robot.voice.stop()
            model.script = [fails(b"429 Slow down")]
            status, told = await over_http(run, {"text": "Hello", "aloud": False})
            eq((status, told["ok"], told["reason"]), (200, False, "busy"))
            for body in (b"", b"{", b"[]", b'{"text":3}', b"{}"):
                eq((await over_http(run, body))[0], 400)
            eq((await over_http(run, {"text": "x" * 9000}))[0], 413)
            eq((await over_http(run, {"text": "Hello"}, "a-wrong-token-of-it"))[0], 401)
            eq((await over_http(run, {"text": "Hello"}, more="Origin: http://evil.example\r\n"))[0], 403)
            run.app.starve(True)
            eq((await over_http(run, {"text": "Hello"}))[0], 503)
            eq(len(model.bodies), 3)
    async with Running() as run:
        eq((await over_http(run, {"text": "Hello"}))[0], 404)


async def test_it_listens_and_is_quiet():
    async with ScriptedModel([answer("A long answer, which takes a while to say. " * 20)]) as model:
        async with Running(**configured(model)) as run:
            eq((await over_http(run, {"text": "Hello"}))[0], 200)
            await until(lambda: run.app.robot.voice.busy)
            eq(await over_http(run, {"listen": True}), (200, {"ok": True}))
            eq((run.app.robot.voice.busy, run.chat.state()["state"]), (False, "listening"))
            said = len(run.board.speaker.heard)
            await asyncio.sleep_ms(300)  # Nor is the next piece of it said.
            eq((len(run.board.speaker.heard), run.chat.state()["state"]), (said, "listening"))
            await over_http(run, {"listen": False})
            eq(run.chat.state()["state"], "idle")
            eq((await over_http(run, {"listen": "yes"}))[0], 400)
            # Who waits for a model does not listen.
            model.script = [slow("Well.", 300)]
            turn = asyncio.create_task(over_http(run, {"text": "One", "aloud": False}))
            await until(lambda: len(model.bodies) == 2)
            eq((await over_http(run, {"listen": True}))[1], {"ok": False, "reason": "busy"})
            eq((run.chat.state()["state"], (await turn)[1]["ok"]), ("thinking", True))


async def test_a_second_one_finds_it_busy_and_harms_nothing():
    async with ScriptedModel([slow("Well.", 300), answer("Hello, you!")]) as model:
        async with Running(**configured(model)) as run:
            first = asyncio.create_task(over_http(run, {"text": "One", "aloud": False}))
            await until(lambda: model.bodies)
            status, told = await over_http(run, {"text": "Two"})
            eq((status, told["ok"], told["reason"]), (200, False, "busy"))
            eq(run.chat.state(), {"state": "thinking", "tools": 22})
            eq((await first)[1]["ok"], True)
            eq((await status_of(run))["chat"], {"state": "idle", "tools": 22})


async def test_who_hangs_up_ends_the_turn():
    async with ScriptedModel([cut(2, pause_ms=3000)]) as model:
        async with Running(**configured(model)) as run:
            await over_http(run, {"text": "Hello"}, until_then=lambda: model.bodies)
            eq(run.chat.dialogue.busy, True)
            await until(lambda: not run.chat.dialogue.busy, 1500)


def test_secrets_are_all_of_them():
    preferences = Preferences(
        chat__key="k1", servers__tokens=["t1", "t2"], wifi__passwords=["p1"], mcp__token="m1"
    )
    eq(sorted(companion.secrets(preferences)), ["k1", "m1", "p1", "t1", "t2"])
