"""The virtual panel's process, for tests, and MicroPython code run against it."""

import os
import struct
import sys

import interpreter
from install import ROOT
from processes import Listener, run_limited
from tsumiki.chips.panel_kinds import ILI9342C
from tsumiki.chips.panel_server import View

WIDTH, HEIGHT = ILI9342C.width, ILI9342C.height

PRELUDE = """
import sys
from boards.unix.pipe_bus import PanelBus, connect
from drivers.gc9107 import GC9107
from drivers.ili9342c import ILI9342C
from drivers.st7735s import ST7735S

bus = PanelBus(connect(sys.argv[1]))

def made(kind=ILI9342C, **more):
    return kind(bus, bus.dc, bus.cs, bus.reset, bus.backlight, sleep_ms=bus.sleep_ms, **more)
"""


class PanelProcess(Listener):
    """A panel that listens; `address` is for the firmware, `view()` for who looks on.  arguments: of its command."""

    def __init__(self, *arguments):
        env = dict(os.environ, PYTHONPATH=str(ROOT / "host"))
        super().__init__([sys.executable, "-m", "tsumiki.chips.panel_server", *arguments], env, name="panel")
        self.address = "%s:%d" % (self.host, self.port)

    def view(self):
        return View(self.port, self.host)


def drive(panel, code, folder):
    """Run MicroPython code after PRELUDE: (what went wrong or "", output).  folder: Path, for the script."""
    script = folder / "drive.py"
    script.write_text(PRELUDE + code + "\nbus.sync()\n")
    return run_limited([interpreter.need(), script, panel.address], interpreter.environment(), ROOT)


def pixel(frame, x, y, width=WIDTH):
    """int, RGB565."""
    return struct.unpack_from(">H", frame, 2 * (y * width + x))[0]
