"""Speech servers over real sockets: what they are asked, what a sink gets, and what is refused."""

import asyncio
import json
import sys

sys.path.append(__file__.rsplit("/", 1)[0] + "/../robot")

from speech_peer import QUERY, SpeechPeer
from wavs import wav

from harness import araises, eq, raises
from net.tts import SpeechServer, part_end, query_pieces, quoted, raw_rate
from umcp.client_errors import (
    AuthError,
    Busy,
    ConfigError,
    Disconnected,
    HttpError,
    Malformed,
    RequestTimeout,
    TooLarge,
    WrongContentType,
)

FILE = wav(bytes(3000))


class Sink:
    """parts: list of [rate, left, bytes that came]."""

    whole = False

    def __init__(self, pause_ms=0):
        self.parts = []
        self._pause_ms = pause_ms
        self.largest = 0

    def part(self, rate, left):
        self.parts.append([rate, left, b""])

    async def take(self, data):
        self.parts[-1][2] += data
        self.largest = max(self.largest, len(data))
        if self._pause_ms:
            await asyncio.sleep_ms(self._pause_ms)


async def say(peer, text="Hello", kind="openai", path="", sink=None, **options):
    sink = sink or Sink()
    server = SpeechServer(kind, peer.url + path, **options)
    try:
        await server.say(text, sink)
    finally:
        server.drop()
    return sink


async def test_voicevox_is_asked_for_a_query_and_then_for_its_sound():
    async with SpeechPeer(FILE) as peer:
        sink = await say(peer, "\u3042 &b", "voicevox", voice="14")
        eq(sink.parts, [[None, 0, FILE]])
        eq(peer.targets(), ["/audio_query?text=%E3%81%82%20%26b&speaker=14", "/synthesis?speaker=14"])
        eq([asked[0] for asked in peer.asked], ["POST", "POST"])
        (_, _, _, empty), (_, _, headers, query) = peer.asked
        eq((empty, headers["content-type"], peer.connections), (b"", "application/json", 1))
        wanted = json.loads(QUERY)
        wanted["outputSamplingRate"] = 16000
        eq(json.loads(query), wanted)


async def test_a_path_before_voicevoxs_own_and_its_first_style():
    async with SpeechPeer(FILE) as peer:
        await say(peer, "a", "voicevox", "/engine/")
        eq(peer.targets(), ["/engine/audio_query?text=a&speaker=1", "/engine/synthesis?speaker=1"])


async def test_a_long_text_is_made_in_parts():
    async with SpeechPeer(FILE) as peer:
        text = "\u3042" * 60 + "\u3002" + "\u3044" * 90 + "\u3001" + "\u3046" * 20
        sink = await say(peer, text, "voicevox")
        eq([part[:2] for part in sink.parts], [[None, 111], [None, 20], [None, 0]])
        eq(len(peer.asked), 6)
        eq(peer.connections, 1)


async def test_what_openai_is_asked():
    async with SpeechPeer(FILE) as peer:
        sink = await say(peer, 'Say "a"', path="/v1", voice="nova", model="kokoro", key="sk-1")
        eq(sink.parts, [[None, 0, FILE]])
        method, target, headers, body = peer.asked[0]
        eq((method, target, headers["authorization"]), ("POST", "/v1/audio/speech", "Bearer sk-1"))
        wanted = {"model": "kokoro", "voice": "nova", "input": 'Say "a"', "response_format": "wav"}
        eq(json.loads(body), wanted)
        await say(peer)
        wanted = {"model": "tts-1", "voice": "alloy", "input": "Hello", "response_format": "wav"}
        eq(json.loads(peer.asked[1][3]), wanted)
        eq("authorization" in peer.asked[1][2], False)


async def test_raw_pcm_by_its_content_type():
    for kind, rate in ((b"audio/pcm", 24000), (b"Audio/PCM; rate=16000", 16000), (b"audio/wav", None)):
        async with SpeechPeer(bytes(3000), kind) as peer:
            sink = await say(peer, form="pcm")
            eq(sink.parts, [[rate, 0, bytes(3000)]])
            eq(json.loads(peer.asked[0][3])["response_format"], "pcm")
    async with SpeechPeer(bytes(3000), b"audio/mpeg") as peer:
        await araises(WrongContentType, say(peer, form="pcm"))


def test_content_types():
    for kind, rate in (
        (b"", 24000),
        (b"application/octet-stream", 24000),
        (b"audio/pcm;channels=1;rate=48000", 48000),
        (b"audio/pcm;rate=x", 24000),
        (b"audio/pcm;rate=1234567", 24000),
        (b"audio/x-wav", None),
    ):
        eq(raw_rate(kind), rate)
    for kind in (b"audio/mpeg", b"application/json", b"text/html; charset=utf-8", b"audio/l16", b"\xff\xfe"):
        raises(WrongContentType, raw_rate, kind)


async def test_sound_is_read_as_fast_as_it_is_taken():
    for chunked in (False, True):
        async with SpeechPeer(bytes(1 << 16)) as peer:
            peer.repeat = 1 << 6 if not chunked else 1
            peer.chunked = chunked
            sink = Sink(10)
            task = asyncio.create_task(say(peer, sink=sink))
            await asyncio.sleep_ms(300)
            assert 3 <= len(sink.parts[0][2]) // 1024 <= 31, len(sink.parts[0][2])
            assert sink.largest <= 1024, sink.largest
            task.cancel()
            await asyncio.sleep_ms(50)
            if not chunked:
                assert peer.sent < 4 << 20, "all of it was sent: somebody holds it"
                eq(peer.gone, 1)


async def test_a_file_of_more_than_two_minutes_is_not_begun():
    async with SpeechPeer(bytes(1 << 16)) as peer:
        peer.repeat = 12000000 // (1 << 16) + 1
        sink = Sink()
        await araises(TooLarge, say(peer, sink=sink))
        eq(sum([len(part[2]) for part in sink.parts]), 0)


async def test_refusals_are_told_apart_and_none_is_tried_again():
    for status, kind in ((400, HttpError), (401, AuthError), (422, HttpError), (429, Busy), (500, HttpError)):
        for server in ("openai", "voicevox"):
            async with SpeechPeer(FILE) as peer:
                peer.status = status
                sink = Sink()
                error = await araises(kind, say(peer, kind=server, sink=sink, key="sk-secret"))
                eq((error.status, len(peer.asked), sink.parts), (status, 1, []))
                assert "secret" not in str(error)
    async with SpeechPeer(FILE) as peer:
        peer.status = [200, 500]
        await araises(HttpError, say(peer, kind="voicevox"))


async def test_a_server_that_is_not_there():
    peer = SpeechPeer()
    await araises(Disconnected, say(peer))


async def test_a_stream_that_is_cut():
    for chunked in (False, True):
        for server in ("openai", "voicevox"):
            async with SpeechPeer(FILE) as peer:
                peer.cut, peer.chunked = 2000, chunked
                sink = Sink()
                await araises(Disconnected, say(peer, kind=server, sink=sink))
                eq(sink.parts[0][2] == FILE[:2000], True)


async def test_a_server_that_keeps_still():
    async with SpeechPeer(FILE) as peer:
        server = SpeechServer("openai", peer.url)
        server._post._idle_ms = 150
        peer.mute = True
        await araises(RequestTimeout, server.say("Hello", Sink()))
        peer.mute = False
        # It may be slow, and a sink that takes its time is not the server's fault.
        peer.pause_ms, peer.piece = 60, 500
        sink = Sink(200)
        await server.say("Hello", sink)
        eq(sink.parts[0][2] == FILE, True)
        server.drop()


async def test_a_query_is_bounded_and_must_be_one():
    for query, kind in (
        (b"{%s}" % (b" " * 50000), TooLarge),
        (b"", Malformed),
        (b"[1]", Malformed),
        (b"{}", Malformed),
        (b'{"a":1', Malformed),
        (b'{"outputSamplingRate":}', Malformed),
        (b'{"output\\u0053tereo":true}', Malformed),
        (b'"{}"', Malformed),
        (b" 5 ", Malformed),
    ):
        async with SpeechPeer(FILE, query=query) as peer:
            await araises(kind, say(peer, kind="voicevox"))
            eq(len(peer.asked), 1)


def changed(query):
    return b"".join([bytes(piece) for piece in query_pieces(bytearray(query))])


def test_members_are_replaced_or_added_and_all_else_stays():
    for query, wanted in (
        (b'{"a":1}', b'{"a":1,"outputSamplingRate":16000,"outputStereo":false}'),
        (b' {"outputStereo" : true } \n', b' {"outputStereo" : false ,"outputSamplingRate":16000}'),
        (
            b'{"outputStereo":true,"x":[1],"outputSamplingRate":\n24000}',
            b'{"outputStereo":false,"x":[1],"outputSamplingRate":\n16000}',
        ),
        (
            b'{ "outputSamplingRate": 24000, "outputStereo": null }',
            b'{ "outputSamplingRate": 16000, "outputStereo": false }',
        ),
        (
            b'{"outputStereo":{"outputStereo":1},"outputSamplingRate":"2"}',
            b'{"outputStereo":false,"outputSamplingRate":16000}',
        ),
    ):
        eq(changed(query), wanted)


def test_what_looks_like_a_member_elsewhere_is_left_alone():
    for text in (
        'outputSamplingRate"',
        '"outputSamplingRate":1',
        ',"outputSamplingRate":1,',
        '{"outputSamplingRate":1}',
        "outputStereo",
        '\\"outputStereo":true',
        "\\",
    ):
        for value in (text, {text: 5}, [text, text]):
            query = {"kana": value, "outputSamplingRate": 24000, "outputStereo": True}
            wanted = dict(query)
            wanted.update({"outputSamplingRate": 16000, "outputStereo": False})
            eq(json.loads(changed(json.dumps(query).encode())), wanted)
            eq(json.loads(changed(json.dumps({"kana": value}).encode()))["kana"], value)


def test_no_piece_of_a_query_is_a_copy():
    query = bytearray(b'{"a":"%s","outputStereo":true}' % (b"x" * 40000))
    pieces = query_pieces(query)
    query[100] = 121
    eq(pieces[0][100], 121)


def test_where_a_text_is_parted():
    a = "a" * 50
    for text, end in (
        ("", 0),
        ("x" * 100, 100),
        ("x" * 101, 100),
        (a + ". " + a, 52),
        (a + "! b? " + a, 55),
        (a + ", " + a, 52),
        (a + " " + a, 51),
        (a + ". " + "b " * 20 + a, 52),
        (a + "\u3002" + a + "\u3002", 51),
        ("\u3042" * 99 + "\u3002\u3042", 100),
        ("\n" + "x" * 120, 1),
    ):
        eq((text, part_end(text)), (text, end))


def test_a_text_in_a_url():
    eq(quoted("aZ09-._~"), "aZ09-._~")
    eq(quoted(' \n%&=+/?#"\u3042\U0001f600'), "%20%0A%25%26%3D%2B%2F%3F%23%22%E3%81%82%F0%9F%98%80")


def test_what_cannot_be_asked():
    url = "http://127.0.0.1:1"
    for args in (
        ("none", url),
        ("openai", None),
        ("openai", "ftp://x"),
        ("openai", url + "/?a=1"),
        ("openai", "https://127.0.0.1"),
        ("voicevox", url, "zundamon"),
        ("voicevox", url, "1&x=2"),
        ("openai", url, None, None, "a\r\nb"),
        ("openai", url, None, None, None, "mp3"),
    ):
        raises(ConfigError, SpeechServer, *args)
