"""What a server waits for, and for how long."""

import asyncio
import time
from errno import ECONNRESET

from loopback import GET, HOST, JSON, Loopback, post, until

from harness import araises, eq
from net.crowd import make_room

LATE = (408, b'{"error":"request_timeout","message":"the request took too long to arrive"}')


async def late(served, *pieces):
    """The status and body that a client gets that sends no more, and how long that took."""
    client = await served.connect()
    start = time.ticks_ms()
    status, headers, body = await client.ask(*pieces)
    assert b"Connection: close\r\n" in headers, headers
    eq(await client.ended(), True)
    return (status, body), time.ticks_diff(time.ticks_ms(), start)


async def test_a_request_that_does_not_arrive_in_time_is_408():
    async with Loopback(head_ms=100) as served:
        whole = post(b"/echo", b"{}")
        for sent in (whole[:1], whole[:30], whole[:-4], whole[:-1]):
            seen, took_ms = await late(served, sent)
            eq(seen, LATE)
            assert 90 <= took_ms < 600, took_ms
        head = b"POST /echo HTTP/1.1\r\n" + HOST + JSON + b"Transfer-Encoding: chunked\r\n\r\n"
        eq((await late(served, head + b"2\r\n[]\r\n"))[0], LATE)
        eq(served.seen, [])


async def test_a_slow_request_has_no_more_time_for_each_byte():
    async with Loopback(head_ms=150) as served:
        client = await served.connect()
        sent = 0
        start = time.ticks_ms()
        try:
            for i in range(len(GET) - 1):
                await client.send(GET[i : i + 1])
                sent += 1
                await asyncio.sleep_ms(20)
        except OSError:
            pass
        assert sent < len(GET) - 1, sent
        assert time.ticks_diff(time.ticks_ms(), start) < 1000
        eq(served.seen, [])


async def test_the_time_begins_anew_with_each_request():
    async with Loopback(head_ms=120) as served:
        client = await served.connect()
        for _ in range(4):
            eq((await client.ask(GET[:9], GET[9:]))[0], 200)
            await asyncio.sleep_ms(60)


async def test_an_idle_connection_is_closed_without_an_answer():
    async with Loopback(idle_ms=100) as served:
        fresh = await served.connect()
        used = await served.connect()
        eq((await used.ask(GET))[0], 200)
        for client in (fresh, used):
            eq(await client.ended(1000), True)
        await asyncio.sleep_ms(5)
        eq(len(served.server.connections), 0)


async def test_an_idle_time_begins_with_the_answer():
    async with Loopback(idle_ms=200) as served:
        client = await served.connect()
        for _ in range(4):
            await asyncio.sleep_ms(100)
            eq((await client.ask(GET))[0], 200)


async def test_a_handler_that_waits_for_ever_is_ended():
    async with Loopback(handler_ms=100, head_ms=30) as served:
        client = await served.connect()
        start = time.ticks_ms()
        await client.send(post(b"/wait", b"{}"))
        eq(await client.ended(1000), True)
        assert 90 <= time.ticks_diff(time.ticks_ms(), start) < 600


async def test_a_handler_may_take_longer_than_a_request():
    async with Loopback(handler_ms=5000, head_ms=50, idle_ms=50) as served:
        client = await served.connect()
        await client.send(post(b"/wait", b"{}"))
        await asyncio.sleep_ms(150)
        served.may_end.set()
        eq((await client.answer())[0], 200)


async def test_a_refused_peer_that_goes_on_sending_is_not_read_for_ever():
    async with Loopback(linger_ms=100) as served:
        client = await served.connect()
        eq((await client.ask(b"GET / HTTP/1.1\n\n"))[0], 400)

        async def go_on():
            while True:
                await client.send(b"x" * 4000)
                await asyncio.sleep_ms(10)

        # In the end the connection is reset.
        await araises(OSError, asyncio.wait_for_ms(go_on(), 2000))
        eq(len(served.server.connections), 0)


async def test_a_peer_that_takes_no_answer_is_let_go():
    async with Loopback(head_ms=100) as served:
        client = await served.connect()
        request = post(b"/echo", b"x" * 8000)
        for _ in range(400):
            client.stream.s.setblocking(False)
            try:
                if client.stream.s.write(request) is None:
                    break
            except OSError:
                break  # It has been let go.
            await asyncio.sleep_ms(0)
        for _ in range(40):
            await asyncio.sleep_ms(20)
            if not served.server.connections:
                break
        eq(len(served.server.connections), 0)


async def test_a_connection_whose_next_request_has_arrived_is_not_idle():
    async with Loopback(grace_ms=0) as served:
        clients = []
        for _ in range(4):
            clients.append(await served.connect())
            eq((await clients[-1].ask(GET))[0], 200)
            await asyncio.sleep_ms(2)
        # It has arrived, but the server had no turn to read it.
        clients[0].stream.write(GET)
        time.sleep_ms(5)
        assert make_room(served.server)
        eq(((await clients[0].answer())[0], await clients[1].ended()), (200, True))
        for client in (clients[0], clients[2], clients[3]):
            eq((await client.ask(GET))[0], 200)


async def test_a_half_request_makes_room_where_nothing_is_idle():
    async with Loopback(grace_ms=0) as served:
        slow = []
        for _ in range(4):
            slow.append(await served.connect())
            await slow[-1].send(GET[:10])
            await asyncio.sleep_ms(5)
        fifth = await served.connect()
        eq((await fifth.ask(GET))[0], 200)
        eq(await slow[0].ended(), True)
        eq((await slow[3].ask(GET[10:]))[0], 200)


async def test_who_takes_no_answer_makes_room_whatever_else_it_sends():
    async with Loopback(grace_ms=50) as served:
        request = post(b"/echo", b"x" * 8000)
        for _ in range(4):
            stream = (await served.connect()).stream
            left = request
            stuck = 0
            while stuck < 20:
                count = stream.s.write(left)
                left = left[count or 0 :] or request
                stuck = stuck + 1 if count is None else 0
                served.seen.clear()
                await asyncio.sleep_ms(1 if stuck else 0)
        fifth = await served.connect()
        start = time.ticks_ms()
        eq((await fifth.ask(GET))[0], 200)
        assert time.ticks_diff(time.ticks_ms(), start) < 2000


class Gone:
    """The stream of a peer that has just reset its connection."""

    def write(self, data):
        raise OSError(ECONNRESET)


async def test_a_peer_that_is_gone_does_not_stop_the_watch_over_the_others():
    async with Loopback(head_ms=100) as served:
        lost = await served.connect()
        await lost.send(GET[:10])
        await asyncio.sleep_ms(20)
        served.server.connections[0].stream, stream = Gone(), served.server.connections[0].stream
        await asyncio.sleep_ms(200)
        eq(((await late(served, GET[:10]))[0]), LATE)
        await stream.wait_closed()


async def test_a_handler_that_cannot_be_cancelled_is_dropped_and_told_of():
    released = []

    async def stubborn(request):
        while not released:
            try:
                await asyncio.sleep_ms(10)
            except BaseException:
                pass

    async with Loopback(stubborn, handler_ms=40, linger_ms=40) as loopback:
        client = await loopback.connect()
        await client.send(post(b"/work", b""))
        await until(lambda: loopback.log)
        eq((loopback.log[0][0], "is dropped" in loopback.log[0][1]), ("error", True))
        eq((loopback.server.connections, loopback.server.abandoned), ([], []))
        released.append(True)
        await asyncio.sleep_ms(20)
