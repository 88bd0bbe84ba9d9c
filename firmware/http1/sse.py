"""Server-sent events: a parser for a client (WHATWG HTML 9.2; MCP 2025-11-25, transports).

    parser = SSEParser()
    for event, data in parser.feed(chunk):      # b"message", b'{"jsonrpc":...}'

Bytes in, bytes out, so that a character split over two chunks needs no care. Lines end with LF, CR LF or CR.
An event without data (MCP's priming event) is not given out, but its id is kept. A line or an event past
`max_event` bytes is refused.
"""

from .errors import HTTPError

MAX_EVENT = 65536  # bytes

_MAX_DIGITS = 9  # of a retry time

_LF = 10


class SSEParser:
    """last_id: bytes, the id to resume from, b"" before the first.  retry_ms: int or None, as the server wished."""

    def __init__(self, max_event=MAX_EVENT):
        self.last_id = self._id = b""
        self.retry_ms = None
        self._max_event = max_event
        self._line = bytearray()  # the line at hand, not whole yet
        self._first = True
        self._after_cr = False
        self._clear()

    def _clear(self):
        self._type = b"message"
        self._data = None
        self._size = 0

    def feed(self, chunk):
        """Take bytes of the stream; returns a list of (type, data) of the events that end in them.

        Raises HTTPError 413 for an event past the limit. What is not ended by an empty line is never given out.
        """
        events = []
        at = self._skip_lf(chunk)
        feed = chunk.find(b"\n", at)
        back = chunk.find(b"\r", at)
        while feed >= 0 or back >= 0:
            end = feed if back < 0 or 0 <= feed < back else back
            self._take(chunk, at, end, events)
            at = end + 1
            if end == back:
                self._after_cr = True
                at += self._skip_lf(chunk[at : at + 1])
                back = chunk.find(b"\r", at)
            if 0 <= feed < at:
                feed = chunk.find(b"\n", at)
        self._keep(chunk[at:])
        return events

    # The LF of a CR LF, which may come in the next chunk.
    def _skip_lf(self, chunk):
        if not chunk or not self._after_cr:
            return 0
        self._after_cr = False
        return 1 if chunk[0] == _LF else 0

    def _keep(self, rest):
        self._line.extend(rest)
        if len(self._line) + self._size > self._max_event:
            raise HTTPError(413, "event too large", close=True)

    # The line is buf[at:end], or ends there.
    def _take(self, buf, at, end, events):
        if self._line:
            self._keep(buf[at:end])
            buf = bytes(self._line)
            self._line = bytearray()
            at, end = 0, len(buf)
        if self._first:
            self._first = False
            if buf.startswith(b"\xef\xbb\xbf", at):
                at += 3
        if at < end:
            self._field(buf, at, end)
        else:
            self._dispatch(events)

    def _dispatch(self, events):
        # Only now: who resumes behind an event that was cut would miss it.
        self.last_id = self._id
        if self._data:
            events.append((self._type, bytes(self._data)))
        self._clear()

    def _field(self, buf, at, end):
        colon = buf.find(b":", at, end)
        size = (end if colon < 0 else colon) - at
        start = end if colon < 0 else colon + 1
        if start < end and buf[start] == 32:
            start += 1
        if size == 4 and buf.startswith(b"data", at):
            self._add(buf[start:end])
        elif size == 5 and buf.startswith(b"event", at):
            self._type = buf[start:end] or b"message"
        elif size == 2 and buf.startswith(b"id", at):
            if buf.find(b"\0", start, end) < 0:
                self._id = buf[start:end]
        elif size == 5 and buf.startswith(b"retry", at):
            self._retry(buf[start:end])

    def _retry(self, value):
        if value.isdigit() and len(value) <= _MAX_DIGITS:
            self.retry_ms = int(value)

    def _add(self, value):
        self._size += len(value) + 1
        if self._size > self._max_event:
            raise HTTPError(413, "event too large", close=True)
        # A line costs its bytes, however short: a list of them would cost more than what bounds them.
        if self._data is None:
            self._data = value
            return
        if isinstance(self._data, bytes):
            self._data = bytearray(self._data)
        self._data.extend(b"\n")
        self._data.extend(value)
