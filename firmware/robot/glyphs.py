"""Glyphs past ASCII out of a file: kana and kanji for the balloon, without the font in memory.

The file is records of 10 bytes in the order of their code points: U+0080 to U+FFFF in two bytes, high byte first, then
the 8 rows of the glyph from above, bit 7 leftmost.  No board comes with such a file: any 8 x 8 font can become one.
"""

try:
    from micropython import const
except ImportError:
    const = int

_RECORD = const(10)


class Glyphs:
    """`glyphs(code)` for a `draw.Painter`.  file: open for binary reading, with seek and readinto."""

    def __init__(self, file):
        self._file = file
        self._count = file.seek(0, 2) // _RECORD
        self._record = bytearray(_RECORD)

    def __call__(self, code):
        """The 8 rows of a code point (int) as bytes, or None if the file has none.  Raises what the file raises."""
        record = self._record
        low = 0
        high = self._count
        while low < high:
            middle = (low + high) // 2
            self._file.seek(middle * _RECORD)
            self._file.readinto(record)
            found = record[0] << 8 | record[1]
            if found == code:
                return bytes(record[2:])
            if found < code:
                low = middle + 1
            else:
                high = middle
        return None
