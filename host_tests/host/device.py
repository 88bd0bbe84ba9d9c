"""A stand-in for a board on a serial port: a pty, and behind it unix MicroPython in its own raw REPL.

unix MicroPython speaks the raw REPL and raw paste itself; what it lacks is added here: a soft reset starts it anew, its
root is a LittleFS in a file (device_boot.py), and its power and its cable can be cut.
"""

import os
import pty
import select
import signal
import subprocess
import termios
import threading
import time
import tty
from pathlib import Path

from littlefs import LittleFS

import interpreter

_BOOT = Path(__file__).with_name("device_boot.py")
_BLOCK = 4096
_SAID = 1 << 16
_UP = b"boot:0x13"  # device_boot.py
_QUIET_SECONDS = 0.15


class StandIn:
    """folder: Path, where its flash lies.  blocks: int, the size of that, in blocks of 4 KiB.  heap: str, as `512K`.

    port: str, the name of the serial port.  said: bytearray, the last that it printed.
    """

    def __init__(self, folder, blocks=256, heap="2M"):
        self.image = folder / "flash.bin"
        if not self.image.exists():
            self.image.write_bytes(b"\xff" * blocks * _BLOCK)
        self._heap = heap
        self._blocks = blocks
        self.said = bytearray()
        self._child = None
        self._stop, self._stopped = os.pipe()
        self._thread = None
        self.plug()
        self.power()

    def plug(self):
        """Plug the cable in: the port is another than before."""
        self._outer, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.port = os.ttyname(self._slave)

    def power(self, writes=None, main=True):
        """Switch it on.  writes: int, after so many writes to the flash the power goes."""
        self._writes = writes
        self._since_prompt = b""
        self._start(main)
        self._thread = threading.Thread(target=self._relay, daemon=True)
        self._thread.start()

    def plug_anew(self, writes=None):
        """Switch it on, with its cable in."""
        if self._outer is None:
            self.plug()
        self.said.clear()
        self.power(writes)

    def pull(self):
        """Pull the cable: the board goes on."""
        outer, self._outer = self._outer, None
        os.close(outer)
        os.close(self._slave)

    def off(self):
        """Switch it off, and wait until it is."""
        self._child.kill()
        self._halt()

    def is_off(self):
        """Whether the power has gone; waits a little for it."""
        self._thread.join(5)
        return not self._thread.is_alive()

    def close(self):
        self._halt()
        self._child.kill()
        self._child.wait()
        if self._outer is not None:
            self.pull()
        for fd in (self._stop, self._stopped):
            os.close(fd)

    def _halt(self):
        if self._thread.is_alive():
            os.write(self._stopped, b"x")
            self._thread.join(10)
            os.read(self._stop, 1)

    def _start(self, main):
        inner, slave = pty.openpty()
        _as_uart(slave)
        left = "-" if self._writes is None else str(self._writes)
        command = [interpreter.need(), "-X", "heapsize=" + self._heap, "-i", _BOOT, self.image, left]
        self._child = subprocess.Popen(
            [*command, "main" if main else "raw", os.ttyname(slave)],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "MICROPYPATH": ".frozen"},
            start_new_session=True,
        )
        os.close(slave)
        self._inner = inner
        self._raw = not main
        self._booted = b""

    # The line in both directions, until the power goes or the test ends.
    def _relay(self):
        while True:
            up = self._booted is None
            outer = self._outer if up else None
            watched = [self._inner, self._stop, *([outer] if outer else [])]
            ready, _, _ = select.select(watched, [], [], 0.5 if up else _QUIET_SECONDS)
            if not up and not ready and _UP in self._booted:
                self._is_up()
            if self._stop in ready:
                break
            if outer in ready:
                self._from_host(outer)
            if self._inner in ready and not self._from_board():
                break
        os.close(self._inner)

    def _from_host(self, outer):
        try:
            data = os.read(outer, 4096)
        except OSError:
            return
        self._since_prompt += data
        os.write(self._inner, data)

    # False if the power has gone.
    def _from_board(self):
        try:
            data = os.read(self._inner, 4096)
        except OSError:
            data = b""
        if data:
            if data.endswith(b">"):
                self._since_prompt = b""
            self._tell(data)
            self._look_whether_up(data)
            return True
        os.close(self._inner)
        if self._child.wait() == -signal.SIGKILL:
            self._inner = os.open(os.devnull, os.O_RDONLY)
            if self._outer is not None:
                self.pull()
            return False
        # Ctrl-D at the prompt stays in the raw REPL; any other end is a reset.
        soft = self._since_prompt == b"\x04"
        self._tell(b"MPY: soft reboot\r\n" if soft else b"rst:0x1\r\n")
        self._start(main=not soft)
        return True

    # A key that is pressed before the interpreter is there would be lost, or end it; and unix MicroPython may hang if a
    # signal meets it in an allocation. So what the host sends waits for a prompt, or for main.py to have settled.
    def _look_whether_up(self, data):
        if self._booted is not None:
            self._booted += data
            if _UP in self._booted and self._booted.endswith(b">>> "):
                self._is_up()

    def _is_up(self):
        self._booted = None
        if self._raw:
            os.write(self._inner, b"\r\x01")

    def _tell(self, data):
        self.said += data
        del self.said[:-_SAID]
        if self._outer is not None:
            os.write(self._outer, data)

    def wait_for(self, text, seconds=10):
        """Wait until it has printed a text: bytes."""
        end = time.monotonic() + seconds
        while text not in self.said:
            assert time.monotonic() < end, bytes(self.said)
            time.sleep(0.01)

    def files(self):
        """{path: bytes} of the file system in its flash, as another reader of LittleFS sees it."""
        fs = LittleFS(block_size=_BLOCK, block_count=self._blocks, mount=False)
        fs.context.buffer = bytearray(self.image.read_bytes())
        fs.mount()
        found = {}
        for folder, _, names in fs.walk("/"):
            for name in names:
                path = folder.rstrip("/") + "/" + name
                with fs.open(path, "rb") as f:
                    found[path] = f.read()
        return found

    def write(self, files):
        """Put files onto it while it is off: {path: bytes}."""
        fs = LittleFS(block_size=_BLOCK, block_count=self._blocks, mount=False)
        fs.context.buffer = bytearray(self.image.read_bytes())
        try:
            fs.mount()
        except Exception:
            fs.format()
            fs.mount()
        for path, data in files.items():
            fs.makedirs(os.path.dirname(path), exist_ok=True)
            with fs.open(path, "wb") as f:
                f.write(data)
        fs.unmount()
        self.image.write_bytes(fs.context.buffer)


# As a UART is: no echo, no lines, nothing translated; Ctrl-C interrupts, and what was typed after it stays.
def _as_uart(fd):
    tty.setraw(fd)
    mode = termios.tcgetattr(fd)
    mode[3] |= termios.ISIG | termios.NOFLSH
    mode[6][termios.VSUSP] = mode[6][termios.VQUIT] = b"\x00"
    termios.tcsetattr(fd, termios.TCSANOW, mode)
