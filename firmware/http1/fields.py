"""The header fields of one message, found in the buffer that holds them: no copy until a value is asked for.

NAMES = Names((b"host", (b"connection", b"keep-alive")))    # a name, or a name and its usual value
fields = Fields(NAMES)
fields.parse(buf, start, end)      # the lines, each with its CR LF
fields.get(b"host")                # b"localhost:8081", or None
"""

from array import array

from .errors import HTTPError

try:
    from .scan_viper import scan
except (ImportError, SyntaxError, ValueError):  # CPython; no native emitter; a .mpy for another machine
    from .scan import scan

# Fields that are lists, so that several lines are one value (RFC 9110 section 5.3). Any other wanted one is refused.
_LISTS = (b"accept", b"connection", b"transfer-encoding", b"expect")


class Names:
    """All that can be asked for.  names: tuple of at most 15 names in lower case (bytes), or (name, usual value)."""

    def __init__(self, names):
        pairs = [(name, b"") if isinstance(name, bytes) else name for name in names]
        self.slots = {pair[0]: i for i, pair in enumerate(pairs)}
        self.table = b"".join([bytes((len(n),)) + n + bytes((len(v),)) + v for n, v in pairs]) + b"\0"

    def expect(self, name, value):
        """Make `value` the usual one of `name`."""
        at = self.table.find(bytes((len(name),)) + name) + 1 + len(name)
        rest = at + 1 + self.table[at]
        self.table = self.table[:at] + bytes((len(value),)) + value + self.table[rest:]

    def at(self, name):
        """Where the start of the field's value stands in `Fields.spans`; its end is next to it."""
        return 2 * self.slots[name]

    def bits(self, *names):
        """The bits of these names, as in `Fields.present`."""
        return sum([1 << self.slots[name] for name in names])


class Fields:
    """names: `Names`, shared.  After `parse`, `buf` is the buffer; present and usual: int, the bits of the names that
    are there, and of those whose value is the usual one, to the letter; spans: where the values lie (`Names.at`).
    """

    def __init__(self, names):
        self.names = names if isinstance(names, Names) else Names(names)
        self.spans = array("H", bytes(4 * len(self.names.slots) + 4))
        self.buf = b""
        self._joined = None
        self.present = self.usual = 0

    def parse(self, buf, start, end):
        """Note where the values lie in buf[start:end]; the buffer must stay as it is while they are asked for.

        Raises HTTPError 400 for a malformed line or a repeated field that is no list.
        """
        self.buf = buf
        spans = self.spans
        repeated = scan(buf, start | end << 16, self.names.table, spans)
        if repeated < 0:
            self.present = 0
            raise HTTPError(400, "malformed header line", close=True)
        self.present = spans[-2]
        self.usual = spans[-1]
        self._joined = self._join(buf, start, end, repeated) if repeated else None

    def span(self, name):
        """start | end << 16 of the value in the buffer, or 0 if the field is absent."""
        slot = self.names.slots[name]
        if not self.present >> slot & 1:
            return 0
        return self.spans[2 * slot] | self.spans[2 * slot + 1] << 16

    def get(self, name):
        """The value of the field, as bytes without white space around, or None."""
        slot = self.names.slots[name]
        if not self.present >> slot & 1:
            return None
        if self._joined and name in self._joined:
            return self._joined[name]
        return bytes(self.buf[self.spans[2 * slot] : self.spans[2 * slot + 1]])

    def _join(self, buf, start, end, repeated):
        self.usual &= ~repeated
        joined = {}
        for name, slot in self.names.slots.items():
            if repeated >> slot & 1:
                if name not in _LISTS:
                    raise HTTPError(400, "repeated header: %s" % name.decode(), close=True)
                joined[name] = b", ".join(_values(buf, start, end, name))
        return joined


def _values(buf, start, end, name):
    lines = bytes(buf[start:end]).split(b"\r\n")
    size = len(name) + 1
    return [line[size:].strip() for line in lines if line[:size].lower() == name + b":"]


def tokens(value):
    """The members of a list field in lower case: b"Keep-Alive, X" -> [b"keep-alive", b"x"]; [] for None.

    Empty members do not count (RFC 9110 section 5.6.1.2).
    """
    return [part.strip() for part in value.lower().split(b",") if part.strip()] if value else []
