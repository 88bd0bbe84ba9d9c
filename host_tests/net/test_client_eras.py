"""The asyncio client in both eras: which one it takes, how its calls end early, and callbacks that take their time."""

import asyncio
import gc
import time

from scripted_peer import END, STREAM, ScriptedPeer, chunk, event, note, result, until

from harness import araises, eq
from net.mcpclient import McpClient
from umcp import client_errors as ce
from umcp.errors import LocalError


async def _echo(request):
    await request.answer({"content": [], "name": request.params.get("name")})


async def _stall(request):
    await request.gone()
    request.left = True
    return True


async def test_the_server_is_asked_once_on_the_same_connection():
    for modern, era in ((True, "modern"), (False, "legacy")):
        async with ScriptedPeer({"tools/call": _echo}, modern) as peer:
            client = McpClient(peer.url)
            eq(client.era, None)
            await client.initialize()
            eq((client.era, client.protocol_version), (era, "2026-07-28" if modern else "2025-11-25"))
            await client.call_tool("t")
            await client.close()
            await client.initialize()
            eq(peer.methods().count("server/discover"), 2 if modern else 1)
            other = McpClient(peer.url, era=client.era)
            await other.initialize()
            eq(peer.methods().count("server/discover"), 3 if modern else 1)
            await client.close()
            await other.close()


async def test_heads_are_those_of_their_calls():
    async with ScriptedPeer({"tools/call": _echo}, True) as peer:
        client = McpClient(peer.url)
        await client.initialize()
        for name in ("one", "two", "one", "\u4e16"):
            eq((await client.call_tool(name))["name"], name)
        calls = peer.all("tools/call")
        eq([c.field(b"mcp-name") for c in calls], [b"one", b"two", b"one", b"=?base64?5LiW?="])
        eq([c.field(b"mcp-method") for c in calls], [b"tools/call"] * 4)
        eq(peer.connections, 1)


async def test_a_server_that_keeps_still_when_asked_is_an_old_one():
    async with ScriptedPeer({"server/discover": _stall, "tools/call": _echo}) as peer:
        client = McpClient(peer.url, timeout_ms=400)
        start = time.ticks_ms()
        eq((await client.initialize())["protocolVersion"], "2025-11-25")
        assert 190 <= time.ticks_diff(time.ticks_ms(), start) < 400
        eq(client.era, None)
        await client.call_tool("t")


async def test_a_server_that_hangs_up_when_asked_is_an_old_one():
    async def hang_up(request):
        return True

    async with ScriptedPeer({"server/discover": hang_up}) as peer:
        client = McpClient(peer.url)
        await client.initialize()
        eq((client.era, peer.methods()[-2:]), (None, ["initialize", "notifications/initialized"]))


async def test_a_server_that_keeps_still_altogether():
    async with ScriptedPeer({"server/discover": _stall, "initialize": _stall}) as peer:
        client = McpClient(peer.url, timeout_ms=200)
        error = await araises(ce.RequestTimeout, client.initialize())
        eq((error.timeout_ms, client.is_initialized()), (200, False))


async def test_cancel_hangs_up_and_says_nothing_in_the_modern_era():
    async with ScriptedPeer({"tools/call": _stall, "tools/list": _no_tools}, True) as peer:
        client = McpClient(peer.url)
        await client.initialize()
        eq(client.cancel(), False)
        task = asyncio.create_task(client.call_tool("t"))
        await until(lambda: peer.all("tools/call"))
        eq(client.cancel(), True)
        await araises(ce.Cancelled, task)
        await until(lambda: hasattr(peer.all("tools/call")[0], "left"))
        eq(await client.list_tools(), [])
        eq(peer.methods(), ["server/discover", "tools/call", "tools/list"])


async def _no_tools(request):
    await request.answer({"tools": []})


async def test_cancel_tells_a_legacy_server():
    async with ScriptedPeer({"tools/call": _stall, "tools/list": _no_tools}) as peer:
        client = McpClient(peer.url)
        await client.initialize()
        task = asyncio.create_task(client.call_tool("t"))
        await until(lambda: peer.all("tools/call"))
        client.cancel()
        await araises(ce.Cancelled, task)
        id = peer.all("tools/call")[0].id
        eq(peer.seen[-1].message["params"], {"requestId": id, "reason": "cancelled"})
        eq(await client.list_tools(), [])


async def test_a_task_that_is_cancelled_cancels_its_call():
    for modern, told in ((True, 0), (False, 1)):
        async with ScriptedPeer({"tools/call": _stall, "tools/list": _no_tools}, modern) as peer:
            client = McpClient(peer.url)
            await client.initialize()
            task = asyncio.create_task(client.call_tool("t"))
            await until(lambda: peer.all("tools/call"))
            task.cancel()
            await araises(asyncio.CancelledError, task)
            await until(lambda: hasattr(peer.all("tools/call")[0], "left"))
            eq(len(peer.all("notifications/cancelled")), told)
            eq(await client.list_tools(), [])


async def test_initialize_is_never_cancelled():
    async with ScriptedPeer({"initialize": _stall}) as peer:
        client = McpClient(peer.url, only="legacy")
        task = asyncio.create_task(client.initialize())
        await until(lambda: peer.all("initialize"))
        client.cancel()
        await araises(ce.Cancelled, task)
        eq(peer.methods(), ["initialize"])


def _asking(peer_answers, method="elicitation/create"):
    """A tools/call that asks on its stream, and gives what it is answered as its result."""

    async def call(request):
        await request.send(STREAM, event({"jsonrpc": "2.0", "id": "q", "method": method, "params": {}}))
        await until(peer_answers)
        await request.send(event(result(request.id, {"said": peer_answers()[0].message})), END)

    return call


async def test_the_time_of_a_callback_does_not_count():
    async def on_elicit(params):
        await asyncio.sleep_ms(300)
        return {"a": 1}

    peer = ScriptedPeer({"tools/call": _asking(lambda: peer.all("answer"))})
    async with peer:
        client = McpClient(peer.url, timeout_ms=150, on_elicit=on_elicit)
        await client.initialize()
        said = (await client.call_tool("t"))["said"]
        eq(said, {"jsonrpc": "2.0", "id": "q", "result": {"action": "accept", "content": {"a": 1}}})
        eq(peer.all("answer")[0].field(b"mcp-session-id"), b"s1")


async def test_the_time_of_a_callback_does_not_count_in_rounds_either():
    async def on_elicit(params):
        await asyncio.sleep_ms(300)
        return {"a": 1}

    async def call(request):
        if "inputResponses" in request.params:
            return await request.answer(
                {"said": request.params["inputResponses"], "state": request.params["requestState"]}
            )
        asked = {"k": {"method": "elicitation/create", "params": {"message": "?"}}}
        return await request.answer(
            {"resultType": "input_required", "inputRequests": asked, "requestState": "s"}
        )

    async with ScriptedPeer({"tools/call": call}, True) as peer:
        client = McpClient(peer.url, timeout_ms=150, on_elicit=on_elicit)
        await client.initialize()
        said = await client.call_tool("t")
        eq(said, {"said": {"k": {"action": "accept", "content": {"a": 1}}}, "state": "s"})


async def test_a_call_can_be_cancelled_while_a_callback_works():
    async def on_elicit(params):
        await asyncio.sleep_ms(5000)

    peer = ScriptedPeer({"tools/call": _asking(lambda: peer.all("answer")), "tools/list": _no_tools})
    async with peer:
        client = McpClient(peer.url, on_elicit=on_elicit)
        await client.initialize()
        task = asyncio.create_task(client.call_tool("t"))
        await until(lambda: peer.all("tools/call"))
        await asyncio.sleep_ms(30)
        client.cancel()
        await araises(ce.Cancelled, task)
        eq(peer.all("notifications/cancelled")[0].message["params"]["reason"], "cancelled")
        eq(await client.list_tools(), [])


async def test_a_callback_cannot_call_its_own_client():
    clients = []

    async def on_elicit(params):
        return await clients[0].list_tools()

    peer = ScriptedPeer({"tools/call": _asking(lambda: peer.all("answer")), "tools/list": _no_tools})
    async with peer:
        clients.append(McpClient(peer.url, timeout_ms=2000, on_elicit=on_elicit))
        await clients[0].initialize()
        error = await araises(ce.CallbackFailed, clients[0].call_tool("t"))
        eq(type(error.cause), LocalError)
        eq(peer.all("answer")[0].message["error"]["code"], -32603)
        eq(await clients[0].list_tools(), [])


async def test_what_a_callback_raises_is_not_taken_for_the_network():
    def on_log(params):
        raise OSError(104)

    async def call(request):
        await request.send(STREAM, event(note("notifications/message", {"data": 1})))
        return True

    async with ScriptedPeer({"tools/call": call, "tools/list": _no_tools}) as peer:
        client = McpClient(peer.url, on_log=on_log)
        await client.initialize()
        eq(type((await araises(ce.CallbackFailed, client.call_tool("t"))).cause), OSError)
        eq(await client.list_tools(), [])


async def test_a_broken_stream_goes_on_when_the_server_wants():
    times = []

    async def call(request):
        await request.send(STREAM, chunk(b"id: e1\nretry: 200\ndata:\n\n"))
        times.append(time.ticks_ms())
        return cut

    async def rest(request):
        times.append(time.ticks_ms())
        eq(request.field(b"last-event-id"), b"e1")
        await request.send(STREAM, event(result(call_id(), {"ok": 1})), END)

    def call_id():
        return peer.all("tools/call")[-1].id

    for cut in (True, False):
        peer = ScriptedPeer({"tools/call": call if cut else _ends(call), "GET": rest})
        async with peer:
            client = McpClient(peer.url)
            await client.initialize()
            times.clear()
            eq(await client.call_tool("t"), {"ok": 1})
            assert 200 <= time.ticks_diff(times[1], times[0]) + 1 < 400, times
            eq(len(peer.all("tools/call")), 1)


def _ends(call):
    async def whole(request):
        await call(request)
        await request.send(END)

    return whole


async def test_resumption_has_the_time_of_the_call():
    async def call(request):
        await request.send(STREAM, chunk(b"id: e1\nretry: 60000\ndata:\n\n"), END)

    async with ScriptedPeer({"tools/call": call, "tools/list": _no_tools}) as peer:
        client = McpClient(peer.url, timeout_ms=100)
        await client.initialize()
        await araises(ce.RequestTimeout, client.call_tool("t"))
        eq(peer.seen[-1].message["params"], {"requestId": peer.all("tools/call")[0].id, "reason": "timeout"})
        eq(await client.list_tools(), [])


async def test_what_is_kept_does_not_grow():
    async with ScriptedPeer({"tools/call": _echo}, True) as peer:
        client = McpClient(peer.url)
        await client.initialize()
        for _ in range(20):
            await client.call_tool("echo", {"text": "hello"})
        peer.seen.clear()
        gc.collect()
        before = gc.mem_alloc()
        for _ in range(100):
            await client.call_tool("echo", {"text": "hello"})
        peer.seen.clear()
        gc.collect()
        assert gc.mem_alloc() - before < 500, gc.mem_alloc() - before


async def test_what_others_say_in_between():
    seen = []

    async def call(request):
        token = request.params["_meta"]["progressToken"]
        told = [
            event(note("notifications/progress", {"progressToken": token, "progress": p})) for p in (1, 2)
        ]
        await request.send(STREAM, *told, event(result(request.id, {"ok": 1})), END)

    for modern in (True, False):
        async with ScriptedPeer({"tools/call": call}, modern) as peer:
            client = McpClient(peer.url, on_progress=lambda params: seen.append(params["progress"]))
            await client.initialize()
            eq(await client.call_tool("t"), {"ok": 1})
            eq(seen, [1, 2])
            seen.clear()
