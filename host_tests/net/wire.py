"""A line with a `LineServer` at its end, in this process: what is fed comes out as answers."""

import asyncio
import json

from net.lines import LineServer


def line(message):
    """A message as it goes over the line."""
    return json.dumps(message).encode() + b"\n"


class Input:
    """A reader as asyncio's streams are: it gives what was fed, piece by piece."""

    def __init__(self):
        self._pieces = []
        self._ended = False
        self._more = asyncio.Event()

    def feed(self, *pieces):
        self._pieces.extend(pieces)
        self._more.set()

    def end(self):
        self._ended = True
        self._more.set()

    async def readinto(self, buf):
        while not self._pieces and not self._ended:
            self._more.clear()
            await self._more.wait()
        await asyncio.sleep_ms(0)
        if not self._pieces:
            return 0
        piece = self._pieces.pop(0)
        if isinstance(piece, Exception):
            raise piece
        if not piece:
            return None  # woken without data
        count = min(len(buf), len(piece))
        buf[:count] = piece[:count]
        if count < len(piece):
            self._pieces.insert(0, piece[count:])
        return count


class Output:
    """A writer as asyncio's streams are.  room: bytes that are taken before it must wait, or None for any."""

    def __init__(self):
        self.out_buf = b""
        self.raw = b""
        self.room = None
        self.error = None
        self.most = 0  # bytes that it ever held back
        self._more = asyncio.Event()

    def allow(self, count):
        """Take so many bytes more; None: any."""
        self.room = None if count is None else self.room + count
        self._more.set()

    def _take(self, data):
        if self.error:
            raise self.error
        count = len(data) if self.room is None else min(self.room, len(data))
        if self.room is not None:
            self.room -= count
        self.raw += data[:count]
        return data[count:]

    def write(self, data):
        assert not self.out_buf, "a line was written into another"
        self.out_buf = self._take(data)
        self.most = max(self.most, len(self.out_buf))

    async def drain(self):
        while self.out_buf:
            self._more.clear()
            await self._more.wait()
            self.out_buf = self._take(self.out_buf)

    def lines(self):
        """The whole lines that came out, bytes."""
        return self.raw.split(b"\n")[:-1]


class Wire:
    """`async with Wire(server, ...) as wire`; the options are those of `LineServer`."""

    def __init__(self, server, **options):
        self.input = Input()
        self.output = Output()
        self.log = []
        self.served = LineServer(server, self._note, self.input, self.output, **options)

    def _note(self, level, text, exception=None):
        self.log.append((level, text, exception))

    async def __aenter__(self):
        self.task = asyncio.create_task(self.served.serve())
        return self

    async def __aexit__(self, *error):
        self.output.allow(None)
        if not self.task.done():
            await self.end()

    async def end(self, within_ms=5000):
        """End the input, and wait until it is served."""
        self.input.end()
        await asyncio.wait_for_ms(self.task, within_ms)

    def feed(self, *messages):
        """Feed each message by itself: bytes as they are, others as lines of JSON."""
        self.input.feed(*[m if type(m) is bytes else line(m) for m in messages])

    async def until(self, condition, within_ms=5000):
        """Wait until `condition()` holds."""
        for _ in range(within_ms):
            if condition():
                return
            await asyncio.sleep_ms(1)
        raise AssertionError("waited in vain; the output is %r" % self.output.raw)

    async def lines(self, count):
        """The first `count` lines of the output, once they are there, and nothing more."""
        await self.until(lambda: len(self.output.lines()) >= count)
        lines = self.output.lines()
        assert len(lines) == count, lines
        return lines

    async def messages(self, count):
        """The same as JSON."""
        return [json.loads(line) for line in await self.lines(count)]
