"""One deadline at a time for the calls of one owner, at no cost per call.

`asyncio.wait_for` makes a task and a runner for every call (about 1 KB). Here one task sleeps until the deadline
of the moment and is still asleep when the next call comes with a later one. It ends when it wakes up with nothing
to watch.
"""

import asyncio
from time import ticks_add, ticks_diff, ticks_ms

from micropython import const

_AGES_MS = const(1 << 28)  # three days


class Deadline:
    """expired: bool, True if the CancelledError that the task has just seen came from here.

    cancelled: bool, True if it came so from `cancel`.
    """

    def __init__(self):
        self.expired = self.cancelled = False
        self._task = None
        self._guard = None
        self._due = self._wake = self._ms = 0

    def start(self, ms):
        """Cancel the current task in `ms` milliseconds, unless `stop` comes first."""
        self._ms = ms
        self._due = ticks_add(ticks_ms(), ms)
        self._task = asyncio.current_task()
        self.expired = self.cancelled = False
        if self._guard is None or ticks_diff(self._due, self._wake) < 0:
            self.close()
            self._wake = self._due
            self._guard = asyncio.create_task(self._watch())

    def cancel(self):
        """Cancel the task that is watched, now. False if there is none."""
        if self._task is None:
            return False
        self.cancelled = True
        self._expire()
        return True

    def is_mine(self):
        """True if the task that is watched is the one that asks."""
        return self._task is asyncio.current_task()

    def pause(self):
        """Leave the time alone until `resume`."""
        self._due = ticks_add(ticks_ms(), _AGES_MS)

    def resume(self):
        """Begin with the whole time anew."""
        self.start(self._ms)

    def stop(self):
        self._task = None

    def close(self):
        """Let the sleeping task go."""
        if self._guard is not None:
            self._guard.cancel()
            self._guard = None

    async def _watch(self):
        while self._task is not None:
            left_ms = ticks_diff(self._due, ticks_ms())
            if left_ms <= 0:
                self._expire()
                break
            self._wake = self._due
            await asyncio.sleep_ms(left_ms)
        self._guard = None

    def _expire(self):
        task = self._task
        self._task = None
        self.expired = True
        task.cancel()
