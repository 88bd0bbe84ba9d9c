"""Put MicroPython on a board: flash --board NAME [--port PORT]

What the board keeps stays: its files, and its NVS, unless --erase says otherwise. A StackChan kit's NVS is saved to a
file first, for the factory put the zero of its servos there.
"""

import os
from pathlib import Path

from . import partitions, ports
from .board_table import BOARDS, CHIP_NAMES, RELEASE, SECTOR, TABLE_OFFSET, TABLE_SIZE, board
from .chip import BAUD, Chip
from .download import download
from .errors import Failed
from .firmware_file import Firmware

URL = "https://micropython.org/resources/firmware"
LITTLEFS = b"littlefs"  # in each of the two blocks that a file system starts with
NVS_OFFSET = 0x9000
NVS_SIZE = 0x6000


def add_arguments(parser):
    parser.epilog = "example: tsumiki flash --board m5stack_core2"
    add_chip_arguments(parser)
    parser.add_argument("--firmware", metavar="FILE", help="the image; without it the stock one is fetched")
    parser.add_argument("--sha256", metavar="HEX", help="what the image's SHA-256 must be")
    parser.add_argument(
        "--release", default=RELEASE, help="of MicroPython, as in the image's name (%(default)s)"
    )
    parser.add_argument(
        "--url",
        default=os.getenv("TSUMIKI_FIRMWARE_URL", URL),
        help="where images are, without the name (%(default)s)",
    )
    parser.add_argument(
        "--erase", action="store_true", help="erase the whole flash first: files, preferences, NVS"
    )
    parser.add_argument("--backup", metavar="FILE", help="where a kit's NVS goes (nvs-BOARD.bin)")


def add_chip_arguments(parser):
    """Which board, and where it is."""
    parser.add_argument("--board", help="one of " + ", ".join(BOARDS))
    parser.add_argument("--port", help="the board's serial port; without it the only one on USB")
    parser.add_argument("--baud", type=int, default=BAUD, help="bits a second (%(default)s)")


def run(options, chip=Chip, usb_ports=ports.usb_ports):
    """Returns 0, or raises `Failed`.  chip, usb_ports: stand in for the serial port in tests."""
    target = board(options.board)
    port = ports.find(options.port, usb_ports)
    firmware = Firmware(_image(options, target), target)
    print("image: %d bytes, SHA-256 %s" % (len(firmware.data), firmware.sha256))
    _compare(firmware.sha256, options.sha256)
    there = chip(port, options.baud)
    found = check_chip(there, target)
    if not options.erase:
        _check_files_stay(there, firmware, found.flash)
    if target.keep_nvs:
        _save_nvs(there, Path(options.backup or "nvs-%s.bin" % target.name))
    there.write(firmware.parts(), erase=options.erase)
    print("MicroPython is on the board.")
    return 0


def check_chip(there, target):
    """`chip.Found` of a port, if it is that board's chip.  Raises `Failed`."""
    found = there.identify()
    if found.chip != target.chip:
        raise Failed(
            "on %s is an %s, but %s has an %s: another PORT= or another BOARD=?"
            % (there.port, CHIP_NAMES.get(found.chip, found.chip), target.name, CHIP_NAMES[target.chip])
        )
    return found


def _image(options, target):
    if options.firmware:
        try:
            return Path(options.firmware).read_bytes()
        except OSError as e:
            raise Failed("FIRMWARE=%s: %s" % (options.firmware, e.strerror))
    return download(
        "%s/%s-%s.bin" % (options.url.rstrip("/"), target.image, options.release), limit=target.flash
    )


def _compare(is_, wanted):
    if wanted and is_ != wanted.strip().lower():
        raise Failed(
            "the image's SHA-256 is %s, not %s: nothing was written; get the image anew" % (is_, wanted)
        )


# MicroPython formats the place of the files if it finds none there: an image with another table would lose them.
def _check_files_stay(there, firmware, flash):
    new = firmware.vfs(flash)
    try:
        table = partitions.parse(there.read(TABLE_OFFSET, TABLE_SIZE))
    except Failed as e:
        raise Failed("what is on the board cannot be told (%s): ERASE=1 writes it all anew" % e)
    old = partitions.vfs(table, flash)
    if old and old != new and LITTLEFS in there.read(old[0], 2 * SECTOR):
        raise Failed(
            "this image looks for files at 0x%x, the board has them at 0x%x, and they would be lost: save them "
            "(mpremote cp -r : folder), then ERASE=1" % (new[0], old[0])
        )


def _save_nvs(there, path):
    if path.exists():
        raise Failed(
            "%s is there already, and is not overwritten: move it away, or BACKUP=another.bin" % path
        )
    data = there.read(NVS_OFFSET, NVS_SIZE, show=True)
    try:
        with path.open("xb") as file:
            file.write(data)
    except OSError as e:
        raise Failed("the NVS cannot be saved to %s: %s; nothing was written" % (path, e.strerror))
    print("NVS saved: %s%s" % (path, "" if data.strip(b"\xff") else " (it is blank)"))
