"""Turns: a lock that is first come, first served, and allocates nothing where nobody waits.

`asyncio.Lock` costs 224 bytes to take. A plain flag with an event would starve a task that waits while another one
calls in a loop.

    if not turns.take():
        await turns.wait()
    ...
    turns.give()
"""

import asyncio


class Turns:
    def __init__(self):
        self._taken = False
        self._waiting = []

    def take(self):
        """True if the turn was free, and is the caller's now."""
        free = not self._taken
        self._taken = True
        return free

    async def wait(self):
        """Wait until it is the caller's turn."""
        event = asyncio.Event()
        self._waiting.append(event)
        try:
            await event.wait()
        except asyncio.CancelledError:
            if event in self._waiting:
                self._waiting.remove(event)
            else:
                self.give()
            raise

    def give(self):
        """The caller's turn is over."""
        if self._waiting:
            self._waiting.pop(0).set()
        else:
            self._taken = False
