"""An answer in parts: each is a write of its own, and a slow peer is waited for."""

import json

from harness import eq
from mcpserver import McpServer
from net.connection import Connection
from net.http_server import Limits
from umcp.tool import Tool

_GET = b"%s /page HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n"
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Type: text/plain\r\n%s\r\n"


class FakeStream:
    """A peer that sends each of `requests`, then leaves.  room: bytes that it takes at a time."""

    def __init__(self, requests, room=1000):
        self._requests = list(requests)
        self._room = room
        self.out_buf = b""
        self.written = []
        self.drains = 0

    async def readinto(self, buf):
        if not self._requests:
            return 0
        data = self._requests.pop(0)
        buf[: len(data)] = data
        return len(data)

    def write(self, data):
        assert not self.out_buf, "a part was written into another"
        self.written.append(bytes(data))
        self.out_buf = data[self._room :]

    async def drain(self):
        self.drains += 1
        self.out_buf = b""

    async def wait_closed(self):
        pass

    def close(self):
        pass


async def _page(request, buf, start, end):
    return 200, [b"one", b"", b"2!"], b"Content-Type: text/plain\r\n"


async def _asked(*requests, room=1000):
    server = McpServer("test", "1", token="test-token", test_token=True, pages={"/page": _page})
    connection = Connection(server._http._router, Limits())
    stream = FakeStream(requests, room)
    connection.open(stream, None)
    await connection.serve()
    return stream


async def test_the_parts_follow_the_head():
    stream = await _asked(_GET % (b"GET", b""), _GET % (b"GET", b""))
    answer = [_HEAD % b"", b"one", b"", b"2!"]
    eq(stream.written, answer + answer)
    eq(stream.drains, 0)


async def test_head_has_no_parts():
    eq((await _asked(_GET % (b"HEAD", b""))).written, [_HEAD % b""])


async def test_who_wants_to_close_is_told_so():
    stream = await _asked(_GET % (b"GET", b"Connection: close\r\n"), _GET % (b"GET", b""))
    eq(stream.written, [_HEAD % b"Connection: close\r\n", b"one", b"", b"2!"])


async def test_a_slow_peer_is_waited_for():
    stream = await _asked(_GET % (b"GET", b""), room=1)
    eq(b"".join(stream.written), _HEAD % b"" + b"one2!")
    eq(stream.drains, 3)


async def test_it_is_only_read():
    stream = await _asked(_GET % (b"POST", b"Content-Length: 0\r\nConnection: close\r\n"))
    assert stream.written[0].startswith(b"HTTP/1.1 405 "), stream.written


_META = "io.modelcontextprotocol/"
_LINES = b"Host: 127.0.0.1\r\nAuthorization: Bearer test-token\r\nContent-Type: application/json\r\n%s"


def _post(method, params, lines=b""):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    return b"POST /mcp HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n%s" % (_LINES % lines, len(body), body)


async def test_a_long_list_of_tools_is_sent_in_pieces():
    tools = [Tool("tool_%d" % i, "What it does. " * 30, None, lambda: "") for i in range(20)]
    meta = {_META + "protocolVersion": "2026-07-28", _META + "clientCapabilities": {}}
    modern = b"MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n"
    for params, lines in ({"_meta": meta}, modern), ({}, b""):
        server = McpServer("test", "1", tools, token="test-token", test_token=True, sessions="off")
        connection = Connection(server._http._router, Limits())
        request = _post("tools/list", params, lines)
        stream = FakeStream([request, request], 700)
        connection.open(stream, None)
        await connection.serve()
        assert len(stream.written) >= 10 and max([len(part) for part in stream.written]) <= 4096
        _, head, rest = b"".join(stream.written).split(b"HTTP/1.1 200 OK\r\n")
        eq(head, rest)
        head, body = head.split(b"\r\n\r\n")
        assert b"Content-Type: application/json" in head and b"Content-Length: %d" % len(body) in head
        eq([tool["name"] for tool in json.loads(body)["result"]["tools"]], ["tool_%d" % i for i in range(20)])
