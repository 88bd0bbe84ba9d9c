"""Golden images: a frame as runs of pixels, in files that only `write_goldens.py` writes.

A file is words of 16 bits, high byte first: width, height, then rows. A row is how often it comes one below the other,
and runs until the width is full: a colour (RGB565) and how many pixels have it.
"""

FOLDER = __file__.rsplit("/", 1)[0] + "/golden/"


def path(name):
    """The file of a scene."""
    return FOLDER + name + ".bin"


def packed(panel):
    """A `panel.Panel`'s frame as the bytes of a golden image."""
    out = bytearray()
    _word(out, panel.width)
    _word(out, panel.height)
    w = 2 * panel.width
    y = 0
    while y < panel.height:
        row = panel.frame[y * w : (y + 1) * w]
        end = y + 1
        while end < panel.height and panel.frame[end * w : (end + 1) * w] == row:
            end += 1
        _word(out, end - y)
        _runs(out, row)
        y = end
    return bytes(out)


def unpacked(raw):
    """(width, height, frame) of what `packed` made."""
    words = [raw[i] << 8 | raw[i + 1] for i in range(0, len(raw), 2)]
    width, height = words[:2]
    frame = bytearray()
    i = 2
    while i < len(words):
        times = words[i]
        i += 1
        row = bytearray()
        while len(row) < 2 * width:
            row.extend(bytes((words[i] >> 8, words[i] & 0xFF)) * words[i + 1])
            i += 2
        frame.extend(bytes(row) * times)
    return width, height, frame


def _runs(out, row):
    i = 0
    while i < len(row):
        color = row[i : i + 2]
        n = 1
        while row[i + 2 * n : i + 2 * n + 2] == color:
            n += 1
        out.extend(color)
        _word(out, n)
        i += 2 * n


def _word(out, value):
    out.append(value >> 8)
    out.append(value & 0xFF)
