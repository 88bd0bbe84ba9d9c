"""An McpServer of the tests' own, and what a raw client gets from it."""

import asyncio
import json

from harness import port
from mcpserver import McpServer
from umcp.tool import Tool
from umcp.types import Object, String

TOKEN = "0123456789abcdef"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}


class Preferences:
    """A dict that stands for the preferences."""

    def __init__(self, **values):
        self.values = {key.replace("__", "."): value for key, value in values.items()}

    def get(self, key):
        return self.values.get(key)

    def set(self, key, value):
        self.values[key] = value


class Log:
    def __init__(self):
        self.lines = []

    def __call__(self, level, text, exception=None):
        self.lines.append((level, text, exception))

    def texts(self, level):
        return [text for one, text, _ in self.lines if one == level]


def echo(text):
    return text


async def forever():
    await asyncio.sleep_ms(5000)


class Served:
    """A running server.  options: of McpServer."""

    def __init__(self, **options):
        self.log = Log()
        self.options = {"token": TOKEN, "host": "127.0.0.1", "port": port(), "log": self.log}
        self.options.update(options)
        tools = (
            Tool("echo", "Return the text.", Object((("text", String()),)), echo),
            Tool("wait", "Wait.", None, forever),
        )
        self.server = McpServer("test", "1", tools, **self.options)

    async def __aenter__(self):
        assert await self.server.start(), self.server.error
        return self

    async def __aexit__(self, *error):
        await self.server.close()

    async def ask(self, *args, **kwargs):
        """(status, dict of headers in lower case, decoded body or None); the arguments are those of `raw`."""
        return await self.send(self.raw(*args, **kwargs))

    def raw(self, method="POST", path="/mcp", body=None, token=TOKEN, session=None, **headers):
        """The bytes of a request.  body: JSON value.  headers: further fields, _ for -; None leaves one out."""
        raw = b"" if body is None else json.dumps(body).encode()
        lines = {"Host": "localhost", "Content-Type": "application/json", "Content-Length": str(len(raw))}
        if token is not None:
            lines["Authorization"] = "Bearer " + token
        if session is not None:
            lines["Mcp-Session-Id"] = session
        lines.update({name.replace("_", "-"): value for name, value in headers.items()})
        head = "%s %s HTTP/1.1\r\n" % (method, path)
        head += "".join(["%s: %s\r\n" % line for line in lines.items() if line[1] is not None])
        return head.encode() + b"\r\n" + raw

    async def send(self, data):
        stream, _ = await asyncio.open_connection("127.0.0.1", self.options["port"])
        try:
            stream.write(data)
            await stream.drain()
            status = int((await asyncio.wait_for_ms(stream.readline(), 3000)).split()[1])
            headers = {}
            while True:
                line = (await stream.readline()).decode()
                if line == "\r\n":
                    break
                name, value = line[:-2].split(": ", 1)
                headers[name.lower()] = value
            body = await stream.readexactly(int(headers.get("content-length", "0")))
        finally:
            stream.close()
            await stream.wait_closed()
        return status, headers, json.loads(body) if body else None

    async def open(self, **options):
        """The id of a new session."""
        status, headers, _ = await self.ask(body=INITIALIZE, **options)
        assert status == 200, status
        return headers.get("mcp-session-id")

    async def call(self, name, arguments=None, **options):
        """The result of a tools/call."""
        params = {"name": name, "arguments": arguments or {}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        status, _, answer = await self.ask(body=body, **options)
        assert status == 200, (status, answer)
        return answer["result"]


PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
