"""The virtual servos' process, for tests, and MicroPython code run against it, a line at a time."""

import os
import select
import subprocess
import sys

import interpreter
from install import ROOT
from processes import Listener
from tsumiki.chips.scs_server import View

# Reads a line, runs it, and says `= VALUE` or `! CODE: TEXT`.
_LOOP = """
import sys, time
from boards.unix.pipe_bus import connect
from boards.unix.pipe_uart import PipeUART
from drivers.scs0009 import Bus, Servos, kit
from robot.errors import ServoFault
from robot.head import Head

bus = Bus(PipeUART(connect(sys.argv[1])), time.ticks_ms, timeout_ms=2000, error=ServoFault)
servos = Servos(bus, kit(460, 620))
head = Head(servos)

def run(ms):
    start = time.ticks_ms()
    while time.ticks_diff(time.ticks_ms(), start) < ms:
        head.step(time.ticks_ms())
        time.sleep_ms(20)
    return head.busy

def finish():
    start = time.ticks_ms()
    while head.busy and time.ticks_diff(time.ticks_ms(), start) < 20000:
        run(20)
    return head.busy

def patience(ms):
    bus._timeout_ms = ms

print("ready")
for line in sys.stdin:
    try:
        print("=", repr(eval(line)))
    except ServoFault as e:
        print("!", e)
    except Exception as e:
        print("!", type(e).__name__, e)
"""
_SECONDS = 30


class ServosProcess(Listener):
    """A servo bus that listens; `address` is for the firmware, `view()` for who looks on."""

    def __init__(self):
        env = dict(os.environ, PYTHONPATH=str(ROOT / "host"))
        super().__init__([sys.executable, "-m", "tsumiki.chips.scs_server"], env, name="servos")
        self.address = "%s:%d" % (self.host, self.port)

    def view(self):
        return View(self.port, self.host)


class Driver:
    """The real driver, `servos`, and a head on it, `head`, under MicroPython, which waits long for an answer.

    `run(ms)` and `finish()` step the head and tell if it is busy; `patience(ms)` is for a bus that does not answer.
    """

    def __init__(self, address):
        self._process = subprocess.Popen(
            [interpreter.need(), "-c", _LOOP, address],
            env=interpreter.environment(),
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert self._line() == "ready"

    def __call__(self, expression):
        """What an expression comes to: its repr, or what it raises after `! `."""
        self._process.stdin.write(expression.encode() + b"\n")
        self._process.stdin.flush()
        line = self._line()
        return line[2:] if line.startswith("= ") else line

    def _line(self):
        line = b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([self._process.stdout], [], [], _SECONDS)
            byte = os.read(self._process.stdout.fileno(), 1) if ready else b""
            if not byte:
                raise AssertionError("the driver says no more after %r" % line)
            line += byte
        return line.decode().strip()

    def close(self):
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()
