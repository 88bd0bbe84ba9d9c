"""The virtual panel as a process of its own, behind a byte pipe: python -m tsumiki.chips.panel_server [PORT] [KIND]

KIND is ili9342c, gc9107 or st7735s; `--old` is an ILI9342C whose glass is not inverted.

It listens on 127.0.0.1 and says where (`listening on HOST:PORT`). A message is a kind (one byte), a length (two bytes,
high byte first) and that many bytes. The firmware's side of it is boards/unix/pipe_bus.py; `View` is for who looks on.

| kind | bytes | answer |
|---|---|---|
| 0-3 | SPI: bit 0 is the level of D/C, bit 1 that of CS | |
| R | the level of the reset pin: one byte, 0 or 1 | |
| W | time that passes, ms: two bytes | |
| L | backlight, 0-100: one byte | |
| r | number of a row, two bytes | its pixels, RGB565, as they are seen |
| Y | | nothing, once all that came before is done |
| F, P, S | | the frame: RGB565, or a PNG; the state: JSON |

An answer is a length (four bytes) and that many bytes. What is no message closes the connection; the panel stays as it
is, as a panel does whose processor starts again.
"""

import json
import socketserver
import struct
import sys

from .panel import Panel
from .panel_kinds import KINDS
from .process import ChipServer, Onlooker, serve

_KINDS = b"RWLrYFPS"
_LENGTHS = {b"R"[0]: 1, b"W"[0]: 2, b"L"[0]: 1, b"r"[0]: 2}


class Server(ChipServer):
    """Serves one panel."""

    def __init__(self, panel, port=0):
        super().__init__(_Connection, port)
        self.panel = panel


class _Connection(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def handle(self):
        try:
            while self._one():
                pass
        except OSError:
            pass

    def _one(self):
        head = self.rfile.read(3)
        if len(head) < 3:
            return False
        kind, length = head[0], head[1] << 8 | head[2]
        if kind > 3 and (kind not in _KINDS or length != _LENGTHS.get(kind, 0)):
            return False
        data = self.rfile.read(length)
        if len(data) < length:
            return False
        with self.server.lock:
            answer = self._act(self.server.panel, kind, data)
        if answer is not None:
            self.wfile.write(struct.pack(">I", len(answer)) + answer)
        return True

    def _act(self, panel, kind, data):
        if kind <= 3:
            return panel.transfer(kind & 1, not kind & 2, data)
        return _ACTS[bytes((kind,))](panel, int.from_bytes(data, "big"))


def _dim(panel, level):
    panel.backlight = level


_ACTS = {
    b"R": Panel.reset,
    b"W": Panel.wait,
    b"L": _dim,
    b"r": Panel.row,
    b"Y": lambda panel, _: b"",
    b"F": lambda panel, _: panel.frame(),
    b"P": lambda panel, _: panel.png(),
    b"S": lambda panel, _: json.dumps(panel.state()).encode(),
}


class View(Onlooker):
    """Looks at a panel that a process serves."""

    def frame(self):
        """bytes of all pixels: RGB565, high byte first."""
        return self._ask(b"F")

    def png(self):
        """bytes of a PNG."""
        return self._ask(b"P")

    def state(self):
        """`Panel.state()`."""
        return json.loads(self._ask(b"S"))

    def _ask(self, kind):
        self._sock.sendall(kind + b"\0\0")
        return self._read(struct.unpack(">I", self._read(4))[0])

    def _read(self, count):
        data = self._file.read(count)
        if len(data) < count:
            raise ConnectionError("the panel has gone")
        return data


def main(arguments):
    inverts = False if "--old" in arguments else None
    port = next((int(a) for a in arguments if a.isdigit()), 0)
    kind = next((a for a in arguments if a in KINDS), "ili9342c")
    serve(Server(Panel(inverts, KINDS[kind]), port))


if __name__ == "__main__":
    main(sys.argv[1:])
