"""What each board's flash holds and where: the one place that knows it.

Images are those of micropython.org. The PSRAM decides which: on a CoreS3 it is quad, which the plain S3 image finds by
itself, and an octal image would take the pins of its panel; on an AtomS3R it is octal. None of this has run on the
boards themselves.
"""

from typing import NamedTuple

from .errors import Failed

SECTOR = 4096
TABLE_OFFSET = 0x8000  # ESP-IDF's default place of the partition table
TABLE_SIZE = 0xC00
# Where the user's files start if no image or board says so: the end of the `factory` partition of the stock images.
VFS_OFFSET = 0x200000
RELEASE = "20260406-v1.28.0"
_MB = 1024 * 1024


class Board(NamedTuple):
    """folder: of `boards/`.  chip: esptool's name of it.  image: stock MicroPython.  offset: where in flash it goes.

    psram: "" or what kind.  flash: bytes.  keep_nvs: bool, the factory keeps in NVS what cannot be had again.
    """

    name: str
    folder: str
    chip: str
    image: str
    offset: int
    psram: str
    flash: int
    keep_nvs: bool = False

    @property
    def vfs_size(self):
        """Bytes for the user's files with a stock image: what is left of the flash."""
        return self.flash - VFS_OFFSET


_ROWS = (
    # name, folder, chip, image, offset, PSRAM, flash
    ("m5stack_core", "m5stack_core", "esp32", "ESP32_GENERIC", 0x1000, "", 16 * _MB),
    ("m5stack_fire", "m5stack_core", "esp32", "ESP32_GENERIC-SPIRAM", 0x1000, "quad", 16 * _MB),
    ("m5stack_core2", "m5stack_core2", "esp32", "ESP32_GENERIC-SPIRAM", 0x1000, "quad", 16 * _MB),
    ("m5stack_cores3", "m5stack_cores3", "esp32s3", "ESP32_GENERIC_S3", 0, "quad", 16 * _MB),
    # The zero of its servos is in NVS, and differs from robot to robot.
    ("stackchan_kit", "stackchan_kit", "esp32s3", "ESP32_GENERIC_S3", 0, "quad", 16 * _MB, True),
    ("m5stack_atoms3r", "m5stack_atoms3r", "esp32s3", "ESP32_GENERIC_S3-SPIRAM_OCT", 0, "octal", 8 * _MB),
)
BOARDS = {row[0]: Board(*row) for row in _ROWS}
# esptool's names, by the number in an image's header (ESP-IDF, esp_chip_id_t).
CHIP_IDS = {0: "esp32", 9: "esp32s3"}
CHIP_NAMES = {"esp32": "ESP32", "esp32s3": "ESP32-S3"}


def board(name):
    """The `Board` of a name.  Raises `Failed`, which lists the names."""
    if not name:
        raise Failed("which board? BOARD=" + "|".join(BOARDS))
    if name not in BOARDS:
        raise Failed("no board is called %s: BOARD=%s" % (name, "|".join(BOARDS)))
    return BOARDS[name]
