"""What the server's tests share: a peer's headers, a server with a few tools, and one call of it."""

import json
import os

from umcp import asking, ram, resumption, sealed
from umcp.peer import Peer as Base
from umcp.server import Server
from umcp.tool import Tool
from umcp.types import Number, Object, String

if not hasattr(os, "urandom"):  # MicroPython for WebAssembly

    class _Os:
        state = 1

        def urandom(self, size):
            out = bytearray(size)
            for i in range(size):
                self.state = (self.state * 1103515245 + 12345) & 0x7FFFFFFF
                out[i] = self.state >> 16 & 255
            return bytes(out)

    ram.os = sealed.os = asking.os = resumption.os = _Os()


class Peer(Base):
    """What the transport tells of a request, by HTTP."""

    headed = True

    def __init__(self, session_id=None, protocol_version=None, principal=b"p"):
        self.session_id = session_id
        self.protocol_version = protocol_version
        self.principal = principal


class Log:
    """Collects (level, text, exception)."""

    def __init__(self):
        self.lines = []

    def __call__(self, level, text, exception=None):
        self.lines.append((level, text, exception))


def fail():
    raise RuntimeError("broken wire")


def tools():
    numbers = Object((("a", Number(min=0)), ("b", Number())))
    return [
        Tool("echo", "Return the text.", Object((("text", String(max_length=50)),)), lambda text: text),
        Tool("add", "Add.", numbers, lambda a, b: a + b),
        Tool("fail", "Fail.", None, fail),
    ]


def make(more=(), **options):
    server = Server("test", "1", **options)
    for tool in tools() + list(more):
        server.add_tool(tool)
    return server


def run(awaitable):
    """What an awaitable that waits for nothing returns."""
    try:
        awaitable.send(None)
    except StopIteration as e:
        return e.value
    raise AssertionError("it waits")


def post(server, message, peer=None, now_ms=0):
    """(status, decoded body or None, session id) of a message: bytes, str, or a JSON value."""
    if isinstance(message, str):
        message = message.encode()
    elif not isinstance(message, bytes):
        message = json.dumps(message).encode()
    reply = server.handle(message, 0, len(message), peer or Peer(), now_ms)
    if type(reply) is not tuple:
        reply = run(reply)
    status, body, session_id = reply
    body = joined(body)
    return status, json.loads(body) if body else None, session_id or None


def joined(body):
    """The bytes of a body, which may be a tuple of parts."""
    return b"".join(body) if type(body) is tuple else body


def request(method, params=None, id=1):
    message = {"jsonrpc": "2.0", "id": id, "method": method}
    if params is not None:
        message["params"] = params
    return message


def call(server, name, arguments=None, peer=None):
    """The result of a tools/call."""
    params = {"name": name}
    if arguments is not None:
        params["arguments"] = arguments
    status, body, _ = post(server, request("tools/call", params), peer)
    assert status == 200 and "result" in body, body
    return body["result"]


def refused(server, name, arguments=None):
    """The text of a tools/call whose result is an error."""
    result = call(server, name, arguments)
    assert result["isError"] is True and "structuredContent" not in result, result
    assert len(result["content"]) == 1, result
    return result["content"][0]["text"]


def code(server, message, peer=None):
    """(status, error code) of a message that is refused."""
    status, body, _ = post(server, message, peer)
    return status, body["error"]["code"]
