"""Write the twins of the scanners for MicroPython's native emitter: firmware/*/scan.py to scan_viper.py beside it.

A twin differs in three things: the stand-ins for `ptr8` and `ptr16` are left out, every function of the module is
`@micropython.viper`, and its first line says where it comes from.
"""

import re
from pathlib import Path

FIRMWARE = Path(__file__).resolve().parents[1] / "firmware"
NOTE = "# Generated from scan.py by `make viper`; do not edit.\n"
# From the empty lines and the comment over `def ptr8` to the last line that names it.
_STANDINS = re.compile(r"\n+(?:#.*\n)*def ptr8\(buf\):\n    return buf\n\n\nptr16 = ptr8\n")


def twin(source):
    """The text of scan_viper.py for the text of scan.py."""
    text, found = _STANDINS.subn("\n\nimport micropython\n", source)
    if found != 1:
        raise ValueError("scan.py has no stand-ins for ptr8 and ptr16, or more than one")
    return NOTE + re.sub(r"^def ", "@micropython.viper\ndef ", text, flags=re.M)


def scanners(firmware=FIRMWARE):
    """(scan.py, scan_viper.py) of each package that has a scanner."""
    return [(path, path.with_name("scan_viper.py")) for path in sorted(firmware.glob("*/scan.py"))]


def main():
    for source, written in scanners():
        written.write_text(twin(source.read_text("utf-8")), "utf-8")
        print(written.relative_to(FIRMWARE.parent))


if __name__ == "__main__":
    main()
