"""Streams that are silent for long, that are held open, and whose clients do not read."""

import asyncio

from loopback import GET, HOST, Loopback, until

from harness import eq

WORK = b"GET /work HTTP/1.1\r\n" + HOST + b"\r\n"


class Held:
    """A handler whose stream is held until `may_end`."""

    def __init__(self):
        self.may_end = asyncio.Event()
        self.requests = []
        self.ended = 0

    async def __call__(self, request):
        request.stops_with_peer = True
        request.allow(None)
        self.requests.append(request)
        try:
            await request.send(b"[1]")
            await self.may_end.wait()
        finally:
            self.ended += 1


async def several(served, count):
    clients = []
    for _ in range(count):
        clients.append(await begin(served))
    return clients


async def begin(served):
    client = await served.connect()
    await client.send(WORK)
    eq((await client.head())[0], 200)
    eq(await client.chunk(), b"event: message\ndata: [1]\n\n")
    return client


async def test_a_silent_stream_says_that_it_is_alive():
    held = Held()
    async with Loopback(held, comment_ms=40) as served:
        client = await begin(served)
        for _ in range(3):
            eq(await client.chunk(), b":\n\n")
        # One that speaks has no need to.
        for _ in range(20):
            await held.requests[0].send(b"[2]")
            await asyncio.sleep_ms(5)
        held.may_end.set()
        seen = await client.chunks()
        eq(len([data for data in seen if data != b":\n\n"]), 20)
        eq((await client.ask(GET))[0], 200)


async def test_no_comment_for_who_has_no_stream():
    may_end = asyncio.Event()

    async def work(request):
        await may_end.wait()
        return 200, b"{}", b""

    async with Loopback(work, comment_ms=10) as served:
        client = await served.connect()
        await client.send(WORK)
        await asyncio.sleep_ms(60)
        may_end.set()
        eq((await client.answer())[2], b"{}")


async def test_a_held_stream_has_no_deadline():
    held = Held()
    async with Loopback(held, handler_ms=30, idle_ms=30, head_ms=60, linger_ms=20) as served:
        client = await begin(served)
        await asyncio.sleep_ms(300)
        eq((held.ended, len(served.server.connections)), (0, 1))
        held.may_end.set()
        eq((await client.chunks(), await client.ended()), ([], True))


async def test_a_handler_has_the_time_that_it_asks_for():
    async def work(request):
        await asyncio.sleep_ms(200)
        return 200, b"{}", b""

    # Asked for before the handler waits, as a server does.
    def soon(ms):
        def begin(request):
            request.allow(ms)
            return work(request)

        return begin

    async with Loopback(soon(3000), handler_ms=40, linger_ms=20) as served:
        eq((await (await served.connect()).ask(WORK))[0], 200)
    async with Loopback(soon(40), linger_ms=20) as served:
        client = await served.connect()
        await client.send(WORK)
        eq(await client.ended(), True)
    # What one handler asks for is not given to the next.
    quick = [True]

    def work_of(request):
        request.allow(30)
        return (200, b"{}", b"") if quick and quick.pop() else work(request)

    async with Loopback(work_of, linger_ms=20) as served:
        client = await served.connect()
        eq((await client.ask(WORK))[0], 200)
        served.server._router.routes["/work"].handler = lambda request, buf, start, end: work(request)
        eq((await client.ask(WORK))[0], 200)


async def test_held_streams_take_places_and_a_fifth_client_is_told():
    held = Held()
    async with Loopback(held, grace_ms=0, idle_ms=100) as served:
        clients = await several(served, 4)
        await asyncio.sleep_ms(250)
        status, headers, _ = await (await served.connect()).ask(GET)
        eq((status, b"Retry-After" in headers, held.ended), (503, True, 0))
        await clients[0].close()
        await until(lambda: held.ended)
        eq((await (await served.connect()).ask(GET))[0], 200)
        held.may_end.set()
        for client in clients[1:]:
            eq(await client.chunks(), [])


async def test_closing_the_server_ends_held_streams():
    held = Held()
    async with Loopback(held) as served:
        clients = await several(served, 3)
        await served.server.close()
        for client in clients:
            eq((await client.chunks(), await client.ended()), ([], True))
        eq((held.ended, served.server.connections, served.log), (3, [], []))


async def test_a_handler_whose_time_is_over_ends_its_stream():
    async def work(request):
        await request.send(b"[1]")
        await asyncio.sleep(60)

    async with Loopback(work, handler_ms=40) as served:
        client = await begin(served)
        eq((await client.chunks(), await client.ended()), ([], True))


async def send_to_nobody(stops):
    seen = []

    async def work(request):
        request.stops_with_peer = stops
        request.allow(None)
        served.narrow()
        try:
            while not request.left:
                await request.send(b"x" * 4000)
            await request.send(b"y")
            seen.append("left")
            await asyncio.sleep_ms(1)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise
        seen.append("went on")

    async with Loopback(work, head_ms=60) as served:
        client = await served.connect()
        await client.send(WORK)
        await until(lambda: seen and not served.server.connections and not served.server.abandoned)
        eq(served.log, [])
    return seen[-1]


async def test_a_stream_whose_client_does_not_read_is_closed():
    eq(await send_to_nobody(True), "cancelled")
    eq(await send_to_nobody(False), "went on")


class Stuck:
    """A stream that takes nothing any more, and its socket."""

    out_buf = b""

    def __init__(self, stream):
        self.s = self
        self.close = stream.close
        self.wait_closed = stream.wait_closed

    def write(self, data):
        if data is not self.out_buf:
            self.out_buf += data


async def test_a_comment_that_nobody_takes_ends_a_held_stream():
    held = Held()
    async with Loopback(held, head_ms=100, comment_ms=40) as served:
        await begin(served)
        connection = served.server.connections[0]
        stuck = connection.stream = connection.events._stream = Stuck(connection.stream)
        await until(lambda: stuck.out_buf)
        eq((len(served.server.connections), held.ended), (1, 0))
        await until(lambda: held.ended)
        eq((stuck.out_buf, served.server.connections, served.log), (b"3\r\n:\n\n\r\n", [], []))


async def test_no_comment_comes_within_an_event():
    big = b"x" * 8000
    full = []

    async def work(request):
        served.narrow()
        stream = served.server.connections[0].stream
        for _ in range(150):
            await request.send(big)
            full.extend(stream.out_buf[:1])
        return 200, b"{}", b""

    async with Loopback(work, comment_ms=20) as served:
        client = await served.connect()
        await client.send(WORK)
        eq((await client.head())[0], 200)
        await asyncio.sleep_ms(150)
        whole = 0
        data = await client.chunk()
        while data:
            if len(data) == len(big) + 23:
                whole += 1
            else:
                assert data in (b":\n\n", b"event: message\ndata: {}\n\n"), data
            if whole % 40 == 0:
                await asyncio.sleep_ms(50)
            data = await client.chunk()
        eq(whole, 150)
