"""Cut the power at every write of what a deploy does, and start the board after each: power_cuts.py IMAGE COMMANDS

MicroPython, unix. IMAGE: a LittleFS of 4 KiB blocks, as the board is before. COMMANDS: a JSON list of what the deploy
has the board run. Prints, for each write, what the app said when the board was started again.
"""

import json
import sys

import vfs

_BLOCK = 4096


class Flash:
    def __init__(self, data, left):
        self.data = data
        self.left = left

    def readblocks(self, n, buf, offset=0):
        at = n * _BLOCK + offset
        buf[:] = self.data[at : at + len(buf)]

    def writeblocks(self, n, buf, offset=0):
        at = n * _BLOCK + offset
        if self.left == 0:
            half = len(buf) // 2
            self.data[at : at + half] = memoryview(buf)[:half]
            self.left = -1
        if self.left == -1:
            return -5  # EIO; an exception would jump out of LittleFS, and leave files open.
        if self.left is not None:
            self.left -= 1
        self.data[at : at + len(buf)] = buf
        return 0

    def ioctl(self, op, arg):
        if op == 6:
            return self.writeblocks(arg, b"\xff" * _BLOCK)
        return {4: len(self.data) // _BLOCK, 5: _BLOCK}.get(op, 0)


def deployed(flash, commands):
    """Whether it came to its end."""
    vfs.mount(vfs.VfsLfs2(flash), "/")
    names = {"print": lambda *values: None}
    try:
        for command in commands:
            exec(command, names)
            if flash.left == -1:
                return False
        return True
    except OSError:
        if flash.left != -1:
            raise
        return False
    finally:
        vfs.umount("/")


def started(flash):
    """What the app says: it puts a tuple into the module `said`."""
    vfs.mount(vfs.VfsLfs2(flash), "/")
    said = []
    known = list(sys.modules)
    sys.modules["said"] = said
    path = list(sys.path)
    try:
        with open("/main.py") as f:
            exec(f.read(), {})
    except Exception as e:
        said.append(repr(e))
    finally:
        vfs.umount("/")
        sys.path[:] = path
        for name in [name for name in sys.modules if name not in known]:
            del sys.modules[name]
    return said


def main(image, commands):
    with open(image, "rb") as f:
        before = f.read()
    with open(commands) as f:
        commands = json.load(f)
    vfs.umount("/")
    sys.path[:] = [".frozen"]
    writes = 0
    done = False
    while not done:
        data = bytearray(before)
        done = deployed(Flash(data, writes), commands)
        print(json.dumps({"writes": writes, "done": done, "said": started(Flash(data, None))}))
        writes += 1


main(*sys.argv[1:])
