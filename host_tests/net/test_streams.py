"""A reply that is an event stream: events as they come, the answer last, and the connection as before."""

import asyncio
import time

from loopback import GET, HOST, Loopback, post, until

import net.stream
from harness import araises, eq
from http1.errors import HTTPError

WORK = b"GET /work HTTP/1.1\r\n" + HOST + b"\r\n"
ANSWER = 200, b'{"n":9}', b""
HEADERS = (
    b"Content-Type: text/event-stream\r\nCache-Control: no-cache\r\nX-Accel-Buffering: no\r\n"
    b"Transfer-Encoding: chunked\r\n"
)


def event(data):
    return b"event: message\ndata: %s\n\n" % data


async def begin(served, raw=WORK):
    """A client that has had the head of a stream."""
    client = await served.connect()
    await client.send(raw)
    eq(await client.head(), (200, HEADERS))
    return client


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


async def test_events_of_several_tasks_are_whole():
    full = []

    async def say(request, name):
        for i in range(40):
            await request.send(b"%s%d " % (name, i) + b"x" * 3000)

    async def work(request):
        served.narrow()
        stream = served.server.connections[0].stream
        telling = [asyncio.create_task(say(request, name)) for name in (b"a", b"b", b"c")]
        while not full:
            await asyncio.sleep_ms(1)
            full.extend(stream.out_buf[:1])
        for task in telling:
            await task
        return ANSWER

    async with Loopback(work) as served:
        client = await begin(served)
        await until(lambda: full)
        seen = {b"a": 0, b"b": 0, b"c": 0}
        for _ in range(120):
            data = await client.chunk()
            name = data[21:22]
            eq(data, event(b"%s%d " % (name, seen[name]) + b"x" * 3000))
            seen[name] += 1
        eq((seen, await client.chunks()), ({b"a": 40, b"b": 40, b"c": 40}, [event(b'{"n":9}')]))


async def read_until_answer(client, events):
    """How many of these events come before the answer; it is the last."""
    count = 0
    while True:
        data = await client.chunk()
        if data == event(b'{"n":9}'):
            break
        assert data in events, data[:50]
        count += 1
    eq(await client.chunk(), b"")
    eq((await client.ask(GET))[2], b'{"status":"ok"}')
    return count


async def test_a_sender_that_is_cancelled_leaves_whole_events():
    big = b"x" * 8000
    taken = []
    most = []

    async def work(request):
        served.narrow()
        stream = served.server.connections[0].stream
        while taken[-3:] != [False] * 3:
            try:
                await asyncio.wait_for_ms(request.send(big), 8)
                taken.append(True)
            except asyncio.TimeoutError:
                taken.append(False)
            most.append(len(stream.out_buf))
        return ANSWER

    async with Loopback(work) as served:
        client = await begin(served)
        await until(lambda: taken[-3:] == [False] * 3)
        count = await read_until_answer(client, [event(big)])
        assert taken.count(True) <= count <= len(taken), (count, len(taken))
        # One that finds the rest of another writes nothing.
        assert 0 < max(most) <= len(event(big)) + 10, max(most)


async def test_the_answer_is_the_last_though_others_are_still_sending():
    tasks = []
    full = []

    async def say(request):
        await request.send(b"x" * 8000)
        await request.send(b"y" * 8000)

    async def work(request):
        served.narrow()
        stream = served.server.connections[0].stream
        while len(full) < 8:
            tasks.append(asyncio.create_task(say(request)))
            await asyncio.sleep_ms(2)
            if stream.out_buf:
                full.append(True)
        return ANSWER

    async with Loopback(work) as served:
        client = await begin(served)
        await until(lambda: len(full) == 8)
        await asyncio.sleep_ms(20)
        count = await read_until_answer(client, [event(b"x" * 8000), event(b"y" * 8000)])
        # Who came before has its turn before.
        assert count >= len(tasks), (count, len(tasks))


async def test_no_comment_comes_while_somebody_writes():
    may_end = asyncio.Event()

    async def work(request):
        await request.send(b"[1]")
        await may_end.wait()

    async with Loopback(work) as served:
        client = await begin(served)
        await client.chunk()
        events = served.server.connections[0].events
        later = time.ticks_add(time.ticks_ms(), 20_000)
        assert events._turns.take()
        events.tick(later)
        events._turns.give()
        events.tick(later)
        events.tick(time.ticks_ms())
        may_end.set()
        eq(await client.chunks(), [b":\n\n"])


async def test_one_that_only_reports_lets_the_others_have_their_turn():
    over = []

    async def work(request):
        while not over:
            await request.send(b"1")
        return ANSWER

    async with Loopback(work) as served:
        client = await begin(served)
        reading = asyncio.create_task(client.chunks())
        eq((await (await served.connect()).ask(GET))[0], 200)
        over.append(True)
        eq((await reading)[-1], event(b'{"n":9}'))


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
