"""The asyncio client against a scripted server in the same interpreter: connections, deadlines, cancellation."""

import asyncio
import gc
import time

from harness import araises, eq, port, raises
from net.mcpclient import McpClient
from umcp import client_errors as ce
from umcp import codec


class Peer:
    """An MCP server that counts connections and reads; `stall` makes it silent, `hangup` closes behind an answer."""

    def __init__(self):
        self.port = port()
        self.connections = self.reads = self.open = self.running = self.most = 0
        self.methods = []
        self.stall = self.hangup = False
        self.delay_ms = 0

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        return self

    async def __aexit__(self, *error):
        self._server.close()
        await self._server.wait_closed()

    def client(self, only="legacy", **kwargs):
        kwargs["only"] = only
        return McpClient("http://127.0.0.1:%d/mcp/" % self.port, "tok", **kwargs)

    async def _serve(self, reader, writer):
        self.connections += 1
        self.open += 1
        try:
            while await self._one(reader, writer):
                pass
        except OSError:
            pass
        self.open -= 1
        writer.close()
        await writer.wait_closed()

    async def _one(self, reader, writer):
        data = await reader.read(4096)
        if not data:
            return False
        self.reads += 1
        head, _, body = data.partition(b"\r\n\r\n")
        message = codec.loads(body) if body else {"method": head[: head.find(b" ")].decode()}
        self.methods.append(message["method"])
        self.running += 1
        self.most = max(self.most, self.running)
        if self.delay_ms:
            await asyncio.sleep_ms(self.delay_ms)
        self.running -= 1
        if self.stall and message["method"] == "tools/call":
            return True
        writer.write(_answer(message))
        await writer.drain()
        return not self.hangup


def _answer(message):
    if "id" not in message:
        return b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"
    results = {
        "initialize": {"protocolVersion": "2025-11-25", "capabilities": {}},
        "tools/list": {"tools": [{"name": "echo"}]},
        "tools/call": {"content": [{"type": "text", "text": "hello"}]},
    }
    body = codec.dumps({"jsonrpc": "2.0", "id": message["id"], "result": results[message["method"]]})
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: s1\r\nContent-Length: %d\r\n\r\n"
    return head % len(body) + body


async def _settle():
    await asyncio.sleep_ms(20)


async def test_one_connection_and_one_segment_per_request():
    async with Peer() as peer:
        client = peer.client()
        eq((await client.initialize())["protocolVersion"], "2025-11-25")
        eq(client.is_initialized(), True)
        eq(await client.list_tools(), [{"name": "echo"}])
        for _ in range(20):
            eq((await client.call_tool("echo", {"text": "hello"}))["content"][0]["text"], "hello")
        await client.close()
        eq((peer.connections, peer.reads, client.is_initialized()), (1, 24, False))
        eq(peer.methods[-1], "DELETE")
        await _settle()
        eq(peer.open, 0)


async def test_it_opens_again_after_close_and_after_reset():
    async with Peer() as peer:
        client = peer.client()
        await client.initialize()
        await araises(ce.AlreadyInitialized, client.initialize())
        client.reset()
        eq(client.is_initialized(), False)
        await araises(ce.NotInitialized, client.call_tool("echo"))
        await client.initialize()
        await client.close()
        await client.close()
        await araises(ce.NotInitialized, client.list_tools())
        await client.initialize()
        await client.call_tool("echo")


async def test_a_connection_closed_while_idle_is_replaced_before_writing():
    async with Peer() as peer:
        client = peer.client()
        await client.initialize()
        await _settle()
        peer.hangup = True
        for _ in range(5):
            await client.call_tool("echo")
            await _settle()
        eq((peer.methods.count("tools/call"), peer.connections), (5, 5))


async def test_tasks_wait_for_each_other():
    async with Peer() as peer:
        client = peer.client()
        await client.initialize()
        peer.delay_ms = 5
        results = await asyncio.gather(*[client.call_tool("echo", {"n": i}) for i in range(8)])
        eq((len(results), peer.most, peer.connections), (8, 1, 1))


async def test_a_task_that_calls_in_a_loop_starves_no_other():
    async with Peer() as peer:
        client = peer.client()
        await client.initialize()
        looping = asyncio.create_task(_calls(client, 100))
        await asyncio.sleep_ms(0)
        await client.list_tools()
        at = peer.methods.index("tools/list")
        assert at < 6, peer.methods
        await looping


async def test_waiting_tasks_are_served_in_their_order_and_may_be_cancelled():
    async with Peer() as peer:
        client = peer.client()
        await client.initialize()
        peer.delay_ms = 10
        order = []

        async def call(n):
            await client.call_tool("echo")
            order.append(n)

        tasks = [asyncio.create_task(call(n)) for n in range(5)]
        await asyncio.sleep_ms(5)
        tasks[2].cancel()
        for n in (0, 1, 3, 4):
            await tasks[n]
        eq(order, [0, 1, 3, 4])


async def test_an_answer_before_the_request_is_whole():
    async def serve(reader, writer):
        await reader.read(1000)
        writer.write(b"HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        await asyncio.sleep_ms(20)
        writer.close()
        await writer.wait_closed()

    number = port()
    server = await asyncio.start_server(serve, "127.0.0.1", number)
    client = McpClient("http://127.0.0.1:%d/" % number, name="x" * 100000, timeout_ms=2000)
    error = await araises(ce.HttpError, client.initialize())
    eq(error.status, 413)
    server.close()


async def test_clients_are_apart():
    async with Peer() as one:
        async with Peer() as other:
            clients = [one.client(), one.client(), other.client()]
            for client in clients:
                await client.initialize()
            await asyncio.gather(*[client.call_tool("echo") for client in clients * 3])
            eq((one.connections, other.connections), (2, 1))


async def test_a_late_call_times_out_and_the_next_one_works():
    async with Peer() as peer:
        client = peer.client(timeout_ms=80)
        await client.initialize()
        peer.stall = True
        start = time.ticks_ms()
        error = await araises(ce.RequestTimeout, client.call_tool("echo"))
        eq((error.timeout_ms, str(error)), (80, "Request timed out after 80 ms"))
        assert 75 <= time.ticks_diff(time.ticks_ms(), start) < 400
        eq(peer.methods[-1], "notifications/cancelled")
        await araises(ce.RequestTimeout, client.call_tool("echo", timeout_ms=20))
        peer.stall = False
        await client.call_tool("echo")
        eq(peer.connections, 3)


async def test_a_shorter_deadline_behind_a_longer_one():
    async with Peer() as peer:
        client = peer.client(timeout_ms=30000)
        await client.initialize()
        peer.stall = True
        start = time.ticks_ms()
        await araises(ce.RequestTimeout, client.call_tool("echo", timeout_ms=50))
        assert time.ticks_diff(time.ticks_ms(), start) < 400


async def test_a_call_cancelled_from_outside():
    async with Peer() as peer:
        client = peer.client()
        await client.initialize()
        peer.stall = True
        task = asyncio.create_task(client.call_tool("echo"))
        waiting = asyncio.create_task(client.list_tools())
        await _settle()
        task.cancel()
        await araises(asyncio.CancelledError, task)
        eq(await waiting, [{"name": "echo"}])
        peer.stall = False
        await client.call_tool("echo")


async def test_nobody_listens():
    client = McpClient("http://127.0.0.1:%d/mcp" % port(), timeout_ms=500)
    for _ in range(2):
        error = await araises(ce.Disconnected, client.initialize())
        assert error.errno, error


async def test_a_server_that_comes_back():
    peer = Peer()
    client = peer.client()
    async with peer:
        await client.initialize()
        peer.hangup = True
        await client.list_tools()
        await _settle()
    await araises(ce.Disconnected, client.call_tool("echo"))
    peer.hangup = False
    async with peer:
        await client.call_tool("echo")


def test_what_cannot_be_built():
    for url in ("ftp://h/", "http://u:s3cret@h/", "http://h/#x", "http://h/\r\n", "http://"):
        assert "s3cret" not in str(raises(ce.ConfigError, McpClient, url))
    for token in ("a\r\nX: y", "a\x00", ""):
        raises(ce.ConfigError, McpClient, "http://h/", token)
    error = raises(ce.ConfigError, McpClient, "https://h/", "tok")
    eq(str(error), "https needs ca=, the DER bytes of the certificate to trust")
    raises(ce.ConfigError, McpClient, "https://h/", "tok", ca=b"nothing")


def test_the_token_is_not_shown():
    client = McpClient("http://h/", "s3cret")
    assert "s3cret" not in repr(client) + str(client)


async def _calls(client, count):
    for _ in range(count):
        await client.call_tool("echo", {"text": "hello"})


async def test_what_is_kept_does_not_grow():
    async with Peer() as peer:
        client = peer.client()
        await client.initialize()
        await _calls(client, 20)
        gc.collect()
        before = gc.mem_alloc()
        await _calls(client, 100)
        peer.methods.clear()
        gc.collect()
        assert gc.mem_alloc() - before < 500, gc.mem_alloc() - before


async def test_a_large_request_is_sent_whole_and_its_buffer_let_go():
    async with Peer() as peer:
        client = peer.client()
        await client.initialize()
        peer.stall = True
        await araises(ce.RequestTimeout, client.call_tool("echo", {"text": "x" * 100000}, timeout_ms=300))
        peer.stall = False
        await client.call_tool("echo")
        gc.collect()
        assert len(client._http._out) < 1000
