"""Several who write to one stream, and a client that reads slowly: each event is whole, and the answer is the last."""

import asyncio
import time

from loopback import GET, Loopback, until
from streaming import ANSWER, begin, event

from harness import eq


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
