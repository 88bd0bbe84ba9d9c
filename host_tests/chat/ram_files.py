"""A folder in memory, for what a test writes."""

import vfs


class _Blocks:
    def __init__(self, count):
        self._data = bytearray(512 * count)

    def readblocks(self, n, buf, offset=0):
        at = 512 * n + offset
        buf[:] = self._data[at : at + len(buf)]

    def writeblocks(self, n, buf, offset=0):
        at = 512 * n + offset
        self._data[at : at + len(buf)] = buf

    def ioctl(self, op, arg):
        if op == 4:
            return len(self._data) // 512
        return 512 if op == 5 else 0


class Files:
    """A file system while the body runs."""

    def __enter__(self):
        blocks = _Blocks(512)
        vfs.VfsLfs2.mkfs(blocks)
        vfs.mount(vfs.VfsLfs2(blocks), "/files")
        return self

    def __exit__(self, *error):
        vfs.umount("/files")

    def path(self, name):
        return "/files/" + name
