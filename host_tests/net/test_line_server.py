"""MCP over a line: both eras, batches, noise, many calls at once, and cancellation."""

import asyncio

from wire import Wire, line

import net.runtime
from harness import eq
from umcp.server import Server
from umcp.tool import Tool
from umcp.types import Integer, Object, String

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
PARSE_ERROR = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}}


class Tools:
    """Tools that end when told.  running, cancelled: how many."""

    def __init__(self):
        self.gate = asyncio.Event()
        self.running = self.cancelled = 0

    async def wait(self, who):
        self.running += 1
        try:
            await self.gate.wait()
            return who
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.running -= 1

    async def report(self, context, times):
        for i in range(times):
            await context.progress(i, times)
        return "reported"

    async def ask(self, context):
        answer = await context.elicit(
            "Who are you?", {"type": "object", "properties": {"who": {"type": "string"}}}
        )
        return answer["content"]["who"]

    def server(self):
        server = Server("test", "1", runtime=net.runtime)
        server.add_tool(
            Tool("echo", "Return it.", Object((("text", String(max_length=9000)),)), lambda text: text)
        )
        server.add_tool(Tool("wait", "Wait.", Object((("who", String()),)), self.wait))
        server.add_tool(Tool("report", "Report.", Object((("times", Integer()),)), self.report, context=True))
        server.add_tool(Tool("ask", "Ask.", None, self.ask, context=True))
        return server


def request(id, method, **params):
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def call(id, name, _meta=None, **arguments):
    params = {"name": name, "arguments": arguments}
    if _meta:
        params["_meta"] = _meta
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


def cancel(id):
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}


def initialize(version="2025-06-18", id=0):
    return request(id, "initialize", protocolVersion=version, capabilities={}, clientInfo={})


def text(message):
    return message["id"], message["result"]["content"][0]["text"]


def failure(message):
    return message["id"], message["error"]["code"]


async def test_a_session_of_the_older_era():
    async with Wire(Tools().server()) as wire:
        wire.feed(
            initialize(),
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            call("a", "echo", text="x"),
        )
        first, second = await wire.messages(2)
        eq(first["result"]["protocolVersion"], "2025-06-18")
        eq(text(second), ("a", "x"))


async def test_requests_of_the_newer_era_need_no_session():
    async with Wire(Tools().server()) as wire:
        wire.feed(request(1, "server/discover", _meta=MODERN), call(2, "echo", MODERN, text="x"))
        first, second = await wire.messages(2)
        eq(first["result"]["supportedVersions"], ["2026-07-28"])
        eq((text(second), second["result"]["resultType"]), ((2, "x"), "complete"))
        wire.feed(request(3, "ping", _meta=MODERN))
        eq(failure((await wire.messages(3))[2]), (3, -32601))


async def test_a_handler_asks_its_client_though_all_places_are_taken():
    async with Wire(Tools().server(), tasks=2) as wire:
        opening = initialize()
        opening["params"]["capabilities"] = {"elicitation": {}}
        wire.feed(opening, call(1, "ask"), call(2, "ask"), call(3, "ask"))
        _, first, second, refused = await wire.messages(4)
        eq((first["method"], failure(refused)), ("elicitation/create", (3, -32603)))
        for question, who in ((second, "b"), (first, "a")):
            answer = {"action": "accept", "content": {"who": who}}
            wire.feed({"jsonrpc": "2.0", "id": question["id"], "result": answer})
        eq([text(m) for m in (await wire.messages(6))[4:]], [(2, "b"), (1, "a")])


async def test_changes_are_told_in_the_older_era():
    server = Tools().server()
    async with Wire(server) as wire:
        wire.feed(initialize())
        eq((await wire.messages(1))[0]["result"]["capabilities"]["tools"], {"listChanged": True})
        server.remove_tool("echo")
        eq((await wire.messages(2))[1]["method"], "notifications/tools/list_changed")
    eq(server.lines, [])


async def test_changes_are_told_to_who_listens_in_the_newer_era():
    server = Tools().server()
    async with Wire(server) as wire:
        wire.feed(
            request("l", "subscriptions/listen", notifications={"toolsListChanged": True}, _meta=MODERN)
        )
        eq((await wire.messages(1))[0]["method"], "notifications/subscriptions/acknowledged")
        server.remove_tool("echo")
        told = (await wire.messages(2))[1]
        eq(told["method"], "notifications/tools/list_changed")
        eq(told["params"]["_meta"], {"io.modelcontextprotocol/subscriptionId": "l"})
        wire.feed(cancel("l"), request(2, "tools/list", _meta=MODERN))
        eq((await wire.messages(3))[2]["id"], 2)
        server.remove_tool("wait")
        await asyncio.sleep_ms(5)
        eq(len(await wire.messages(3)), 3)


async def test_batches_belong_to_2025_03_26():
    async with Wire(Tools().server()) as wire:
        batch = [request(1, "ping"), {"jsonrpc": "2.0", "method": "notifications/x"}, request(2, "ping")]
        wire.feed(batch)  # assumed before initialize
        eq([m["id"] for m in (await wire.messages(1))[0]], [1, 2])
        wire.feed(initialize("2025-03-26"), batch, batch[1:2], initialize("2025-11-25"), batch)
        seen = await wire.messages(5)
        eq([m["id"] for m in seen[2]], [1, 2])
        eq(seen[3]["result"]["protocolVersion"], "2025-11-25")
        eq(failure(seen[4]), (None, -32600))


async def test_noise_is_answered_and_the_next_message_works():
    async with Wire(Tools().server()) as wire:
        wire.feed(b"noise\n\xff\xfe\n{\n", b"\r\n\n", request(1, "ping"))
        seen = await wire.messages(4)
        eq(seen[:3], [PARSE_ERROR] * 3)
        eq(seen[3], {"jsonrpc": "2.0", "id": 1, "result": {}})


async def test_a_message_may_come_in_pieces_and_without_its_end():
    message = (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"%s"}}}'
    )
    message %= "\U0001f916".encode()
    for pieces in (
        [message],
        [message[i : i + 1] for i in range(len(message))],
        [message[:50], b"", message[50:]],
    ):
        async with Wire(Tools().server()) as wire:
            wire.feed(*pieces)
            await wire.end()
            eq([text(m) for m in await wire.messages(1)], [(1, "\U0001f916")])


async def test_a_message_over_the_limit_is_refused_and_skipped():
    async with Wire(Tools().server(), line=2000) as wire:
        wire.feed(*([b'{"x":"' + b"y" * 1000] * 9), b'"}\n', request(1, "ping"))
        first, second = await wire.messages(2)
        eq(failure(first), (None, -32600))
        assert "too long" in first["error"]["message"]
        eq(second["id"], 1)


async def test_a_message_may_have_8192_bytes():
    async with Wire(Tools().server()) as wire:
        empty = len(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":""}}')
        for size in (8192, 8193):
            wire.feed(
                b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"%s"}}\n' % (b"x" * (size - empty))
            )
        first, second = await wire.messages(2)
        eq(first["id"], 1)
        eq(failure(second), (None, -32600))


async def test_a_message_without_memory_for_it_is_refused():
    async with Wire(Tools().server()) as wire:
        lines = wire.served._lines
        space = lines.space
        failed = []

        def fail():
            failed.append(1)
            if len(failed) == 2:
                lines.space = space
            raise MemoryError

        wire.feed(b'{"jsonrpc":')
        await wire.until(lambda: not wire.input._pieces)
        lines.space = fail
        wire.feed(b'"2.0",', b'"id":1}\n', request(2, "ping"))
        await wire.until(lambda: len(wire.output.lines()) == 2)
        first, second = await wire.messages(2)
        eq(failure(first), (None, -32600))
        eq(second["id"], 2)


async def test_another_client_says_so_and_what_the_last_one_left_is_cancelled():
    tools = Tools()
    server = tools.server()
    async with Wire(server, noise=True) as wire:
        listen = request("l", "subscriptions/listen", notifications={"toolsListChanged": True}, _meta=MODERN)
        wire.feed(initialize("2025-11-25"), call(1, "wait", who="x"), listen)
        await wire.until(lambda: tools.running == 1 and len(wire.output.lines()) == 2)
        batch = [request(2, "ping")]  # of 2025-03-26, and of who has not said what it speaks
        wire.feed(b"\x18\n", batch)
        eq([m["id"] for m in (await wire.messages(3))[2]], [2])
        eq((tools.running, tools.cancelled), (0, 1))
        server.remove_tool("wait")
        wire.feed(initialize("2025-11-25"))
        eq((await wire.messages(4))[3]["id"], 0)
        server.remove_tool("echo")
        told = (await wire.messages(5))[4]
        eq((told["method"], "_meta" in told.get("params", {})), ("notifications/tools/list_changed", False))
    async with Wire(Tools().server()) as wire:
        wire.feed(b"\x18\n")
        eq(await wire.messages(1), [PARSE_ERROR])


async def test_as_many_calls_wait_as_there_are_places():
    tools = Tools()
    async with Wire(tools.server()) as wire:
        wire.feed(*[call(i, "wait", who=str(i)) for i in range(8)])
        await wire.until(lambda: tools.running == 8)
        wire.feed(call("ninth", "wait", who="x"), request("p", "ping"), cancel(3))
        refused, pong = await wire.messages(2)
        eq(failure(refused), ("ninth", -32603))
        eq(pong["id"], "p")
        await wire.until(lambda: tools.running == 7)
        wire.feed(call("again", "wait", who="again"))
        await wire.until(lambda: tools.running == 8)
        tools.gate.set()
        seen = sorted([text(m)[1] for m in (await wire.messages(10))[2:]])
        eq(seen, ["0", "1", "2", "4", "5", "6", "7", "again"])
        eq((tools.running, tools.cancelled), (0, 1))


async def cancel_calls(meta):
    tools = Tools()
    async with Wire(tools.server()) as wire:
        first = call("a", "wait", meta, who="x")
        wire.feed(first)
        await wire.until(lambda: tools.running == 1)
        wire.feed(cancel("b"), cancel("a"))
        await wire.until(lambda: tools.cancelled == 1)
        wire.feed(line(first) + line(cancel("a")))
        await wire.until(lambda: tools.cancelled == 2)
        wire.feed(call(2, "echo", meta, text="x"))
        eq([text(m) for m in await wire.messages(1)], [(2, "x")])
    eq(wire.log, [])


async def test_a_call_of_the_older_era_can_be_cancelled_though_it_has_just_come():
    await cancel_calls(None)


async def test_a_call_of_the_newer_era_can_be_cancelled_though_it_has_just_come():
    await cancel_calls(MODERN)


async def test_progress_comes_before_the_answer_and_can_be_cancelled():
    tools = Tools()
    async with Wire(tools.server()) as wire:
        wire.feed(call(1, "report", {"progressToken": "t"}, times=2))
        seen = await wire.messages(3)
        eq([m.get("method") for m in seen[:2]], ["notifications/progress"] * 2)
        eq(text(seen[2]), (1, "reported"))
        wire.feed(call(2, "report", {"progressToken": "t"}, times=1000000), cancel(2), request(3, "ping"))
        await wire.until(lambda: b'"id":3' in wire.output.raw)
        assert len(wire.output.lines()) < 100


async def test_a_line_that_has_begun_is_finished_though_its_writer_is_cancelled():
    tools = Tools()
    async with Wire(tools.server()) as wire:
        wire.output.room = 10
        wire.feed(call(1, "report", {"progressToken": "t"}, times=2), cancel(1), request(2, "ping"))
        await wire.until(lambda: wire.output.room == 0)
        await asyncio.sleep_ms(5)
        wire.output.allow(None)
        seen = await wire.messages(2)
        eq((seen[0]["method"], seen[1]["id"]), ("notifications/progress", 2))
        wire.output.room = 10
        wire.feed(call(3, "report", {"progressToken": "t"}, times=2), cancel(3))
        await wire.until(lambda: wire.output.room == 0)
        wire.input.end()
        await wire.until(lambda: wire.served._peer.left)
        wire.output.allow(None)
        await wire.end()
        eq(len(await wire.messages(3)), 3)


async def test_and_then_ends_all_that_runs():
    tools = Tools()
    async with Wire(tools.server(), end_ms=20) as wire:
        wire.feed(call(1, "wait", who="x"), call(2, "wait", who="y"))
        await wire.until(lambda: tools.running == 2)
        await wire.end()
        eq((tools.running, tools.cancelled, wire.output.raw), (0, 2, b""))


async def test_a_server_that_is_stopped_ends_its_calls():
    tools = Tools()
    async with Wire(tools.server()) as wire:
        wire.feed(call(1, "wait", who="x"))
        await wire.until(lambda: tools.running)
        wire.task.cancel()
        try:
            await asyncio.wait_for_ms(wire.task, 1000)
        except asyncio.CancelledError:
            pass
        eq((tools.running, tools.cancelled), (0, 1))
