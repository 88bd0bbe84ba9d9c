"""A peer that is gone before its last answer: nothing fails for it, and its socket is closed."""

from harness import eq
from http1.guard import Guard
from http1.router import Route, Router
from net.connection import HANDLING
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
