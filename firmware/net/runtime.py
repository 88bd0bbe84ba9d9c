"""What `umcp.server.Server` needs of asyncio: it is given this module, for it imports none itself."""

import asyncio
import time

from umcp.errors import ToolError

current_task = asyncio.current_task
spawn = asyncio.create_task


class InputRequired(asyncio.CancelledError):
    """Ends a handler of the modern era that asked: its answer is what the client is asked, and it runs again.

    members: bytes, those of the `input_required` result (MCP 2026-07-28: multi round-trip requests).
    No `Exception`, so that a handler which catches those does not take it for a failure; and of the one other kind
    that may end a task, for handlers ask from tasks of their own (`wait_for`, `gather`).
    """

    def __init__(self, members):
        super().__init__()
        self.members = members


def event():
    """An event with `set()`, `clear()` and `async wait()`; tasks set it, never an interrupt."""
    return asyncio.Event()


def pause():
    """An awaitable that lets other tasks go on."""
    return asyncio.sleep_ms(0)


def seconds():
    """The time of the clock, which may be set back or forth: int, in seconds."""
    return int(time.time())


async def in_time(awaitable, ms):
    """What the awaitable gives.  Raises ToolError `timeout`, and cancels it, when that takes longer than `ms`.

    Raises RuntimeError where it ended as if it had been cancelled, and nobody did that.
    """
    # Not `wait_for`: one that was cancelled cancels its task once more when the awaitable has ended, whatever that task
    # does by then.
    event = asyncio.Event()
    outcome = []
    task = asyncio.create_task(_carry(awaitable, outcome, event))
    clock = asyncio.create_task(_ring(event, ms))
    try:
        await event.wait()
        if not outcome:
            event.clear()
            task.cancel()
            await event.wait()
            raise ToolError("timeout", "the tool took longer than %d ms" % ms)
    finally:
        # Those that have ended take no notice.
        task.cancel()
        clock.cancel()
    value, error = outcome
    if type(error) is asyncio.CancelledError:
        raise RuntimeError("a handler ended as if it had been cancelled")
    if error is not None:
        raise error
    return value


async def _carry(awaitable, outcome, event):
    try:
        outcome.extend((await awaitable, None))
    except (Exception, asyncio.CancelledError) as e:
        outcome.extend((None, e))
    event.set()


async def _ring(event, ms):
    await asyncio.sleep_ms(ms)
    event.set()
