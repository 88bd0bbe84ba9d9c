"""Four connections are served; a fifth waits its turn, and no request that is under way is lost for it."""

import asyncio

from harness import eq, port
from mcpserver import McpServer
from net.http_server import Limits
from umcp.tool import Tool

TOKEN = "a-long-secret-token"
HEALTH = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
_BODY = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}'
CALL = (
    b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer a-long-secret-token\r\n"
    b"Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
) % (len(_BODY), _BODY)
NEVER_MS = 100_000


class Crowd:
    """A server with these limits, and clients of it."""

    def __init__(self, **limits):
        self.number = port()
        self.may_end = asyncio.Event()
        self.streams = []
        tools = (Tool("wait", "Wait.", None, self._wait),)
        self.server = McpServer(
            "crowd",
            "1",
            tools,
            TOKEN,
            host="127.0.0.1",
            port=self.number,
            sessions="off",
            limits=Limits(**limits),
        )

    async def _wait(self):
        await self.may_end.wait()
        return "waited"

    async def __aenter__(self):
        assert await self.server.start()
        return self

    async def __aexit__(self, *error):
        self.may_end.set()
        for stream in self.streams:
            stream.close()
        await self.server.close()

    async def connect(self):
        stream, _ = await asyncio.open_connection("127.0.0.1", self.number)
        self.streams.append(stream)
        return stream

    async def several(self, count):
        for _ in range(count):
            await self.connect()
        return self.streams[-count:]

    # Four that have had an answer each, and keep the connection.
    async def four(self):
        streams = await self.several(4)
        for stream in streams:
            assert not closes(await ask(stream, HEALTH))
        return streams


async def send(stream, request):
    stream.write(request)
    await stream.drain()


async def ask(stream, request):
    await send(stream, request)
    answer = await read(stream)
    await asyncio.sleep_ms(2)  # so that none of two is idle for as long as the other
    return answer


async def read(stream):
    return await asyncio.wait_for_ms(stream.read(1024), 5000)


def closes(answer):
    assert answer.startswith(b"HTTP/1.1 200 "), answer
    return b"\r\nConnection: close\r\n" in answer


async def test_a_fifth_closes_the_one_that_is_idle_longest():
    async with Crowd(grace_ms=0) as crowd:
        first, second, third, fourth = await crowd.four()
        assert not closes(await ask(first, HEALTH))
        fifth = await crowd.connect()
        assert not closes(await ask(fifth, HEALTH))
        eq(await read(second), b"")
        for stream in (first, third, fourth, fifth):
            assert not closes(await ask(stream, HEALTH))


async def test_a_connection_used_just_now_is_asked_to_leave_with_its_next_answer():
    async with Crowd(grace_ms=NEVER_MS) as crowd:
        first, second, third, fourth = await crowd.four()
        fifth = await crowd.connect()
        await send(fifth, HEALTH)
        await asyncio.sleep_ms(20)
        assert closes(await ask(third, HEALTH))
        eq(await read(third), b"")
        assert not closes(await read(fifth))
        for stream in (first, second, fourth, fifth):
            assert not closes(await ask(stream, HEALTH))


async def test_those_who_wait_are_served_in_their_order():
    async with Crowd(grace_ms=NEVER_MS) as crowd:
        first = (await crowd.four())[0]
        order = []
        late = [asyncio.create_task(note(stream, order)) for stream in await crowd.several(3)]
        await asyncio.sleep_ms(20)
        eq(order, [])
        assert closes(await ask(first, HEALTH))
        for task in late:
            await task
        eq(order, crowd.streams[-3:])


async def note(stream, order):
    await ask(stream, HEALTH)
    order.append(stream)


async def test_a_fifth_gets_503_when_all_four_have_a_request_in_flight():
    async with Crowd(grace_ms=0) as crowd:
        streams = await crowd.four()
        for stream in streams:
            await send(stream, CALL)
        await asyncio.sleep_ms(20)
        answer = await ask(await crowd.connect(), HEALTH)
        assert answer.startswith(b"HTTP/1.1 503 ") and b"\r\nRetry-After: 1\r\n" in answer, answer
        crowd.may_end.set()
        for stream in streams:
            assert b"waited" in await read(stream)


async def test_more_than_may_wait_are_not_kept_waiting():
    async with Crowd(grace_ms=NEVER_MS, queue=1) as crowd:
        streams = await crowd.four()
        late = await crowd.several(2)
        for stream in late:
            await send(stream, HEALTH)
        await read(late[0])
        eq(await read(streams[0]), b"")


async def test_closing_the_server_ends_those_who_wait():
    async with Crowd(grace_ms=NEVER_MS) as crowd:
        await crowd.four()
        fifth = await crowd.connect()
        await asyncio.sleep_ms(20)
        await crowd.server.close()
        eq(await read(fifth), b"")
