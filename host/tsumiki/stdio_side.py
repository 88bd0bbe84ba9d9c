"""The stdio end of the pipeline: one message a line on two file descriptors, until the input ends.

    status = await StdioSide(responder).serve()

Nothing but messages is written to the output. The input is read by a thread, for asyncio cannot wait for every kind of
file that a standard input may be.
"""

import asyncio
import os
import threading

from umcp.peer import Peer

from . import pipeline
from .pipeline import Channel, Exchange

_CHUNK = 65536
_END_SECONDS = 2.0  # for what still runs when the input has ended


class StdioSide:
    """responder: `pipeline.Responder`.  stdin, stdout: file descriptors.  log: log(level, text).

    end_seconds: float, the time for answers that are not there yet when the input has ended.
    """

    def __init__(self, responder, stdin=0, stdout=1, log=None, end_seconds=_END_SECONDS):
        self._responder = responder
        self._stdin = stdin
        self._stdout = stdout
        self._log = log or (lambda level, text: None)
        self._end_seconds = end_seconds
        self._peer = Peer()
        self._tasks = set()
        self._lines = None
        self.closed = False  # nothing more is written
        self.status = None  # that of `Close` or `Exit`, once there was one
        self.over = None  # an Event: the input has ended, or the output

    async def serve(self):
        """Serve until the input ends; returns the exit status, that of an `Exit`, or the responder's."""
        self._lines = asyncio.Queue()
        self.over = asyncio.Event()
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, args=(loop,), daemon=True).start()
        try:
            while not self.closed:
                line = await self._lines.get()
                if line is None:
                    break
                if line.strip():
                    self._begin(line)
            if self._tasks and not self.closed:
                await asyncio.wait(self._tasks, timeout=self._end_seconds)
        finally:
            self.end(None)
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
        return self._responder.exit_status if self.status is None else self.status

    def end(self, status):
        """Write nothing more, and let `serve` return.  status: int, or None for the responder's."""
        if not self.closed:
            self.closed = True
            self.status = status
            self._peer.left = True
            self.over.set()
            self._lines.put_nowait(None)

    def write(self, data):
        """Write bytes, or end where nobody reads them."""
        try:
            while data and not self.closed:
                data = data[os.write(self._stdout, data) :]
        except OSError:
            self.end(None)

    # In a thread of its own. A daemon's read must hold no lock of a file object when the interpreter ends.
    def _read(self, loop):
        rest = b""
        try:
            while True:
                data = os.read(self._stdin, _CHUNK)
                if not data:
                    break
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    loop.call_soon_threadsafe(self._lines.put_nowait, line)
            for line in (rest, None) if rest else (None,):
                loop.call_soon_threadsafe(self._lines.put_nowait, line)
        except OSError:
            loop.call_soon_threadsafe(self._lines.put_nowait, None)
        except RuntimeError:
            pass  # The loop is closed.

    def _begin(self, line):
        channel = _Line(self)
        exchange = Exchange(line, "stdio", self._peer, channel)
        task = asyncio.create_task(self._run(exchange, channel))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, exchange, channel):
        responder = self._responder
        try:
            if responder.at_once is None:
                await responder.handle(exchange)
                return
            action = responder.at_once(exchange)
            if hasattr(action, "__await__"):
                action = await action
            if action is not None:
                await channel.send(action)
        except Exception as e:
            self._log("error", "exchange %d failed: %r" % (exchange.number, e))
            if exchange.kind == pipeline.REQUEST:
                await channel.send(pipeline.error_reply(exchange.id, -32603, "Internal error"))


class _Line(Channel):
    """Where the actions of one exchange go.  side: `StdioSide`."""

    def __init__(self, side):
        self._side = side
        self._room = None

    @property
    def left(self):
        return self._side.closed

    async def gone(self):
        await self._side.over.wait()

    async def send(self, action):
        """Take an action of the pipeline; `Status` and `Silence` have nothing to say here."""
        kind = type(action)
        if kind is pipeline.Delay:
            await asyncio.sleep(action.ms / 1000)
        elif kind is pipeline.RawBytes:
            self._write(action.data)
        elif kind is pipeline.Exit:
            self._side.end(action.code)
        elif kind is pipeline.Close:
            self._close(action.after)
        elif kind in (pipeline.Reply, pipeline.Notify, pipeline.Ask) and action.raw:
            self._write(action.raw + b"\n")

    def _close(self, after):
        self._room = after
        if not after:
            self._side.end(0)

    def _write(self, data):
        if self._room is not None:
            data = data[: self._room]
            self._room -= len(data)
        self._side.write(data)
        if self._room == 0:
            self._side.end(0)
