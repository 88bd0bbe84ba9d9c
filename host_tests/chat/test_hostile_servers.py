# heap: 4096K
"""MCP servers that mean harm: lists without an end, names that clash, texts of a megabyte, tools that call back."""

import asyncio
import gc
import json

from robots import Running, until
from scripted_model import ScriptedModel, answer
from test_companion import configured, over_http, uses
from test_servers import Hub, Remote, named

from chat.tools import MAX_BYTES, MAX_NAMES, create_mcp_chat_tools
from harness import eq, port


class Hostile:
    """An MCP server of a few lines, without sessions.  page: function of a cursor (str or None): the result of
    tools/list, as JSON, bytes or pieces of them.  call: coroutine function of the params: the result of a call.
    """

    def __init__(self, page, call=None):
        self.port = port()
        self.url = "http://127.0.0.1:%d/mcp" % self.port
        self.page = page
        self.call = call
        self.listed = 0

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        return self

    async def __aexit__(self, *error):
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, reader, writer):
        try:
            while True:
                size = 0
                line = await reader.readline()
                if not line:
                    break
                while line != b"\r\n":
                    if line.lower().startswith(b"content-length:"):
                        size = int(line[15:])
                    line = await reader.readline()
                body = await reader.readexactly(size) if size else b"{}"
                await self._answer(json.loads(body), writer)
        except OSError:
            pass
        writer.close()
        try:
            await writer.wait_closed()
        except OSError:
            pass

    async def _answer(self, message, writer):
        method, id = message.get("method"), message.get("id")
        if id is None:
            writer.write(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
            return await writer.drain()
        if method == "initialize":
            result = {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "h"},
            }
        elif method == "tools/list":
            self.listed += 1
            result = self.page((message.get("params") or {}).get("cursor"))
        elif method == "tools/call":
            result = await self.call(message["params"])
        else:
            raw = (
                b'{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}' % json.dumps(id).encode()
            )
            return await self._write(writer, [raw])
        if isinstance(result, dict):
            result = [json.dumps(result).encode()]
        await self._write(
            writer, [b'{"jsonrpc":"2.0","id":%s,"result":' % json.dumps(id).encode(), result, b"}"]
        )

    async def _write(self, writer, parts):
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        for part in parts:
            for piece in (part,) if isinstance(part, bytes) else part:
                writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                await writer.drain()
        writer.write(b"0\r\n\r\n")
        await writer.drain()


def entry(name, **more):
    return dict({"name": name, "inputSchema": {"type": "object"}}, **more)


def tools(*entries):
    return lambda cursor: {"tools": list(entries)}


def pages(count, size):
    """100,000 tools and more: `count` pages of 10 or so."""

    def page(cursor):
        at = int(cursor or 0)
        found = [entry("t%d_%d" % (at, i), description="x" * size) for i in range(10)]
        return {"tools": found, "nextCursor": str(at + 1)} if at < count else {"tools": found}

    return page


def many(cursor):
    yield b'{"tools":['
    for i in range(2000):
        yield (
            b",".join([b'{"name":"t%d_%d","inputSchema":{"type":"object"}}' % (i, j) for j in range(50)])
            + b","
        )
    yield b'{"name":"x","inputSchema":{"type":"object"}}]}'


def megabyte(cursor):
    yield b'{"tools":[{"name":"t","inputSchema":{"type":"object"},"description":"'
    for _ in range(1000):
        yield b"x" * 1000
    yield b'"}]}'


def same(cursor):
    return {"tools": [entry("t")], "nextCursor": "again"}


# (what it lists, a word of why it is left out)
LISTS = (
    (pages(10000, 10), "more than 64 tools"),
    (many, "too large"),
    (megabyte, "too large"),
    (same, "circle"),
    (tools(*[entry("t%d" % i, description="x" * 900) for i in range(60)]), "its tools take more than"),
    (tools(entry("t", inputSchema={"a": "x" * 30000})), "its tools take more than"),
    (tools({"description": "no name"}), "Invalid JSON-RPC response: tools"),
    (tools(3), "Invalid JSON-RPC response: tools"),
)


async def test_lists_without_an_end_are_left_out_and_all_others_go_on():
    async with Remote("echo") as good:
        for page, why in LISTS:
            async with Hostile(page) as bad:
                gc.collect()
                before = gc.mem_alloc()
                async with Hub(**named(bad, good)) as hub:
                    await until(lambda: hub.tables)
                    await hub.are(a="down", b="up")
                    eq(sorted(hub.tables[-1]), ["echo"])
                    told = hub.servers.state()["a"]
                    assert why in told["error"], told
                    eq(await hub.tables[-1]["echo"].execute({"text": "hi"}), "echo hi")
                    gc.collect()
                    assert gc.mem_alloc() - before < 60000, (why, gc.mem_alloc() - before)


async def test_the_memory_that_a_list_does_not_find_is_that_servers_affair():
    async with Remote("echo") as one, Remote("hum") as two:
        async with Hub(**named(one, two)) as hub:
            await until(lambda: hub.tables)
            first = hub.servers.servers[0]

            async def greedy():
                return [entry("t", inputSchema={"a": "x" * (1 << 30)})]

            first.list_tools = greedy
            first.stale = True
            await until(lambda: sorted(hub.tables[-1]) == ["hum"])
            assert "memory" in hub.servers.state()["a"]["error"], hub.servers.state()
            del first.list_tools
            await until(lambda: sorted(hub.tables[-1]) == ["echo", "hum"])


async def test_entries_of_any_kind():
    odd = (
        entry("a", description=5, title=7),
        entry("b", description=None, title="Bee"),
        {"name": "c", "inputSchema": [1]},
        entry(""),
        entry("a b\u0000\n\"'{}"),
        entry("x" * 5000),
        entry("a"),
        entry("a"),
    )
    async with Hostile(tools(*odd)) as bad:
        async with Hub(**named(bad)) as hub:
            await until(lambda: hub.tables)
            table = hub.tables[-1]
            eq(len(table), len(odd))
            for name, tool in table.items():
                assert 0 < len(name) <= 64 and name == tool.name, name
            eq([table[name].description for name in ("b", "c")], ["Bee", ""])


class Client:
    """Names of its own each time."""

    times = 0

    def is_initialized(self):
        return True

    async def list_tools(self):
        self.times += 1
        return [entry("t%d_%d" % (self.times, i)) for i in range(60)]


async def test_names_that_are_other_ones_each_time_are_not_all_remembered():
    names = {"move_head": ""}
    client = Client()
    for _ in range(20):
        table = await create_mcp_chat_tools([("a", client)], names)
        eq(len(table), 60)
    eq((len(names), names["move_head"]), (MAX_NAMES, ""))
    # What has no room belongs to nobody, and so it says whose it is.
    assert all([name.startswith("a_t20_") for name in table]), table
    # The first ones are known still.
    client.times = 0
    assert "t1_0" in await create_mcp_chat_tools([("a", client)], names)


async def test_a_server_at_its_limit():
    class Large(Client):
        async def list_tools(self):
            return [entry("t", inputSchema={"a": "x" * self.size})]

    told = []
    client = Large()
    for client.size in (MAX_BYTES - 20, MAX_BYTES):
        await create_mcp_chat_tools([("a", client)], report=lambda *why: told.append(why))
    eq(told, [("a", "its tools take more than %d bytes" % MAX_BYTES)])


async def test_results_of_any_kind():
    results = (
        [b'{"content":[{"type":"text","text":"', b"x" * 30000, b'"}]}'],
        [b'{"content":[{"type":"text","text":"'] + [b"x" * 1000] * 1000 + [b'"}]}'],
        [b'{"content":' + b"[" * 300 + b"]" * 300 + b"}"],
        {"content": 5},
        {"content": [{"type": "text", "text": 5}, None], "structuredContent": None},
        {"isError": True, "content": [{"type": "text", "text": "no_luck: " + "x" * 9000}]},
        [b"3"],
        {},
    )

    async def call(params):
        return results[params["arguments"]["i"]]

    async with Hostile(tools(entry("t")), call) as bad:
        script = []
        for i in range(len(results)):
            script += [answer("", ("t", {"i": i})), answer("Hi")]
        async with ScriptedModel(script) as model:
            async with Running(**configured(model, **uses(("bad", bad.url)))) as run:
                for i in range(len(results)):
                    await until(lambda: "t" in run.chat.dialogue.tools)
                    reply = await run.chat.post("Do it", False)
                    eq((i, reply.ok, reply.text), (i, True, "Hi"))
                    assert len(model.results()["c0"]) < 4100
                    assert sum([len(why) for _, why in reply.refusals]) <= 200, reply.refusals
                eq(run.log.texts("error"), [])


async def test_a_tool_that_calls_the_robot_that_calls_it():
    """A robot's dialogue -> a tool elsewhere -> that robot's own POST /chat, and its MCP server, and so on."""
    seen = []

    async def call(params):
        seen.append(await over_http(run, {"text": "Do it"}))
        seen.append(await remote.execute({"emotion": "happy"}))
        return {"content": [{"type": "text", "text": "called"}]}

    async with Hostile(tools(entry("call_back")), call) as bad:
        async with ScriptedModel([answer("", ("call_back", {})), answer("Hi")]) as model:
            at = port()
            itself = "http://127.0.0.1:%d/mcp" % at
            async with Running(at, **configured(model, **uses(("bad", bad.url), ("me", itself)))) as run:
                await until(lambda: run.chat.state()["tools"] == 22 + 22 + 1)
                remote = run.chat.dialogue.tools["me_set_emotion"]
                reply = await run.chat.post("Do it", False)
                eq((reply.ok, reply.text, reply.refusals), (True, "Hi", []))
                eq((seen[0][0], seen[0][1]["reason"]), (200, "busy"))
                assert "happy" in seen[1], seen
                eq(run.app.robot.face.emotion, "happy")
                eq((await run.chat.post("Again", False)).ok, True)


async def test_answers_that_come_faster_than_they_are_said():
    async with ScriptedModel([answer("A long answer, which takes a while to say. " * 9)]) as model:
        async with Running(**configured(model)) as run:
            tasks = []
            for _ in range(5):
                eq((await over_http(run, {"text": "Hello"}))[0], 200)
                tasks.append(run.chat._saying)
            await until(lambda: [task.done() for task in tasks] == [True] * 4 + [False])
