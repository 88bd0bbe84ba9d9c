"""A server of the tests' own in this process, and raw clients of it."""

import asyncio

from harness import port
from http1.guard import Guard
from http1.router import Route, Router
from net.http_server import HttpServer, Limits

TOKEN = "0123456789abcdef"
HOST = b"Host: localhost\r\n"
JSON = b"Content-Type: application/json\r\n"
BEARER = b"Authorization: Bearer 0123456789abcdef\r\n"
GET = b"GET /health HTTP/1.1\r\n" + HOST + b"\r\n"


def post(path, body, lines=b""):
    return (
        b"POST %s HTTP/1.1\r\n" % path
        + HOST
        + JSON
        + lines
        + b"Content-Length: %d\r\n\r\n" % len(body)
        + body
    )


async def until(condition, within_ms=3000):
    """Wait until `condition()` holds."""
    for _ in range(within_ms // 5):
        if condition():
            return
        await asyncio.sleep_ms(5)
    raise AssertionError("it did not come to that")


class Loopback:
    """A server with routes that echo, wait, break and need a token.

    work: the handler of /work, if there is one: an async function of the request.  limits: of net.http_server.Limits.
    """

    def __init__(self, work=None, **limits):
        self.number = port()
        self.may_end = asyncio.Event()
        self.log = []
        self.seen = []
        routes = {
            "/health": Route(("GET", "HEAD"), False, self._health),
            "/echo": Route(("POST",), False, self._echo),
            "/wait": Route(("POST",), False, self._wait),
            "/broken": Route(("POST",), False, self._break),
            "/mcp": Route(("POST",), True, self._echo),
            "/work": Route(("GET", "HEAD", "POST"), False, lambda request, buf, start, end: work(request)),
        }
        router = Router(routes, Guard(TOKEN), limits.get("body", 8192))
        self.server = HttpServer(router, "127.0.0.1", self.number, Limits(**limits), self._note)
        self._clients = []

    def _note(self, level, text, exception=None):
        self.log.append((level, text, exception))

    def _health(self, request, buf, start, end):
        self.seen.append(b"")
        return 200, b'{"status":"ok"}', b""

    def _echo(self, request, buf, start, end):
        self.seen.append(bytes(buf[start:end]))
        return 200, self.seen[-1], b""

    async def _wait_for(self, body):
        await self.may_end.wait()
        return 200, body, b""

    def _wait(self, request, buf, start, end):
        self.seen.append(bytes(buf[start:end]))
        return self._wait_for(self.seen[-1])

    def _break(self, request, buf, start, end):
        raise RuntimeError("broken handler")

    async def __aenter__(self):
        await self.server.start()
        return self

    async def __aexit__(self, *error):
        self.may_end.set()
        for client in self._clients:
            await client.close()
        await self.server.close()

    def narrow(self):
        """Let the socket of the one connection take little that is not read: SO_SNDBUF of Linux."""
        self.server.connections[0].stream.s.setsockopt(1, 7, 4096)

    async def connect(self):
        client = Client((await asyncio.open_connection("127.0.0.1", self.number))[0])
        self._clients.append(client)
        return client


class Client:
    def __init__(self, stream):
        self.stream = stream

    async def close(self):
        self.stream.close()
        await self.stream.wait_closed()

    async def send(self, *pieces):
        """Send the pieces a little apart, so that each comes by itself."""
        for i, piece in enumerate(pieces):
            if i:
                await asyncio.sleep_ms(5)
            self.stream.write(piece)
            await self.stream.drain()

    async def line(self, within_ms=3000):
        return await asyncio.wait_for_ms(self.stream.readline(), within_ms)

    async def head(self, within_ms=3000):
        """(status, header lines) of the next answer; None at the end of the stream."""
        first = await self.line(within_ms)
        if not first:
            return None
        assert first.startswith(b"HTTP/1.1 "), first
        headers = b""
        while True:
            line = await self.line(within_ms)
            if line == b"\r\n":
                break
            assert line.endswith(b"\r\n"), line
            headers += line
        return int(first.split(b" ")[1]), headers

    async def answer(self, within_ms=3000):
        """(status, header lines, body) of the next answer; None at the end of the stream."""
        found = await self.head(within_ms)
        if found is None:
            return None
        status, headers = found
        at = headers.find(b"Content-Length: ")
        size = int(headers[at + 16 :].split(b"\r\n")[0]) if at >= 0 else 0
        body = await asyncio.wait_for_ms(self.stream.readexactly(size), within_ms) if size else b""
        return status, headers, body

    async def chunk(self, within_ms=3000):
        """The data of the next chunk, which is one event; b"" for the last."""
        size = int(await self.line(within_ms), 16)
        data = await asyncio.wait_for_ms(self.stream.readexactly(size + 2), within_ms)
        assert data.endswith(b"\r\n"), data
        return data[:-2]

    async def chunks(self, within_ms=3000):
        """All chunks up to the last, as a list."""
        found = []
        while True:
            found.append(await self.chunk(within_ms))
            if not found[-1]:
                return found[:-1]

    async def ask(self, *pieces):
        await self.send(*pieces)
        return await self.answer()

    async def ended(self, within_ms=3000):
        """True once the server has closed the connection and has sent nothing more."""
        return await asyncio.wait_for_ms(self.stream.read(1), within_ms) == b""
