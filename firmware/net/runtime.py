"""What `umcp.server.Server` needs of asyncio: it is given this module, for it imports none itself."""

import asyncio
import time

from umcp.errors import ToolError

current_task = asyncio.current_task
spawn = asyncio.create_task


def event():
    """An event with `set()`, `clear()` and `async wait()`; tasks set it, never an interrupt."""
    return asyncio.Event()


def seconds():
    """The time of the clock, which may be set back or forth: int, in seconds."""
    return int(time.time())


async def in_time(awaitable, ms):
    """What the awaitable gives.  Raises ToolError `timeout`, and cancels it, when that takes longer than `ms`."""
    try:
        return await asyncio.wait_for_ms(awaitable, ms)
    except asyncio.TimeoutError:
        raise ToolError("timeout", "the tool took longer than %d ms" % ms)
