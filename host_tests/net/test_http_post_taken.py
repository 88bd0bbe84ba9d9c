"""A POST whose reply is taken in pieces, as fast as the taker takes them; and whose target is another each time."""

import asyncio

from speech_peer import SpeechPeer

from harness import araises, eq
from net.http_post import HTTPPost
from umcp.client_errors import Disconnected, RequestTimeout, TooLarge

_TYPE = {"Content-Type": "text/plain"}


class Taker:
    """The pieces that came, each of which took a while."""

    def __init__(self, pause_ms=0):
        self.pieces = []
        self.done = False
        self._pause_ms = pause_ms

    def head(self, status, reason, fields):
        self.status = status
        return False

    def feed(self, data):
        return (data,)

    async def take(self, piece):
        self.pieces.append(piece)
        if self._pause_ms:
            await asyncio.sleep_ms(self._pause_ms)

    def eof(self):
        self.done = True


def post_to(peer, **limits):
    return HTTPPost(peer.url + "/base", _TYPE, **limits)


async def test_a_body_comes_in_pieces_of_a_kilobyte_at_most():
    sound = bytes(range(256)) * 400
    for chunked in (False, True):
        async with SpeechPeer(sound) as peer:
            peer.chunked = chunked
            taker = Taker()
            post = post_to(peer, max_body=1 << 20)
            await post.send((b"abc",), taker)
            eq((taker.status, taker.done, b"".join(taker.pieces) == sound), (200, True, True))
            assert max([len(piece) for piece in taker.pieces]) <= 1024
            post.drop()


async def test_each_request_may_have_its_own_target():
    async with SpeechPeer(b"hello") as peer:
        post = post_to(peer)
        for target in (None, "/x?y=1", None, "/z"):
            await post.send((b"ab", b"c"), Taker(), target)
        eq(peer.targets(), ["/base", "/x?y=1", "/base", "/z"])
        eq([asked[3] for asked in peer.asked], [b"abc"] * 4)
        eq(peer.connections, 1)
        post.drop()


async def test_a_slow_taker_slows_the_server_down():
    async with SpeechPeer(bytes(1 << 16)) as peer:
        peer.repeat = 1 << 7
        taker = Taker(20)
        task = asyncio.create_task(post_to(peer, max_body=9 << 20).send((), taker))
        await asyncio.sleep_ms(400)
        assert len(taker.pieces) <= 21, len(taker.pieces)
        assert peer.sent < 8 << 20, "all of it was sent: somebody holds it"
        task.cancel()
        await asyncio.sleep_ms(50)
        eq(peer.gone, 1)


async def test_the_time_that_a_taker_takes_is_not_the_servers():
    async with SpeechPeer(bytes(3000)) as peer:
        post = post_to(peer, idle_ms=100)
        taker = Taker(250)
        await post.send((), taker)
        eq(sum([len(piece) for piece in taker.pieces]), 3000)
        peer.piece, peer.pause_ms = 1000, 400
        await araises(RequestTimeout, post.send((), Taker(250)))
        post.drop()


async def test_a_body_past_the_limit_is_not_taken():
    async with SpeechPeer(bytes(5000)) as peer:
        post = post_to(peer, max_body=4999)
        taker = Taker()
        await araises(TooLarge, post.send((), taker))
        eq(taker.pieces, [])
        peer.chunked = True
        await araises(TooLarge, post.send((), taker))
        assert sum([len(piece) for piece in taker.pieces]) < 5000


async def test_a_connection_that_ends_early():
    for chunked in (False, True):
        async with SpeechPeer(bytes(5000)) as peer:
            peer.cut, peer.chunked = 3000, chunked
            post = post_to(peer)
            taker = Taker()
            await araises(Disconnected, post.send((), taker))
            eq(sum([len(piece) for piece in taker.pieces]), 3000)
            peer.cut = None
            await post.send((), taker)
            eq(taker.done, True)
            post.drop()
