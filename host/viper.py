"""Write the twins of what loops over bytes for MicroPython's native emitter: scan.py to scan_viper.py beside it.

A twin differs in three things: the stand-ins for `ptr8` and `ptr16` are left out, every function of the module is
`@micropython.viper`, and its first line says where it comes from.
"""

import re
from pathlib import Path

FIRMWARE = Path(__file__).resolve().parents[1] / "firmware"
NOTE = "# Generated from %s by `make viper`; do not edit.\n"
# In firmware/. The scanners of bytes, and what makes sound softer.
_SOURCES = ("*/scan.py", "robot/pcm.py")
# From the empty lines and the comment over `def ptr8` to the last line that names it.
_STANDINS = re.compile(r"\n+(?:#.*\n)*def ptr8\(buf\):\n    return buf\n(?:\n\nptr16 = ptr8\n)?")


def twin(source, name="scan.py"):
    """The text of scan_viper.py for the text of scan.py, or of another file of that name."""
    text, found = _STANDINS.subn("\n\nimport micropython\n", source)
    if found != 1:
        raise ValueError("%s has no stand-ins for ptr8 and ptr16, or more than one" % name)
    return NOTE % name + re.sub(r"^def ", "@micropython.viper\ndef ", text, flags=re.M)


def scanners(firmware=FIRMWARE):
    """(scan.py, scan_viper.py) of each package that has a scanner, and the like."""
    paths = [path for source in _SOURCES for path in sorted(firmware.glob(source))]
    return [(path, path.with_name(path.stem + "_viper.py")) for path in paths]


def main():
    for source, written in scanners():
        written.write_text(twin(source.read_text("utf-8"), source.name), "utf-8")
        print(written.relative_to(FIRMWARE.parent))


if __name__ == "__main__":
    main()
