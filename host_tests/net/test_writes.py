"""An answer is one write: two small ones on a kept connection would wait for each other (44 ms with Nagle)."""

from harness import eq
from mcpserver import McpServer
from net.connection import Connection
from net.http_server import Limits
from umcp.tool import Tool
from umcp.types import Object, String

_HEAD = (
    b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b"Authorization: Bearer test-token\r\nContent-Length: %d\r\n\r\n"
)


class FakeStream:
    """A peer that sends each of `requests` in one segment, then leaves."""

    def __init__(self, requests):
        self._requests = list(requests)
        self.out_buf = b""
        self.written = []

    async def readinto(self, buf):
        if not self._requests:
            return 0
        data = self._requests.pop(0)
        buf[: len(data)] = data
        return len(data)

    def write(self, data):
        self.written.append(bytes(data))

    async def drain(self):
        raise AssertionError("nothing was left to write")


def _post(body):
    return _HEAD % len(body) + body


async def _answers(*bodies):
    echo = Tool("echo", "Return the text.", Object((("text", String()),)), lambda text: text)
    server = McpServer("test", "1", [echo], token="test-token", test_token=True, sessions="off")
    connection = Connection(server._http._router, Limits())
    stream = FakeStream([_post(body) for body in bodies])
    connection.open(stream, None)
    await connection.serve()
    return stream.written


async def test_a_tool_call_is_answered_in_one_write():
    call = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}}}'
    written = await _answers(call % 1, call % 2)
    eq(len(written), 2)
    for data in written:
        assert data.startswith(b"HTTP/1.1 200 OK\r\n") and data.endswith(b'"text":"hello"}]}}'), data


async def test_a_list_and_an_error_are_answered_in_one_write():
    written = await _answers(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}', b"{")
    eq([data[9:12] for data in written], [b"200", b"400"])
    assert written[0].endswith(b"}]}}") and written[1].endswith(b"}}"), written
