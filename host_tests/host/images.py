"""Images such as micropython.org has, made with esptool's own classes, and a chip of memory to write them to."""

import hashlib
import struct
from contextlib import redirect_stdout
from io import StringIO

from esptool.bin_image import ELFSection, ESP32FirmwareImage, ESP32S3FirmwareImage

from tsumiki.board_table import BOARDS, TABLE_OFFSET
from tsumiki.chip import Found

APP = 0x10000
APP_SIZE = 0x1F0000
NVS = 0x9000
_CLASSES = {"esp32": (ESP32FirmwareImage, 0x40080000), "esp32s3": (ESP32S3FirmwareImage, 0x40378000)}


def program(chip, filling=b"Tsumiki!", size=4096, digest=True):
    """bytes of a program's image."""
    kind, address = _CLASSES[chip]
    image = kind(append_digest=digest)
    image.segments = [ELFSection(b".text", address, (filling * size)[:size], 6)]
    image.entrypoint = address
    image.flash_mode = 2
    image.flash_size_freq = 0x20
    image.chip_id = kind.ROM_LOADER.IMAGE_CHIP_ID
    with redirect_stdout(StringIO()):
        return image.save(None)


def table(*rows, md5=True):
    """bytes of a partition table.  rows: (label, type, subtype, offset, size)."""
    entries = b"".join(
        struct.pack("<2sBBII16sI", b"\xaa\x50", kind, subtype, offset, size, label.encode(), 0)
        for label, kind, subtype, offset, size in rows
    )
    end = b"\xeb\xeb" + b"\xff" * 14 + hashlib.md5(entries).digest() if md5 else b""
    return (entries + end).ljust(0xC00, b"\xff")


def stock_table(app_size=APP_SIZE, more=()):
    """That of MicroPython's images for 4 MB of flash or more."""
    rows = [("nvs", 1, 2, NVS, 0x6000), ("phy_init", 1, 1, 0xF000, 0x1000), ("factory", 0, 0, APP, app_size)]
    return table(*rows, *more)


def firmware(name, app=None, boot=None, parts=None):
    """bytes of a whole image for a board: bootloader, table, gaps of FF, program."""
    board = BOARDS[name]
    image = bytearray(b"\xff" * (APP - board.offset))
    boot = program(board.chip, b"boot", 512) if boot is None else boot
    image[: len(boot)] = boot
    at = TABLE_OFFSET - board.offset
    image[at : at + 0xC00] = stock_table() if parts is None else parts
    return bytes(image) + (program(board.chip) if app is None else app)


class MemoryChip:
    """Stands in for `tsumiki.chip.Chip`: its flash is bytes, and what was done to it is in `log`."""

    def __init__(self, chip, flash=16 << 20):
        self.found = Found(chip, flash)
        self.flash = bytearray(b"\xff" * flash)
        self.log = []
        self.broken = None

    def __call__(self, port, baud):
        self.port = port
        self.baud = baud
        return self

    def identify(self):
        self.log.append("identify")
        return self.found

    def read(self, offset, size, show=False):
        if self.broken:
            raise self.broken
        self.log.append("read 0x%x" % offset)
        return bytes(self.flash[offset : offset + size])

    def write(self, parts, erase=False):
        if erase:
            self.log.append("erase")
            self.flash[:] = b"\xff" * len(self.flash)
        for offset, data in parts:
            self.log.append("write 0x%x" % offset)
            self.flash[offset : offset + len(data)] = data
