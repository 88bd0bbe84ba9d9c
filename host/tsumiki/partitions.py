"""The partition table of an ESP32's flash, and where MicroPython keeps the user's files in it.

Entries of 32 bytes: magic AA 50, type, subtype, offset, size, label, flags; then an entry EB EB with the MD5 of those
before it, or none (ESP-IDF, api-guides/partition-tables).
"""

import hashlib
import struct
from typing import NamedTuple

from .board_table import TABLE_SIZE
from .errors import Failed

_ENTRY = struct.Struct("<2sBBII16sI")
_MAGIC = b"\xaa\x50"
_MD5 = b"\xeb\xeb" + b"\xff" * 14
_END = b"\xff" * 32
_APP = 0


class Partition(NamedTuple):
    """label: str.  app: bool, it holds a program.  offset, size: in the flash, in bytes."""

    label: str
    app: bool
    offset: int
    size: int

    @property
    def end(self):
        return self.offset + self.size


def parse(data):
    """[Partition] of a table, in its order; [] if these bytes are no table.  Raises `Failed` for a broken one."""
    found = []
    for at in range(0, min(len(data), TABLE_SIZE) - _ENTRY.size + 1, _ENTRY.size):
        entry = data[at : at + _ENTRY.size]
        if entry == _END:
            return found
        if entry.startswith(_MD5):
            if entry[len(_MD5) :] != hashlib.md5(data[:at]).digest():
                raise Failed("the partition table is damaged: its MD5 is wrong")
            return found
        magic, kind, _, offset, size, label, _ = _ENTRY.unpack(entry)
        if magic != _MAGIC:
            if found:
                raise Failed("the partition table is damaged: entry %d is none" % len(found))
            return []
        found.append(Partition(label.split(b"\0")[0].decode("ascii", "replace"), kind == _APP, offset, size))
    return found


def vfs(table, flash):
    """(offset, size) of the user's files: the partition `vfs`, else what follows the last one (MicroPython >= 1.21).

    table: [Partition].  flash: bytes.  None if there is no room.
    """
    for one in table:
        if one.label == "vfs":
            return one.offset, one.size
    start = max((one.end for one in table), default=flash)
    return (start, flash - start) if start < flash else None
