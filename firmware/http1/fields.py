"""The header fields of one message, found in the buffer that holds them: no copy until a value is asked for.

    NAMES = Names((b"host", (b"connection", b"keep-alive")))    # a name, or a name and its usual value
    fields = Fields(NAMES)
    fields.parse(buf, start, end)      # the lines, each with its CR LF
    fields.get(b"host")                # b"localhost:8081", or None
    fields.get(0)                      # the same by its slot

A slot is a name's place in `NAMES`; it is found sooner than the name.
"""

from array import array

try:
    from .scan_viper import scan
except (ImportError, SyntaxError, ValueError):  # CPython; no native emitter; a .mpy for another machine
    from .scan import scan


class Names:
    """All that can be asked for.  names: tuple as in `names.table`, or the table: bytes."""

    def __init__(self, names):
        if type(names) is not bytes:
            from .names import table  # late (RAM): a server's names are a constant

            names = table(names)
        self.table = names


class Fields:
    """names: `Names`, shared.  After `parse`, `buf` is the buffer; present and usual: int, the bits of the names that
    are there, and of those whose value is the usual one, to the letter.
    """

    def __init__(self, names):
        self.names = names
        # See `scan`: two sets of bits, and two places for each of 15 names.
        self._spans = array("H", bytes(64))
        self.buf = b""
        self.joined = None
        self.present = self.usual = 0

    def parse(self, buf, start, end):
        """Note where the values lie in buf[start:end]; the buffer must stay as it is while they are asked for.

        Raises HTTPError 400 for a malformed line or a repeated field that is no list.
        """
        self.buf = buf
        spans = self._spans
        table = self.names.table
        repeated = scan(buf, start | end << 16, table, spans)
        self.joined = None
        self.present = spans[0]
        self.usual = spans[1]
        if repeated:
            from .lists import join  # late (RAM): few requests repeat a field

            join(self, start, end, repeated)

    def span(self, key):
        """start | end << 16 of the value in the buffer, or 0 if the field is absent.  key: its slot, or its name."""
        if type(key) is bytes:
            from .names import find  # late (RAM): a server has slots

            key = find(self.names.table, key)
        if not self.present >> key & 1:
            return 0
        return self._spans[2 * key + 2] | self._spans[2 * key + 3] << 16

    def get(self, key):
        """The value of the field, as bytes without white space around, or None."""
        span = self.span(key)
        if not span:
            return None
        if self.joined and key in self.joined:
            return self.joined[key]
        return bytes(self.buf[span & 0xFFFF : span >> 16])
