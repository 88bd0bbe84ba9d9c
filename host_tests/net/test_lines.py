"""A line and what is at its ends: replies, faults, and a client that is slow or gone."""

import asyncio
from errno import ECONNRESET

from wire import Wire

from harness import eq


class Fake:
    """A server of scripted replies: `replies` of line -> what `handle` returns, or raises."""

    def __init__(self, **replies):
        self.message = self
        self.forgotten = []
        self.forget = self.forgotten.append
        self.id = None
        self.replies = replies
        self.seen = []
        self.gate = asyncio.Event()
        self.peer = None

    def handle(self, buf, start, end, peer, now_ms):
        self.peer = peer
        assert type(now_ms) is int
        text = bytes(buf[start:end])
        self.seen.append(text)
        if text == b"early":
            raise RuntimeError("early")
        self.id = b"7"
        reply = self.replies.get(text.decode(), (200, text, b""))
        if isinstance(reply, Exception):
            raise reply
        return reply(self, peer) if callable(reply) else reply


async def _wait(server, peer):
    await server.gate.wait()
    return 200, (b"wai", b"ted"), b""


async def _stubborn(server, peer):
    while not server.gate.is_set():
        try:
            await server.gate.wait()
        except asyncio.CancelledError:
            server.seen.append("cancelled")
    return 200, b"stubborn", b""


async def _raise(server, peer):
    await asyncio.sleep_ms(0)
    raise RuntimeError("broken")


async def _nothing(server, peer):
    await asyncio.sleep_ms(0)


async def _say(server, peer):
    await peer.send(b"first")
    await peer.send(b"", event_id=b"1", retry_ms=10)
    await peer.close_stream()
    await peer.send(b"second", event_id=b"2")
    return 200, b"last", b""


def fake():
    return Fake(
        accepted=(202, b"", b""), none=None, joined=(400, (b"jo", b"ined"), b"id"), broken=RuntimeError("broken"),
        wait=_wait, stubborn=_stubborn, breaks=_raise, nothing=_nothing, say=_say,
    )  # fmt: skip


INTERNAL = b'{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"Internal error"}}'


async def test_each_reply_is_a_line_or_nothing():
    async with Wire(fake()) as wire:
        wire.feed(b"accepted\nnone\nnothing\njoined\nx\n")
        eq(await wire.lines(2), [b"joined", b"x"])
        await wire.end()
        eq(wire.output.raw, b"joined\nx\n")


async def test_what_the_peer_tells_of_itself():
    server = fake()
    async with Wire(server) as wire:
        wire.feed(b"x\n")
        await wire.lines(1)
        peer = server.peer
        eq((peer.headed, peer.can_stream(), peer.left, peer.principal), (False, True, False, b""))
        eq((peer.session_id, peer.protocol_version, peer.mcp_method, peer.mcp_name), (None,) * 4)
        eq((peer.last_event_id, peer.header(b"x"), peer.allow(5)), (None,) * 3)
        eq((peer.sessions.ids, peer.sessions.find(None, None, b"", 0).version), (False, "2025-03-26"))
        eq(peer.sessions.open("2025-06-18", 1, b"", 0), None)
        eq(peer.sessions.find(None, None, b"", 0).can("roots"), True)
        peer.sessions.close(None, b"", 0)
    eq(peer.left, True)


async def test_messages_go_out_before_the_answer():
    async with Wire(fake()) as wire:
        wire.feed(b"say\n")
        eq(await wire.lines(3), [b"first", b"second", b"last"])


async def test_a_fault_within_is_answered_and_the_next_message_works():
    async with Wire(fake()) as wire:
        wire.feed(b"broken\nearly\nbreaks\nx\n")
        await wire.until(lambda: len(wire.output.lines()) == 4)
        unknown = INTERNAL.replace(b"7", b"null")
        eq(sorted(wire.output.lines()), sorted([INTERNAL, unknown, INTERNAL, b"x"]))
        eq(sorted([str(e) for _, _, e in wire.log]), ["broken", "broken", "early"])


async def test_a_client_that_does_not_read_makes_all_wait():
    server = fake()
    async with Wire(server, end_ms=60_000) as wire:
        wire.output.room = 2
        wire.feed(b"say\n", *[b"%d\n" % i for i in range(100)])
        for _ in range(20):
            await asyncio.sleep_ms(1)
        eq(wire.output.raw, b"fi")
        assert len(server.seen) < 4, server.seen  # The rest is not even read.
        for _ in range(10):
            wire.output.allow(1)
            await asyncio.sleep_ms(1)
        wire.output.allow(None)
        seen = await wire.lines(103)
        eq([x for x in seen if x[:1].isdigit()], [b"%d" % i for i in range(100)])
        eq([x for x in seen if not x[:1].isdigit()], [b"first", b"second", b"last"])
        assert wire.output.most < 10


async def test_the_end_of_the_input_leaves_a_little_time():
    server = fake()
    async with Wire(server) as wire:
        wire.feed(b"wait\n")
        await wire.until(lambda: server.seen)
        wire.input.end()
        await wire.until(lambda: server.peer.left)
        server.gate.set()
        eq(await wire.lines(1), [b"waited"])


async def test_a_handler_that_cannot_be_cancelled_does_not_keep_the_server():
    server = fake()
    async with Wire(server, end_ms=20) as wire:
        wire.feed(b"stubborn\n")
        await wire.until(lambda: server.seen)
        await wire.end()
        eq(server.seen, [b"stubborn", "cancelled"])
        server.gate.set()
        await asyncio.sleep_ms(5)
        eq(wire.output.raw, b"")


async def test_output_that_nobody_takes_does_not_keep_the_server():
    async with Wire(fake(), end_ms=20) as wire:
        wire.output.room = 2
        wire.feed(b"wait\n", b"say\n")
        await wire.until(lambda: wire.output.out_buf)
        await wire.end()
        wire.output.allow(None)
        await asyncio.sleep_ms(5)
        eq(wire.output.raw, b"fi")


async def test_nothing_is_written_to_who_is_gone():
    server = fake()
    async with Wire(server) as wire:
        wire.output.error = OSError(ECONNRESET)
        wire.feed(b"x\ny\n", b"z\n")
        await asyncio.wait_for_ms(wire.task, 2000)
        eq((server.seen, wire.output.raw, wire.log), ([b"x"], b"", []))


async def test_who_leaves_in_the_middle_of_a_line_ends_the_server():
    server = fake()
    async with Wire(server) as wire:
        wire.output.room = 2
        wire.feed(b"long\n")
        await wire.until(lambda: wire.output.out_buf)
        wire.output.error = OSError(ECONNRESET)
        wire.output.allow(5)
        wire.feed(b"x\n", b"y\n")
        await asyncio.wait_for_ms(wire.task, 2000)
        eq((server.seen, wire.output.raw), ([b"long"], b"lo"))


async def test_an_input_that_breaks_is_an_end():
    server = fake()
    async with Wire(server) as wire:
        wire.feed(b"x\n")
        wire.input.feed(OSError(5))
        await asyncio.wait_for_ms(wire.task, 2000)
        eq(server.seen, [b"x"])
