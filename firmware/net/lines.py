"""MCP as newline-delimited JSON on a line of its own: stdio, a serial port, a plain TCP stream.

    await LineServer(server, no_log, *stdio()).serve()

One message a line, both ways (MCP transports: stdio). Messages are served as they come; those that wait run beside each
other, and answers go out as they are ready.
"""

import asyncio
import time

from micropython import const

from http1.router import MAX_BODY
from umcp.errors import INTERNAL_ERROR, INVALID_REQUEST
from umcp.one import One
from umcp.peer import Peer
from umcp.rpc import error

from .split import LINE, MORE, Lines
from .turns import Turns

_LAST_MS = const(100)  # for handlers that were cancelled
_PAUSE_MS = const(5)
_CAN = const(24)  # "cancel" of ASCII


class LineServer:
    """server: `umcp.server.Server`.  log: log(level, text, exception=None).

    reader: has `async readinto(buf)` -> count, 0 at the end, None for nothing yet.  writer: has `write(data)`,
    `async drain()` and `out_buf`, empty if all is written. asyncio's streams are both.
    line: int, bytes of a message.  tasks: how many requests may wait at once; one more is refused.  end_ms: time for
    them to be answered when the input has ended.  noise: bool, not only messages come: a line that begins with
    neither `{` nor `[{` is passed over, and one that is a CAN (0x18) says that another client is there: what the last
    one left is cancelled.
    """

    def __init__(self, server, log, reader, writer, noise=False, line=MAX_BODY, tasks=8, end_ms=1000):
        self._server = server
        self._reader = reader
        self._log = log
        self._lines = Lines(line)
        self._places = tasks
        self._end_ms = end_ms
        self._noise = noise
        self._tasks = []
        self._out = _Output(writer)
        self._peer = _LinePeer(self._out)

    async def serve(self):
        """Serve until the input ends, or nobody takes the output."""
        try:
            while not self._out.broken and await self._fill():
                await self._serve_lines()
            self._lines.end()
            await self._serve_lines()
            self._peer.left = True
            await self._finish(self._end_ms)
        finally:
            self._peer.left = True
            self._cancel_all()
            await self._finish(_LAST_MS)
            self._out.close()
            self._server.forget(self._peer)

    # Receives more of the input; False at its end.
    async def _fill(self):
        try:
            space = self._lines.space()
        except MemoryError:
            await self._say_too_long(self._lines.drop())
            return True
        try:
            count = await self._reader.readinto(space)
        except OSError:
            return False
        self._lines.received(count or 0)
        return count != 0

    async def _serve_lines(self):
        lines = self._lines
        while not self._out.broken:
            found = lines.next()
            if found == MORE:
                return
            if found == LINE:
                if not self._noise or _begins(lines.buf, lines.start):
                    await self._serve_line(lines)
                elif lines.buf[lines.start] == _CAN:
                    self._forget()
            else:
                await self._say_too_long(found)

    async def _say_too_long(self, found):
        if found != MORE:
            await self._out.write(error(None, INVALID_REQUEST, "Invalid Request: the line is too long"))

    async def _serve_line(self, lines):
        server = self._server
        server.message.id = None
        try:
            reply = server.handle(lines.buf, lines.start, lines.stop, self._peer, time.ticks_ms())
            if reply is None or type(reply) is tuple:
                await self._answer(reply)
            else:
                await self._begin(reply, server.message.id)
        except Exception as e:
            await self._fail(server.message.id, e)

    # It gets a turn of the loop, so that it has begun before the next message may cancel it.
    async def _begin(self, awaitable, id_):
        if len(self._tasks) < self._places:
            self._tasks.append(asyncio.create_task(self._run(awaitable, id_)))
            await asyncio.sleep_ms(0)
            return
        await self._out.write(error(id_, INTERNAL_ERROR, "too many requests are waiting"))

    async def _run(self, awaitable, id_):
        try:
            await self._answer(await awaitable)
        except Exception as e:
            await self._fail(id_, e)
        finally:
            self._tasks.remove(asyncio.current_task())

    async def _answer(self, reply):
        if reply is not None and reply[1]:
            await self._out.write(reply[1])

    async def _fail(self, id_, e):
        self._log("error", "a message failed", e)
        await self._out.write(error(id_, INTERNAL_ERROR, "Internal error"))

    # Waits until all is answered and written, or for so long.
    async def _finish(self, within_ms):
        since = time.ticks_ms()
        while self._tasks or self._out.task:
            if time.ticks_diff(time.ticks_ms(), since) >= within_ms:
                return
            await asyncio.sleep_ms(_PAUSE_MS)

    def _forget(self):
        self._cancel_all()
        self._server.forget(self._peer)
        self._peer.sessions = One()

    def _cancel_all(self):
        for task in list(self._tasks):
            task.cancel()


# True if it may be a message: an object, or several.
def _begins(buf, at):
    return buf[at] == 123 or bytes(buf[at : at + 2]) == b"[{"


class _LinePeer(Peer):
    """Who is at the other end of the line."""

    def __init__(self, out):
        self.sessions = One()
        self._out = out

    def can_stream(self):
        return True

    async def send(self, raw, event_id=b"", retry_ms=None):
        if raw:
            await self._out.write(raw)
            # A handler that only reports must not keep its cancellation from being read.
            await asyncio.sleep_ms(0)


class _Output:
    """Lines on a writer, one after the other: who writes waits until its line is taken.

    A line that has begun is finished, though its writer is cancelled: half a line would spoil the next one.
    broken: bool, nobody reads any more.  task: what finishes a line, or None.
    """

    def __init__(self, writer):
        self._writer = writer
        self._turns = Turns()
        self.broken = False
        self.task = None

    async def write(self, body):
        """body: bytes, or a tuple of bytes to join."""
        turns = self._turns
        line = b"".join(body + (b"\n",)) if type(body) is tuple else body + b"\n"
        if not turns.take():
            await turns.wait()
        try:
            if not self.broken:
                self._writer.write(line)
        except (OSError, MemoryError):
            self.broken = True  # Half of it may be out.
        if self._writer.out_buf and not self.broken:
            self.task = asyncio.create_task(self._drain())
            await turns.wait()
        turns.give()

    async def _drain(self):
        try:
            await self._writer.drain()
        except OSError:
            self.broken = True
        finally:
            self.task = None
            self._turns.give()

    def close(self):
        """Wait for nobody any more."""
        self.broken = True
        if self.task:
            self.task.cancel()
