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

import json
import socket
import socketserver
import sys
import threading

from .scs_bus import ScsBus


class Server(socketserver.ThreadingTCPServer):
    """Serves one bus on `port` of 127.0.0.1 (0: any; see `server_address`); `serve_forever()` runs it."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, bus, port=0):
        super().__init__(("127.0.0.1", port), _Connection)
        self.bus = bus
        self.lock = threading.Lock()


class _Connection(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def handle(self):
        try:
            first = self.request.recv(1, socket.MSG_PEEK)
            if first == b"{":
                self._watch()
            elif first:
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

    def _watch(self):
        for line in self.rfile:
            try:
                wanted = json.loads(line)
                act = _ACTS[wanted.pop("do")]
                with self.server.lock:
                    answer = act(self.server.bus, **wanted) or {}
            except (ValueError, KeyError, TypeError) as e:
                answer = {"error": "%s: %s" % (type(e).__name__, e)}
            self.wfile.write(json.dumps(answer).encode() + b"\n")


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


class View:
    """Looks at a bus that a process serves, and breaks it.  Raises OSError once it has gone, ValueError if refused."""

    def __init__(self, port, host="127.0.0.1", seconds=10):
        self._sock = socket.create_connection((host, port), seconds)
        self._file = self._sock.makefile("rb")

    def trace(self):
        """`ScsBus.trace` since the last call, list."""
        return self._ask("trace")["trace"]

    def state(self):
        """`ScsBus.state()`."""
        return {int(id): servo for id, servo in self._ask("state")["state"].items()}

    def fail(self, fault, packets=None):
        """`ScsBus.fail`."""
        self._ask("fail", fault=fault, packets=packets)

    def echo(self, on):
        """Whether what is sent is heard back.  on: bool."""
        self._ask("echo", on=on)

    def push(self, id, position):
        """`Servo.push`."""
        self._ask("push", id=id, position=position)

    def lose_power(self):
        """`ScsBus.lose_power`."""
        self._ask("lose_power")

    def close(self):
        self._file.close()
        self._sock.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def _ask(self, do, **more):
        self._sock.sendall(json.dumps(dict(more, do=do)).encode() + b"\n")
        line = self._file.readline()
        if not line:
            raise ConnectionError("the bus has gone")
        answer = json.loads(line)
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer


def main(arguments):
    port = int(arguments[0]) if arguments else 0
    with Server(ScsBus(), port) as server:
        print("listening on %s:%d" % server.server_address, flush=True)
        server.serve_forever()


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        pass
