"""Glyphs out of a file."""

from io import BytesIO

from harness import eq
from robot.glyphs import Glyphs

CODES = [0x80, 0x3042, 0x3043, 0x6F22, 0xFFFF]


def made(codes):
    return Glyphs(BytesIO(b"".join(bytes((c >> 8, c & 0xFF)) + bytes([c % 251] * 8) for c in codes)))


def test_each_glyph_is_found():
    for n in range(len(CODES) + 1):
        glyphs = made(CODES[:n])
        for code in CODES[:n]:
            eq(glyphs(code), bytes([code % 251] * 8))


def test_what_is_not_there_is_none():
    glyphs = made(CODES)
    for code in (0, 0x81, 0x3041, 0x3044, 0xFFFE, 0x1F600):
        eq(glyphs(code), None)
    eq(made([])(0x3042), None)


def test_a_record_cut_short_is_not_there():
    glyphs = Glyphs(BytesIO(b"\0\x80" + b"\1" * 8 + b"\x30\x42\1"))
    eq((glyphs(0x80), glyphs(0x3042)), (b"\1" * 8, None))
