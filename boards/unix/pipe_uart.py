"""A UART over a byte pipe: what is written goes to the other side as it is, and what comes from there is received."""

from micropython import const

_SIZE = const(64)


class PipeUART:
    """pipe: a stream that can be made non-blocking.  `write`, `readinto` and `any` are those of `machine.UART`.

    A pipe whose other side has gone is a line where nobody answers.
    """

    def __init__(self, pipe):
        pipe.setblocking(False)
        self._pipe = pipe
        self._come = bytearray(_SIZE)
        self._first = self._end = 0

    def write(self, buf):
        try:
            return self._pipe.write(buf)
        except OSError:
            return None

    def any(self):
        """How many bytes can be read now: int, 0-64."""
        if self._first == self._end:
            try:
                self._end = self._pipe.readinto(self._come) or 0
            except OSError:
                self._end = 0
            self._first = 0
        return self._end - self._first

    def readinto(self, buf, count=None):
        """Put at most `count` bytes into buf; how many, or None if there are none.  Does not wait."""
        count = min(len(buf) if count is None else count, len(buf), self.any())
        for i in range(count):
            buf[i] = self._come[self._first + i]
        self._first += count
        return count or None
