"""Text as the panel can show it: one cell a character, read from UTF-8 in place.

`framebuf` has the 8 x 8 glyphs of ASCII only.  What has an ASCII look-alike (accents, typographic quotes, full-width
forms) is shown by it, what has no width is left out, and all the rest is a REPLACEMENT box, unless the board supplies
glyphs (see `draw.Painter`).  So Japanese without such glyphs is boxes on the panel; `Face.state()` has the true text.
"""

try:
    from micropython import const
except ImportError:
    const = int

NOTHING = 0
REPLACEMENT = 0xFFFD
BOX = b"\0\x7e\x42\x42\x42\x42\x7e\0"

# U+00C0 to U+00FF.
_LATIN = b"AAAAAAACEEEEIIIIDNOOOOOxOUUUUYTsaaaaaaaceeeeiiiidnooooo/ouuuuyty"
# Of U+2010 to U+2027.
_DASHES = b"------||''''\"\"\"\"**..-..."
_FULL_FIRST = const(0xFF01)
_FULL_LAST = const(0xFF5E)


def encode(text):
    """A str as UTF-8 bytes; a lone surrogate goes through as three bytes."""
    try:
        return text.encode()
    except UnicodeError:  # CPython; MicroPython writes it out
        return text.encode("utf-8", "surrogatepass")


def decode(raw):
    """A piece of what `encode` made, as a str without lone surrogates."""
    try:
        return str(raw, "utf-8")
    except UnicodeError:
        return str(raw, "utf-8", "replace")


def length(raw, i):
    """How many bytes the character at raw[i] has."""
    first = raw[i]
    return 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4


def code_at(raw, i):
    """What to show for the character at raw[i]: a code point, NOTHING or REPLACEMENT; ASCII for its look-alikes."""
    first = raw[i]
    if first < 0x80:
        return first if 32 <= first < 127 else NOTHING
    n = length(raw, i)
    code = first & (0x7F >> n)
    for j in range(i + 1, min(i + n, len(raw))):
        code = code << 6 | raw[j] & 0x3F
    return _fold(code)


def _fold(code):
    if 0xC0 <= code <= 0xFF:
        return _LATIN[code - 0xC0]
    if _FULL_FIRST <= code <= _FULL_LAST:
        return code - _FULL_FIRST + 33
    if 0x2010 <= code <= 0x2027:
        return _DASHES[code - 0x2010]
    if code == 0xA0 or code == 0x3000:
        return 32
    if code < 0xA0 or 0x300 <= code < 0x370 or 0x200B <= code <= 0x200F or 0xFE00 <= code <= 0xFE0F:
        return NOTHING  # Controls, combining marks, joiners, variation selectors.
    return REPLACEMENT if 0xD800 <= code < 0xE000 else code


def wrap(raw, columns, most=64):
    """Break UTF-8 text into lines of at most `columns` cells: at newlines, at spaces, else within the word.

    Returns array("H"): start and end offset of each line, at most `most` lines; trailing spaces are left out.
    raw: bytes, less than 65,536 of them.
    """
    from array import array

    lines = array("H")
    start = 0
    while start < len(raw) and len(lines) < 2 * most:
        end, after = _line(raw, start, columns)
        lines.append(start)
        lines.append(end)
        start = after
    return lines


# One line from `start`: where it ends, and where the next begins.
def _line(raw, start, columns):
    i = start
    cells = 0
    space = -1  # The last one at which the line may break.
    while i < len(raw):
        if raw[i] == 10:
            return i, i + 1
        n = length(raw, i)
        wide = code_at(raw, i) != NOTHING
        if cells + wide > columns:
            return _break(raw, i, space)
        if raw[i] == 32:
            space = i
        cells += wide
        i += n
    return i, i


# Break before raw[i], which does not fit: there if it is a space or no space came before, else at the space.
def _break(raw, i, space):
    if raw[i] == 32:
        return i, i + 1
    if space < 0:
        return i, i
    return space, space + 1
