"""What a server is given of asyncio."""

import asyncio

from harness import araises, eq
from net import runtime
from umcp.errors import ToolError


async def test_an_event_wakes_whoever_waits():
    event = runtime.event()
    seen = []

    async def wait():
        await event.wait()
        seen.append(1)

    task = asyncio.create_task(wait())
    await asyncio.sleep_ms(1)
    eq(seen, [])
    event.set()
    await task
    eq(seen, [1])
    event.clear()
    await araises(asyncio.TimeoutError, asyncio.wait_for_ms(event.wait(), 5))


async def test_the_current_task_can_be_cancelled():
    seen = []

    async def work():
        seen.append(runtime.current_task())
        await asyncio.sleep(10)

    task = asyncio.create_task(work())
    await asyncio.sleep_ms(1)
    seen[0].cancel()
    await araises(asyncio.CancelledError, task)
    eq(seen, [task])


async def test_what_takes_too_long_is_a_timeout_and_is_ended():
    ended = []

    async def work(ms):
        try:
            await asyncio.sleep_ms(ms)
        finally:
            ended.append(ms)
        return ms

    eq(await runtime.in_time(work(1), 1000), 1)
    error = await araises(ToolError, runtime.in_time(work(5000), 20))
    eq((error.code, error.message, ended), ("timeout", "the tool took longer than 20 ms", [1, 5000]))


async def ask():
    await asyncio.sleep_ms(1)
    raise runtime.InputRequired(b"x")


async def test_a_question_ends_a_handler_and_not_the_loop():
    async def unseen():
        task = asyncio.create_task(ask())
        await asyncio.sleep_ms(5)
        return task.done()

    for awaitable in (ask(), asyncio.wait_for(ask(), 1), asyncio.gather(ask(), ask())):
        eq((await araises(runtime.InputRequired, runtime.in_time(awaitable, 1000))).members, b"x")
    eq(await runtime.in_time(unseen(), 1000), True)


async def test_who_was_cancelled_once_is_not_cancelled_again():
    ended = []

    async def work():
        try:
            await asyncio.sleep(10)
        finally:
            await asyncio.sleep_ms(20)
            ended.append(1)

    async def connection():
        try:
            await runtime.in_time(work(), 10_000)
        except asyncio.CancelledError:
            pass
        await asyncio.sleep_ms(60)
        return "on"

    task = asyncio.create_task(connection())
    await asyncio.sleep_ms(5)
    task.cancel()
    eq((await task, ended), ("on", [1]))


async def test_a_handler_that_ends_as_if_it_had_been_cancelled_has_failed():
    async def work():
        task = asyncio.create_task(asyncio.wait_for_ms(asyncio.Event().wait(), 1000))
        await asyncio.sleep_ms(1)
        task.cancel()
        await task

    error = await araises(RuntimeError, runtime.in_time(work(), 1000))
    eq(str(error), "a handler ended as if it had been cancelled")
