"""What of the firmware a deploy puts on a board: one build for all of them.

Bytecode is the same for every chip. A module of native code (viper) goes as source, and the board compiles it.
"""

import hashlib
from typing import NamedTuple

from .errors import Failed
from .image import robot_files

MAIN = "main.py"
_ARCH = 2  # Byte 2 of a .mpy: its upper six bits name a chip, and are 0 in bytecode (py/persistentcode.h).


class Payload(NamedTuple):
    """board: str.  version: str, of the firmware.  files: {path: bytes} of a slot.  main: bytes of main.py."""

    board: str
    version: str
    files: dict
    main: bytes


def payload(target):
    """The `Payload` of a `board_table.Board`.  Raises `Failed`."""
    import mpy  # in host/, as robot_files says where it is missing
    from package import version

    files = robot_files(target)
    main = files.pop(MAIN)
    places = (mpy.ROOT / "firmware", mpy.ROOT / "boards" / target.folder)
    for name in [name for name, data in files.items() if name.endswith(".mpy") and data[_ARCH] >> 2]:
        source = name[: -len("mpy")] + "py"
        found = [place / source for place in places if (place / source).is_file()]
        if not found:
            raise Failed("the source of %s is missing" % name)
        del files[name]
        files[source] = found[0].read_bytes()
    return Payload(target.name, version(), files, main)


def digest(data):
    """SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()
