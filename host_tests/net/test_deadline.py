"""One sleeping task watches the calls of one owner."""

import asyncio

from harness import eq
from net.deadline import Deadline


async def _sleep(deadline, ms, limit_ms):
    """ "done", "expired" or "cancelled"."""
    deadline.start(limit_ms)
    try:
        await asyncio.sleep_ms(ms)
        return "done"
    except asyncio.CancelledError:
        return "expired" if deadline.expired else "cancelled"
    finally:
        deadline.stop()


async def test_it_cancels_in_time_and_only_then():
    deadline = Deadline()
    eq(await _sleep(deadline, 5, 50), "done")
    eq(await _sleep(deadline, 200, 20), "expired")
    eq(await _sleep(deadline, 5, 50), "done")


async def test_deadlines_move_in_both_directions():
    deadline = Deadline()
    for ms, limit_ms, wanted in (
        (1, 1000, "done"),
        (100, 20, "expired"),
        (30, 60, "done"),
        (100, 40, "expired"),
    ):
        eq(await _sleep(deadline, ms, limit_ms), wanted)


async def test_a_cancellation_from_outside_is_told_apart():
    deadline = Deadline()
    task = asyncio.create_task(_sleep(deadline, 100, 1000))
    await asyncio.sleep_ms(5)
    task.cancel()
    eq(await task, "cancelled")


async def test_its_task_ends_when_there_is_nothing_to_watch():
    deadline = Deadline()
    await _sleep(deadline, 1, 10)
    await asyncio.sleep_ms(30)
    eq(deadline._guard, None)


async def test_one_task_serves_many_calls():
    deadline = Deadline()
    await _sleep(deadline, 0, 500)
    guard = deadline._guard
    for _ in range(10):
        eq(await _sleep(deadline, 1, 600), "done")
    eq(deadline._guard is guard, True)
    deadline.close()
    eq(deadline._guard, None)
