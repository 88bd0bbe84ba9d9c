"""The byte pipe from the stand-in of MicroPython's hardware modules to the process that plays the board.

The messages are those of host/tsumiki/chips/board_server.py; where it listens is in the environment, TSUMIKI_BOARD.
Each function raises OSError once that process has gone, and what the real module would raise where the board refuses.
"""

import json
import os
import socket

from micropython import const

_IPPROTO_TCP = const(6)
_TCP_NODELAY = const(1)
_SECONDS = const(20)
_LONGEST = const(32768)
_REFUSALS = {1: OSError, 2: ValueError}


def _connect(address):
    host, _, port = address.rpartition(":")
    info = socket.getaddrinfo(host, int(port), 0, socket.SOCK_STREAM)[0]
    pipe = socket.socket(info[0], info[1])
    pipe.settimeout(_SECONDS)
    pipe.connect(info[-1])
    pipe.setsockopt(_IPPROTO_TCP, _TCP_NODELAY, 1)
    return pipe


_pipe = _connect(os.getenv("TSUMIKI_BOARD"))
_head = bytearray(4)
_answer = bytearray(3)


def tell(kind, unit, data=b""):
    """Something happens, without an answer.  kind: one of the server's, bytes.  unit: 0-255.  data: bytes-like."""
    view = memoryview(data)
    for at in range(0, max(1, len(view)), _LONGEST):
        _send(kind, unit, view[at : at + _LONGEST])


def ask(kind, unit, data=b""):
    """The same with an answer: bytes."""
    _send(kind, unit, data)
    if _pipe.readinto(_answer) != len(_answer):
        raise OSError("the board has gone")
    size = _answer[1] << 8 | _answer[2]
    found = _pipe.read(size) if size else b""
    if _answer[0]:
        value = json.loads(found)
        raise _REFUSALS[_answer[0]](value)
    return found


def make(what, arguments):
    """A unit of the processor: its number.  what: str, the class.  arguments: dict for JSON."""
    return call(0, "make", {"what": what, "arguments": arguments})


def call(unit, do, arguments=None):
    """What is seldom done, in JSON both ways."""
    found = ask(b"c", unit, json.dumps({"do": do, "arguments": arguments or {}}))
    return json.loads(found)


def _send(kind, unit, data):
    _head[0] = kind[0]
    _head[1] = unit
    _head[2] = len(data) >> 8
    _head[3] = len(data) & 0xFF
    _pipe.write(_head)
    if data:
        _pipe.write(data)
