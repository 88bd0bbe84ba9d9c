"""A speech server that means harm: what it sends ends soon, in beeps or in what was heard, and takes no memory."""

import asyncio
import gc
import sys
import time

sys.path.append(__file__.rsplit("/", 1)[0] + "/../robot")
sys.path.append(__file__.rsplit("/", 1)[0] + "/../net")

from speaks import BEEPED, SOUND, SPOKEN, Impatient, Speaks
from speech_peer import QUERY, SpeechPeer
from wavs import wav

from harness import eq


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


class Endless(SpeechPeer):
    """first, then `again` for ever, in chunks, with a pause in ms."""

    def __init__(self, first, again, pause_ms=0):
        super().__init__()
        self.first = first
        self.again = again
        self.pause_ms = pause_ms

    async def _answer(self, target, writer):
        writer.write(b"HTTP/1.1 200 X\r\nContent-Type: audio/wav\r\nTransfer-Encoding: chunked\r\n\r\n")
        writer.write(chunk(self.first))
        while True:
            await writer.drain()
            if self.pause_ms:
                await asyncio.sleep_ms(self.pause_ms)
            writer.write(chunk(self.again))


async def test_what_comes_behind_the_sound_is_not_waited_for():
    for again, pause_ms in ((b"x", 20), (b"x" * 900, 0)):
        async with Endless(wav(SOUND), again, pause_ms) as peer:
            async with Speaks(peer) as run:
                for _ in range(2):
                    since = time.ticks_ms()
                    eq((await run.say(), run.take()), (SPOKEN, ("pcm", 500)))
                    assert time.ticks_diff(time.ticks_ms(), since) < 2500
                eq(run.log.texts("warning"), [])


HEAD = b"RIFF\xff\xff\xff\xffWAVE"
# What never becomes a sound, and goes on for ever.
NEVER = (
    (b"RIFF", b"x" * 900, "no WAV file"),
    (HEAD, b"LIST\x00\x40\x00\x00" + bytes(900), "no sound in its first"),
    (HEAD + b"LIST\xff\xff\xff\x7f", b"x" * 900, "no sound in its first"),
    (HEAD + b"fmt \xff\xff\xff\x7f", b"x" * 900, "its format is unknown"),
    (HEAD + b"data\x00\x10\x00\x00", b"x" * 900, "its sound comes before its format"),
)


async def test_what_never_becomes_a_sound():
    for first, again, why in NEVER:
        async with Endless(first, again) as peer:
            async with Speaks(peer) as run:
                gc.collect()
                before = gc.mem_alloc()
                eq((why, await run.say("aa"), run.take()[0]), (why, BEEPED, "beeps"))
                assert run.log.texts("warning")[-1].startswith("speech: " + why), run.log.lines
                gc.collect()
                assert gc.mem_alloc() - before < 20000, gc.mem_alloc() - before


QUERIES = (
    (b"[" * 30000, "the query is no JSON"),
    (b"{" + b'"a":' * 5000, "the query is no JSON"),
    (b'{"a":"' + b"x" * 60000 + b'"}', "Malformed response: body too large|the query has more than"),
    (b"", "the query is no JSON"),
    (b"{}", "the query has no members"),
    (b"3", "the query has no members"),
    (b"null" + b" " * 2000, "the query has no members"),
    (b'{"outputSamplingRate":1,"outputSamplingRate":2}', None),
)


async def test_queries_of_any_kind():
    async with SpeechPeer(wav(SOUND)) as peer:
        async with Speaks(peer, "voicevox") as run:
            for query, why in QUERIES:
                peer.query = query
                answer = await run.say("aa")
                if why is None:
                    eq((answer, run.take()), (SPOKEN, ("pcm", 500)))
                    continue
                eq((query[:9], answer, run.take()[0]), (query[:9], BEEPED, "beeps"))
                said = run.log.texts("warning")[-1]
                assert [one for one in why.split("|") if said.startswith("speech: " + one)], said
            peer.query = QUERY
            eq((await run.say(), run.log.texts("error")), (SPOKEN, []))


async def test_a_reply_that_stops_and_one_that_moves():
    async with SpeechPeer(wav(SOUND)) as peer:
        async with Speaks(peer) as run:
            peer.status = [302, 200]
            eq((await run.say("aa"), run.take()[0]), (BEEPED, "beeps"))
            eq((await run.say(), run.take()[0]), (SPOKEN, "pcm"))
    # A byte now and then is no reason to wait for more than it may take in all.
    async with Endless(wav(SOUND, size=0xFFFFFFFF)[:20], b"x", 400) as peer:
        async with Speaks(peer) as run:
            with Impatient():
                eq((await run.say("aa"), run.take()[0]), (BEEPED, "beeps"))
