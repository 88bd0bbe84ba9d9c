"""Run by unix MicroPython: mount an image as a board does, start from it, and keep a preference in it.

on_littlefs.py IMAGE SIZE, where the bytes of IMAGE that are missing are what was in flash before.
"""

import os
import sys

BLOCK = 4096


class Flash:
    """A block device in a file, which is `size` long."""

    def __init__(self, path, size):
        self.file = open(path, "r+b")
        self.blocks = size // BLOCK

    def readblocks(self, block, buf, offset=0):
        self.file.seek(block * BLOCK + offset)
        self.file.readinto(buf)

    def writeblocks(self, block, buf, offset=None):
        if offset is None:
            self.ioctl(6, block)
        self.file.seek(block * BLOCK + (offset or 0))
        self.file.write(buf)

    def ioctl(self, op, value):
        if op == 3:
            self.file.flush()
        if op == 4:
            return self.blocks
        if op == 5:
            return BLOCK
        if op == 6:
            self.file.seek(value * BLOCK)
            self.file.write(b"\xff" * BLOCK)
            return 0


def main(path, size):
    flash = Flash(path, int(size))
    os.mount(os.VfsLfs2(flash, progsize=32, readsize=32, lookahead=32), "/flash")
    os.chdir("/flash")
    sys.path[:] = ["", ".frozen", "/flash/lib"]
    print("files", len(os.listdir()), os.statvfs("/flash")[2])

    import app
    import device
    import http1.reader
    import robot.robot
    import umcp.server
    from config import Preferences

    for module in (app, http1.reader, robot.robot, umcp.server):
        print("from", module.__file__)
    preferences = Preferences("config.json", lambda *x: print("log", x))
    print("volume", preferences.get("robot.volume_cap"))
    preferences.set("robot.quiet_from", 77)
    device.main = lambda: print("started")
    with open("main.py") as file:
        exec(file.read(), {})
    os.chdir("/")
    os.umount("/flash")
    flash.file.close()


main(*sys.argv[1:])
