"""The littlefs file systems of a board, as MicroPython makes and reads them: blocks of 4096 bytes, littlefs 2."""

from littlefs import LittleFS, LittleFSError, UserContext

from .board_table import SECTOR
from .errors import Failed

_NO_SPACE = -28
_LUMP = 64 * 1024
_OPTIONS = {"block_size": SECTOR, "read_size": 32, "prog_size": 32}


def make(files, size):
    """An image of a file system of so many bytes: bytes, without the blocks at its end that hold nothing.

    files: {path: bytes}, with "/" between folders.  Raises `Failed` if they do not fit.
    """
    blocks = size // SECTOR
    count = min(blocks, 16)
    while True:
        # littlefs scatters its blocks over all that it has: it gets few, and grows when all is there.
        small = LittleFS(context=UserContext(count * SECTOR), block_count=count, **_OPTIONS)
        try:
            _fill(small, files)
            small.fs_grow(blocks)
            small.unmount()
            return bytes(small.context.buffer)
        except LittleFSError as e:
            if e.code != _NO_SPACE:
                raise
        if count == blocks:
            total = sum(len(data) for data in files.values())
            raise Failed("%d files of %d bytes do not fit into %d bytes" % (len(files), total, size))
        count = min(blocks, count + count // 4)


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
    """
    context = _Flash(read_flash, size)
    filesystem = LittleFS(context=context, mount=False, block_count=0, **_OPTIONS)
    found = {}
    try:
        filesystem.mount()
    except LittleFSError:
        found = None
    else:
        for path in paths:
            try:
                with filesystem.open(path, "rb") as file:
                    found[path] = file.read()
            except FileNotFoundError:
                pass
            except (LittleFSError, OSError) as e:
                context.error = context.error or Failed("%s on the board cannot be read: %r" % (path, e))
    if context.error:
        raise context.error
    return found


class _Flash:
    """What littlefs reads from, a lump at a time: each reading from a chip costs seconds."""

    def __init__(self, read_flash, size):
        self._read_flash = read_flash
        self._size = size
        self._lumps = {}
        # What goes wrong in here cannot pass through littlefs.
        self.error = None

    def read(self, cfg, block, off, size):
        start = block * cfg.block_size + off
        data = bytearray()
        while len(data) < size:
            at = start + len(data)
            part = self._lump(at // _LUMP)[at % _LUMP :][: size - len(data)]
            if not part:
                return bytearray(size)
            data += part
        return data

    def _lump(self, number):
        if number not in self._lumps:
            start = number * _LUMP
            try:
                self._lumps[number] = self._read_flash(start, min(_LUMP, max(0, self._size - start)))
            except Exception as e:
                self.error = e
                return b""
        return self._lumps[number]
