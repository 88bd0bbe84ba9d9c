"""The DNS of an access point that leads everywhere to itself: each name that is asked for has its address.

So a phone that joins it shows the page there (RFC 1035; what phones do is described in RFC 8952).
"""

import asyncio
import socket

from micropython import const

_TURN_MS = const(50)
_LONGEST = const(512)  # RFC 1035 2.3.4
_HEAD = const(12)
_TURNS = const(8)  # answers before others have a turn
_A = b"\0\1\0\1"  # type A, class IN


def answer(query, address):
    """The answer to one query: bytes, or None if it is none that we understand.

    query: bytes.  address: bytes, 4. A name of another kind than A has no records.
    """
    if len(query) < _HEAD + 5 or query[2] & 0xF8 or query[4:6] != b"\0\1":
        return None  # An answer, another operation, or not one question.
    at = _HEAD
    while at < len(query) and query[at]:
        if query[at] > 63:
            return None
        at += query[at] + 1
    end = at + 5
    if end > len(query):
        return None
    found = query[at + 1 : end] == _A
    # Authoritative, without error; the question again, and one record that points at it, for 60 s.
    head = query[:2] + b"\x84\0\0\1" + (b"\0\1" if found else b"\0\0") + b"\0\0\0\0"
    record = b"\xc0\x0c" + _A + b"\0\0\0\x3c\0\4" + address if found else b""
    return head + query[_HEAD:end] + record


async def serve(host, address, port=53):
    """Answer on UDP, for ever.  host: str, where to listen.  address: str, dotted.  Raises OSError."""
    points_to = bytes([int(number) for number in address.split(".")])
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        s.bind(socket.getaddrinfo(host, port)[0][-1])
        s.setblocking(False)
        while True:
            await asyncio.sleep_ms(_TURN_MS)
            for _ in range(_TURNS):
                if not _one(s, points_to):
                    break
    finally:
        s.close()


# False when nobody asks.
def _one(s, points_to):
    try:
        query, peer = s.recvfrom(_LONGEST)
        reply = answer(query, points_to)
        if reply:
            s.sendto(reply, peer)
        return True
    except OSError:
        return False
