"""A MicroPython image for a board: is it whole, and is it for that board?

It holds the bootloader, the partition table and the program, in the places that they have in flash. The bootloader and
the program each have a header with the chip, and a SHA-256 at their end; esptool reads them.
"""

import hashlib
import re
import tempfile
from pathlib import Path

from . import partitions
from .board_table import CHIP_IDS, CHIP_NAMES, SECTOR, TABLE_OFFSET
from .chip import reason, run_esptool
from .errors import Failed

_CHIP = re.compile(r"^Chip ID: (\d+)", re.M)
_VALID = (
    (re.compile(r"^Checksum: .*\(valid\)$", re.M), "its checksum is wrong"),
    (
        re.compile(r"^Validation hash: .*\(valid\)$", re.M),
        "the SHA-256 at its end is wrong, or there is none",
    ),
)
_AGAIN = "it is damaged or not all there: get it anew"


class Firmware:
    """A checked image.

    data: bytes.  sha256: str, of all of it, in hex.  table: [partitions.Partition].
    """

    def __init__(self, data, board):
        self.data = data
        self.sha256 = hashlib.sha256(data).hexdigest()
        self._board = board
        self.table = self._check()

    def parts(self):
        """[(offset, bytes)] to write: all but the data partitions where the image is blank.

        The image bridges its gaps with FF. Written, they would erase what the board keeps there (NVS).
        """
        start, cuts = self._board.offset, []
        for one in sorted(self.table, key=lambda p: p.offset):
            inside = self.data[one.offset - start : one.end - start]
            if not one.app and not inside.strip(b"\xff"):
                cuts.append((one.offset, one.end))
        found = []
        for begin, end in [*cuts, (start + len(self.data), 0)]:
            piece = self.data[start - self._board.offset : begin - self._board.offset]
            if piece.strip(b"\xff"):
                found.append((start, piece))
            start = max(start, end)
        return found

    def vfs(self, flash):
        """(offset, size) of the user's files on a flash of so many bytes.  Raises `Failed` if there is no room."""
        found = partitions.vfs(self.table, flash)
        if found is None:
            raise Failed("the image needs more than the %d bytes of this board's flash" % flash)
        return found

    def _check(self):
        if not self.data:
            raise Failed("the image is empty: get it anew")
        if len(self.data) > self._board.flash:
            raise Failed(
                "the image has %d bytes, the board's flash %d: wrong file?"
                % (len(self.data), self._board.flash)
            )
        _check_program(self.data, self._board, "bootloader")
        at = TABLE_OFFSET - self._board.offset
        table = partitions.parse(self.data[at:])
        apps = [one for one in table if one.app]
        if not apps:
            raise Failed(
                "the image holds no partition table: take the whole image (%s-….bin), not the .app-bin"
                % self._board.image
            )
        program = self.data[apps[0].offset - self._board.offset :]
        if not program:
            raise Failed("the image ends before its program, at %d bytes: %s" % (len(self.data), _AGAIN))
        if any(one.offset % SECTOR for one in table):
            raise Failed("the image's partitions are not on whole sectors of %d bytes" % SECTOR)
        _check_program(program, self._board, "program")
        return table


def _check_program(data, board, what):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "image"
        path.write_bytes(data)
        status, said = run_esptool(["--chip", board.chip, "image-info", str(path)])
    if status:
        raise Failed("the image's %s cannot be read: %s; %s" % (what, reason(said), _AGAIN))
    found = _CHIP.search(said)
    number = int(found.group(1)) if found else -1
    if CHIP_IDS.get(number) != board.chip:
        raise Failed(
            "the image is for another chip (%s); %s has an %s and takes %s-….bin"
            % (
                CHIP_NAMES.get(CHIP_IDS.get(number), "number %d" % number),
                board.name,
                CHIP_NAMES[board.chip],
                board.image,
            )
        )
    for pattern, wrong in _VALID:
        if not pattern.search(said):
            raise Failed("the image's %s: %s; %s" % (what, wrong, _AGAIN))
