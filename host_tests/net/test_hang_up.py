"""Clients that hang up while their request is handled: no place is lost, and the handler ends or goes on."""

import asyncio
import struct

from loopback import GET, HOST, Loopback, post, until

from harness import eq
from net.waiting import ABANDONED

WORK = b"GET /work HTTP/1.1\r\n" + HOST + b"\r\n"


class Work:
    """A handler that waits until it may end, and what becomes of it."""

    def __init__(self, stops=None, stubborn=False):
        self.may_end = asyncio.Event()
        self.stops = stops
        self.stubborn = stubborn
        self.requests = []
        self.ended = []

    async def __call__(self, request):
        if self.stops is not None:
            request.stops_with_peer = self.stops
        self.requests.append(request)
        try:
            await self.may_end.wait()
            self.ended.append("answered")
        except asyncio.CancelledError:
            self.ended.append("cancelled")
            if not self.stubborn:
                raise
            await self.may_end.wait()
            self.ended.append("answered")
        return 200, b"{}", b""


async def leave(served, work, raw=WORK):
    """A client that hangs up once its request is handled."""
    client = await served.connect()
    count = len(work.requests)
    await client.send(raw)
    await until(lambda: len(work.requests) > count)
    await client.close()


async def test_mcp_2026_07_28_a_hang_up_cancels():
    work = Work(True)
    async with Loopback(work) as served:
        await leave(served, work)
        await until(lambda: work.ended)
        eq((work.ended, work.requests[0].left), (["cancelled"], True))
        await until(lambda: not served.server.abandoned)
        eq((served.server.connections, served.log), ([], []))


async def test_mcp_2025_11_25_a_hang_up_cancels_nothing():
    for stops in (False, None):
        work = Work(stops)
        async with Loopback(work) as served:
            await leave(served, work)
            await until(lambda: not served.server.connections)
            eq((work.ended, work.requests[0].left, len(served.server.abandoned)), ([], True, 1))
            work.may_end.set()
            await until(lambda: not served.server.abandoned)
            eq((work.ended, served.log), (["answered"], []))


async def test_the_wish_of_one_request_is_not_the_next_one_s():
    work = Work(True)
    async with Loopback(work) as served:
        client = await served.connect()
        work.may_end.set()
        eq((await client.ask(WORK))[0], 200)
        work.may_end.clear()
        work.stops = None
        work.ended.clear()
        await client.send(WORK)
        await until(lambda: len(work.requests) == 2)
        await client.close()
        await until(lambda: served.server.abandoned)
        eq(work.ended, [])


async def test_a_reset_is_a_hang_up():
    work = Work(True)
    async with Loopback(work) as served:
        client = await served.connect()
        await client.send(WORK)
        await until(lambda: work.requests)
        client.stream.s.setsockopt(1, 13, struct.pack("ii", 1, 0))  # SO_LINGER of Linux: close with a reset
        await client.close()
        await until(lambda: work.ended)
        eq(work.ended, ["cancelled"])


async def hang_up_often(stops, cancelled, going):
    work = Work(stops)
    async with Loopback(work, grace_ms=100_000) as served:
        for _ in range(9):
            await leave(served, work)
        await until(lambda: not served.server.connections and len(work.ended) == cancelled)
        for _ in range(4):
            eq((await (await served.connect()).ask(GET))[0], 200)
        eq((len(served.server.connections), len(served.server.abandoned)), (4, going))
        eq(work.ended, ["cancelled"] * cancelled)
        # Those that go on are the latest, and end as they would.
        work.may_end.set()
        await until(lambda: len(work.ended) == 9)
        eq((work.ended[cancelled:], served.log), (["answered"] * going, []))


async def test_hang_ups_during_slow_handlers_fill_no_places():
    await hang_up_often(True, 9, 0)
    await hang_up_often(False, 9 - ABANDONED, ABANDONED)


async def test_who_goes_on_without_a_client_has_no_more_time_than_others():
    work = Work(False)
    async with Loopback(work, handler_ms=60) as served:
        await leave(served, work)
        await until(lambda: work.ended)
        eq(work.ended, ["cancelled"])
        # Nor has one that might have stayed as long as its client.
        work.ended.clear()
        client = await served.connect()
        await client.send(WORK)
        await until(lambda: len(work.requests) == 2)
        work.requests[1].allow(None)
        await asyncio.sleep_ms(200)
        eq(work.ended, [])
        await client.close()
        await until(lambda: work.ended)
        eq((work.ended, served.log), (["cancelled"], []))


async def test_a_handler_that_does_not_end_keeps_no_place():
    work = Work(True, stubborn=True)
    async with Loopback(work, linger_ms=30) as served:
        await leave(served, work)
        await until(lambda: served.log)
        eq((served.server.connections, served.server.abandoned), ([], []))
        eq((work.ended, len(served.log)), (["cancelled"], 1))
        work.may_end.set()
        await until(lambda: len(work.ended) == 2)
        eq((await (await served.connect()).ask(GET))[0], 200)


async def test_a_connection_is_used_again_only_when_its_handler_has_ended():
    work = Work(False)
    async with Loopback(work) as served:
        await leave(served, work)
        await until(lambda: served.server.abandoned)
        client = await served.connect()
        await client.send(WORK)
        await until(lambda: len(work.requests) == 2)
        first, second = work.requests
        eq((first is second, first.left, second.left), (False, True, False))
        work.may_end.set()
        eq((await client.answer())[0], 200)
        await until(lambda: not served.server.abandoned)
        # Then there is nothing left of its hang-up.
        others = []
        for _ in range(3):
            others.append(await served.connect())
        for client in others:
            eq((await client.ask(WORK))[0], 200)
        eq([request.left for request in work.requests[2:]], [False] * 3)


async def test_a_client_that_is_gone_leaves_no_large_buffer():
    work = Work(False)
    async with Loopback(work) as served:
        await leave(served, work, post(b"/work", b"x" * 8000))
        await until(lambda: served.server.abandoned)
        eq(len(served.server.abandoned[0].reader.buf), 1024)


async def test_what_is_sent_ahead_is_bounded_and_does_not_hide_a_hang_up():
    work = Work(True)
    async with Loopback(work) as served:
        await leave(served, work, WORK + post(b"/echo", b"[1]"))
        await until(lambda: work.ended)
        eq((work.ended, served.seen), (["cancelled"], []))
        # More than there is room for is not read; then the time of a handler ends it.
        client = await served.connect()
        await client.send(WORK)
        await until(lambda: len(work.requests) == 2)
        await client.send(post(b"/echo", b"x" * 5000), post(b"/echo", b"x" * 5000))
        await asyncio.sleep_ms(30)
        assert len(served.server.connections[0].reader.buf) <= 2048
        work.may_end.set()
        for _ in range(3):
            eq((await client.answer())[0], 200)
        eq(served.seen, [b"x" * 5000] * 2)


async def test_a_large_request_is_watched_too():
    work = Work(True)
    async with Loopback(work) as served:
        await leave(served, work, post(b"/work", b"x" * 3000))
        await until(lambda: work.ended)
        eq(work.ended, ["cancelled"])


async def test_closing_the_server_ends_those_without_a_client_too():
    for stubborn in (False, True):
        work = Work(False, stubborn)
        async with Loopback(work) as served:
            await leave(served, work)
            client = await served.connect()
            await client.send(WORK)
            await until(lambda: served.server.abandoned and len(served.server.connections) == 1)
            await served.server.close()
            eq((served.server.connections, served.server.abandoned), ([], []))
            eq((work.ended, len(served.log)), (["cancelled"] * 2, 2 if stubborn else 0))
            eq(await client.ended(), True)
            work.may_end.set()
