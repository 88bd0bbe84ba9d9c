"""A block device in RAM, to put a file system on."""


class Flash:
    """A RAM block device that stops taking writes after `left` of them, as at a power cut."""

    def __init__(self):
        self.data = bytearray(64 * 512)
        self.left = None

    def readblocks(self, n, buf, offset=0):
        at = n * 512 + offset
        buf[:] = self.data[at : at + len(buf)]

    def writeblocks(self, n, buf, offset=0):
        if self.left == 0:
            raise OSError(5)
        if self.left:
            self.left -= 1
        at = n * 512 + offset
        self.data[at : at + len(buf)] = buf

    def ioctl(self, op, arg):
        if op == 6:  # erase
            self.writeblocks(arg, b"\xff" * 512)
        return {4: 64, 5: 512}.get(op, 0)
