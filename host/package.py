"""Write the file lists by which `mip` installs the library without the robot, package.json, and the drivers alone."""

import json
import re

from install import ROOT, Failed

FIRMWARE = ROOT / "firmware"
# The library: MCP, HTTP and the network, and the two put together. Wi-Fi is the board's own affair.
LIBRARY = ("umcp/*.py", "http1/*.py", "net/*.py", "mcpserver.py")
LEFT_OUT = ("net/wifi.py",)
DRIVERS = ("drivers/*.py",)
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
    return _package(LIBRARY, ())


def drivers():
    """What drivers.json should hold."""
    return _package(DRIVERS, DRIVERS_NEED)


def _package(patterns, deps):
    files = sorted(
        path.relative_to(FIRMWARE).as_posix() for pattern in patterns for path in FIRMWARE.glob(pattern)
    )
    urls = [[name, "firmware/" + name] for name in files if name not in LEFT_OUT]
    return {"urls": urls, "deps": [list(dep) for dep in deps], "version": version()}


def text(content):
    """One file a line, so that a diff shows what came and went."""
    lines = ",\n".join("    " + json.dumps(pair) for pair in content["urls"])
    rest = json.dumps({k: v for k, v in content.items() if k != "urls"})[1:]
    return '{\n  "urls": [\n%s\n  ],\n  %s\n' % (lines, rest.replace("}", "\n}"))


def main():
    (ROOT / "package.json").write_text(text(package()), "utf-8")
    (ROOT / "drivers.json").write_text(text(drivers()), "utf-8")


if __name__ == "__main__":
    try:
        main()
    except Failed as e:
        raise SystemExit(str(e)) from None
