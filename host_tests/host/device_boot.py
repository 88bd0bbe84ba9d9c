"""What a stand-in board (device.py) does when its power comes.

MicroPython, unix: device_boot.py IMAGE WRITES MAIN TTY

The root is a LittleFS in the file IMAGE, as on an ESP32. The power goes at the write after WRITES ("-": never).
TTY becomes the terminal whose Ctrl-C interrupts.
MAIN: "main" runs main.py, as after a reset; "raw" does not, as after a soft reset from the raw REPL.
"""

import os
import sys

import vfs

_BLOCK = 4096
_ERASE = 6


class Flash:
    """A block device in a file, whose power may go in the middle of a block."""

    def __init__(self, path, left):
        self._file = open(path, "r+b")
        self._blocks = os.stat(path)[6] // _BLOCK
        self._left = left

    def readblocks(self, n, buf, offset=0):
        self._file.seek(n * _BLOCK + offset)
        self._file.readinto(buf)

    def writeblocks(self, n, buf, offset=0):
        self._file.seek(n * _BLOCK + offset)
        if self._left == 0:
            self._file.write(memoryview(buf)[: len(buf) // 2])
            self._file.flush()
            os.system("kill -9 $PPID")
        if self._left is not None:
            self._left -= 1
        self._file.write(buf)
        self._file.flush()

    def ioctl(self, op, arg):
        if op == _ERASE:
            self.writeblocks(arg, b"\xff" * _BLOCK)
        return {4: self._blocks, 5: _BLOCK}.get(op, 0)


def _run(path):
    try:
        with open(path) as f:
            text = f.read()
    except OSError:
        return
    try:
        exec(compile(text, path, "exec"), globals())
    except Exception as e:
        sys.print_exception(e)


def _boot(image, writes, main, terminal):
    open(terminal).close()
    flash = Flash(image, None if writes == "-" else int(writes))
    try:
        root = vfs.VfsLfs2(flash)
    except OSError:
        vfs.VfsLfs2.mkfs(flash)
        root = vfs.VfsLfs2(flash)
    vfs.umount("/")
    vfs.mount(root, "/")
    sys.path[:] = ["", ".frozen", "/lib"]
    sys.argv[:] = []
    try:
        print("boot:0x13")  # From here on Ctrl-C is heard.
        _run("boot.py")
        if main == "main":
            _run("main.py")
    except KeyboardInterrupt as e:
        sys.print_exception(e)


_boot(*sys.argv[1:])
