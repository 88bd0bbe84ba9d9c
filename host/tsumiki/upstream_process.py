"""A server that is started here and speaks on its stdin and stdout, a message a line; its stderr is ours."""

import asyncio
import contextlib
import signal

from .child import started

_REST_S = 1.0  # for what it wrote last


class Process:
    """command: list of str.  take: `async take(line)`, for each line (bytes) of its output, one after the other.

    ended: Future, its exit status once it has ended and all that it wrote was taken: negative for a signal, 0 if it was
    ended from here.
    """

    def __init__(self, command, take):
        self._command = command
        self._take = take
        self._child = None
        self._watch = None
        self.ended = None

    async def start(self):
        """Start it.  Raises Unreachable."""
        self._child = await started(self._command)
        self.ended = asyncio.get_running_loop().create_future()
        self._watch = asyncio.ensure_future(self._run())

    @property
    def pid(self):
        """int, once it was started."""
        return self._child.pid

    def write(self, raw):
        """Send a line: in the order of the calls. Nothing happens if it has ended."""
        with contextlib.suppress(OSError, RuntimeError):
            self._child.stdin.write(raw + b"\n")

    async def drain(self):
        """Wait until it takes more."""
        with contextlib.suppress(OSError, RuntimeError):
            await self._child.stdin.drain()

    async def close(self):
        """End it: see `child.Child`."""
        if self._child is None:
            return
        await self._child.end()
        await asyncio.wait((self._watch,), timeout=2 * _REST_S)
        self._watch.cancel()
        self._child.release()

    async def _run(self):
        reading = asyncio.ensure_future(self._read(self._child.stdout))
        try:
            code = await self._child.ended
            # What it has started may hold the pipe open.
            await asyncio.wait((reading,), timeout=_REST_S)
            self.ended.set_result(0 if self._child.was_told else code)
        finally:
            reading.cancel()

    async def _read(self, stream):
        while True:
            try:
                line = await stream.readline()
            except ValueError:  # longer than a line may be
                self._child.signal(signal.SIGKILL)
                return
            if not line:
                return
            line = line.rstrip(b"\r\n")
            if line:
                await self._take(line)
