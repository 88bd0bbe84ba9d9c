"""The `_meta` of a request, read in place: the protocol's own members of it (2026-07-28, basic: _meta)."""

from array import array

from .codec import LIMITS, parse, scan

try:
    from micropython import const
except ImportError:
    const = int

# Their places in the spans, as in rpc.py.
VERSION = const(0)
CAPABILITIES = const(3)
LOG_LEVEL = const(6)
PROGRESS_TOKEN = const(9)

_TABLE = (
    b"\xff\x27io.modelcontextprotocol/protocolVersion\x2aio.modelcontextprotocol/clientCapabilities"
    b"\x20io.modelcontextprotocol/logLevel\x0dprogressToken\0\0"
)
_PLACES = const(12)


class Meta:
    """One `_meta` after another, each read with `read`; it is to be asked before the buffer changes."""

    def __init__(self):
        self._spans = array("H", bytes(2 * _PLACES))
        self._buf = b""

    def read(self, buf, start, end):
        """Read the object in buf[start:end], which `scan` took. Raises RemoteError as `odd.rewritten`."""
        if scan(buf, start, end, LIMITS, _TABLE, self._spans):
            from .odd import rewritten  # late (RAM): few clients write a name with an escape

            buf = rewritten(1, buf, start, end)
            scan(buf, 0, len(buf), LIMITS, _TABLE, self._spans)
        self._buf = buf

    def kind(self, member):
        """What it is: 1 string, 2 string with an escape, 3 integer, 5 object, other numbers, or 0 for absent."""
        return self._spans[member + 2]

    def raw(self, member):
        """The member as it came, bytes of JSON."""
        return bytes(self._buf[self._spans[member] : self._spans[member + 1]])

    def value(self, member):
        """The member as a JSON value, None if it is absent."""
        spans = self._spans
        return parse(self._buf, spans[member], spans[member + 1]) if spans[member + 2] else None
