"""What `umcp.server.Server` needs of asyncio: it is given this module, for it imports none itself."""

import asyncio
import time

from umcp.errors import InputRequired, ToolError

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
        value = await asyncio.wait_for_ms(_carried(awaitable), ms)
    except asyncio.TimeoutError:
        raise ToolError("timeout", "the tool took longer than %d ms" % ms)
    if isinstance(value, InputRequired):
        raise value
    return value


# The awaitable runs in a task of its own, and MicroPython's loop ends with a task that raises such an exception.
async def _carried(awaitable):
    try:
        return await awaitable
    except InputRequired as e:
        return e
