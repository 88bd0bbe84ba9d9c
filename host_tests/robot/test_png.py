"""Pictures: read back by another's decoder, pixel by pixel, and bounded."""

from binascii import crc32

from harness import eq, raises
from robot.png import LIMIT, encode
from umcp.errors import ToolError

try:
    from zlib import decompress
except ImportError:

    def decompress(data):
        import io

        import deflate

        return deflate.DeflateIO(io.BytesIO(data), deflate.ZLIB, 15).read()


def random(seed):
    """`rng(n)` -> 0..n-1, the same on every interpreter."""
    state = [seed]

    def rng(n):
        state[0] = (state[0] * 1103 + 12345) & 0xFFFFF
        return (state[0] >> 4) % n

    return rng


def rows_of(width, pixel):
    """`row(y, buf)` over `pixel(x, y)` -> RGB565."""

    def row(y, buf):
        for x in range(width):
            colour = pixel(x, y)
            buf[2 * x] = colour >> 8
            buf[2 * x + 1] = colour & 0xFF

    return row


def chunks(data):
    """[(type, content)] of a PNG, its checksums checked."""
    eq(bytes(data[:8]), b"\x89PNG\r\n\x1a\n")
    found = []
    at = 8
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        body = bytes(data[at + 4 : at + 8 + size])
        eq(int.from_bytes(data[at + 8 + size : at + 12 + size], "big"), crc32(body))
        found.append((body[:4], body[4:]))
        at += 12 + size
    return found


def pixels(data):
    """(width, height, [[(r, g, b)]]) of an indexed PNG of 4 bits a pixel."""
    (head, ihdr), (plte, palette), (idat, packed), end = chunks(data)
    eq((head, plte, idat, end), (b"IHDR", b"PLTE", b"IDAT", (b"IEND", b"")))
    width, height = int.from_bytes(ihdr[:4], "big"), int.from_bytes(ihdr[4:8], "big")
    eq(ihdr[8:], b"\4\3\0\0\0")
    colours = [tuple(palette[i : i + 3]) for i in range(0, len(palette), 3)]
    raw = decompress(packed)
    eq(int.from_bytes(packed[-4:], "big"), adler(raw))
    size = 1 + (width + 1) // 2
    eq(len(raw), size * height)
    rows = []
    for y in range(height):
        line = raw[y * size : (y + 1) * size]
        eq(line[0], 0)
        nibbles = [n for byte in line[1:] for n in (byte >> 4, byte & 15)]
        rows.append([colours[n] for n in nibbles[:width]])
    return width, height, rows


def adler(data):
    a, b = 1, 0
    for byte in data:
        a = (a + byte) % 65521
        b = (b + a) % 65521
    return b << 16 | a


def rgb(colour):
    red, green, blue = colour >> 11, colour >> 5 & 63, colour & 31
    return red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2


def check(width, height, pixel, limit=LIMIT):
    """Encode, decode, compare; returns the length."""
    data = encode(width, height, rows_of(width, pixel), limit)
    w, h, rows = pixels(data)
    eq((w, h), (width, height))
    for y in range(height):
        eq(rows[y], [rgb(pixel(x, y)) for x in range(width)])
    return len(data)


def face(x, y):
    """Two eyes and a mouth, about as the robot's."""
    for centre, middle in ((90, 93), (230, 96)):
        if (x - centre) ** 2 + (y - middle) ** 2 <= 64:
            return 0xFFFF
    return 0xFFFF if 118 <= x < 208 and 140 <= y < 156 else 0


def test_one_colour():
    assert check(320, 240, lambda x, y: 0) < 1000


def test_a_face():
    assert check(320, 240, face) < 2000


def test_every_size_of_a_row():
    for width in list(range(1, 12)) + [127, 128, 257, 511, 512]:
        check(width, 4, lambda x, y: 0xF800 if (x ^ y) & 2 else 0x07E0)


def test_sixteen_colours():
    check(32, 5, lambda x, y: ((x + y) % 16) * 0x1111)


def test_every_byte():
    check(512, 1, lambda x, y: (x // 2 & 15 if x & 1 else x // 2 >> 4) * 0x1111)


def test_colours_are_spread_over_eight_bits():
    _, _, rows = pixels(encode(3, 1, rows_of(3, lambda x, y: (0xFFFF, 0x8410, 0)[x])))
    eq(rows, [[(255, 255, 255), (132, 130, 132), (0, 0, 0)]])


def test_noise():
    rng = random(7)
    noise = [rng(16) * 0x1111 for _ in range(64 * 40)]
    check(64, 40, lambda x, y: noise[y * 64 + x])


def of_run(length):
    return lambda x, y: 0 if x < 2 * length else (x // 2 % 5 + 1) * 0x0841


def test_runs_of_every_length():
    for length in list(range(1, 40)) + list(range(160, 250, 7)):
        check(512, 1, of_run(length))


def test_pieces_of_the_row_above():
    rng = random(3)
    top = [rng(16) * 0x1111 for _ in range(320)]
    size = check(320, 8, lambda x, y: 0x1111 if x == 40 * y else top[x])
    assert size < 320 // 2 + 8 * 40


def test_a_row_that_comes_again_after_another():
    check(64, 9, lambda x, y: (x * 7 % 11) * 0x1111 if y % 3 else 0)


def test_a_seventeenth_colour_is_refused():
    e = raises(ToolError, encode, 17, 1, rows_of(17, lambda x, y: x))
    eq(str(e), "image_too_complex: more than 16 colours")


def test_the_limit():
    rng = random(11)
    noise = [rng(16) * 0x1111 for _ in range(4096)]
    row = rows_of(320, lambda x, y: noise[(x * 31 + y * 77) & 4095])
    e = raises(ToolError, encode, 320, 240, row)
    eq(str(e), "image_too_complex: more than 16384 bytes")


def test_the_limit_counts_all_bytes():
    rng = random(5)
    noise = [rng(2) * 0xFFFF for _ in range(64 * 20)]
    row = rows_of(64, lambda x, y: noise[y * 64 + x])
    size = len(encode(64, 20, row))
    eq(len(encode(64, 20, row, size + 8)), size)
    raises(ToolError, encode, 64, 20, row, size - 1)


def test_a_picture_that_changes_meanwhile():
    calls = []

    def row(y, buf):
        calls.append(y)
        buf[0] = 0x12 if len(calls) > 3 else 0

    eq(raises(ToolError, encode, 4, 2, row).code, "image_changed")
    eq(calls, [0, 1, 0, 1])


def test_sizes_out_of_range():
    for width, height in ((0, 1), (1, 0), (513, 1), (1, 513)):
        raises(ValueError, encode, width, height, None)
