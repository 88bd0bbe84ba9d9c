# heap: 4096K
"""Keys and tokens: planted in every preference that has one, repeated by the servers, looked for in what comes out."""

import json
import sys

sys.path.append(__file__.rsplit("/", 1)[0] + "/../net")

from boards.unix.outside import Outside
from boards.unix.parts import Speaker
from ram_files import Files
from robots import TOKEN, Running, until
from scripted_model import ScriptedModel, answer, fails, raw, reply
from speech_peer import SpeechPeer
from test_companion import over_http, status_of
from test_hostile_servers import Hostile, entry

from chat import companion
from config import KEYS
from harness import eq

PLANTED = {
    "chat.key": "sk-chat-0123456789",
    "tts.key": "sk-tts-0123456789",
    "mcp.token": TOKEN,
    "mcp.session_key": "0123456789abcdef" * 4,
    "servers.tokens": ["server-token-0123456789"],
    "wifi.passwords": ["wifi-password-0123456789"],
}
SECRETS = [one for value in PLANTED.values() for one in ([value] if isinstance(value, str) else value)]
ALL = " ".join(SECRETS)


def leaks(text):
    return [one for one in SECRETS if one in text]


def test_all_preferences_that_have_a_secret_are_known():
    # "mcp.token_untold" is a bool.
    wanted = [
        name
        for name, row in KEYS.items()
        if row[0] is not bool
        and [word for word in ("key", "token", "password") if word in name.split(".")[-1]]
    ]
    eq(sorted(wanted), sorted(PLANTED))
    eq(sorted(companion._SECRETS), sorted(PLANTED))


def _planted(model, bad, speech, **more):
    found = {
        "chat__model": "m",
        "chat__url": model.url,
        "chat__record": True,
        "servers__names": ["bad"],
        "servers__urls": [bad.url],
        "tts__kind": "openai",
        "tts__url": speech.url,
    }
    for key, value in PLANTED.items():
        if key != "mcp.token":
            found[key.replace(".", "__")] = value
    found.update(more)
    return found


class Everything:
    """A robot with all secrets, whose servers repeat them.  seen: what came out, list of str."""

    def __init__(self, model, bad, speech, files):
        self.run = Running(**_planted(model, bad, speech))
        self.run.board.speaker.play = None
        self.path = files.path("decisions.ndjson")
        self.run.chat.dialogue._recorder._path = self.path
        self.seen = []

    async def look(self):
        """All that comes out of the robot by now."""
        self.seen.append(str(self.run.log.lines))
        self.seen.append(json.dumps(await status_of(self.run)))
        self.seen.append(str(self.run.chat.servers.state()) + str(self.run.chat.state()))
        try:
            with open(self.path) as f:  # noqa: ASYNC230, it is in memory
                self.seen.append(f.read())
        except OSError:
            pass
        for one in self.seen:
            eq((leaks(one), one if leaks(one) else ""), ([], ""))


# A model's server that repeats what it was sent: in the status, the body, a stream, a redirect, a broken head.
KEY = PLANTED["chat.key"]
REPEATS = (
    fails(b"401 " + KEY.encode(), "wrong key: " + KEY),
    fails(b"500 " + KEY.encode(), "x" * 190 + KEY),
    raw(reply(b"", b"307 Temporary", more=b"Location: https://%s@%s/?key=%s\r\n" % ((KEY.encode(),) * 3))),
    raw(b"HTTP/1.1 %s\r\n\r\n" % KEY.encode()),
    raw(reply({"error": {"message": "wrong key: " + KEY}})),
    raw(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
        b'data: {"error":{"message":"wrong key: %s"}}\n\n' % KEY.encode()
    ),
)


async def test_what_a_models_server_repeats():
    with Files() as files:
        async with ScriptedModel([answer("Hi")]) as model, Hostile(lambda cursor: {"tools": []}) as bad:
            async with SpeechPeer() as speech:
                all_of_it = Everything(model, bad, speech, files)
                async with all_of_it.run as run:
                    for step in REPEATS:
                        model.script = [step]
                        told = await run.chat.post("Hello", False)
                        eq(told.ok, False)
                        all_of_it.seen.append(told.detail)
                        all_of_it.seen.append(json.dumps((await over_http(run, {"text": "Hello"}))[1]))
                        await all_of_it.look()


async def test_what_is_kept_of_decisions():
    """A person, tools' names, descriptions and results, and the model itself repeat all of them."""
    odd = entry(PLANTED["wifi.passwords"][0] + "-x", description=ALL)

    async def call(params):
        return {"content": [{"type": "text", "text": ALL}]}

    arguments = {"text": ALL, ALL: {"deep": [ALL]}, "password": "x"}
    with Files() as files:
        async with ScriptedModel([answer("Hi")]) as model:
            async with Hostile(lambda cursor: {"tools": [entry("t"), odd]}, call) as bad:
                async with SpeechPeer() as speech:
                    all_of_it = Everything(model, bad, speech, files)
                    async with all_of_it.run as run:
                        await until(lambda: "t" in run.chat.dialogue.tools)
                        for name in ("t", "set_emotion", SECRETS[0], "x" * 50 + SECRETS[0]):
                            model.script = [answer("", (name, arguments)), answer("Hi")]
                            # One of them lies over the end of what is kept of a message.
                            said = "x" * (2000 - len(ALL)) + ALL
                            eq((await run.chat.post(said, False)).ok, True)
                            await all_of_it.look()
                        kept = all_of_it.seen[-1]
                        eq(len(kept.split("\n")), 5)
                        assert "[redacted]" in kept
                        # Nor the first half of one.
                        eq([one for one in SECRETS if one[:12] in kept], [])


async def test_what_an_mcp_server_repeats():
    token = PLANTED["servers.tokens"][0]
    status = "HTTP/1.1 403 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": token}})

    class Repeats(Hostile):
        async def _answer(self, message, writer):
            if message.get("method") in self.on:
                writer.write((status % (token, len(body), body)).encode())
                return await writer.drain()
            return await super()._answer(message, writer)

    async def call(params):
        return {"isError": True, "content": [{"type": "text", "text": "no_luck: " + token}]}

    with Files() as files:
        for on in (("initialize", "server/discover"), ("tools/list",), ("tools/call",), ()):
            async with ScriptedModel([answer("", ("t", {})), answer("Hi")]) as model:
                async with Repeats(lambda cursor: {"tools": [entry("t")]}, call) as bad:
                    bad.on = on
                    async with SpeechPeer() as speech:
                        all_of_it = Everything(model, bad, speech, files)
                        async with all_of_it.run as run:
                            server = run.chat.servers.servers[0]
                            await until(lambda server=server: server.error or server.offered)
                            told = await run.chat.post("Hello", False)
                            all_of_it.seen.append(told.detail + str(told.refusals) + str(model.bodies))
                            await all_of_it.look()


async def test_what_a_speech_server_repeats():
    key = PLANTED["tts.key"].encode()
    for kind, head in ((b"audio/wav", key), (b"application/" + key, b"OK")):
        log = []

        class Repeats(SpeechPeer):
            async def _answer(self, target, writer, kind=kind, head=head):
                status = 401 if head == key else 200
                writer.write(b"HTTP/1.1 %d %s\r\nContent-Type: %s\r\n" % (status, head, kind))
                writer.write(b"Content-Length: 2\r\n\r\n{}")
                await writer.drain()
                return True

        async with Repeats() as speech:
            run = Running(
                tts__kind="none", tts__url=speech.url, tts__key=PLANTED["tts.key"], tts__format="pcm"
            )
            run.board.speaker = run.app.robot.ports.speaker = Speaker(Outside())
            run.preferences.set("tts.kind", "openai")
            async with run:
                run.app._choose_speech()
                run.app.robot.voice.speak("aa")
                await until(lambda log=run.log: log.texts("warning"))
                run.app.robot.voice.stop()
                log.append(run.log.texts("warning")[-1])
        assert log[0].startswith("speech: ") and "***" in log[0], log
        eq(leaks(log[0]), [])
