"""A server that is started here and speaks on its stdin and stdout, a message a line; its stderr is ours."""

import asyncio
import contextlib
import os
import signal

from .errors import Unreachable

MAX_LINE = 64 << 20  # bytes

_LEAVE_S = 2.0  # for it to end when its input ends, and again after SIGTERM
_REST_S = 1.0  # for what it wrote last


class Process:
    """command: list of str.  take: `async take(line)`, for each line (bytes) of its output, one after the other.

    ended: Future, its exit status once it has ended and all that it wrote was taken: negative for a signal, 0 if it was
    ended from here.
    """

    def __init__(self, command, take):
        self._command = command
        self._take = take
        self._process = None
        self._watch = None
        self._was_told = False
        self.ended = None

    async def start(self):
        """Start it.  Raises Unreachable."""
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=MAX_LINE,
                start_new_session=True,
            )
        except (OSError, TypeError, ValueError) as e:
            name = self._command[0] if self._command else "--"
            raise Unreachable("%s: %s" % (name, getattr(e, "strerror", None) or e)) from None
        self.ended = asyncio.get_running_loop().create_future()
        self._watch = asyncio.ensure_future(self._run())

    def write(self, raw):
        """Send a line: in the order of the calls. Nothing happens if it has ended."""
        with contextlib.suppress(OSError, RuntimeError):
            self._process.stdin.write(raw + b"\n")

    async def drain(self):
        """Wait until it takes more."""
        with contextlib.suppress(OSError, RuntimeError):
            await self._process.stdin.drain()

    async def close(self):
        """End it: its input ends, then SIGTERM, then SIGKILL."""
        if self._process is None:
            return
        with contextlib.suppress(OSError, RuntimeError):
            self._process.stdin.close()
        for number in (None, signal.SIGTERM, signal.SIGKILL):
            if number is not None:
                self._was_told = True
                self._signal(number)
            done, _ = await asyncio.wait((self._watch,), timeout=_LEAVE_S)
            if done:
                break
        self._signal(signal.SIGKILL)  # what it has started itself
        self._watch.cancel()

    async def _run(self):
        reading = asyncio.ensure_future(self._read(self._process.stdout))
        try:
            code = await self._process.wait()
            # A child of its own may hold the pipe open.
            await asyncio.wait((reading,), timeout=_REST_S)
            self.ended.set_result(0 if self._was_told else code)
        finally:
            reading.cancel()

    async def _read(self, stream):
        while True:
            try:
                line = await stream.readline()
            except ValueError:  # longer than MAX_LINE
                self._signal(signal.SIGKILL)
                return
            if not line:
                return
            line = line.rstrip(b"\r\n")
            if line:
                await self._take(line)

    def _signal(self, number):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)
