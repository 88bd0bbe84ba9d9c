"""The virtual servo bus as a process of its own, behind a byte pipe: python -m tsumiki.chips.scs_server [PORT]

It listens on 127.0.0.1 and says where (`listening on HOST:PORT`). A connection whose first byte is `{` is of whoever
looks on: each line is a JSON object with `do`, and is answered by one (`View`). Any other is the UART: bytes both
ways, no framing.

| do | with | answer |
|---|---|---|
| trace | | trace: what the bus saw since it was last asked |
| state | | state: position, goal and torque of each servo |
| fail | fault, packets | |
| echo | on | |
| push | id, position | |
| lose_power | | |
"""

import socketserver
import sys

from .process import ChipServer, Onlooker, answer_lines, is_onlooker, serve
from .scs_bus import ScsBus


class Server(ChipServer):
    """Serves one bus."""

    def __init__(self, bus, port=0):
        super().__init__(_Connection, port)
        self.bus = bus


class _Connection(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def handle(self):
        try:
            looks_on = is_onlooker(self.request)
            if looks_on:
                answer_lines(self.rfile, self.wfile, self.server.lock, self._look)
            elif looks_on is not None:
                self._carry()
        except OSError:
            pass

    def _carry(self):
        while True:
            data = self.request.recv(256)
            if not data:
                return
            with self.server.lock:
                answer = self.server.bus.feed(data)
            if answer:
                self.request.sendall(answer)

    def _look(self, do, more):
        return _ACTS[do](self.server.bus, **more) or {}


def _trace(bus):
    seen = list(bus.trace)
    bus.trace.clear()
    return {"trace": seen}


def _echo(bus, on):
    bus.echo = on


_ACTS = {
    "trace": _trace,
    "state": lambda bus: {"state": bus.state()},
    "fail": ScsBus.fail,
    "echo": _echo,
    "push": lambda bus, id, position: bus.servos[id].push(position),
    "lose_power": ScsBus.lose_power,
}


class View(Onlooker):
    """Looks at a bus that a process serves, and breaks it."""

    what = "bus"

    def trace(self):
        """`ScsBus.trace` since the last call, list."""
        return self.ask("trace")["trace"]

    def state(self):
        """`ScsBus.state()`."""
        return {int(id): servo for id, servo in self.ask("state")["state"].items()}

    def fail(self, fault, packets=None):
        """`ScsBus.fail`."""
        self.ask("fail", fault=fault, packets=packets)

    def echo(self, on):
        """Whether what is sent is heard back.  on: bool."""
        self.ask("echo", on=on)

    def push(self, id, position):
        """`Servo.push`."""
        self.ask("push", id=id, position=position)

    def lose_power(self):
        """`ScsBus.lose_power`."""
        self.ask("lose_power")


def main(arguments):
    port = int(arguments[0]) if arguments else 0
    serve(Server(ScsBus(), port))


if __name__ == "__main__":
    main(sys.argv[1:])
