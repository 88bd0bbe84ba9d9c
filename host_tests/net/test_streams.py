"""A reply that is an event stream: events as they come, the answer last, and the connection as before."""

import asyncio

from loopback import GET, Loopback, post, until
from streaming import ANSWER, HEADERS, WORK, begin, event

import net.stream
from harness import araises, eq
from http1.errors import HTTPError


async def test_an_event_comes_at_once_and_the_answer_is_the_last_one():
    may_go_on = asyncio.Event()

    async def work(request):
        await request.send(b"[1]", b"a-1")
        await may_go_on.wait()
        await request.send(b"", b"a-2", 500)
        return ANSWER

    async with Loopback(work) as served:
        client = await begin(served)
        eq(await client.chunk(), b"id: a-1\n" + event(b"[1]"))
        may_go_on.set()
        eq(await client.chunks(), [b"id: a-2\nretry: 500\ndata: \n\n", event(b'{"n":9}')])
        # The connection goes on, with streams and without.
        eq((await client.ask(GET))[0], 200)
        await client.send(WORK + post(b"/echo", b"{}"))
        eq((await client.head(), len(await client.chunks())), ((200, HEADERS), 3))
        eq((await client.answer())[2], b"{}")
        eq(len(served.server.connections), 1)


async def test_who_says_nothing_before_gets_a_plain_answer():
    async def work(request):
        await asyncio.sleep_ms(1)
        return ANSWER

    async with Loopback(work) as served:
        client = await served.connect()
        for _ in range(3):
            status, headers, body = await client.ask(WORK)
            eq((status, body, b"Transfer-Encoding" in headers), (200, b'{"n":9}', False))


async def test_an_answer_is_an_event_whatever_its_status_and_its_parts():
    replies = [(400, b"{}", b"X: y\r\n"), (200, (b"[", b"1", b"]"), b""), (202, b"", b""), None]

    async def work(request):
        await request.send(b"0")
        return replies.pop(0)

    async with Loopback(work) as served:
        client = await served.connect()
        for last in ([event(b"{}")], [event(b"[1]")], [], []):
            await client.send(WORK)
            eq((await client.head(), await client.chunks()), ((200, HEADERS), [event(b"0")] + last))


async def test_no_answer_is_an_empty_stream():
    async def later(request):
        await asyncio.sleep_ms(1)

    for work in (later, lambda request: None):
        async with Loopback(work) as served:
            client = await served.connect()
            for _ in range(2):
                await client.send(WORK)
                eq((await client.head(), await client.chunks()), ((200, HEADERS), []))
            eq((await client.ask(GET))[0], 200)


async def test_a_message_without_anything_opens_the_stream():
    may_go_on = asyncio.Event()

    async def work(request):
        await request.send(b"")
        await may_go_on.wait()

    async with Loopback(work) as served:
        client = await begin(served)
        eq(await client.chunk(), b":\n\n")
        may_go_on.set()
        eq(await client.chunks(), [])


async def test_http_1_0_has_no_chunks_and_ends_with_the_connection():
    async def work(request):
        await request.send(b"[1]")
        return ANSWER

    async with Loopback(work) as served:
        client = await served.connect()
        await client.send(WORK.replace(b"HTTP/1.1", b"HTTP/1.0"))
        status, headers = await client.head()
        eq((status, b"Connection: close\r\n" in headers, b"Transfer-Encoding" in headers), (200, True, False))
        data = await asyncio.wait_for_ms(client.stream.read(-1), 3000)
        eq(data, event(b"[1]") + event(b'{"n":9}'))


async def test_a_stream_is_the_last_answer_where_it_must_be():
    async def work(request):
        await request.send(b"[1]")
        return ANSWER

    async with Loopback(work) as served:
        client = await served.connect()
        await client.send(WORK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        eq(await client.head(), (200, HEADERS + b"Connection: close\r\n"))
        eq((len(await client.chunks()), await client.ended()), (2, True))
        # While others wait for a place, too.
        client = await served.connect()
        await client.ask(GET)
        served.server.queue.append(None)
        await client.send(WORK)
        eq(await client.head(), (200, HEADERS + b"Connection: close\r\n"))
        eq((len(await client.chunks()), await client.ended()), (2, True))
        served.server.queue.clear()


async def test_head_has_no_stream():
    async def work(request):
        await request.send(b"[1]")
        return None if served.seen else ANSWER

    async with Loopback(work) as served:
        client = await served.connect()
        for _ in range(2):
            await client.send(b"HEAD" + WORK[3:])
            status, headers = await client.head()
            eq((status, b"event-stream" in headers), (200, False))
            served.seen.append(b"")
        eq((await client.ask(GET))[0], 200)


async def test_a_request_that_comes_during_a_stream_is_served_after_it():
    may_go_on = asyncio.Event()

    async def work(request):
        await request.send(b"[1]")
        await may_go_on.wait()
        eq(request.header(b"x"), b"y")
        return ANSWER

    async with Loopback(work) as served:
        client = await begin(served, WORK.replace(b"\r\n\r\n", b"\r\nX: y\r\n\r\n"))
        next_one = post(b"/echo", b"[2]") + post(b"/echo", b"x" * 2000)
        await client.send(next_one[:50], next_one[50:])
        await asyncio.sleep_ms(20)
        eq(served.seen, [])
        may_go_on.set()
        eq(len(await client.chunks()), 2)
        eq(((await client.answer())[2], (await client.answer())[2]), (b"[2]", b"x" * 2000))


async def test_a_refusal_after_the_first_event_ends_the_stream():
    early = [True]

    async def work(request):
        if not early:
            await request.send(b"[1]")
        raise HTTPError(404)

    async with Loopback(work) as served:
        client = await served.connect()
        eq((await client.ask(WORK))[0], 404)
        early.clear()
        await client.send(WORK)
        eq((await client.head(), await client.chunks()), ((200, HEADERS), [event(b"[1]")]))
        eq((await client.ask(GET))[0], 200)


async def test_a_handler_that_breaks_after_the_first_event_cuts_the_stream():
    async def work(request):
        await request.send(b"[1]")
        raise RuntimeError("broken")

    async with Loopback(work) as served:
        client = await begin(served)
        eq((await client.chunk(), await client.ended()), (event(b"[1]"), True))
        eq([(text, str(e)) for _, text, e in served.log], [("connection failed", "broken")])
        eq((await (await served.connect()).ask(GET))[0], 200)


async def test_a_handler_that_ends_as_if_cancelled_is_a_500():
    async def work(request):
        raise asyncio.CancelledError

    async with Loopback(work) as served:
        status, headers, _ = await (await served.connect()).ask(WORK)
        eq((status, b"Connection: close\r\n" in headers, len(served.log)), (500, True, 1))


async def test_what_is_said_too_late_is_dropped():
    request_of = []

    async def work(request):
        request_of.append(request)
        return ANSWER

    async with Loopback(work, linger_ms=20) as served:
        client = await served.connect()
        eq((await client.ask(WORK))[2], b'{"n":9}')
        await request_of[0].send(b"[1]")
        request_of[0].allow(1)
        await asyncio.sleep_ms(60)
        eq((await client.ask(GET))[2], b'{"status":"ok"}')
        await request_of[0].close_stream()
        eq((await client.ask(GET))[2], b'{"status":"ok"}')


async def close_after(first):
    may_go_on = asyncio.Event()
    seen = []

    async def work(request):
        if first:
            await request.send(b"", b"a-1")
        await request.close_stream()
        seen.append((request.left, len(served.server.connections)))
        net.stream.Events, events = None, net.stream.Events  # None is made for who has left.
        await request.send(b"[1]")
        await request.close_stream()
        net.stream.Events = events
        await may_go_on.wait()
        seen.append("over")
        return ANSWER

    async with Loopback(work) as served:
        client = await begin(served)
        eq((await client.chunks(), await client.ended()), (first, True))
        eq((seen, len(served.server.abandoned)), ([(True, 0)], 1))
        eq((await (await served.connect()).ask(GET))[0], 200)
        may_go_on.set()
        await until(lambda: not served.server.abandoned)
        eq((seen[1:], served.log), (["over"], []))


async def test_closing_the_stream_gives_the_place_free_and_the_handler_goes_on():
    await close_after([b"id: a-1\ndata: \n\n"])
    await close_after([])


async def test_a_broken_peer_raises_nothing_in_its_handler():
    seen = []

    async def work(request):
        await request.send(b"[1]")
        served.server.connections[0].stream.s.close()
        for _ in range(3):
            await request.send(b"[2]")
            seen.append(request.left)
        return ANSWER

    async with Loopback(work) as served:
        client = await begin(served)
        await client.chunk()
        await araises(Exception, client.chunk())
        eq(seen, [True] * 3)
        eq((await (await served.connect()).ask(GET))[0], 200)
    eq(served.log, [])


async def test_a_handler_that_only_reports_to_who_has_left_keeps_nobody_waiting():
    turns = []

    async def work(request):
        await request.close_stream()
        while len(turns) < 50:
            turns.append("handler")
            await request.send(b"[1]")
        return ANSWER

    async with Loopback(work) as served:
        client = await begin(served)
        while len(turns) < 50:
            turns.append("other")
            await asyncio.sleep_ms(0)
        assert turns.count("other") > 10, turns
        await client.close()
