"""The whole app, and a speech server that fails: in beeps where nothing was heard, and the next call works."""

import sys

sys.path.append(__file__.rsplit("/", 1)[0] + "/../robot")
sys.path.append(__file__.rsplit("/", 1)[0] + "/../net")

from speaks import BEEPED, SOUND, SPOKEN, Impatient, Speaks
from speech_peer import SpeechPeer
from wavs import wav

from harness import eq


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
        async with SpeechPeer(wav(SOUND * 3)) as peer:
            peer.cut, peer.chunked = 24044, chunked
            async with Speaks(peer) as run:
                eq(await run.say(), {"duration_ms": 750, "complete": False, "finished": True})
                eq(
                    (run.take(), run.log.texts("warning")),
                    (("pcm", 750), ["speech: Disconnected: inside the reply"]),
                )
                peer.cut = None
                eq((await run.say())["duration_ms"], 1500)


async def test_a_file_that_has_less_than_it_promises():
    async with SpeechPeer(wav(SOUND, size=32000)) as peer:
        async with Speaks(peer) as run:
            eq(await run.say(), {"duration_ms": 500, "complete": False, "finished": True})
