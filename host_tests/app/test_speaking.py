"""The whole app, and a speech server over real sockets: what is heard, where the mouth is, what it takes."""

import asyncio
import gc
import sys

sys.path.append(__file__.rsplit("/", 1)[0] + "/../robot")
sys.path.append(__file__.rsplit("/", 1)[0] + "/../net")

from speaks import BEEPED, SOUND, SPOKEN, Speaks
from speech_peer import SpeechPeer
from streaming import call, modern, until
from wavs import square, wav

import net.http_client as client
from harness import eq


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
        async with SpeechPeer(wav(square(300, 8000, rate, 210), rate)) as peer:
            async with Speaks(peer) as run:
                eq((await run.say())["duration_ms"], 300)
                eq(run.said[0], "speaker play %d" % rate)
    async with SpeechPeer(square(300, 8000, 24000), b"audio/pcm") as peer:
        async with Speaks(peer, tts__format="pcm") as run:
            eq((await run.say())["duration_ms"], 300)
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
                await asyncio.sleep_ms(120)
            assert max(seen) - seen[0] < 3000, seen
            run.voice.stop()
            await until(lambda: peer.gone == 1)


async def test_what_a_speech_takes_of_the_heap_comes_back():
    async with SpeechPeer(wav(SOUND)) as peer:
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


async def test_a_server_is_not_looked_up_while_the_head_turns():
    async with SpeechPeer(wav(SOUND)) as peer:
        async with Speaks(peer) as run:
            await run.result(
                modern("tools/call", call("move_head", yaw=60, pitch=10, duration_ms=700, wait=False))
            )
            await until(lambda: run.robot.moving)
            await run.say(wait=False)
            while run.robot.moving:
                eq(peer.connections, 0)
                await asyncio.sleep_ms(10)
            await until(lambda: not run.voice.busy)
            eq(run.take(), ("pcm", 500))


class Sockets:
    def __init__(self, true, lookup):
        self.SOCK_STREAM = true.SOCK_STREAM
        self.socket = true.socket
        self.getaddrinfo = lookup


async def test_a_name_is_looked_up_once_and_new_preferences_hold_at_once():
    asked = []
    true = client.socket

    def lookup(*args):
        asked.append(args[0])
        return true.getaddrinfo(*args)

    client.socket = Sockets(true, lookup)
    try:
        async with SpeechPeer(wav(SOUND)) as peer, SpeechPeer(wav(SOUND)) as other:
            async with Speaks(peer) as run:
                for _ in range(3):
                    eq(await run.say(), SPOKEN)
                eq((len(asked), peer.connections), (1, 3))
                run.preferences.set("tts.url", other.url)
                run.preferences.set("tts.voice", "nova")
                eq(await run.say(), SPOKEN)
                eq((len(asked), peer.connections, other.connections), (2, 3, 1))
                assert b"nova" in other.asked[0][3]
                other.status = [500, 200]
                await run.say("aa")
                eq(await run.say(), SPOKEN)
                eq(len(asked), 3)
    finally:
        client.socket = true


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
