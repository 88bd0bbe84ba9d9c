"""RGB565 pixels, high byte first as panels take them, and pictures of them."""

import struct
import sys
import zlib
from array import array


def unpack(data):
    """array of int, one a pixel."""
    pixels = array("H", bytes(data))
    if sys.byteorder == "little":
        pixels.byteswap()
    return pixels


def pack(pixels):
    """bytes of ints, one a pixel."""
    made = array("H", pixels)
    if sys.byteorder == "little":
        made.byteswap()
    return made.tobytes()


def swapped(pixel):
    """The pixel with red and blue exchanged."""
    return pixel >> 11 | pixel & 0x07E0 | (pixel & 31) << 11


def rgb(pixel):
    """(red, green, blue), 0-255, of an RGB565 pixel."""
    red, green, blue = pixel >> 11, pixel >> 5 & 63, pixel & 31
    return red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2


def png(width, height, data):
    """A PNG of RGB565 pixels, high byte first."""
    colours = {pixel: bytes(rgb(pixel)) for pixel in set(unpack(data))}
    pixels = unpack(data)
    rows = (pixels[y * width : (y + 1) * width] for y in range(height))
    raw = b"".join(b"\0" + b"".join(colours[p] for p in row) for row in rows)
    chunks = (
        b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0),
        b"IDAT" + zlib.compress(raw),
        b"IEND",
    )
    framed = (struct.pack(">I", len(c) - 4) + c + struct.pack(">I", zlib.crc32(c)) for c in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(framed)
