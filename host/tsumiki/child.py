"""A process that is started here, in a group of its own, with its input and output in our hands; its stderr is ours."""

import asyncio
import contextlib
import os
import signal

from .errors import Unreachable

MAX_LINE = 64 << 20  # bytes

_LEAVE_S = 2.0  # for it to end when its input ends, and again after SIGTERM


class Child:
    """Made by `started`.  stdin, stdout: asyncio streams.

    pid: int.  ended: Future, its exit status, negative for a signal; what it has started may hold its output open.
    was_told: bool, `end` has sent it a signal.
    """

    def __init__(self, transport, protocol):
        self.ended = protocol.ended
        self.pid = transport.get_pid()
        self.was_told = False
        self._transport = transport
        process = asyncio.subprocess.Process(transport, protocol, asyncio.get_running_loop())
        self.stdin, self.stdout = process.stdin, process.stdout

    def signal(self, number):
        """Send a signal to it and to what it has started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    async def end(self):
        """End it: its input ends, then SIGTERM, then SIGKILL, which what it has started gets in any case."""
        with contextlib.suppress(OSError, RuntimeError):
            self.stdin.close()
        for number in (None, signal.SIGTERM, signal.SIGKILL):
            if number is not None:
                self.was_told = True
                self.signal(number)
            done, _ = await asyncio.wait((self.ended,), timeout=_LEAVE_S)
            if done:
                break
        self.signal(signal.SIGKILL)

    def release(self):
        """Let go of its output, whoever holds it open and whatever is left in it."""
        self._transport.close()


async def started(command):
    """The `Child` of a command line (list of str).  Raises Unreachable."""
    loop = asyncio.get_running_loop()
    try:
        transport, protocol = await loop.subprocess_exec(
            lambda: _Protocol(MAX_LINE, loop),
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=None,
            start_new_session=True,
        )
    except (OSError, TypeError, ValueError) as e:
        name = command[0] if command else "--"
        raise Unreachable("%s: %s" % (name, getattr(e, "strerror", None) or e)) from None
    return Child(transport, protocol)


# Before Python 3.12.4, `Process.wait` waits for the end of the output, too.
class _Protocol(asyncio.subprocess.SubprocessStreamProtocol):
    def __init__(self, limit, loop):
        super().__init__(limit, loop)
        self.ended = loop.create_future()

    def process_exited(self):
        if not self.ended.done():
            self.ended.set_result(self._transport.get_returncode())
        super().process_exited()
