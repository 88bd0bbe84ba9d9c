"""The stdio transport of a live server: a process that is started here, a message a line."""

import asyncio
import contextlib
import json

from .child import started
from .exchanges import DISCONNECT, MALFORMED, TIMEOUT, Answer, parse
from .people import note

_LEAVE_S = 2.0
_REST_S = 1.0  # for what it wrote last
_SHOWN = 80


class Stdio:
    """command: list of str. The process starts with the first request, in a group of its own, its stderr is ours."""

    session = None

    def __init__(self, command):
        self._command = command
        self._child = None
        self._reading = None
        self._pending = {}  # (type, id) to Future
        self._notes = []
        self._heard = False  # a message, after which no banner is passed over any more

    @property
    def lost(self):
        """True if the process has left."""
        return self._child is not None and self._reading.done()

    async def request(self, body, id, headers, timeout):
        """Send one message; returns an Answer.  headers are HTTP's, and not sent."""
        if self._child is None or self.lost:
            await self._start()
        waiting = asyncio.get_running_loop().create_future()
        self._pending[int, id] = waiting
        try:
            await self._send(body)
            message, raw = await asyncio.wait_for(waiting, timeout)
        except asyncio.TimeoutError:
            return Answer("", failure=TIMEOUT, detail="no answer in %g s" % timeout, notes=self._taken())
        except _Broken as e:
            return Answer("", failure=e.failure, detail=str(e), raw=e.raw, notes=self._taken())
        finally:
            self._pending.pop((int, id), None)
        return Answer("", message=message, raw=raw, notes=self._taken())

    async def notify(self, body, headers, timeout):
        """Send a message that nobody answers."""
        if self._child is not None:
            await self._send(body)

    async def close(self, headers):
        """End the process: see `child.Child`."""
        if self._child is None:
            return
        child, self._child = self._child, None
        await child.end()
        self._reading.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._reading
        child.release()

    def warn(self, text):
        note(text)

    async def _start(self):
        await self.close(())
        self._heard = False
        self._child = await started(self._command)
        self._reading = asyncio.ensure_future(self._read(self._child))

    async def _send(self, body):
        try:
            self._child.stdin.write(body + b"\n")
            await self._child.stdin.drain()
        except (OSError, RuntimeError):
            await asyncio.wait([self._reading], timeout=_LEAVE_S)  # it may have answered before it left

    async def _read(self, child):
        reading = asyncio.ensure_future(self._lines(child.stdout))
        try:
            await asyncio.wait((reading, child.ended), return_when=asyncio.FIRST_COMPLETED)
            # What it has started may hold the pipe open.
            await asyncio.wait((reading,), timeout=_REST_S)
        finally:
            reading.cancel()
            self._fail(_Broken(DISCONNECT, "the server has left"))

    async def _lines(self, stream):
        try:
            while True:
                line = await stream.readline()
                if not line:
                    break
                await self._take(line)
        except (OSError, ValueError) as e:
            self._fail(_Broken(MALFORMED, str(e)))

    async def _take(self, line):
        try:
            message = parse(line)
        except ValueError:
            if self._heard:
                self._fail(_Broken(MALFORMED, "no JSON: %r" % line[:_SHOWN], line))
            elif line.strip():
                self.warn("passed over a line that is no JSON: %r" % line[:_SHOWN])
            return
        self._heard = True
        if not isinstance(message, dict):
            self._fail(_Broken(MALFORMED, "no object: %r" % line[:_SHOWN], line))
        elif "method" in message:
            await self._asked(message)
        else:
            id = message.get("id")
            waiting = self._pending.get((type(id), id)) if type(id) in (int, str) else None
            if waiting is not None and not waiting.done():
                waiting.set_result((message, line))

    async def _asked(self, message):
        self._notes.append(message)
        if "id" in message:
            await self._send(refusal(message))

    def _fail(self, broken):
        for waiting in self._pending.values():
            if not waiting.done():
                waiting.set_exception(broken)

    def _taken(self):
        notes, self._notes = self._notes, []
        return notes


class _Broken(Exception):
    def __init__(self, failure, text, raw=b""):
        super().__init__(text)
        self.failure = failure
        self.raw = raw


def refusal(message):
    """What a request of the server (dict) is answered with: bytes. Nothing but `ping` is offered."""
    reply = {"jsonrpc": "2.0", "id": message["id"]}
    if message["method"] == "ping":
        reply["result"] = {}
    else:
        reply["error"] = {"code": -32601, "message": "Method not found"}
    return json.dumps(reply, separators=(",", ":")).encode()
