"""A server of a few lines for the client's tests: what it answers is the test's affair."""

import asyncio

from harness import port
from umcp import codec

STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
NOT_ALLOWED = b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n"
ACCEPTED = b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"
END = b"0\r\n\r\n"


def reply(body, status=b"200 OK", more=b""):
    head = b"HTTP/1.1 %s\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n"
    return head % (status, more, len(body)) + body


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


def event(message, more=b""):
    """A chunk with an event.  message: dict."""
    return chunk(more + b"data: " + codec.dumps(message) + b"\n\n")


def result(id, value):
    return {"jsonrpc": "2.0", "id": id, "result": value}


def note(method, params=None):
    return {"jsonrpc": "2.0", "method": method, "params": params or {}}


class Request:
    """method: str, of the message, or of HTTP where there is none.  message: dict.  head: bytes.  left: bool."""

    def __init__(self, head, body, reader, writer):
        self.head = head
        self.message = codec.loads(body) if body else {}
        self.method = self.message.get("method") or ("answer" if body else head[: head.find(b" ")].decode())
        self.params = self.message.get("params", {})
        self.id = self.message.get("id")
        self._reader = reader
        self._writer = writer

    async def send(self, *pieces):
        for piece in pieces:
            self._writer.write(piece)
        await self._writer.drain()

    async def answer(self, value, more=b""):
        await self.send(reply(codec.dumps(result(self.id, value)), more=more))

    async def refuse(self, code, status=b"200 OK", data=None):
        error = {"code": code, "message": "no"}
        if data is not None:
            error["data"] = data
        await self.send(reply(codec.dumps({"jsonrpc": "2.0", "id": self.id, "error": error}), status))

    async def gone(self):
        """Wait until the client has hung up."""
        return not await self._reader.read(1)

    def field(self, name):
        """The value of a line of the head, bytes, or None."""
        for line in self.head.split(b"\r\n")[1:]:
            if line.lower().startswith(name + b": "):
                return line[len(name) + 2 :]
        return None


class ScriptedPeer:
    """seen: list of Requests.  connections: int.

    answers: dict, of method to coroutine function, called with each Request; what it returns ends the connection if
    it is true. Opening a session is answered by itself: in the old eras, or in 2026-07-28 if `modern`.
    """

    def __init__(self, answers, modern=False):
        self.port = port()
        self.url = "http://127.0.0.1:%d/mcp" % self.port
        self.seen = []
        self.connections = 0
        self.sessions = 0
        self._answers = {
            "server/discover": _discover if modern else _no_discover,
            "initialize": self._initialize,
        }
        self._answers.update(answers)

    def methods(self):
        return [request.method for request in self.seen]

    def all(self, method):
        return [request for request in self.seen if request.method == method]

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        return self

    async def __aexit__(self, *error):
        self._server.close()
        await self._server.wait_closed()

    async def _initialize(self, request):
        self.sessions += 1
        await request.answer(
            {"protocolVersion": "2025-11-25", "capabilities": {}}, b"Mcp-Session-Id: s%d\r\n" % self.sessions
        )

    async def _serve(self, reader, writer):
        self.connections += 1
        try:
            while await self._one(reader, writer):
                pass
        except OSError:
            pass
        writer.close()
        await writer.wait_closed()

    async def _one(self, reader, writer):
        data = await reader.read(8192)
        if not data:
            return False
        head, _, body = data.partition(b"\r\n\r\n")
        request = Request(head, body, reader, writer)
        self.seen.append(request)
        serve = self._answers.get(request.method)
        if serve:
            return not await serve(request)
        await (request.send(NOT_ALLOWED) if not body else request.send(ACCEPTED))
        return True


async def _discover(request):
    await request.answer({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {}})


async def _no_discover(request):
    await request.refuse(-32601, b"404 Not Found")


async def until(check, ms=3000):
    """Wait until `check()` is true."""
    for _ in range(ms // 5):
        if check():
            return
        await asyncio.sleep_ms(5)
    raise AssertionError("it did not happen")
