"""A peer that is gone before its last answer: nothing fails for it, and its socket is closed."""

import asyncio

from loopback import GET, Loopback

from harness import eq
from http1.guard import Guard
from http1.router import Route, Router
from net import http_server
from net.connection import HANDLING, Connection
from net.http_server import HttpServer, Limits

REQUEST = b"GET /fail HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Gone:
    """A stream that gives one request, and takes no answer."""

    out_buf = b""

    def __init__(self, error):
        self.error = error
        self.tried = self.closed = 0

    async def readinto(self, buf):
        buf[: len(REQUEST)] = REQUEST
        return len(REQUEST)

    async def read(self, size):
        return REQUEST

    def write(self, data):
        self.tried += 1
        raise self.error

    def close(self):
        pass

    async def wait_closed(self):
        self.closed += 1


class Busy:
    state = HANDLING


def _fail(request, buf, start, end):
    raise RuntimeError("broken")


def _server():
    router = Router({"/fail": Route(("GET",), False, _fail)}, Guard())
    server = HttpServer(router, "127.0.0.1", 1, Limits())
    server.listener = server
    return server


async def test_the_503_of_a_peer_that_is_gone():
    for error in (OSError(104), MemoryError()):
        server = _server()
        server.connections.extend([Busy() for _ in range(4)])
        stream = Gone(error)
        await server._accept(stream, stream)
        eq((stream.tried, stream.closed, server.queue, len(server.connections)), (1, 1, [], 4))


async def test_the_500_of_a_peer_that_is_gone():
    for error in (OSError(104), MemoryError()):
        server = _server()
        stream = Gone(error)
        await server._accept(stream, stream)
        eq((stream.tried, stream.closed, server.connections), (1, 1, []))


async def test_a_connection_that_cannot_be_made_is_closed_all_the_same():
    class Scarce:
        left = 2

        def __call__(self, *args):
            if self.left:
                self.left -= 1
                raise MemoryError("no room")
            return Connection(*args)

    http_server.Connection = Scarce()
    try:
        async with Loopback() as loopback:
            for _ in range(2):
                client = await loopback.connect()
                await client.send(GET)
                try:
                    await asyncio.wait_for_ms(client.stream.read(-1), 3000)
                except OSError:
                    pass  # The request was not read, so the answer may be lost; but nobody waits for ever.
            client = await loopback.connect()
            await client.send(GET)
            data = await asyncio.wait_for_ms(client.stream.read(200), 3000)
            assert data[9:12] == b"200", data
            eq([text for _, text, _ in loopback.log], ["connection failed"] * 2)
    finally:
        http_server.Connection = Connection
