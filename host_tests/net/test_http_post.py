"""A request that is no MCP: it goes out in pieces, and its reply comes in pieces, as fast as they are taken."""

import asyncio
import socket

from speech_peer import SpeechPeer

from harness import araises, eq
from net import http_client
from net.http_post import HTTPPost
from umcp.client_errors import Cancelled, Disconnected, RequestTimeout, TooLarge

_TYPE = {"Content-Type": "text/plain"}


class Taker:
    """A POST to a peer, and what came: `pieces`, `status`, `kind`; done when all is, or after `enough` bytes."""

    def __init__(self, peer, pause_ms=0, enough=1 << 30, stream=False, **limits):
        self.pieces = []
        self.status = 0
        self.done = False
        self._pause_ms = pause_ms
        self._enough = enough
        self._stream = stream
        self.http = HTTPPost(peer.url + "/base?q=1", _TYPE, **limits)

    def head(self, status, reason, fields):
        self.status = status
        self.kind = fields.get(b"content-type")
        return self._stream

    def feed(self, data):
        return (data,)

    async def take(self, piece):
        self.pieces.append(piece)
        self._enough -= len(piece)
        self.done = self._enough <= 0
        if self._pause_ms:
            await asyncio.sleep_ms(self._pause_ms)

    def eof(self):
        self.done = True

    async def send(self, *pieces):
        self.done = False
        await self.http.send(list(pieces), self)


async def test_a_body_comes_in_pieces_of_a_kilobyte_at_most():
    sound = bytes(range(256)) * 400
    for chunked in (False, True):
        async with SpeechPeer(sound, b"Audio/WAV; x=1") as peer:
            peer.chunked = chunked
            taker = Taker(peer, max_body=1 << 20)
            await taker.send(b"abc")
            eq((taker.status, taker.kind, taker.done), (200, b"Audio/WAV; x=1", True))
            eq(b"".join(taker.pieces) == sound, True)
            assert max([len(piece) for piece in taker.pieces]) <= 1024
            taker.http.drop()


async def test_a_request_goes_out_in_pieces():
    async with SpeechPeer(b"hello") as peer:
        taker = Taker(peer)
        pieces = [b"a" * 700, b"b" * 700, b"", b"c" * 3000, b"d"]
        for few in (pieces, [], [b"x"]):
            await taker.send(*few)
            method, target, headers, body = peer.asked[-1]
            eq(
                (method, target, headers["content-type"], body),
                ("POST", "/base?q=1", "text/plain", b"".join(few)),
            )
        eq((peer.connections, taker.pieces), (1, [b"hello"] * 3))
        taker.http.drop()


async def test_a_slow_taker_slows_the_server_down():
    async with SpeechPeer(bytes(1 << 16)) as peer:
        peer.repeat = 1 << 7
        taker = Taker(peer, 20, max_body=9 << 20)
        task = asyncio.create_task(taker.send(b""))
        await asyncio.sleep_ms(400)
        assert len(taker.pieces) <= 21, len(taker.pieces)
        assert peer.sent < 8 << 20, "all of it was sent: somebody holds it"
        task.cancel()
        await asyncio.sleep_ms(50)
        eq(peer.gone, 1)


async def test_a_body_past_the_limit_is_not_begun_unless_it_is_a_stream():
    async with SpeechPeer(bytes(5000)) as peer:
        taker = Taker(peer, max_body=4999)
        await araises(TooLarge, taker.send(b""))
        eq(taker.pieces, [])
        peer.chunked = True
        await araises(TooLarge, taker.send(b""))
        assert sum([len(piece) for piece in taker.pieces]) < 5000
        stream = Taker(peer, max_body=4999, stream=True)
        await stream.send(b"")
        eq(sum([len(piece) for piece in stream.pieces]), 5000)
        stream.http.drop()


async def test_who_has_enough_reads_no_more():
    async with SpeechPeer(bytes(1 << 16)) as peer:
        peer.repeat = 100
        taker = Taker(peer, enough=2000, max_body=9 << 20)
        await taker.send(b"")
        assert 2000 <= sum([len(piece) for piece in taker.pieces]) < 4000
        await taker.send(b"")  # On another connection: the rest is not waited for.
        eq(peer.connections, 2)
        taker.http.drop()


async def test_a_connection_that_ends_early():
    for chunked in (False, True):
        async with SpeechPeer(bytes(5000)) as peer:
            peer.cut, peer.chunked = 3000, chunked
            taker = Taker(peer)
            await araises(Disconnected, taker.send(b""))
            eq(sum([len(piece) for piece in taker.pieces]), 3000)
            peer.cut = None
            await taker.send(b"")
            taker.http.drop()


async def test_time_is_over_and_somebody_cancels():
    async with SpeechPeer(b"x" * 3000) as peer:
        peer.mute = True
        taker = Taker(peer, idle_ms=100)
        eq(str(await araises(RequestTimeout, taker.send(b""))), "Request timed out after 100 ms")
        task = asyncio.create_task(araises(Cancelled, taker.send(b"")))
        await asyncio.sleep_ms(30)
        eq(taker.http.cancel(), True)
        await task
        eq(taker.http.cancel(), False)
        peer.mute = False
        # It drips: never still for long, and yet never done.
        peer.pause_ms, peer.piece = 60, 10
        eq(
            str(await araises(RequestTimeout, Taker(peer, idle_ms=200, total_ms=300).send(b""))),
            "Request timed out after 300 ms",
        )
        # A taker that takes its time is no fault of the peer's.
        peer.pause_ms, peer.piece = 0, 1000
        await Taker(peer, 150, idle_ms=100, total_ms=2000).send(b"")


class Sockets:
    """What the client needs of `socket`.  asked: list of names that were looked up."""

    SOCK_STREAM = socket.SOCK_STREAM
    socket = socket.socket

    def __init__(self):
        self.asked = []

    def getaddrinfo(self, host, *args):
        self.asked.append(host)
        return socket.getaddrinfo(host, *args)


async def test_a_name_is_looked_up_once():
    http_client.socket = sockets = Sockets()
    try:
        async with SpeechPeer(b"hello") as peer:
            taker = Taker(peer)
            for _ in range(3):
                await taker.send(b"")
                taker.http.drop()
            eq(sockets.asked, ["127.0.0.1"])
        for _ in range(2):
            await araises(Disconnected, taker.send(b""))
        # The first goes to the address that was known, the next may find another one.
        eq(sockets.asked, ["127.0.0.1"] * 2)
    finally:
        http_client.socket = socket


async def test_a_name_is_looked_up_at_rest():
    rests = []

    async def rest():
        rests.append(1)

    async with SpeechPeer(b"hello") as peer:
        taker = Taker(peer, rest=rest)
        for _ in range(3):
            await taker.send(b"")
            taker.http.drop()
        eq(rests, [1])
    # Nobody is there any more: it may have moved.
    await araises(Disconnected, taker.send(b""))
    await araises(Disconnected, taker.send(b""))
    eq(rests, [1, 1])
