"""This process's stdin and stdout as asyncio streams, on unix: `LineServer(server, log, *stdio(log))`.

Nothing else may be printed from then on: stdout carries messages and nothing but messages.
"""

import asyncio
import io
import select
import sys

from micropython import const

from umcp.server import no_log

_GET_FILENO = const(10)  # MP_STREAM_GET_FILENO of py/stream.h
_EINVAL = const(22)
# A pipe that is ready takes that much without blocking (PIPE_BUF of Linux), a socket more.
_PIECE = const(4096)


def stdio(log=no_log):
    """(reader, writer). A task that fails unseen goes to the log: asyncio would print it to stdout."""
    asyncio.get_event_loop().set_exception_handler(
        lambda loop, context: log("error", context["message"], context["exception"])
    )
    reader = asyncio.StreamReader(_Ready(sys.stdin.buffer, select.POLLIN))
    return reader, asyncio.StreamWriter(_Ready(sys.stdout.buffer, select.POLLOUT))


class _Ready(io.IOBase):
    """A file that takes and gives no more than it can at once. MicroPython's own blocks until all is done.

    It cannot tell how much there is to read, so each byte is asked for: about 1.5 us a byte.
    """

    def __init__(self, file, event):
        self._file = file
        poll = select.poll()
        poll.register(file, event)
        self._poll = poll.ipoll
        self._byte = bytearray(1)

    # asyncio waits for the file itself.
    def ioctl(self, request, argument):
        return self._file.fileno() if request == _GET_FILENO else -_EINVAL

    def readinto(self, buf):
        """How many bytes were there; 0 at the end, None for none yet."""
        byte = self._byte
        poll = self._poll
        read = self._file.readinto
        size = len(buf)
        count = 0
        while count < size and any(poll(0)):
            if not read(byte):
                return count
            buf[count] = byte[0]
            count += 1
        return count or None

    def write(self, data):
        """How many bytes were taken."""
        view = memoryview(data)
        count = 0
        while count < len(data) and any(self._poll(0)):
            count += self._file.write(view[count : count + _PIECE])
        return count
