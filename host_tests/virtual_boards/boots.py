"""Boot traces as they are kept in golden/: what a board does until it is up, in its order.

    .venv/bin/python host_tests/virtual_boards/boots.py [NAME ...]     writes them anew: look at what changed

Pixels and a chip's firmware are told by how much came, everything else as it is.
"""

import re
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
GOLDEN = HERE / "golden"
# Name to board, options, preferences.
KINDS = {
    "m5stack_core": ("m5stack_core", (), {}),
    "m5stack_core-old": ("m5stack_core", ("old",), {}),
    "m5stack_core-fire": ("m5stack_core", ("fire",), {}),
    "m5stack_core2-axp192": ("m5stack_core2", (), {}),
    "m5stack_core2-axp2101": ("m5stack_core2", ("axp2101", "bmi270"), {}),
    "m5stack_cores3": ("m5stack_cores3", (), {}),
    "stackchan_kit": ("stackchan_kit", (), {}),
    "stackchan_kit-servos": ("stackchan_kit", (), {"servo.enabled": True}),
    "m5stack_atoms3r": ("m5stack_atoms3r", (), {}),
    "m5stack_atoms3r-2026": ("m5stack_atoms3r", ("st7735s",), {"board.panel": "st7735s"}),
}
_WINDOW = re.compile(r"(spi\d) command 2[abc]$")
_DATA = re.compile(r"spi\d data (?:(\d+) bytes .*|(.*))$")
_FIRMWARE = re.compile(r"(i2c0 6[89]) w (?:5b|5c|257 bytes) ")


def told(trace):
    """The lines of a golden file.  trace: list of str, as of `soc.Soc`."""
    lines = []
    at = 0
    while at < len(trace):
        for take in (_pixels, _firmware):
            end, line = take(trace, at)
            if end > at:
                break
        else:
            end, line = at + 1, trace[at]
        lines.append(line)
        at = end
    return lines


# Rectangles that follow one another: (index behind them, what is told of them).
def _pixels(trace, at):
    count, name = 0, ""
    while at + 1 < len(trace):
        window, data = _WINDOW.match(trace[at]), _DATA.match(trace[at + 1])
        if not window or not data:
            break
        name = window.group(1)
        if trace[at].endswith("2c"):
            count += int(data.group(1) or len(data.group(2).split()))
        at += 2
    return at, "%s pixels: %d bytes" % (name, count)


def _firmware(trace, at):
    count, name = 0, ""
    while at < len(trace) and (found := _FIRMWARE.match(trace[at])):
        name = found.group(1)
        count += "bytes" in trace[at]
        at += 1
    return at, "%s firmware in %d pieces" % (name, count)


def golden(name):
    """The lines that are kept."""
    return (GOLDEN / (name + ".txt")).read_text("utf-8").splitlines()


def main(names):
    sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "host")]
    from virtual_boards.robots import Robot

    GOLDEN.mkdir(exist_ok=True)
    for name in names or KINDS:
        board, options, preferences = KINDS[name]
        with tempfile.TemporaryDirectory() as home:
            robot = Robot(Path(home), board, preferences, options=options)
            lines = told(robot.boot())
            robot.close()
        (GOLDEN / (name + ".txt")).write_text("\n".join(lines) + "\n", "utf-8")
        print("%s: %d lines" % (name, len(lines)))


if __name__ == "__main__":
    main(sys.argv[1:])
