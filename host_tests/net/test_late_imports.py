"""A server whose handlers answer at once takes in nothing for those that wait, and none for streams but where one is.

Alone in its process, for whatever else is tested would import them.
"""

import asyncio
import sys

from loopback import GET, HOST, Loopback, post

from harness import eq

WORK = b"GET /work HTTP/1.1\r\n" + HOST + b"\r\n"
LATE = ("http1.ahead", "http1.events", "net.crowd", "net.refusal", "net.stream", "net.waiting")


def imported():
    return [name for name in LATE if name in sys.modules]


async def test_each_is_imported_where_it_is_needed():
    says = []

    async def work(request):
        await asyncio.sleep_ms(1)
        for data in says:
            await request.send(data)
        return 200, b"{}", b""

    async with Loopback(work) as served:
        client = await served.connect()
        for request in (GET, post(b"/echo", b"{}"), GET):
            eq((await client.ask(request))[0], 200)
        eq(imported(), [])
        eq((await client.ask(WORK))[0], 200)
        eq(imported(), ["http1.ahead", "net.waiting"])
        says.append(b"[1]")
        await client.send(WORK)
        await client.head()
        eq(len(await client.chunks()), 2)
        eq(imported(), ["http1.ahead", "http1.events", "net.stream", "net.waiting"])
