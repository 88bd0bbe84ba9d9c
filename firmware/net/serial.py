"""A board's USB serial as a line of MCP, beside the REPL and the log: they share stdin and stdout.

    serial = Serial(log)               # from now on serial.log takes the place of log
    await serial.begun()               # somebody speaks MCP: only then the server of lines is worth its memory
    await LineServer(server, serial.log, serial, serial, True).serve()

Nothing else may print while a message goes out: what goes through `log` waits for its end. Ctrl-C stays what it is.
"""

import asyncio
import select
import sys
import time

from micropython import const

from umcp.server import no_log

# What an ESP32's UART takes into its FIFO at once: a longer piece would stop the loop until the line has taken it.
_PIECE = const(128)
_MOST = const(256)  # bytes read before others have a turn
_PAUSE_MS = const(2)
_STALL_MS = const(1000)  # nobody takes anything: the rest of the message is dropped
_HALF_MS = const(5000)  # who has begun a line and is silent for so long has gone
_KEPT = const(8)  # log lines
_CTRL_C = const(3)
_LF = const(10)
_CR = const(13)


class Serial:
    """The reader and the writer of a `net.lines.LineServer`. Writing never fails, for the line may come back.

    log: log(level, text, exception=None), which prints to the same line; level is None for what is no log.
    stdin, stdout: files of bytes that can be polled; the process's own by default.
    """

    def __init__(self, log=no_log, stdin=None, stdout=None):
        stdin = stdin or sys.stdin.buffer
        stdout = stdout or sys.stdout.buffer
        self._print = log
        self._kept = []
        self._left_out = 0
        self._in = stdin
        self._waiting = asyncio.StreamReader(stdin)
        self._readable = _polled(stdin, select.POLLIN)
        self._out = stdout
        self._writable = _polled(stdout, select.POLLOUT)
        self._byte = bytearray(1)
        self._held = False  # _byte was read, and not given out yet
        self._half = False  # a line has begun
        self._heard_ms = time.ticks_ms()
        self._cut = False  # a message was left unfinished
        self.out_buf = b""
        # asyncio would print a task's end into a message.
        asyncio.get_event_loop().set_exception_handler(
            lambda loop, context: self.log("error", context["message"], context["exception"])
        )

    def log(self, level, text, exception=None):
        """Print it, after the message that is going out; the ninth that waits for one is only counted."""
        if not self.out_buf:
            self._print(level, text, exception)
        elif len(self._kept) < _KEPT:
            self._kept.append((level, text, exception))
        else:
            self._left_out += 1

    def say(self, text):
        """Print what is for a person, in the same way, and never leave it out: its level is None."""
        if self.out_buf:
            self._kept.append((None, text, None))
        else:
            self._print(None, text, None)

    async def begun(self):
        """Pass over all but a line that begins as a message does; True when there is one, False at the end."""
        fresh = True
        while self._held or await self._take():
            c = self._byte[0]
            self._held = fresh and (c == 123 or c == 91)
            if self._held:
                return True
            fresh = c == _LF or c == _CR
        return False

    async def readinto(self, buf):
        """How many bytes have come; 0 at the end. Enter alone ends a line: terminals send CR."""
        if not self._held and not await self._take():
            return 0
        if self._half and time.ticks_diff(time.ticks_ms(), self._heard_ms) > _HALF_MS:
            self._half = False
            self._held = True
            buf[0] = _LF
            return 1
        count = 0
        most = min(len(buf), _MOST)
        while True:
            c = self._byte[0]
            buf[count] = _LF if c == _CR else c
            count += 1
            if count == most or not any(self._readable(0)) or not self._in.readinto(self._byte):
                break
            self._look()
        self._held = False
        self._half = buf[count - 1] != _LF
        self._heard_ms = time.ticks_ms()
        return count

    async def _take(self):
        count = await self._waiting.readinto(self._byte)
        self._look()
        return count

    # Boards see to it before a byte gets here, and that is all there is to do where they do not.
    def _look(self):
        if self._byte[0] == _CTRL_C:
            self._byte[0] = _LF
            raise KeyboardInterrupt

    def write(self, data):
        """Take a message, or several; `drain` sends it."""
        self.out_buf = b"\n" + data if self._cut else data

    async def drain(self):
        """Send what was taken, in pieces, and then what was logged meanwhile."""
        data = memoryview(self.out_buf)
        at = 0
        moved_ms = time.ticks_ms()
        while at < len(data):
            since = time.ticks_ms()
            count = self._write(data[at : at + _PIECE])
            at += count
            now_ms = time.ticks_ms()
            if count:
                moved_ms = now_ms
            elif time.ticks_diff(now_ms, moved_ms) > _STALL_MS:
                break
            # Whoever had to wait for the line has kept the others waiting: they get as long.
            await asyncio.sleep_ms(time.ticks_diff(now_ms, since) if count else _PAUSE_MS)
        self._cut = at < len(data)
        self.out_buf = b""
        self._tell()

    def _write(self, piece):
        try:
            return (self._out.write(piece) or 0) if any(self._writable(0)) else 0
        except OSError:
            return 0  # Nobody is there.

    def _tell(self):
        kept = self._kept
        self._kept = []
        for entry in kept:
            self._print(*entry)
        if self._left_out:
            self._print("warning", "%d log lines were left out" % self._left_out, None)
            self._left_out = 0


def _polled(file, event):
    poll = select.poll()
    poll.register(file, event)
    return poll.ipoll
