"""A folder in memory, for what a test writes."""

import vfs


# In pieces, because a heap that was used may have no place for all of it in one.
class _Blocks:
    def __init__(self, count):
        self._blocks = [bytearray(512) for _ in range(count)]

    def readblocks(self, n, buf, offset=0):
        buf[:] = self._blocks[n][offset : offset + len(buf)]

    def writeblocks(self, n, buf, offset=0):
        self._blocks[n][offset : offset + len(buf)] = buf

    def ioctl(self, op, arg):
        if op == 4:
            return len(self._blocks)
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
