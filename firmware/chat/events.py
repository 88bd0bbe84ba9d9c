"""The event stream of a model: most providers repeat the whole request in some events, which are passed over unread."""

from micropython import const

from http1.sse import SSEParser

_MAX_EVENT = const(16384)
_DATA = b"data:"
_NAME = const(5)  # bytes of it


class Events(SSEParser):
    """wanted: tuple of bytes, the types of events whose data is given out, or None for all. Others come with b"" as
    their data, however long it was, and take no memory.
    """

    def __init__(self, wanted=None):
        super().__init__(_MAX_EVENT)
        self._wanted = wanted

    # A type comes before its data.
    def _passes(self):
        return self._wanted is not None and self._type not in self._wanted

    def _keep(self, rest):
        line = self._line
        if self._passes() and (bytes(line[:_NAME]) + bytes(rest[:_NAME])).startswith(_DATA):
            line.extend(rest[: max(0, _NAME - len(line))])
        else:
            super()._keep(rest)

    def _add(self, value):
        if not self._passes():
            super()._add(value)

    def _dispatch(self, events):
        if self._passes():
            events.append((self._type, b""))
            self._clear()
        else:
            super()._dispatch(events)
