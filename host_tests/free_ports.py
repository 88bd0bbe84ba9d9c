"""TCP ports of 127.0.0.1 for servers under test (MicroPython cannot ask a socket for its number)."""

import os
import random
import socket

# Below the ports that Linux and macOS give to outgoing connections, so that no client takes one in between;
# each worker of pytest-xdist has a thousand of its own.
_FIRST = 20000
_EACH = 1000


def _mine():
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])
    start = _FIRST + worker * _EACH
    return random.sample(range(start, start + _EACH), _EACH)


_waiting = []


def free_port():
    """A port that nothing listens on now, and that was not given out lately."""
    while True:
        if not _waiting:
            _waiting.extend(_mine())
        port = _waiting.pop()
        with socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                s.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
