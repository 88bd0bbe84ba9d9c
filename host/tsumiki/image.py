"""All of the robot in one image of a board's file system: image --board NAME [--port PORT]

The firmware is compiled, board.mpy is the board's, and main.py is source, as MicroPython wants it. Without a port the
image is only written to build/; with one it goes to the board, which must have MicroPython already (flash).
"""

import hashlib
import json
import os
from pathlib import Path

from . import flash, partitions
from .board_table import TABLE_OFFSET, TABLE_SIZE, VFS_OFFSET, board
from .chip import Chip
from .errors import Failed
from .firmware_file import Firmware

CONFIG = "config.json"
ESP32 = "xtensawin"


def add_arguments(parser):
    parser.epilog = "example: tsumiki image --board m5stack_core2"
    flash.add_chip_arguments(parser)
    parser.add_argument(
        "--firmware", metavar="FILE", help="the MicroPython that is to be on the board, if not stock"
    )
    parser.add_argument("--config", metavar="FILE", help="preferences to carry in, as config.json")
    parser.add_argument(
        "--erase", action="store_true", help="replace a board's files though it has preferences"
    )
    parser.add_argument("--out", metavar="FILE", help="where the image goes (build/tsumiki-BOARD.littlefs)")


def run(options, chip=Chip):
    """Returns 0, or raises `Failed`.  chip: stands in for the serial port in tests."""
    target = board(options.board)
    there = chip(options.port, options.baud) if options.port else None
    offset, size = _place(options, target, there)
    config = _config(options.config)
    if there and not options.erase:
        _check_no_config(there, offset, size)
    files = robot_files(target)
    if config is not None:
        files[CONFIG] = config
    data = _make(files, size)
    out = _write(options.out, target, data, private=config is not None)
    print(
        "%s: %d files, %d bytes of %d, SHA-256 %s"
        % (out, len(files), len(data), size, hashlib.sha256(data).hexdigest())
    )
    if there:
        there.write([(offset, data)])
        print("The robot is on the board.")
    else:
        print(
            "for a board with nothing to lose: esptool --chip %s write-flash 0x%x %s"
            % (target.chip, offset, out)
        )
    return 0


def robot_files(target, march=ESP32):
    """{path: bytes} of what a board runs.  target: `board_table.Board`.  Raises `Failed`."""
    try:
        import mpy  # in host/
    except ModuleNotFoundError:
        raise Failed("only a clone of the repository can do this: make image BOARD=%s there" % target.name)

    folder = mpy.ROOT / "boards" / target.folder
    if not (folder / "board.py").is_file():
        raise Failed("boards/%s/board.py is missing: this clone has no %s" % (target.folder, target.name))
    try:
        tree = mpy.build(march)
    except mpy.Failed as e:
        raise Failed(str(e))
    files = {}
    for top in (tree / "firmware", tree / "boards" / target.folder):
        found = {path.relative_to(top).as_posix(): path.read_bytes() for path in top.rglob("*.mpy")}
        twice = sorted(set(files) & set(found))
        if twice:
            raise Failed("the firmware and the board both have %s" % ", ".join(twice))
        files.update(found)
    # MicroPython starts main.py, and no main.mpy.
    del files["main.mpy"]
    files["main.py"] = (mpy.ROOT / "firmware" / "main.py").read_bytes()
    return files


def _make(files, size):
    from .filesystem import make  # which needs littlefs-python

    return make(files, size)


def _place(options, target, there):
    """(offset, size) of the file system: as the board says, else the image of MicroPython, else the stock one."""
    if there:
        found = flash.check_chip(there, target)
        table = partitions.parse(there.read(TABLE_OFFSET, TABLE_SIZE))
        place = partitions.vfs(table, found.flash)
        if not any(one.app for one in table) or place is None:
            raise Failed("the board has no MicroPython: make flash BOARD=%s first" % target.name)
        return place
    if options.firmware:
        try:
            return Firmware(Path(options.firmware).read_bytes(), target).vfs(target.flash)
        except OSError as e:
            raise Failed("FIRMWARE=%s: %s" % (options.firmware, e.strerror))
    return VFS_OFFSET, target.vfs_size


def _config(name):
    if not name:
        return None
    try:
        data = Path(name).read_bytes()
        if isinstance(json.loads(data), dict):
            return data
    except OSError as e:
        raise Failed("CONFIG=%s: %s" % (name, e.strerror))
    except ValueError as e:
        raise Failed("CONFIG=%s is no JSON: %s" % (name, e))
    raise Failed("CONFIG=%s is no JSON object of preferences" % name)


def _check_no_config(there, offset, size):
    from .filesystem import read

    print("looking at the board's files ...", flush=True)
    if read(lambda at, count: there.read(offset + at, count), size, [CONFIG]):
        raise Failed(
            "the board has preferences, which the image would replace: save them (mpremote cp :%s %s), then "
            "CONFIG=%s ERASE=1" % (CONFIG, CONFIG, CONFIG)
        )


# Preferences hold passwords: such an image is for its owner's eyes.
def _write(name, target, data, private):
    out = Path(name or "build/tsumiki-%s.littlefs" % target.name)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.unlink(missing_ok=True)
        with open(
            os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o644), "wb"
        ) as file:
            file.write(data)
    except OSError as e:
        raise Failed("%s cannot be written: %s" % (out, e.strerror))
    return out
