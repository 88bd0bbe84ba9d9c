"""A board on a USB cable: unix MicroPython on a terminal of its own, and between it and the port a slow, noisy line.

The port is a pseudo terminal under a name of its own, as a board's is: it comes and goes with the board.
"""

import os
import pty
import random
import select
import signal
import subprocess
import termios
import threading
import time
import tty

import interpreter
from install import ROOT

_BYTES_PER_S = 11520  # 115200 baud, 8N1
_PIECE = 60
BANNER = (
    b"\x00\xe0\xffets Jul 29 2019 12:21:46\r\n\r\nrst:0xc (SW_CPU_RESET),boot:0x13 (SPI_FAST_FLASH_BOOT)\r\n"
    b"\x1b[0;32mI (31) boot: ESP-IDF\x1b[0m\r\n"
)


def _terminal(signals):
    """(master, slave) of a terminal that passes bytes as they are, but for Ctrl-C where it makes signals."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    if signals:
        settings = termios.tcgetattr(slave)
        settings[3] |= termios.ISIG
        termios.tcsetattr(slave, termios.TCSANOW, settings)
    return master, slave


class Board:
    """command: arguments of MicroPython.  folder: Path, where the port's name is.

    arrived: list of (time, count) of bytes that came from the host.  sent, said: bytes that went to and came from the
    program.  spoils: bool, what comes from the host is damaged.  seed: of where the pieces of the line are cut.
    """

    def __init__(self, command, folder, seed=0):
        self._command = [interpreter.need(), *(str(c) for c in command)]
        self.port = folder / "port"
        self.arrived = []
        self.sent = self.said = b""
        self._random = random.Random(seed)
        self._noise = []
        self.spoils = False
        self._ends = False
        self._process = None
        self._console = self._line = None
        self.plug()
        self.start()
        self._threads = [threading.Thread(target=pump, daemon=True) for pump in (self._up, self._down)]
        for thread in self._threads:
            thread.start()

    def plug(self):
        """The port is there."""
        self._line = _terminal(False)
        self.port.unlink(missing_ok=True)
        self.port.symlink_to(os.ttyname(self._line[1]))

    def unplug(self):
        """The port is gone, and whoever has it open notices."""
        line, self._line = self._line, None
        self.port.unlink()
        for file in line:
            os.close(file)

    def start(self):
        """The program begins."""
        self._console = _terminal(True)
        # The first terminal that the leader of a session opens is its own: Ctrl-C reaches it from there.
        own = ["sh", "-c", 'exec "$@" <>"$0" >&0 2>&0', os.ttyname(self._console[1])]
        self._process = subprocess.Popen(
            [*own, *self._command],
            stdin=subprocess.DEVNULL,
            env=interpreter.environment(),
            start_new_session=True,
        )

    def kill(self):
        """The program ends in the middle of whatever it does."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        console, self._console = self._console, None
        time.sleep(0.05)
        for file in console:
            os.close(file)

    def ended(self, within_s=5):
        """The status with which the program has ended."""
        return self._process.wait(within_s)

    def reset(self, noise=BANNER):
        """It begins anew, and the line has something to say of it."""
        self.kill()
        self.say(noise)
        self.start()

    def say(self, noise):
        """The host sees these bytes, wherever they fall."""
        self._noise.append(noise)

    def type(self, data):
        """Somebody else types at the board."""
        os.write(self._console[0], data)

    def close(self):
        self._ends = True
        for thread in self._threads:
            thread.join(2)
        if self._process.poll() is None:
            self.kill()

    # From the board to the host: no faster than the line, cut anywhere.
    def _up(self):
        while not self._ends:
            if self._noise:
                self._put(self._line, self._noise.pop(0))
            data = self._get(self._console, self._random.randint(1, _PIECE))
            if data:
                self.said += data
                self._put(self._line, data)
                time.sleep(len(data) / _BYTES_PER_S)

    def _down(self):
        while not self._ends:
            data = self._get(self._line, self._random.randint(1, _PIECE))
            if data:
                self.arrived.append((time.monotonic(), len(data)))
                self.sent += data
                self._put(self._console, data.replace(b":", b";") if self.spoils else data)
                time.sleep(len(data) / _BYTES_PER_S)

    @staticmethod
    def _get(terminal, most):
        try:
            if terminal and select.select([terminal[0]], [], [], 0.02)[0]:
                return os.read(terminal[0], most)
        except (OSError, ValueError):
            pass  # It has just gone.
        if not terminal:
            time.sleep(0.02)
        return b""

    @staticmethod
    def _put(terminal, data):
        try:
            if terminal:
                os.write(terminal[0], data)
        except OSError:
            pass

    def most_within(self, seconds):
        """The most bytes that came from the host within so long, beyond what the line's own speed spreads."""
        return max(
            (sum(n for t, n in self.arrived if begin <= t < begin + seconds) for begin, _ in self.arrived),
            default=0,
        )


def script(name):
    """A script of this folder."""
    return ROOT / "host_tests" / "host" / name
