"""A board that runs MicroPython, on a serial port: mpremote's transport, and errors in plain words.

with Device("/dev/ttyACM0") as device:
    print(device.run("print(1)"), device.call("space"))
"""

import ast
import base64
import contextlib
import errno
import io
import re
import struct
import time
from pathlib import Path

import serial
from mpremote.transport import TransportError, TransportExecError
from mpremote.transport_serial import SerialTransport

from . import ports
from .errors import Failed

_HERE = Path(__file__).parent
_SECONDS = 5.0  # for one byte
_ANSWER_SECONDS = 4  # for all of a soft reset
_TRIES = 3  # A board that is starting does not hear the first.
_PIECE = 768  # bytes of a file in one command, 1,024 characters of base64
_ERRNO = re.compile(r"OSError: (?:\[Errno )?(\d+)")
_SILENT = """\
the board on %s does not answer as MicroPython does.
Is MicroPython on it? `make flash` puts it there. Else press its reset button, and try again."""
_GONE = "the board on %s went away (%s). Plug it in, and run the same command again: it goes on where it was."
_BUSY = "%s is in use by another program. Close it (a serial monitor, an editor, another mpremote), and try again."
_DENIED = """\
%s may not be opened by you. On Linux: `sudo usermod -a -G dialout $USER`, log out and in again."""


class DeviceFailed(Failed):
    """Code on the board raised.  errno: int of an OSError, or None.  trace: str, what the board printed."""

    def __init__(self, trace):
        lines = trace.strip().splitlines() or ["nothing was said"]
        super().__init__("the board says: " + lines[-1])
        self.trace = trace
        found = _ERRNO.search(lines[-1])
        self.errno = int(found.group(1)) if found else None


class Device:
    """port: str, a device or a pyserial URL, or None for the one board that is there.  Raises `Failed`."""

    def __init__(self, port=None):
        self.port = ports.find(port)
        self._transport = None

    def __enter__(self):
        self.connect()
        return self

    def __exit__(self, *error):
        self.close()

    def connect(self):
        """Stop what runs, and take over the raw REPL, after a soft reset that does not run main.py."""
        self._transport = _opened(self.port)
        for left in reversed(range(_TRIES)):
            try:
                with contextlib.redirect_stdout(
                    io.StringIO()
                ):  # mpremote prints what it does not understand.
                    self._transport.enter_raw_repl(timeout_overall=_ANSWER_SECONDS)
                break
            except (TransportError, OSError) as e:
                if not left:
                    self.close()
                    raise Failed(_SILENT % self.port) from e
        self.run((_HERE / "on_device.py").read_text("utf-8"))

    def run(self, code, seconds=10, consumer=None):
        """What a piece of code prints: str.  seconds: float, how long it may be silent.

        consumer: function of bytes, which gets what is printed as it comes; then "" is returned.
        """
        try:
            out, trace = self._transport.exec_raw(code, seconds, consumer)
        except (TransportError, OSError, struct.error) as e:
            if isinstance(e, TransportExecError):
                raise
            raise Failed(_GONE % (self.port, str(e) or type(e).__name__)) from e
        if trace:
            raise DeviceFailed(trace.decode("utf-8", "replace"))
        return "" if consumer else out.decode("utf-8", "replace")

    def start(self, code):
        """Start a piece of code that speaks over the line itself; returns the open serial port."""
        try:
            self._transport.exec_raw_no_follow(code)
        except (TransportError, OSError, struct.error) as e:
            raise Failed(_GONE % (self.port, str(e) or type(e).__name__)) from e
        return self._transport.serial

    def call(self, name, *arguments, seconds=10):
        """The value of a function of `on_device`, of arguments that are literals."""
        code = "print(repr(%s(%s)))" % (name, ", ".join(repr(a) for a in arguments))
        return ast.literal_eval(self.run(code, seconds).strip())

    def write(self, path, data):
        """Write a file where it is; folders are made.  A power cut leaves it half written."""
        self.call("begin", path)
        for at in range(0, len(data), _PIECE):
            self.call("more", base64.b64encode(data[at : at + _PIECE]).decode())
        self.call("end")

    def replace(self, path, data):
        """Write a file in one step: a power cut leaves the old one or the new one."""
        self.write(path + ".new", data)
        self.call("rename", path + ".new", path)

    def facts(self):
        """What the board is: dict of platform, machine, version (tuple), mpy (version of .mpy files, or 0)."""
        code = (
            "import sys\ni = sys.implementation\n"
            "print(repr((sys.platform, getattr(i, '_machine', ''), tuple(i.version[:3]),"
            " getattr(i, '_mpy', 0) & 255)))"
        )
        names = ("platform", "machine", "version", "mpy")
        return dict(zip(names, ast.literal_eval(self.run(code).strip())))

    def reset(self):
        """Reset the board, which then runs main.py; nothing more can be asked over this connection, but `listen`."""
        code = "import machine\ngetattr(machine, 'reset', machine.soft_reset)()"
        try:
            self._transport.exec_raw_no_follow(code)
        except (TransportError, OSError, struct.error):
            pass  # It is gone already.

    def listen(self, seconds, enough):
        """What the board prints after a reset: bytes.  enough: function of that, True if no more is wanted."""
        end = time.monotonic() + seconds
        line = self._transport.serial
        said = b""
        while time.monotonic() < end and not enough(said):
            try:
                if line is None:  # A board with USB of its own was away.
                    line = serial.serial_for_url(self.port)
                line.timeout = 0.2
                said += line.read(max(1, line.in_waiting))
            except (OSError, ValueError):
                if line is not None:
                    line.close()
                line = None
                time.sleep(0.2)
        if line is not None:
            line.close()
        self._transport = None
        return said

    def close(self):
        if self._transport is not None:
            with contextlib.suppress(OSError):
                self._transport.close()
            self._transport = None


# mpremote does not tell why a port cannot be had, so it is asked again.
def _opened(port):
    try:
        return SerialTransport(port, timeout=_SECONDS)
    except (TransportError, ValueError):
        pass
    try:
        serial.serial_for_url(port, exclusive=True).close()
    except (OSError, ValueError) as e:
        raise Failed(_why(port, e)) from e
    time.sleep(0.5)
    try:
        return SerialTransport(port, timeout=_SECONDS)
    except TransportError as e:
        raise Failed(_BUSY % port) from e


def _why(port, e):
    number = getattr(e, "errno", None)
    if number in (errno.EAGAIN, errno.EBUSY) or "exclusively lock" in str(e):
        return _BUSY % port
    if number in (errno.EACCES, errno.EPERM):
        return _DENIED % port
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return "there is no port %s. %s" % (port, _ports_there())
    return "%s cannot be opened: %s. %s" % (port, e, _ports_there())


def _ports_there():
    found = [name for name, _ in ports.usb_ports()]
    if found:
        return "There are: %s. Name the board's: PORT=%s" % (", ".join(found), found[0])
    return "No board is on USB: plug it in with a data cable, and look whether it is on."
