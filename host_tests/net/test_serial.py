"""USB serial as a line of MCP: noise, half lines, a slow line, nobody at its end, and the log beside it."""

import asyncio
import io
import json
import sys
import time

import net.runtime
from harness import eq
from net.lines import LineServer
from net.serial import Serial
from umcp.server import Server
from umcp.tool import Tool
from umcp.types import Integer, Object

_POLL = 3  # MP_STREAM_POLL of py/stream.h
_READ = 1
_WRITE = 4
_EINVAL = 22


class In(io.IOBase):
    """A board's stdin: bytes one by one.  ended: bool, there will be no more.

    What is no file is polled once a millisecond on unix: so few bytes are fed here.
    """

    def __init__(self):
        self.waiting = b""
        self.ended = False

    def readinto(self, buf):
        assert len(buf) == 1, "more would block"
        if not self.waiting:
            assert self.ended, "that would block"
            return 0
        buf[0] = self.waiting[0]
        self.waiting = self.waiting[1:]
        return 1

    def ioctl(self, request, argument):
        if request != _POLL:
            return -_EINVAL
        return argument & _READ if self.waiting or self.ended else 0


class Out(io.IOBase):
    """A board's stdout.  room: bytes that it takes, or None.  slow_ms: what each byte beyond a FIFO of 128 takes."""

    def __init__(self):
        self.raw = b""
        self.room = None
        self.slow = False
        self.error = None
        self.sizes = []

    def write(self, data):
        if self.error:
            raise self.error
        assert self.room != 0, "that would block"
        count = len(data) if self.room is None else min(len(data), self.room)
        if self.room is not None:
            self.room -= count
        if self.slow:
            time.sleep_ms(10)
        self.raw += bytes(data[:count])
        self.sizes.append(count)
        return count

    def ioctl(self, request, argument):
        if request != _POLL:
            return -_EINVAL
        return argument & _WRITE if self.room != 0 else 0


class Line:
    """`async with Line() as line`: a robot at the end of its USB serial."""

    def __init__(self, **options):
        self.input = In()
        self.output = Out()
        self.serial = Serial(self.print, self.input, self.output)
        self.server = Server("test", "1", log=self.serial.log, runtime=net.runtime)
        self.server.add_tool(Tool("much", "Say much.", Object((("size", Integer()),)), self.much))
        self.server.add_tool(Tool("noisy", "Log.", Object((("times", Integer()),)), self.noisy))
        self.options = options
        self.begun = self.turns = 0
        self.tasks = []
        self.failures = []

    def print(self, level, text, exception=None):
        if exception is not None:
            self.failures.append(exception)
        self.output.raw += ("%s: %s\n" % (level, text)).encode()

    def much(self, size):
        return "x" * size

    async def noisy(self, times):
        self.tasks.append(asyncio.create_task(self._log_later(times)))
        return "y" * 1000

    async def _log_later(self, times):
        while not self.serial.out_buf:
            await asyncio.sleep_ms(0)
        for i in range(times):
            self.serial.log("error", "line %d" % i)

    async def _serve(self):
        serial = self.serial
        while await serial.begun():
            self.begun += 1
            await LineServer(self.server, serial.log, serial, serial, True, **self.options).serve()

    async def _tick(self):
        while True:
            self.turns += 1
            await asyncio.sleep_ms(1)

    async def __aenter__(self):
        self.task = asyncio.create_task(self._serve())
        self.ticking = asyncio.create_task(self._tick())
        return self

    async def __aexit__(self, *error):
        self.output.room = self.output.error = None
        self.input.ended = True
        self.ticking.cancel()
        if not self.task.done():
            await asyncio.wait_for_ms(self.task, 5000)

    def feed(self, *pieces):
        for piece in pieces:
            self.input.waiting += piece if type(piece) is bytes else json.dumps(piece).encode() + b"\n"

    async def until(self, condition):
        for _ in range(5000):
            if condition():
                return
            await asyncio.sleep_ms(1)
        raise AssertionError("waited in vain; the output is %r" % self.output.raw[:1000])

    async def lines(self, count):
        """The first lines of the output, once they are there, and nothing more."""
        await self.until(lambda: self.output.raw.count(b"\n") >= count)
        found = self.output.raw.split(b"\n")[:-1]
        eq(len(found), count)
        return found

    async def ids(self, count):
        return [json.loads(line)["id"] for line in await self.lines(count)]


def ping(id):
    return {"jsonrpc": "2.0", "id": id, "method": "ping"}


def call(id, name, **arguments):
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


async def drained(line):
    await line.until(lambda: not line.input.waiting)
    await asyncio.sleep_ms(20)


async def test_what_a_person_types_is_no_message():
    async with Line() as line:
        line.feed(b"help()\r\nimport os\r", b"\x1b[A\x04\xff\xfe\r 1, 2\r")
        await drained(line)
        eq((line.begun, line.output.raw), (0, b""))
        line.feed(ping(1))
        eq(await line.ids(1), [1])
        line.feed(
            b"1 + 1\r\n", b"[info] x\n", b"\x00\x80\r", b">>> {}\r\n", ping(2), b'"text"\n17\n', ping(3)
        )
        eq(await line.ids(3), [1, 2, 3])


async def test_enter_in_a_terminal_ends_what_was_typed_before_a_message():
    async with Line() as line:
        line.feed(ping(1))
        await line.ids(1)
        line.feed(b"help()\r", ping(2))
        eq(await line.ids(2), [1, 2])


async def test_a_batch_is_a_message():
    async with Line() as line:
        line.feed([ping(1), ping(2)])
        (batch,) = await line.lines(1)
        eq([m["id"] for m in json.loads(batch)], [1, 2])


async def test_half_a_line_ends_with_the_next_newline():
    async with Line() as line:
        line.feed(b'{"jsonrpc":"2.0","id":1,"met')
        await drained(line)
        line.feed(b"\n", ping(2))
        eq(await line.ids(2), [None, 2])
        eq(json.loads((await line.lines(2))[0])["error"]["code"], -32700)


async def test_or_with_a_long_silence():
    async with Line() as line:
        line.feed(ping(1))
        await line.ids(1)
        line.feed(b'{"jsonrpc":"2.0","id":1,"met')
        await drained(line)
        line.serial._heard_ms = time.ticks_add(time.ticks_ms(), -4000)
        line.feed(b'hod":"ping"}\n')
        eq(await line.ids(2), [1, 1])
        line.feed(b'{"jsonrpc":"2.0","id":1,"met')
        await drained(line)
        line.serial._heard_ms = time.ticks_add(time.ticks_ms(), -6000)
        line.feed(ping(3))
        eq(await line.ids(4), [1, 1, None, 3])


async def test_a_message_comes_byte_by_byte():
    async with Line() as line:
        for c in json.dumps(ping("a")).encode() + b"\r\n":
            line.feed(bytes([c]))
            await asyncio.sleep_ms(0)
        eq(await line.ids(1), ["a"])


async def test_a_line_over_its_bound_is_refused_once_and_the_next_works():
    async with Line(line=1500) as line:
        line.feed(b'{"x":"' + b"y" * 4000 + b'"}\n', ping(1))
        first, second = await line.lines(2)
        assert "too long" in json.loads(first)["error"]["message"]
        eq(json.loads(second)["id"], 1)


async def test_many_bytes_at_once_leave_others_their_turns():
    async with Line() as line:
        line.feed(ping(1))
        await line.ids(1)
        seen = []
        read = line.input.readinto

        def readinto(buf):
            seen.append(line.turns)
            return read(buf)

        line.input.readinto = readinto
        line.feed(b'{"x":"' + b"y" * 1500 + b'"}\n')
        await line.lines(2)
        most = max([seen.count(turn) for turn in seen])
        assert most <= 600, most


async def test_a_large_result_goes_out_in_pieces_between_which_others_have_turns():
    async with Line() as line:
        line.output.slow = True
        line.feed(call(1, "much", size=4000), ping(2))
        before = line.turns
        eq(await line.ids(2), [1, 2])
        eq(max(line.output.sizes), 128)
        pieces = len(line.output.sizes)
        assert pieces > 30 and line.turns - before > pieces, (pieces, line.turns - before)


async def test_what_is_logged_meanwhile_comes_after_the_message():
    async with Line() as line:
        line.serial.log("error", "before")
        line.feed(call(1, "noisy", times=2))
        await line.lines(4)
        line.feed(ping(2))
        found = await line.lines(5)
        eq([found[0], found[2], found[3]], [b"error: before", b"error: line 0", b"error: line 1"])
        eq([json.loads(found[i])["id"] for i in (1, 4)], [1, 2])


async def test_more_than_eight_lines_are_counted():
    async with Line() as line:
        line.feed(call(1, "noisy", times=11))
        found = await line.lines(10)
        eq(found[8:], [b"error: line 7", b"warning: 3 log lines were left out"])


async def test_a_task_that_fails_unseen_goes_to_the_log():
    async def fail():
        raise ValueError("unseen")

    async with Line() as line:
        line.tasks.append(asyncio.create_task(fail()))
        assert (await line.lines(1))[0].startswith(b"error: "), line.output.raw


async def test_a_line_that_nobody_takes_is_given_up_and_the_next_begins_anew():
    async with Line() as line:
        line.output.room = 100
        line.feed(call(1, "much", size=500))
        await line.until(lambda: line.output.room == 0)
        await line.until(lambda: not line.serial.out_buf)
        line.output.room = None
        line.feed(ping(2))
        await line.until(lambda: b'"id":2' in line.output.raw)
        eq(json.loads(line.output.raw.split(b"\n")[-2])["id"], 2)
        assert line.output.raw.split(b"\n")[0].startswith(b'{"jsonrpc"')


async def test_a_line_that_is_gone_ends_nothing():
    async with Line() as line:
        line.output.error = OSError(5)
        line.feed(ping(1))
        await line.until(lambda: line.serial.out_buf)
        await asyncio.sleep_ms(20)
        line.output.error = None
        line.feed(ping(2))
        eq(await line.ids(2), [1, 2])
        eq(line.begun, 1)


# It goes through a task to whoever runs the loop, which is the test: so the reader is asked here.
async def test_ctrl_c_stays_what_it_is():
    for before in (b"", b"abc"):
        line = Line()
        line.feed(before + b"\x03")
        try:
            await line.serial.readinto(bytearray(99))
        except KeyboardInterrupt:
            pass
        else:
            raise AssertionError("it was read as data")
    line = Line()
    line.feed(b"abc\n\x03")
    try:
        await line.serial.begun()
    except KeyboardInterrupt:
        return
    raise AssertionError("it was passed over")


async def test_who_speaks_no_mcp_costs_no_server():
    for name in [name for name in sys.modules if name.startswith("net.lines")]:
        del sys.modules[name]
    serial = Serial(stdin=In(), stdout=Out())
    serial._in.waiting = b"help()\n"
    serial._in.ended = True
    eq((await serial.begun(), "net.lines" in sys.modules), (False, False))


async def test_what_is_for_a_person_waits_too_and_is_not_left_out():
    async with Line() as line:
        serial = line.serial
        serial.say("first")
        eq(line.output.raw, b"None: first\n")
        serial.out_buf = b"half a message"
        for i in range(20):
            serial.log("error", "line %d" % i)
        serial.say("last")
        eq(line.output.raw, b"None: first\n")
        serial._tell()
        eq(line.output.raw.split(b"\n")[-3:], [b"None: last", b"warning: 12 log lines were left out", b""])
        serial.out_buf = b""
