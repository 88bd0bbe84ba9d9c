"""A request that is no MCP, over the client's connection: whose reply comes in pieces, as fast as they are taken."""

import asyncio

from speech_peer import SpeechPeer

from harness import araises, eq
from http1.url import parse_url
from net.http_client import HTTPClient
from net.http_post import Post
from umcp.client_errors import AuthError, Busy, Disconnected, HttpError, TooLarge

_TYPE = {"Content-Type": "text/plain"}


class Taker:
    """A client of a peer, and the pieces that came."""

    def __init__(self, peer, pause_ms=0, **limits):
        self.pieces = []
        self._pause_ms = pause_ms
        self.client = HTTPClient(*parse_url(peer.url + "/base"), self._take, **limits)

    async def _take(self, piece):
        self.pieces.append(piece)
        if self._pause_ms:
            await asyncio.sleep_ms(self._pause_ms)

    async def post(self, target="/x?y=1", body=b"abc", headers=None):
        post = Post(target, headers or dict(_TYPE), body, True)
        await self.client.exchange(post)
        return post


async def test_a_body_comes_in_pieces_of_a_kilobyte_at_most():
    sound = bytes(range(256)) * 400
    for chunked in (False, True):
        async with SpeechPeer(sound, b"Audio/WAV; x=1") as peer:
            peer.chunked = chunked
            taker = Taker(peer, max_body=1 << 20)
            post = await taker.post()
            post.outcome()
            eq((post.status, post.content_type, post.done), (200, "audio/wav", True))
            eq(b"".join(taker.pieces) == sound, True)
            assert max([len(piece) for piece in taker.pieces]) <= 1024
            taker.client.drop()


async def test_what_is_asked_and_each_request_has_its_own_target():
    async with SpeechPeer(b"hello") as peer:
        taker = Taker(peer)
        await taker.post()
        await taker.post("/other", b"", {"X-Key": "1"})
        (_, one, headers, body), (method, other, more, empty) = peer.asked
        eq((one, body, headers["content-type"]), ("/x?y=1", b"abc", "text/plain"))
        eq((method, other, empty, more["x-key"], "content-type" in more), ("POST", "/other", b"", "1", False))
        eq((peer.connections, taker.pieces), (1, [b"hello", b"hello"]))
        taker.client.drop()


async def test_a_slow_taker_slows_the_server_down():
    async with SpeechPeer(bytes(1 << 16)) as peer:
        peer.repeat = 1 << 7
        taker = Taker(peer, 20, max_body=9 << 20)
        task = asyncio.create_task(taker.post())
        await asyncio.sleep_ms(400)
        assert len(taker.pieces) <= 21, len(taker.pieces)
        assert peer.sent < 8 << 20, "all of it was sent: somebody holds it"
        task.cancel()
        await asyncio.sleep_ms(50)
        eq(peer.gone, 1)


async def test_a_status_that_is_no_success():
    for status, kind in ((400, HttpError), (401, AuthError), (403, AuthError), (429, Busy), (500, HttpError)):
        async with SpeechPeer(b"hello") as peer:
            peer.status = [status, 200]
            taker = Taker(peer)
            post = await taker.post()
            try:
                post.outcome()
                raise AssertionError("no error")
            except HttpError as e:
                eq((type(e) is kind, e.status, taker.pieces), (True, status, []))
            (await taker.post()).outcome()
            eq(taker.pieces, [b"hello"])
            taker.client.drop()


async def test_a_body_past_the_limit_is_not_begun():
    async with SpeechPeer(bytes(5000)) as peer:
        taker = Taker(peer, max_body=4999)
        await araises(TooLarge, taker.post())
        eq(taker.pieces, [])
        peer.chunked = True
        await araises(TooLarge, taker.post())
        assert sum([len(piece) for piece in taker.pieces]) < 5000


async def test_a_connection_that_ends_early():
    for chunked in (False, True):
        async with SpeechPeer(bytes(5000)) as peer:
            peer.cut, peer.chunked = 3000, chunked
            taker = Taker(peer)
            await araises(Disconnected, taker.post())
            eq(sum([len(piece) for piece in taker.pieces]), 3000)
            peer.cut = None
            (await taker.post()).outcome()
            taker.client.drop()
