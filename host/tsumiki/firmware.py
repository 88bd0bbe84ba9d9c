"""Build MicroPython with the robot frozen into it: firmware --board NAME --micropython FOLDER

FOLDER is a checkout of MicroPython, and ESP-IDF must be set up (`. esp-idf/export.sh`). A board without a definition of
its own (boards/NAME/mpconfigboard.cmake) is built as the stock board whose image it takes. The build itself has been
run against a stand-in only: ESP-IDF is too large for the tests.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from .board_table import BOARDS, board
from .errors import Failed
from .firmware_file import Firmware

OLDEST = (1, 24)
ROOT = Path(__file__).resolve().parents[2]
_VERSION = re.compile(r"^#define MICROPY_VERSION_M(?:AJOR|INOR)\s+\((\d+)\)", re.M)
_MANIFEST = """include("$(PORT_DIR)/boards/manifest.py")
include("%(root)s/manifest.py")
"""
_MODULE = 'module("%s", base_path="%s")\n'


def add_arguments(parser):
    parser.epilog = "example: tsumiki firmware --board m5stack_core2"
    parser.add_argument("--board", help="one of " + ", ".join(BOARDS))
    parser.add_argument(
        "--micropython", metavar="FOLDER", default=os.getenv("MICROPYTHON_DIR"), help="its source"
    )


def run(options):
    """Returns 0, or raises `Failed`."""
    target = board(options.board)
    source = check_source(options.micropython)
    if not shutil.which("idf.py"):
        raise Failed(
            "ESP-IDF is missing: . esp-idf/export.sh first (ports/esp32/README.md of MicroPython says which)"
        )
    out = ROOT / "build" / ("firmware-" + target.name)
    out.mkdir(parents=True, exist_ok=True)
    path = manifest(target, out)
    words = [*definition(target), "FROZEN_MANIFEST=%s" % path, "BUILD=%s" % (out / "esp32")]
    port = source / "ports" / "esp32"
    for folder, more in ((source / "mpy-cross", []), (port, [*words, "submodules"]), (port, words)):
        if subprocess.run(["make", "-C", str(folder), *more], env=_environment()).returncode:
            raise Failed("the build failed in %s; what make said is above" % folder)
    return _finish(out / "esp32" / "firmware.bin", target)


# A make that called us hands its BOARD= on, which means another thing to MicroPython's.
def _environment():
    ours = (
        "MAKEFLAGS",
        "MFLAGS",
        "MAKEOVERRIDES",
        "MAKELEVEL",
        "BOARD",
        "BOARD_VARIANT",
        "BOARD_DIR",
        "PORT",
    )
    return {name: value for name, value in os.environ.items() if name not in ours}


def check_source(name):
    """The checkout's Path.  Raises `Failed` if there is none, or an old one."""
    if not name:
        raise Failed(
            "where is MicroPython's source? git clone https://github.com/micropython/micropython, "
            "then MICROPYTHON_DIR=that folder"
        )
    source = Path(name).expanduser().resolve()
    if not (source / "ports" / "esp32" / "Makefile").is_file():
        raise Failed("MICROPYTHON_DIR=%s: no source of MicroPython is there (no ports/esp32/Makefile)" % name)
    try:
        found = _VERSION.findall((source / "py" / "mpconfig.h").read_text("utf-8"))
    except OSError:
        found = ()
    version = tuple(int(number) for number in found)
    if len(version) != 2 or version < OLDEST:
        raise Failed(
            "MICROPYTHON_DIR=%s has MicroPython %s; %s or newer is needed: git checkout a later tag there"
            % (name, ".".join(found) or "before 1.19", "%d.%d" % OLDEST)
        )
    return source


def definition(target):
    """The words for make that name the board: its own definition, else the stock one of its image."""
    folder = ROOT / "boards" / target.name
    if (folder / "mpconfigboard.cmake").is_file():
        return ["BOARD_DIR=%s" % folder]
    name, _, variant = target.image.partition("-")
    return ["BOARD=%s" % name] + (["BOARD_VARIANT=%s" % variant] if variant else [])


def manifest(target, out):
    """Path of the manifest of a board's image: its own, else one written to the folder `out`."""
    folder = ROOT / "boards" / target.folder
    if (folder / "manifest.py").is_file():
        return folder / "manifest.py"
    if not (folder / "board.py").is_file():
        raise Failed("boards/%s/board.py is missing: this clone has no %s" % (target.folder, target.name))
    path = out / "manifest.py"
    modules = sorted(one.relative_to(folder).as_posix() for one in folder.rglob("*.py"))
    lines = [_MANIFEST % {"root": ROOT}]
    lines += ['require("%s")\n' % name for name in _libraries()]
    lines += [_MODULE % (name, folder) for name in modules]
    path.write_text("".join(lines), "utf-8")
    return path


def _libraries():
    try:
        from package import DRIVERS_NEED  # in host/
    except ModuleNotFoundError:
        raise Failed("only a clone of the repository can be built: make firmware there")
    return [name for name, _ in DRIVERS_NEED]


def _finish(path, target):
    try:
        built = Firmware(path.read_bytes(), target)
    except OSError as e:
        raise Failed("the build left no %s: %s" % (path, e.strerror))
    print("%s: %d bytes, SHA-256 %s" % (path, len(built.data), built.sha256))
    print("onto the board: make flash BOARD=%s FIRMWARE=%s" % (target.name, os.path.relpath(path)))
    return 0
