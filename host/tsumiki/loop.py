"""What `umcp.server.Server` needs of asyncio, on CPython: see firmware/net/runtime.py, which a robot has."""

import asyncio
import time

from umcp.errors import ToolError

current_task = asyncio.current_task
spawn = asyncio.create_task
event = asyncio.Event


class InputRequired(asyncio.CancelledError):
    """Ends a handler of the modern era that asked.  members: bytes, those of the `input_required` result."""

    def __init__(self, members):
        super().__init__()
        self.members = members


def pause():
    """An awaitable that lets other tasks go on."""
    return asyncio.sleep(0)


def sleep_ms(ms):
    """An awaitable that takes so long."""
    return asyncio.sleep(ms / 1000)


def seconds():
    """The time of the clock: int, in seconds."""
    return int(time.time())


def now_ms():
    """Milliseconds of a clock that never goes back: int."""
    return int(time.monotonic() * 1000)


async def in_time(awaitable, ms):
    """What the awaitable gives.  Raises ToolError `timeout`, and cancels it, when that takes longer than `ms`."""
    try:
        return await asyncio.wait_for(awaitable, ms / 1000)
    except asyncio.TimeoutError:
        raise ToolError("timeout", "the tool took longer than %d ms" % ms) from None
