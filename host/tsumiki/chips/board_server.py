"""A virtual board as a process of its own, behind one byte pipe:

    python -m tsumiki.chips.board_server BOARD [PORT] [--without CHIP ...] [--with OPTION ...]

It listens on 127.0.0.1 and says where (`listening on HOST:PORT`). The firmware's side of the pipe is `stand_in`, the
stand-in of MicroPython's hardware modules. A message is a kind (one byte), a unit or pin (one byte), a length (two,
high byte first) and that many bytes:

| kind | bytes | answer |
|---|---|---|
| c | JSON: `do` and `arguments`; of unit 0: the processor's | JSON |
| w | what SPI, UART or I2S write | |
| i | I2C: address, 1 if there is anything to write, bytes to read (two); what to write | what is read |
| r | | what the UART has received |
| l | the level of a pin, one byte | |
| L | | the level of a pin |
| s | microseconds that the processor sleeps, four bytes | |

An answer is a code (0, or 1 for OSError and 2 for ValueError), a length (two bytes) and that many bytes. A connection
whose first byte is `{` is of whoever looks on: see `View`.
"""

import argparse
import base64
import json
import socketserver
import struct

from .process import ChipServer, Onlooker, answer_lines, is_onlooker, serve
from .soc import Refusal, Soc
from .units import KINDS


class Server(ChipServer):
    """Serves one `Soc`."""

    def __init__(self, wiring, port=0):
        super().__init__(_Connection, port)
        self.wiring = wiring
        self.soc = Soc(wiring)

    def start_again(self):
        """The processor has started anew: its pins and units are as after power-up, the chips as they were."""
        before = self.soc
        self.soc = Soc(self.wiring)
        self.soc.faults = before.faults


class _Connection(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def handle(self):
        try:
            looks_on = is_onlooker(self.request)
            if looks_on:
                answer_lines(self.rfile, self.wfile, self.server.lock, self._look)
            elif looks_on is not None:
                with self.server.lock:
                    if self.server.soc.trace:
                        self.server.start_again()
                while self._one():
                    pass
        except OSError:
            pass

    def _one(self):
        head = self.rfile.read(4)
        if len(head) < 4 or head[:1] not in _ACTS:
            return False  # It has gone, or says what is not known: what follows would be no message either.
        data = self.rfile.read(head[2] << 8 | head[3])
        soc = self.server.soc
        try:
            with self.server.lock:
                soc.catch_up()
                code, answer = 0, _ACTS[head[:1]](soc, head[1], data)
        except Refusal as e:
            code, answer = e.code, json.dumps(e.value).encode()
        except Exception as e:  # A robot must be able to go on; what is wrong here is the test's to see.
            soc.fault("the board's process: %s: %s" % (type(e).__name__, e))
            code, answer = 1, b"5"
        if answer is not None and head[:1] in _ANSWERED:
            self.wfile.write(struct.pack(">BH", code, len(answer)) + answer)
        return True

    def _look(self, do, more):
        return {"answer": _LOOKS[do](self.server.soc, **more)}


def _call(soc, unit, data):
    wanted = json.loads(data)
    do, arguments = wanted["do"], wanted["arguments"]
    found = _OF_UNITS[do](soc.units[unit], **arguments) if unit else _OF_SOC[do](soc, **arguments)
    return json.dumps(found).encode()


def _make(soc, what, arguments):
    if what == "SoftI2C":
        arguments["id"] = None
    soc.units.append(KINDS[what](soc, **arguments))
    return len(soc.units) - 1


def _transfer(soc, unit, data):
    written = data[4:] if data[1] else None
    return soc.units[unit].transfer(data[0], written, data[2] << 8 | data[3])


_OF_SOC = {
    "make": _make,
    "pin": lambda soc, **arguments: soc.pin(**arguments),
    "freq": Soc.freq,
    "reset": lambda soc: soc.note("reset"),
    "radio": Soc.set_radio,
    "heap": Soc.heap,
    "nvs": Soc.nvs,
    "nvs_set": Soc.nvs_set,
    "nvs_commit": lambda soc: soc.note("nvs commit"),
    "bitstream": lambda soc, pin, timing, data: soc.bitstream(pin, timing, bytes.fromhex(data)),
    "booted": Soc.booted,
}
_OF_UNITS = {
    "init": lambda unit, **arguments: unit.init(**arguments),
    "deinit": lambda unit: unit.deinit(),
    "scan": lambda unit: unit.scan(),
    "pwm": lambda unit, **arguments: unit.pwm(**arguments),
    "dac": lambda unit, value: unit.dac(value),
    "adc": lambda unit: unit.adc(),
}
_ACTS = {
    b"c": _call,
    b"w": lambda soc, unit, data: soc.units[unit].write(data),
    b"i": _transfer,
    b"r": lambda soc, unit, data: soc.units[unit].read(),
    b"l": lambda soc, pin, data: soc.set_level(pin, data[0]),
    b"L": lambda soc, pin, data: bytes((soc.level(pin),)),
    b"s": lambda soc, _, data: soc.sleep(int.from_bytes(data, "big")),
}
_ANSWERED = (b"c", b"i", b"r", b"L")


def _get(soc, chip, name):
    return getattr(soc.wiring.chips[chip], name)


def _of_chip(soc, chip, method, arguments):
    found = getattr(soc.wiring.chips[chip], method)(*arguments)
    soc.wiring.settle()
    return found


_LOOKS = {
    "trace": lambda soc: list(soc.trace),
    "faults": Soc.all_faults,
    "frame": lambda soc: base64.b64encode(soc.wiring.panels[0][4].frame()).decode(),
    "get": _get,
    "call": _of_chip,
    "chips": lambda soc: sorted(soc.wiring.chips),
}


class View(Onlooker):
    """Looks at a board that a process serves."""

    what = "board"

    def trace(self):
        """`Soc.trace`, list of str."""
        return self._ask("trace")

    def faults(self):
        """`Soc.all_faults`, list of str."""
        return self._ask("faults")

    def frame(self):
        """What the panel shows: bytes, RGB565, high byte first."""
        return base64.b64decode(self._ask("frame"))

    def chips(self):
        """The names of the chips, list of str."""
        return self._ask("chips")

    def get(self, chip, name):
        """An attribute of a chip that is JSON."""
        return self._ask("get", chip=chip, name=name)

    def call(self, chip, method, *arguments):
        """A method of a chip."""
        return self._ask("call", chip=chip, method=method, arguments=arguments)

    def _ask(self, do, **more):
        return self.ask(do, **more)["answer"]


def main():
    from .boards import wired

    parser = argparse.ArgumentParser(description="A virtual board on a port of 127.0.0.1.")
    parser.add_argument("board")
    parser.add_argument("port", nargs="?", type=int, default=0)
    parser.add_argument("--without", action="append", default=[], help="a chip that is not there")
    parser.add_argument("--with", action="append", default=[], dest="options", help="an option of the board")
    given = parser.parse_args()
    serve(Server(wired(given.board, given.without, given.options), given.port))


if __name__ == "__main__":
    main()
