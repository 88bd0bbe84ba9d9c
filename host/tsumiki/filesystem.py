"""The littlefs file systems of a board, as MicroPython makes and reads them: blocks of 4096 bytes, littlefs 2."""

import collections
from pathlib import PurePosixPath

from littlefs import LittleFS, LittleFSError, UserContext

from .board_table import SECTOR
from .errors import Failed

MAGIC = b"littlefs"  # in each of the two blocks of the superblock
_A_BLOCK_HOLDS = 4000  # bytes of a file, beside the pointers
_A_PAIR_HOLDS = 8  # entries of a folder, which is split when its blocks are half full
_SPARE = 8  # what littlefs copies before it frees
_LUMP = 64 * 1024
_OPTIONS = {"block_size": SECTOR, "read_size": 32, "prog_size": 32}


def make(files, size):
    """An image of a file system of so many bytes: bytes, without the blocks at its end that hold nothing.

    files: {path: bytes}, with "/" between folders.  Raises `Failed` if they do not fit.
    """
    blocks = size // SECTOR
    count = _blocks(files)
    if count > blocks:
        total = sum(len(data) for data in files.values())
        raise Failed("%d files of %d bytes do not fit into %d bytes" % (len(files), total, size))
    # littlefs scatters its blocks over all that it has: it gets few, and grows when all is there.
    small = LittleFS(context=UserContext(count * SECTOR), block_count=count, **_OPTIONS)
    _fill(small, files)
    small.fs_grow(blocks)
    small.unmount()
    return bytes(small.context.buffer)


# More blocks than these files take: a bound, which wastes a few.
def _blocks(files):
    entries = collections.Counter({".": 0})
    for path in files:
        entries.update(str(folder) for folder in PurePosixPath(path).parents)
    data = sum(len(data) // _A_BLOCK_HOLDS + 1 for data in files.values())
    return data + sum(2 * (count // _A_PAIR_HOLDS + 2) for count in entries.values()) + _SPARE


def _fill(filesystem, files):
    for path, data in sorted(files.items()):
        folder = path.rpartition("/")[0]
        if folder:
            filesystem.makedirs(folder, exist_ok=True)
        with filesystem.open(path, "wb") as file:
            file.write(data)


def read(read_flash, size, paths):
    """{path: bytes} of those files that are there; None if there is no littlefs.

    read_flash: function of (offset, size) -> bytes; what it raises comes through.  size: int, of the file system.
    Raises `Failed` for one that cannot be read.
    """
    context = _Flash(read_flash, size)
    # littlefs must not see a folder's blocks where the file system's first should be: it divides by zero.
    if MAGIC not in context.bytes(0, 2 * SECTOR):
        return None
    filesystem = LittleFS(context=context, mount=False, block_count=size // SECTOR, **_OPTIONS)
    try:
        filesystem.mount()
        return {path: data for path in paths for data in [_content(filesystem, path)] if data is not None}
    except (LittleFSError, OSError) as e:
        raise Failed("the board's files cannot be read: %r; ERASE=1 replaces them" % e)
    finally:
        if context.error:
            raise context.error


def _content(filesystem, path):
    try:
        with filesystem.open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


class _Flash:
    """What littlefs reads from, a lump at a time: each reading from a chip costs seconds."""

    def __init__(self, read_flash, size):
        self._read_flash = read_flash
        self._size = size
        self._lumps = {}
        # What goes wrong in here cannot pass through littlefs.
        self.error = None

    def read(self, cfg, block, off, size):
        try:
            return bytearray(self.bytes(block * cfg.block_size + off, size))
        except Exception as e:
            self.error = e
            return bytearray(size)

    def bytes(self, start, size):
        data = b""
        while len(data) < size:
            at = start + len(data)
            part = self._lump(at // _LUMP)[at % _LUMP :][: size - len(data)]
            data += part or b"\xff" * (size - len(data))
        return data

    def _lump(self, number):
        if number not in self._lumps:
            start = number * _LUMP
            count = min(_LUMP, max(0, self._size - start))
            self._lumps[number] = self._read_flash(start, count) if count else b""
        return self._lumps[number]
