"""The whole app, and a speech server over real sockets: what is heard, where the mouth is, and beeps where it fails."""

import asyncio
import gc
import sys

sys.path.append(__file__.rsplit("/", 1)[0] + "/../robot")
sys.path.append(__file__.rsplit("/", 1)[0] + "/../net")

from boards.unix.outside import Outside
from boards.unix.parts import Speaker
from fake_board import Board
from fake_parts import Policy
from serving import TOKEN, Log, Preferences
from speech_peer import SpeechPeer, wav
from streaming import Streamed, call, modern, until
from wavs import square

from app import App
from harness import eq, port
from net.http_post import HTTPPost

SOUND = square(500, 8000)


class Speaks(Streamed):
    """An app whose robot speaks with a server.  said: list, what the world heard.  mouth: list of levels."""

    def __init__(self, peer, kind="openai", speaker=None, **preferences):
        self.log = Log()
        self.board = Board()
        self.outside = Outside()
        self.board.speaker = speaker or Speaker(self.outside)
        self.policy = Policy()
        self.options = {"port": port()}
        self._replies = []
        values = {"tts__kind": kind, "tts__url": peer.url, "tts__format": "wav"}
        values.update(preferences)
        self.preferences = Preferences(mcp__token=TOKEN, **values)
        self.app = App(
            self.board,
            self.preferences,
            host="127.0.0.1",
            port=self.options["port"],
            policy=self.policy,
            log=self.log,
        )
        self.server = self.app.server
        self.robot = self.app.robot
        self.voice = self.robot.voice
        self.mouth = []
        self.voice._mouth = self.mouth.append

    async def __aenter__(self):
        assert await self.app.start(), self.server.error
        return self

    async def __aexit__(self, *error):
        for reply in self._replies:
            await reply.close()
        self.voice.stop()
        await self.app.close()

    async def say(self, message="Hello there", wait=True):
        """The result of say_message, or the text of its refusal."""
        result = await self.result(modern("tools/call", call("say_message", message=message, wait=wait)))
        return result.get("structuredContent") or result["content"][0]["text"]

    @property
    def said(self):
        return self.outside.said

    def take(self):
        """What was said since the last call: "pcm", "beeps" or "", and the milliseconds of PCM."""
        lines = [line.split()[1:] for line in self.said]
        del self.said[:]
        pcm_ms = sum([int(words[2]) for words in lines if words[0] == "pcm"])
        beeps = [words for words in lines if words[0].isdigit()]
        assert not (pcm_ms and beeps), lines
        return "pcm" if pcm_ms else "beeps" if beeps else "", pcm_ms


SPOKEN = {"duration_ms": 500, "complete": True, "finished": True}


async def test_a_message_is_spoken_by_either_server():
    for kind, path in (("voicevox", "/synthesis?speaker=1"), ("openai", "/audio/speech")):
        async with SpeechPeer(wav(SOUND)) as peer:
            async with Speaks(peer, kind) as run:
                eq(await run.say(), SPOKEN)
                eq((run.said[0], run.said[-1]), ("speaker play 16000", "speaker off"))
                eq(run.take(), ("pcm", 500))
                eq(peer.targets()[-1], path)
                eq(
                    (max(run.mouth), run.mouth[-1], run.log.texts("warning"), run.robot.faults),
                    (100, 0, [], {}),
                )
                eq(await run.say(), SPOKEN)


async def test_raw_pcm_and_other_rates():
    for rate in (8000, 22050, 24000, 48000):
        async with SpeechPeer(wav(square(600, 8000, rate, 210), rate)) as peer:
            async with Speaks(peer) as run:
                eq((await run.say())["duration_ms"], 600)
                eq(run.said[0], "speaker play %d" % rate)
    async with SpeechPeer(square(600, 8000, 24000), b"audio/pcm") as peer:
        async with Speaks(peer, tts__format="pcm") as run:
            eq((await run.say())["duration_ms"], 600)
            eq(run.said[0], "speaker play 24000")


async def test_a_wav_file_of_unknown_length_in_chunks():
    async with SpeechPeer(wav(SOUND, size=0xFFFFFFFF)) as peer:
        peer.chunked, peer.piece = True, 999
        async with Speaks(peer) as run:
            eq(await run.say(), SPOKEN)
            eq(run.take(), ("pcm", 500))


async def test_the_mouth_opens_with_what_is_loud():
    sound = square(400, 0) + square(400, 8000) + square(400, 0) + square(400, 2000)
    async with SpeechPeer(wav(sound)) as peer:
        async with Speaks(peer) as run:
            await run.say()
            shape = []
            for level in run.mouth:
                kind = 0 if level < 25 else 1 if level < 75 else 2
                if not shape or shape[-1] != kind:
                    shape.append(kind)
            # Between them it may be seen half open.
            eq([kind for kind in shape if kind != 1], [0, 2, 0, 0])
            eq((shape[-2:], run.mouth[-1]), ([1, 0], 0))
            assert 50 in run.mouth, run.mouth


async def test_without_waiting_it_answers_at_once_and_others_find_it_busy():
    async with SpeechPeer(wav(SOUND)) as peer:
        peer.mute = True
        async with Speaks(peer) as run:
            answer = await run.say("Hello", False)
            eq(answer, {"duration_ms": 5 * 65 + 1500, "complete": True, "finished": False})
            eq((await run.say("Bye", False))[:5], "busy:")
            eq(run.take(), ("", 0))
            peer.mute = False
            await until(lambda: not run.voice.busy)
            eq((run.take(), await run.say()), (("pcm", 500), SPOKEN))


async def test_another_sound_hangs_up():
    for mute in (True, False):
        async with SpeechPeer(wav(SOUND, size=0xFFFFFFFF)) as peer:
            peer.mute, peer.repeat = mute, 100
            async with Speaks(peer) as run:
                await run.say(wait=False)
                await until(lambda: len(peer.asked) == 1)
                await asyncio.sleep_ms(300)
                run.voice.tone(440, 100)
                peer.mute = False
                await until(lambda: peer.gone == 1)
                await until(lambda: not run.voice.busy)
                eq(run.said[-2:], ["speaker 440 100", "speaker off"])
                eq(run.log.texts("warning") + run.log.texts("error"), [])


async def test_a_client_that_gives_up_silences_it():
    async with SpeechPeer(wav(SOUND)) as peer:
        peer.repeat = 50
        async with Speaks(peer) as run:
            message = modern("tools/call", call("say_message", message="Hello", wait=True), progressToken="p")
            reply = await run.write(
                body=message,
                MCP_Protocol_Version="2026-07-28",
                Mcp_Method="tools/call",
                Mcp_Name="say_message",
            )
            await until(lambda: run.said)
            await reply.close()
            await until(lambda: not run.voice.busy)
            eq(run.said[-1], "speaker off")


# What a server may do wrong before a sound is heard, and what the log says of it.
def _status(peer):
    peer.status = 500


def _key(peer):
    peer.status = 401


def _eight_bits(peer):
    peer.sound = wav(bytes(16000), bits=8)


def _stereo(peer):
    peer.sound = wav(SOUND, channels=2)


def _rate(peer):
    peer.sound = wav(SOUND, rate=96000)


def _no_wav(peer):
    peer.sound = b"ID3\4" + bytes(9000)


def _nothing(peer):
    peer.sound = b""


def _empty(peer):
    peer.sound = wav(b"")


def _cut_early(peer):
    peer.cut = 4000


def _cut_head(peer):
    peer.cut = 30


def _huge(peer):
    peer.repeat = 900


def _mute(peer):
    peer.mute = True


WRONG = (
    (_status, "HTTP error: 500 X"),
    (_key, "HTTP error: 401 X"),
    (_eight_bits, "8 bits, 1 channels, coding 1; 16-bit mono PCM is played"),
    (_stereo, "16 bits, 2 channels, coding 1; 16-bit mono PCM is played"),
    (_rate, "96000 samples a second; 8000 to 48000 are played"),
    (_no_wav, "no WAV file"),
    (_nothing, "the server sent no sound"),
    (_empty, "the server sent no sound"),
    (_cut_early, "Disconnected: inside the reply"),
    (_cut_head, "Disconnected: inside the reply"),
    (_huge, "Malformed response: body too large"),
    (_mute, "Request timed out after 150 ms"),
)


async def test_beeps_where_a_server_fails_and_the_next_call_works():
    for kind in ("openai", "voicevox"):
        async with SpeechPeer(wav(SOUND)) as peer:
            async with Speaks(peer, kind, tts__key="sk-not-to-be-seen") as run:
                good = dict(peer.__dict__)
                for wrong, why in WRONG:
                    wrong(peer)
                    with Impatient():
                        eq((wrong.__name__, await run.say("aa")), (wrong.__name__, BEEPED))
                    eq((run.take()[0], run.log.texts("warning")[-1]), ("beeps", "speech: " + why))
                    for name in ("status", "sound", "cut", "repeat", "mute"):
                        setattr(peer, name, good[name])
                eq((await run.say(), run.take()), (SPOKEN, ("pcm", 500)))
                eq((run.robot.faults, run.log.texts("error")), ({"speech": len(WRONG)}, []))
                assert "seen" not in str(run.log.lines)


BEEPED = {"duration_ms": 100, "complete": True, "finished": True}


class Impatient:
    """Within it, servers have 150 ms."""

    def __enter__(self):
        self._watch = watch = HTTPPost._watch

        def shorter(post):
            post._idle_ms = 150
            watch(post)

        HTTPPost._watch = shorter

    def __exit__(self, *error):
        HTTPPost._watch = self._watch


async def test_a_server_that_is_not_there_or_cannot_be_asked():
    peer = SpeechPeer(wav(SOUND))
    async with Speaks(peer) as run:
        eq((await run.say("aa"), run.take()[0]), (BEEPED, "beeps"))
        for key, value, why in (
            ("tts.url", "ftp://x", "tts.url: must begin with http:// or https://"),
            ("tts.url", None, "tts.url: must begin with http:// or https://"),
            ("tts.url", "https://127.0.0.1", "https needs ca="),
            ("tts.ca", "/no/such/file", "[Errno 2] ENOENT"),
            ("tts.kind", "festival", "tts.kind: none, voicevox or openai"),
        ):
            run.preferences.set(key, value)
            eq((await run.say("aa"), run.take()[0]), (BEEPED, "beeps"))
            seen = run.log.texts("warning")[-1]
            assert seen.startswith("speech: " + why), seen
            run.preferences.set("tts.ca", None)
        run.preferences.set("tts.kind", "openai")
        run.preferences.set("tts.url", peer.url)
        async with peer:
            eq((await run.say(), run.take()), (SPOKEN, ("pcm", 500)))


async def test_what_was_heard_is_not_said_again():
    for chunked in (False, True):
        async with SpeechPeer(wav(SOUND * 4)) as peer:
            peer.cut, peer.chunked = 32044, chunked
            async with Speaks(peer) as run:
                eq(await run.say(), {"duration_ms": 1000, "complete": False, "finished": True})
                eq(
                    (run.take(), run.log.texts("warning")),
                    (("pcm", 1000), ["speech: Disconnected: inside the reply"]),
                )
                peer.cut = None
                eq((await run.say())["duration_ms"], 2000)


async def test_a_file_that_has_less_than_it_promises():
    async with SpeechPeer(wav(SOUND, size=32000)) as peer:
        async with Speaks(peer) as run:
            eq(await run.say(), {"duration_ms": 500, "complete": False, "finished": True})


async def test_a_slow_server_makes_pauses_and_all_is_said():
    async with SpeechPeer(wav(SOUND)) as peer:
        peer.pause_ms, peer.piece = 300, 3000
        async with Speaks(peer) as run:
            eq(await run.say(), SPOKEN)
            eq((run.take(), run.log.texts("warning")), (("pcm", 500), []))
            assert 0 in run.mouth[1:-1], run.mouth


async def test_parts_of_a_long_text_are_one_speech():
    async with SpeechPeer(wav(square(300, 8000))) as peer:
        async with Speaks(peer, "voicevox") as run:
            text = "\u3042" * 97 + "\u3002" + "\u3044" * 97 + "\u3002" + "\u3046" * 9
            eq(await run.say(text), {"duration_ms": 900, "complete": True, "finished": True})
            eq((run.take(), len(peer.asked), peer.connections), (("pcm", 900), 6, 1))
            # The second part fails: what was said before stays.
            peer.sound = wav(SOUND * 3)
            peer.status = [200, 200, 500]
            answer = await run.say(text)
            eq((answer["complete"], answer["duration_ms"], run.take()), (False, 1500, ("pcm", 1500)))


async def test_an_endless_speech_takes_no_more_of_the_heap():
    async with SpeechPeer(wav(square(1000, 8000, 48000), 48000, size=0xFFFFFFFF)) as peer:
        peer.repeat, peer.chunked, peer.piece = 1000, True, 960
        async with Speaks(peer) as run:
            await run.say("Hello", False)
            await until(lambda: run.said)
            await asyncio.sleep_ms(300)
            seen = []
            for _ in range(8):
                gc.collect()
                seen.append(gc.mem_alloc())
                await asyncio.sleep_ms(250)
            assert max(seen) - seen[0] < 3000, seen
            run.voice.stop()
            await until(lambda: peer.gone == 1)


async def test_what_a_speech_takes_of_the_heap_comes_back():
    async with SpeechPeer(wav(SOUND * 2)) as peer:
        async with Speaks(peer) as run:
            seen = []
            most = 0
            for _ in range(4):
                run.voice.speak("Hello")
                while run.voice.busy:
                    await asyncio.sleep_ms(100)
                    gc.collect()
                    most = max(most, gc.mem_alloc())
                await asyncio.sleep_ms(50)
                for kept in (run.said, run.mouth, peer.asked):
                    del kept[:]
                gc.collect()
                seen.append(gc.mem_alloc())
            eq(seen[1:], seen[:1] * 3)
            # 16 KB of sound; the rest is the client and its connection, and here the server's.
            print("a speech takes %d bytes" % (most - seen[0]))
            assert most - seen[0] < 16384 + 10000, most - seen[0]


async def test_the_owners_volume_and_quiet_hours():
    async with SpeechPeer(wav(SOUND)) as peer:
        async with Speaks(peer) as run:
            run.policy.volume_cap = 50
            run.robot.obey()
            eq(await run.say(), SPOKEN)
            levels = [int(line.split()[2]) for line in run.said if line.startswith("speaker pcm")]
            eq((max(levels), max(run.mouth)), (12, 100))
            run.policy.volume_cap = 100
            run.robot.obey()
            run.take()
            # They begin while the server is waited for.
            peer.mute = True
            await run.say(wait=False)
            await asyncio.sleep_ms(100)
            run.policy.is_quiet = True
            peer.mute = False
            await until(lambda: not run.voice.busy)
            eq((run.take(), run.log.texts("warning")), (("", 0), ["speech: quiet hours"]))
            eq((await run.say())[:11], "quiet_hours")
            eq(len(peer.asked), 2)


async def test_without_a_server_it_beeps_and_nothing_of_this_is_loaded():
    for name in ("speaking", "net.tts", "robot.speech", "robot.wav"):
        sys.modules.pop(name, None)
    async with SpeechPeer(wav(SOUND)) as peer:
        for kind in (None, "none"):
            async with Speaks(peer, kind) as run:
                eq((await run.say("aa"), run.take()[0], peer.asked), (BEEPED, "beeps", []))
                eq([name for name in ("speaking", "net.tts", "robot.speech") if name in sys.modules], [])
        async with Speaks(peer, None) as run:
            run.preferences.set("tts.kind", "openai")
            run.preferences.on_change("tts.kind")
            eq(await run.say(), SPOKEN)
            run.preferences.set("tts.kind", "none")
            run.preferences.on_change("tts.kind")
            run.take()
            eq((await run.say("aa"), run.take()[0]), (BEEPED, "beeps"))


async def test_a_speaker_that_has_beeps_only():
    from fake_board import Speaker as Beeper

    async with SpeechPeer(wav(SOUND)) as peer:
        async with Speaks(peer, speaker=Beeper()) as run:
            eq((await run.say("aa"), peer.asked), (BEEPED, []))
            eq(run.log.texts("warning"), ["tts.kind: this speaker has beeps only"])
