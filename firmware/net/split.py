"""Lines out of bytes that arrive in pieces, each within a bound.

count = await stream.readinto(lines.space())
lines.received(count)
while True:
    found = lines.next()           # LINE: it lies in lines.buf[lines.start : lines.stop]
"""

from micropython import const

MORE = const(0)  # no whole line is there
LINE = const(1)
TOO_LONG = const(2)  # said once a line, whose rest is skipped

_SMALL = const(1024)  # bytes of buffer while lines are short
_BOM = b"\xef\xbb\xbf"


class Lines:
    """most: int, bytes of a line without its end, which is LF or CRLF. Blank lines are none, and a BOM at the start."""

    def __init__(self, most):
        self._most = most
        self._skips = False
        self._first = True
        self._searched = self._begun = self._filled = 0
        self.buf = bytearray(_SMALL)
        self.start = self.stop = 0

    def space(self):
        """A memoryview to receive into: never empty. The line that `next` found is gone. Raises MemoryError."""
        if self._begun:
            self._move()
        if self._filled == len(self.buf):
            self._grow()
        return memoryview(self.buf)[self._filled :]

    def received(self, count):
        """`count` bytes were put into `space()`."""
        self._filled += count

    def end(self):
        """Nothing more will come: what is left counts as a line."""
        self.space()[0] = 10
        self._filled += 1

    def next(self):
        """MORE, LINE, or TOO_LONG."""
        while True:
            at = self.buf.find(b"\n", self._searched, self._filled)
            if at < 0:
                self._searched = self._filled
                # One more for the CR.
                return self.drop() if self._skips or self._filled - self._begun > self._most + 1 else MORE
            start = self._begun
            self._begun = self._searched = at + 1
            if self._skips:
                self._skips = False
            elif self._found(start, at):
                return LINE if self.stop - self.start <= self._most else TOO_LONG

    # True if there is a line in buf[start:stop], and not a blank one.
    def _found(self, start, stop):
        buf = self.buf
        if self._first:
            self._first = False
            if buf[start : start + 3] == _BOM:
                start += 3
        if stop > start and buf[stop - 1] == 13:
            stop -= 1
        self.start = start
        self.stop = stop
        return stop > start and (buf[start] > 32 or bool(bytes(buf[start:stop]).strip()))

    def drop(self):
        """Skip the rest of the line that is arriving: TOO_LONG, or MORE if that was said."""
        said = self._skips
        self._skips = True
        self._searched = self._begun = self._filled = 0
        return MORE if said else TOO_LONG

    # The beginning of a line goes to the start of the buffer; a large one is let go when it is empty.
    def _move(self):
        rest = self._filled - self._begun
        if not rest and len(self.buf) > _SMALL:
            self.buf = bytearray(_SMALL)
        elif rest:
            self.buf[:rest] = self.buf[self._begun : self._filled]
        self._searched -= self._begun
        self._begun = 0
        self._filled = rest

    def _grow(self):
        buf = bytearray(min(2 * len(self.buf), self._most + 2))
        buf[: self._filled] = self.buf
        self.buf = buf
