"""What a deploy does on the robot: this text goes through the raw REPL, and its functions are called there.

MicroPython; no firmware need be on the board.  Paths are absolute.  OSError goes through.
"""

import binascii
import hashlib
import os

_out = []
_NOTHING = (2, 20)  # ENOENT, ENOTDIR


def state(path):
    """(SHA-256 in hex, bytes) of a file, or None if there is none."""
    try:
        size = os.stat(path)[6]
    except OSError as e:
        if e.errno not in _NOTHING:
            raise
        return None
    digest = hashlib.sha256()
    buf = memoryview(bytearray(1024))
    with open(path, "rb") as f:
        while True:
            count = f.readinto(buf)
            if not count:
                return binascii.hexlify(digest.digest()).decode(), size
            digest.update(buf[:count])


def states(folder, names):
    return [state(folder + name) for name in names]


def space():
    """(bytes of a block, blocks that are free, blocks in all)."""
    found = os.statvfs("/")
    return found[0], found[3], found[2]


def read(path):
    """bytes, or None if there is no such file. One that cannot be read is not as good as none: it would be replaced."""
    try:
        with open(path, "rb") as f:
            return f.read()
    except OSError as e:
        if e.errno not in _NOTHING:
            raise
        return None


def make_folders(path):
    """Those that a file's path goes through."""
    at = path.find("/", 1)
    while at > 0:
        try:
            os.mkdir(path[:at])
        except OSError as e:
            if e.errno != 17:  # EEXIST
                raise
        at = path.find("/", at + 1)


def begin(path):
    make_folders(path)
    _out[:] = [open(path, "wb")]


def more(text):
    """text: base64."""
    _out[0].write(binascii.a2b_base64(text))


def end():
    """The file is in flash when this returns: closing it writes it out."""
    _out.pop().close()


def copy(source, path):
    make_folders(path)
    buf = memoryview(bytearray(1024))
    with open(source, "rb") as f:
        with open(path, "wb") as out:
            while True:
                count = f.readinto(buf)
                if not count:
                    return
                out.write(buf[:count])


def rename(old, new):
    """One step of the file system: whatever happens, `new` is what it was or what it becomes."""
    os.rename(old, new)


def remove(folder, names):
    """Remove files that may be there, and the folders in `folder` that this leaves empty."""
    for name in names:
        try:
            os.remove(folder + name)
        except OSError as e:
            if e.errno != 2:  # ENOENT
                raise
        inside = name
        while "/" in inside:
            inside = inside[: inside.rindex("/")]
            try:
                os.rmdir(folder + inside)
            except OSError:
                break


def largest(count):
    """The largest files of the board: list of (bytes, path)."""
    found = []
    folders = ["/"]
    while folders:
        folder = folders.pop()
        for entry in os.ilistdir(folder):
            path = folder + entry[0]
            if entry[1] == 0x4000:
                folders.append(path + "/")
            else:
                found.append((os.stat(path)[6], path))
    return sorted(found)[-count:]
