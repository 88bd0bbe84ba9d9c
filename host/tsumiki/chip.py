"""The chip on the other end of a serial port, by way of esptool: all that reads or writes flash goes through here."""

import os
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import NamedTuple

from .board_table import CHIP_NAMES
from .errors import Failed

BAUD = 460800
_LIMIT_S = 900
_TYPE = re.compile(r"^Chip type: +(ESP[0-9A-Z]+(?:-[A-Z]\d+)?)", re.M)
_FLASH = re.compile(r"^Detected flash size: (\d+)(KB|MB)", re.M)
_UNITS = {"KB": 1024, "MB": 1024 * 1024}
_FATAL = re.compile(r"(?:A fatal error occurred: |Error: )(.+)", re.S)
# What esptool says, and what to do about it; the first that fits.
_ADVICE = (
    (
        r"No such file|FileNotFound|cannot find the file",
        "there is no port {port}: plug the board in, and leave PORT= out to see what is there",
    ),
    (
        r"Permission denied|PermissionError|Access is denied",
        "the port {port} may not be opened: add yourself to its group "
        "(sudo usermod -aG dialout $USER), and log in again",
    ),
    (
        r"resource busy|exclusively lock|resource temporarily|in use",
        "the port {port} is busy: close the program that has it open (a REPL, a serial monitor)",
    ),
    (
        r"Could not open",
        "the port {port} cannot be opened: leave PORT= out to see what is there",
    ),
    (
        r"Failed to connect|No serial data|Wrong boot mode",
        "the chip on {port} does not answer: put the board into download mode (CoreS3 and the kit: hold reset "
        "for 3 s, until the green light), or go slower: BAUD=115200",
    ),
    (
        r"does not match|MD5 of file|corrupt|timed? ?out|data stream stopped|Lost connection",
        "the connection to {port} is bad: another cable or USB socket, or go slower: BAUD=115200",
    ),
)


class Found(NamedTuple):
    """chip: esptool's name, as in `board_table`.  flash: bytes."""

    chip: str
    flash: int


def run_esptool(arguments, show=False, limit_s=_LIMIT_S):
    """Run the pinned esptool as a process of its own: (exit status, all that it said).  show: print it as it comes."""
    with subprocess.Popen(
        [sys.executable, "-m", "esptool", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=dict(os.environ, COLUMNS="200", NO_COLOR="1"),
    ) as process:
        timer = threading.Timer(limit_s, process.kill)
        timer.start()
        try:
            said = []
            while part := process.stdout.read1(4096):
                said.append(part)
                if show:
                    sys.stdout.write(part.decode("utf-8", "replace"))
                    sys.stdout.flush()
        finally:
            timer.cancel()
            if sys.exc_info()[0]:
                process.terminate()
    return process.returncode, b"".join(said).decode("utf-8", "replace")


def reason(said):
    """The reason in what esptool said: its last words, on one line."""
    found = _FATAL.findall(said)
    return " ".join((found[-1] if found else said[-300:]).split())


class Chip:
    """port: str.  baud: int.  run: stands in for `run_esptool` in tests.  All methods raise `Failed`."""

    def __init__(self, port, baud=BAUD, run=run_esptool):
        self.port = port
        self.baud = baud
        self._run = run

    def identify(self):
        """`Found`: what is on the port."""
        said = self._esptool("flash-id")
        kind, flash = _TYPE.search(said), _FLASH.search(said)
        if not kind or not flash:
            raise Failed("the chip on %s does not say what it is: %s" % (self.port, reason(said)))
        names = {name: chip for chip, name in CHIP_NAMES.items()}
        # An ESP32 gives the name of its package, as ESP32-D0WDQ6.
        name = kind.group(1)
        chip = names.get(name) or ("esp32" if re.match(r"ESP32-[DUP]\d", said[kind.start(1) :]) else name)
        return Found(chip, int(flash.group(1)) * _UNITS[flash.group(2)])

    def read(self, offset, size, show=False):
        """bytes of the flash."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "flash"
            self._esptool("read-flash", hex(offset), hex(size), str(path), show=show)
            data = path.read_bytes()
        if len(data) != size:
            raise Failed("read %d of %d bytes from %s: try again" % (len(data), size, self.port))
        return data

    def write(self, parts, erase=False):
        """parts: [(offset, bytes)].  erase: bool, the whole flash first.  esptool compares what it wrote."""
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for offset, data in parts:
                path = Path(folder) / hex(offset)
                path.write_bytes(data)
                names += [hex(offset), str(path)]
            self._esptool("write-flash", *(["--erase-all"] if erase else []), *names, show=True)

    def _esptool(self, *command, show=False):
        status, said = self._run(["--port", self.port, "--baud", str(self.baud), *command], show=show)
        if status:
            raise Failed(_advice(said, self.port))
        return said


def _advice(said, port):
    why = reason(said)
    for pattern, advice in _ADVICE:
        if re.search(pattern, why, re.I):
            return "%s\n(esptool: %s)" % (advice.format(port=port), why)
    return "esptool failed on %s: %s" % (port, why)
