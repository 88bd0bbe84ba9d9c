"""Replies that are read as they come, and the messages of both eras: what a raw client of a server sees of streams."""

import asyncio
import json

from serving import INITIALIZE, Served

from harness import eq
from umcp.content import Contents, audio, link
from umcp.resources import Resource
from umcp.tool import Tool
from umcp.types import Integer, Object, String

META = "io.modelcontextprotocol/"
MODERN = "2026-07-28"
BOTH = "application/json, text/event-stream"
EVERYTHING = {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True}
_MS = 4000


def request(method, params=None, id=1):
    message = {"jsonrpc": "2.0", "id": id, "method": method}
    if params is not None:
        message["params"] = params
    return message


def modern(method, params=None, capabilities=None, id=1, **meta):
    """A request of 2026-07-28.  meta: further members of its `_meta`; `x_y` is `io.modelcontextprotocol/y`."""
    params = dict(params or {})
    params["_meta"] = {META + "protocolVersion": MODERN, META + "clientCapabilities": capabilities or {}}
    params["_meta"].update({name.replace("x_", META): value for name, value in meta.items()})
    return request(method, params, id)


def call(name, **arguments):
    """The params of a tools/call."""
    return {"name": name, "arguments": arguments}


def fields_of(message):
    """The header fields that say what a request of 2026-07-28 says."""
    fields = {"MCP_Protocol_Version": MODERN, "Mcp_Method": message["method"]}
    name = message["params"].get("name", message["params"].get("uri"))
    if name is not None:
        fields["Mcp_Name"] = name
    return fields


class Reply:
    """A reply whose head has come.  status: int.  headers: dict, lower case.  body: the JSON of a plain one, or None.

    ids: list of str, of the events so far.  retry: str or None.
    """

    def __init__(self, stream):
        self._stream = stream
        self.ids = []
        self.retry = None
        self.body = None

    async def read_head(self):
        line = await asyncio.wait_for_ms(self._stream.readline(), _MS)
        assert line, "closed without an answer"
        self.status = int(line.split()[1])
        self.headers = {}
        while True:
            line = (await self._stream.readline()).decode()
            if line == "\r\n":
                break
            name, value = line[:-2].split(": ", 1)
            self.headers[name.lower()] = value
        self.streams = self.headers.get("content-type") == "text/event-stream"
        size = int(self.headers.get("content-length", "0"))
        if size:
            self.body = json.loads(await asyncio.wait_for_ms(self._stream.readexactly(size), _MS))

    async def message(self):
        """The next message of the stream, decoded; None at its end."""
        while True:
            data = await self.comment()
            if not data:
                return None
            found = None
            for line in data.decode().split("\n"):
                name, _, value = line.partition(": ")
                if name == "id":
                    self.ids.append(value)
                elif name == "retry":
                    self.retry = value
                elif name == "data" and value:
                    assert found is None, "a message is one line of data"
                    found = json.loads(value)
            if found is not None:
                return found

    async def _chunk(self):
        size = int(await self._stream.readline() or b"0", 16)
        return (await self._stream.readexactly(size + 2))[:-2]

    async def messages(self):
        """All messages up to the end of the stream."""
        found = []
        while True:
            message = await self.message()
            if message is None:
                return found
            found.append(message)

    async def silent(self, ms=60):
        """Assert that nothing but comments comes for a while. Nothing more can be read afterwards."""
        try:
            while True:
                eq(await self.comment(ms), b":\n\n")
        except asyncio.TimeoutError:
            pass

    async def comment(self, ms=_MS):
        """The next piece of the stream as it is: a comment, if nothing happens."""
        return await asyncio.wait_for_ms(self._chunk(), ms)

    async def close(self):
        self._stream.close()
        await self._stream.wait_closed()


class Streamed(Served):
    """A running server whose replies can be read as they come."""

    def __init__(self, **options):
        super().__init__(**options)
        self._replies = []

    async def __aexit__(self, *error):
        for reply in self._replies:
            await reply.close()
        await super().__aexit__(*error)

    async def begin(self, *args, **kwargs):
        """The `Reply` to a request, once its head has come; the arguments are those of `raw`."""
        reply = await self.write(*args, **kwargs)
        await reply.read_head()
        return reply

    async def write(self, *args, **kwargs):
        """The `Reply` to a request, of which nothing has been read yet."""
        kwargs.setdefault("Accept", BOTH)
        stream, _ = await asyncio.open_connection("127.0.0.1", self.options["port"])
        reply = Reply(stream)
        self._replies.append(reply)
        stream.write(self.raw(*args, **kwargs))
        await stream.drain()
        return reply

    async def modern(self, message, **fields):
        """The `Reply` to a request of 2026-07-28, with its header fields; None for one leaves it out."""
        return await self.begin(body=message, **dict(fields_of(message), **fields))

    async def result(self, message, **fields):
        """The result of a request of 2026-07-28 that is answered without a stream."""
        reply = await self.modern(message, **fields)
        assert reply.status == 200 and "result" in reply.body, (reply.status, reply.body)
        # A fifth connection would wait until one of four was idle for half a second.
        self._replies.remove(reply)
        await reply.close()
        return reply.body["result"]

    async def legacy(self, version="2025-11-25", **capabilities):
        """(result of initialize, id of the session)."""
        params = dict(INITIALIZE["params"], protocolVersion=version, capabilities=capabilities)
        status, headers, body = await self.ask(body=dict(INITIALIZE, params=params))
        assert status == 200, (status, body)
        return body["result"], headers.get("mcp-session-id")

    async def answer(self, session, method, params=None):
        """The answer to a request of a session."""
        status, _, body = await self.ask(body=request(method, params), session=session)
        assert status == 200, (status, body)
        return body


NAME = Object((("name", String()),))


class Robot:
    """Tools that report, ask and wait, and what became of those that wait."""

    def __init__(self):
        self.go = asyncio.Event()
        self.started = 0
        self.ended = []

    def tools(self):
        steps = Object((("steps", Integer()),))
        return (
            Tool("walk", "", steps, self.walk, context=True),
            Tool("greet", "", None, self.greet, context=True),
            Tool("part", "", None, self.greet, context=True),
            Tool("rest", "", None, self.rest),
            Tool("look", "", None, lambda: Contents([audio(b"a", "audio/wav"), link("robot://log", "log")])),
        )

    async def walk(self, context, steps):
        for i in range(steps):
            await context.progress(i + 1, steps, "step")
            await context.log("info", i)
        await self.rest()
        return "walked"

    async def greet(self, context):
        answer = await context.elicit("Your name?", NAME)
        return "Hello, %s!" % answer["content"]["name"]

    async def rest(self):
        self.started += 1
        try:
            await self.go.wait()
            self.ended.append("done")
        except asyncio.CancelledError:
            self.ended.append("cancelled")
            raise
        return "rested"

    def served(self, **options):
        options.setdefault("streams", 2)
        made = Streamed(**options)
        for tool in self.tools():
            made.server.add_tool(tool)
        made.server.add_resource(Resource("robot://log", "log", lambda: "started"))
        return made


async def until(condition, within_ms=_MS):
    """Wait until `condition()` holds."""
    for _ in range(within_ms // 5):
        if condition():
            return
        await asyncio.sleep_ms(5)
    raise AssertionError("it did not come to that")
