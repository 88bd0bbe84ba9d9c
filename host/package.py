"""Write the file lists by which `mip` installs the library without the robot, the drivers alone, or the whole robot.

They are package.json, drivers.json and robot.json. All lie at the top: what they name is sought beside them, and mip
knows no `..`. A board's own module is a file by itself, boards/NAME/board.py.
"""

import json
import re

from install import ROOT, Failed

FIRMWARE = ROOT / "firmware"
# The library: MCP, HTTP and the network, and the two put together. Wi-Fi is the board's own affair.
LIBRARY = ("umcp/*.py", "http1/*.py", "net/*.py", "mcpserver.py")
NO_LIBRARY = ("net/wifi.py",)
DRIVERS = ("drivers/*.py",)
ROBOT = ("**/*.py",)
# What drives a chip already, in micropython-lib; a board that is frozen has `require(NAME)` in its manifest.
DRIVERS_NEED = (("bmi270", "latest"),)
_VERSION = re.compile(r'^VERSION = "([^"]+)"', re.M)


def version():
    """umcp.VERSION, read from the source."""
    found = _VERSION.search((FIRMWARE / "umcp" / "__init__.py").read_text("utf-8"))
    if not found:
        raise Failed("firmware/umcp/__init__.py has no VERSION")
    return found.group(1)


def package():
    """What package.json should hold."""
    return _package(LIBRARY, (), left_out=NO_LIBRARY)


def drivers():
    """What drivers.json should hold."""
    return _package(DRIVERS, DRIVERS_NEED)


def robot():
    """What robot.json should hold."""
    return _package(ROBOT, DRIVERS_NEED)


PACKAGES = {"package.json": package, "drivers.json": drivers, "robot.json": robot}


def _package(patterns, deps, left_out=()):
    files = sorted(
        path.relative_to(FIRMWARE).as_posix() for pattern in patterns for path in FIRMWARE.glob(pattern)
    )
    urls = [[name, "firmware/" + name] for name in files if name not in left_out]
    return {"urls": urls, "deps": [list(dep) for dep in deps], "version": version()}


def text(content):
    """One file a line, so that a diff shows what came and went."""
    lines = ",\n".join("    " + json.dumps(pair) for pair in content["urls"])
    rest = json.dumps({k: v for k, v in content.items() if k != "urls"})[1:]
    return '{\n  "urls": [\n%s\n  ],\n  %s\n' % (lines, rest.replace("}", "\n}"))


def main():
    for name, content in PACKAGES.items():
        (ROOT / name).write_text(text(content()), "utf-8")


if __name__ == "__main__":
    try:
        main()
    except Failed as e:
        raise SystemExit(str(e)) from None
