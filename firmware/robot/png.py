"""PNG pictures of at most 16 colours, for `robot://screen`: a writer that holds two rows and the result.

`deflate` cannot compress on the boards' builds. Faces are flat, so runs do nearly as well: each row is written as runs
of one byte, pieces of the row above, and single bytes, in one block of deflate with the fixed Huffman codes
(RFC 1951, 3.2.6; PNG, W3C 2003, 11.2).

    data = encode(320, 240, display.row)
"""

from binascii import crc32

from umcp.errors import ToolError

try:
    from micropython import const
except ImportError:
    const = int

LIMIT = const(16384)
_COLOURS = const(16)
_LARGEST = const(512)
_SHORTEST = const(3)
_TAIL = const(22)  # what follows the last row, at most


def encode(width, height, row, limit=LIMIT):
    """The picture, a bytearray of at most `limit` bytes.

    width, height: 1-512.  row: `row(y, buf)` puts row `y` into buf (bytearray, width * 2 bytes): RGB565, high byte
    first. It is called twice for each row, from the top: for the colours, then for the pixels.
    Raises ToolError `image_too_complex` (more than 16 colours, or than `limit` bytes) or `image_changed` (a colour that
    was not there the first time), ValueError for a size out of range.
    """
    if not (1 <= width <= _LARGEST and 1 <= height <= _LARGEST):
        raise ValueError("width, height: 1-512")
    colours = _colours(width, height, row)
    out = bytearray(b"\x89PNG\r\n\x1a\n")
    # Four bits a pixel, indexed, no interlacing.
    _chunk(out, b"IHDR" + width.to_bytes(4, "big") + height.to_bytes(4, "big") + b"\4\3\0\0\0")
    _chunk(out, b"PLTE" + _palette(colours))
    start = len(out)
    out.extend(b"\0\0\0\0IDAT")
    _zlib(out, width, height, row, colours, limit)
    out[start : start + 4] = (len(out) - start - 8).to_bytes(4, "big")
    out.extend(crc32(memoryview(out)[start + 4 :]).to_bytes(4, "big"))
    _chunk(out, b"IEND")
    return out


def _chunk(out, data):
    out.extend((len(data) - 4).to_bytes(4, "big"))
    out.extend(data)
    out.extend(crc32(data).to_bytes(4, "big"))


# {RGB565: index} of all colours that occur.
def _colours(width, height, row):
    colours = {}
    line = bytearray(2 * width)
    above = bytearray(2 * width)
    for y in range(height):
        row(y, line)
        if y and line == above:
            continue
        last = -1
        for i in range(0, 2 * width, 2):
            colour = line[i] << 8 | line[i + 1]
            if colour != last and colour not in colours:
                if len(colours) == _COLOURS:
                    raise ToolError("image_too_complex", "more than 16 colours")
                colours[colour] = len(colours)
            last = colour
        line, above = above, line
    return colours


def _palette(colours):
    made = bytearray(3 * len(colours))
    for colour, index in colours.items():
        red, green, blue = colour >> 11, colour >> 5 & 63, colour & 31
        made[3 * index] = red << 3 | red >> 2
        made[3 * index + 1] = green << 2 | green >> 4
        made[3 * index + 2] = blue << 3 | blue >> 2
    return made


# A zlib stream (RFC 1950) of the rows, each with filter 0 in front.
def _zlib(out, width, height, row, colours, limit):
    size = 1 + (width + 1) // 2
    line = bytearray(size)
    above = bytearray(size)
    raw = bytearray(2 * width)
    last = bytearray(2 * width)
    bits = _Bits(out, size)
    check = _Adler()
    out.extend(b"\x78\x01")
    bits.put(3, 3)  # the last block, with fixed codes
    for y in range(height):
        row(y, raw)
        if y and raw == last and size >= _SHORTEST:
            bits.match(size, size)
            check.again()
        else:
            _pack(raw, line, colours)
            bits.row(line, above if y else None)
            check.add(line)
            line, above = above, line
            raw, last = last, raw
        if len(out) > limit - _TAIL:
            raise ToolError("image_too_complex", "more than %d bytes" % limit)
    bits.end()
    check.write(out)


# Two pixels a byte, the left one high.
def _pack(raw, line, colours):
    try:
        for i in range(0, len(raw), 4):
            line[1 + i // 4] = colours[raw[i] << 8 | raw[i + 1]] << 4
            if i + 2 < len(raw):
                line[1 + i // 4] |= colours[raw[i + 2] << 8 | raw[i + 3]]
    except KeyError:
        raise ToolError("image_changed", "drawn upon while it was read")


class _Adler:
    """Adler-32 by rows (RFC 1950, 9) in small integers: a row that comes again costs one step."""

    def __init__(self):
        self._a = 1
        self._b = 0

    def add(self, line):
        total = weighted = 0
        for byte in line:
            total += byte
            weighted += total
        self._of_row = len(line), total, weighted
        self.again()

    def again(self):
        size, total, weighted = self._of_row
        self._b = (self._b + size * self._a + weighted) % 65521
        self._a = (self._a + total) % 65521

    def write(self, out):
        out.extend(self._b.to_bytes(2, "big"))
        out.extend(self._a.to_bytes(2, "big"))


class _Bits:
    """Symbols of deflate, least bit first, in the fixed codes.  size: bytes a row."""

    def __init__(self, out, size):
        self._out = out
        self._size = size
        self._held = 0
        self._count = 0

    def put(self, value, count):
        """The low `count` bits of a number."""
        self._held |= value << self._count
        self._count += count
        while self._count >= 8:
            self._out.append(self._held & 0xFF)
            self._held >>= 8
            self._count -= 8

    def row(self, line, above):
        """One row.  above: the row before it, or None."""
        i = 0
        while i < len(line):
            run = _alike(line, i, line, i - 1) if i else 0
            copy = _alike(line, i, above, i) if above else 0
            if max(run, copy) < _SHORTEST:
                self._literal(line[i])
                i += 1
            elif run >= copy:
                self.match(run, 1)
                i += run
            else:
                self.match(copy, self._size)
                i += copy

    def match(self, length, distance):
        """The `length` bytes (3-257) that are `distance` (1-257) back, again."""
        rest = length - 3
        more = 0
        while rest >> more > 7:
            more += 1
        symbol = 1 + 4 * more + (rest >> more)
        if symbol < 24:
            self._code(symbol, 7)
        else:
            self._code(0xC0 + symbol - 24, 8)
        self.put(rest & (1 << more) - 1, more)
        rest = distance - 1
        more = 0
        while rest >> more > 3:
            more += 1
        self._code(2 * more + (rest >> more), 5)
        self.put(rest & (1 << more) - 1, more)

    def end(self):
        self._code(0, 7)
        self.put(0, -self._count % 8)

    def _literal(self, byte):
        if byte < 144:
            self._code(0x30 + byte, 8)
        else:
            self.put(1, 1)
            self._code(0x90 + byte - 144, 8)

    # A Huffman code of up to 8 bits: these go the other way round.
    def _code(self, code, count):
        code <<= 8 - count
        code = code >> 4 | (code & 0x0F) << 4
        code = (code & 0xCC) >> 2 | (code & 0x33) << 2
        self.put((code & 0xAA) >> 1 | (code & 0x55) << 1, count)


# How many bytes from line[i] on are those from other[j] on.
def _alike(line, i, other, j):
    start = i
    while i < len(line) and line[i] == other[j]:
        i += 1
        j += 1
    return i - start
