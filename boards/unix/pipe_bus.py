"""A virtual panel's SPI bus and pins over a byte pipe to the process that plays the panel.

The messages are those of host/tsumiki/chips/panel_server.py.

    bus = PanelBus(connect("127.0.0.1:20001"))
    panel = ILI9342C(bus, bus.dc, bus.cs, bus.reset, bus.backlight, sleep_ms=bus.sleep_ms)
"""

import socket

from micropython import const

_IPPROTO_TCP = const(6)
_TCP_NODELAY = const(1)
_CS = const(2)
_LONGEST = const(65535)
_SECONDS = const(10)  # for one write or read
_RESET = const(0x52)  # R
_WAIT = const(0x57)  # W
_BACKLIGHT = const(0x4C)  # L
_ROW = const(0x72)  # r
_SYNC = const(0x59)  # Y


def connect(address):
    """A blocking byte stream to a virtual chip.  address: str, `HOST:PORT`.

    Raises OSError if nothing listens there, ValueError if it is no address.
    """
    host, _, port = address.rpartition(":")
    info = socket.getaddrinfo(host, int(port), 0, socket.SOCK_STREAM)[0]
    pipe = socket.socket(info[0], info[1])
    try:
        pipe.settimeout(_SECONDS)
        pipe.connect(info[-1])
        pipe.setsockopt(_IPPROTO_TCP, _TCP_NODELAY, 1)
    except OSError:
        pipe.close()
        raise
    return pipe


class PanelBus:
    """The bus and the pins.  pipe: a blocking stream with `write` and `readinto`.

    Its methods raise OSError once the panel's process has gone.
    """

    def __init__(self, pipe):
        self._pipe = pipe
        self._levels = _CS
        self._head = bytearray(3)
        self._two = bytearray(2)
        self._one = bytearray(1)
        self._four = bytearray(4)

    # The bus and its pins, as a driver wants them; the pins go with the next write.

    def write(self, buf):
        """At most 65,535 bytes; longer ones raise ValueError."""
        if len(buf) > _LONGEST:
            raise ValueError("more than 65,535 bytes at once")
        self._send(self._levels, buf)

    def dc(self, level):
        self._levels = self._levels & _CS | (1 if level else 0)

    def cs(self, level):
        self._levels = self._levels & 1 | (_CS if level else 0)

    def reset(self, level):
        self._send_number(_RESET, self._one, 1 if level else 0)

    def backlight(self, level):
        """level: 0-100."""
        self._send_number(_BACKLIGHT, self._one, level)

    def sleep_ms(self, ms):
        """The panel's time passes; ours does not."""
        self._send_number(_WAIT, self._two, ms)

    # What no bus has.

    def row(self, y, buf):
        """Put the pixels of row `y` (0-239), as they are seen, into buf: 640 bytes, RGB565, high byte first."""
        self._send_number(_ROW, self._two, y)
        self._answer(buf)

    def sync(self):
        """Wait until the panel has done all that it was told."""
        self._send(_SYNC, b"")
        self._answer(None)

    def close(self):
        self._pipe.close()

    def _send_number(self, kind, buf, number):
        for i in range(len(buf)):
            buf[i] = number >> 8 * (len(buf) - 1 - i) & 0xFF
        self._send(kind, buf)

    def _send(self, kind, buf):
        head = self._head
        head[0] = kind
        head[1] = len(buf) >> 8
        head[2] = len(buf) & 0xFF
        self._pipe.write(head)
        if buf:
            self._pipe.write(buf)

    # An answer that is late or wrong leaves nothing to build on: the pipe is closed.
    def _answer(self, buf):
        try:
            self._fill(self._four)
            if int.from_bytes(self._four, "big") != (len(buf) if buf else 0):
                raise OSError("the panel answers with another length")
            if buf:
                self._fill(buf)
        except OSError:
            self.close()
            raise

    # A blocking stream's readinto fills the buffer, or the panel's process has gone.
    def _fill(self, buf):
        if self._pipe.readinto(buf) != len(buf):
            raise OSError("the panel has gone")
