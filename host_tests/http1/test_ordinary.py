# interpreters: micropython
"""What a server does all day imports nothing that only rare requests need: each module takes memory for good.

Alone in its process, for whatever else is tested would import them.
"""

import sys

from served import BEARER, HOST, JSON, POST, outcomes, reader

from harness import eq
from http1.answer import answer

HOT = "answer bearer errors fields guard reader repeat request router scan_viper".split()
ACCEPT = b"Accept: application/json, text/event-stream\r\n"
LENGTH = b"Connection: keep-alive\r\nContent-Length: 2\r\n\r\n{}"


def imported():
    return sorted([name[6:] for name in sys.modules if name.startswith("http1.")])


def test_ordinary_requests_import_nothing():
    served = reader()
    full = POST + ACCEPT + b"Mcp-Session-Id: a\r\nMcp-Protocol-Version: 2025-06-18\r\n" + LENGTH
    health = b"GET /health HTTP/1.1\r\n" + HOST + b"\r\n"
    ended = b"DELETE /mcp HTTP/1.1\r\n" + HOST + BEARER + b"Mcp-Session-Id: a\r\n\r\n"
    there = full.replace(b"localhost", b"127.0.0.1:8080")
    eq(
        [one[0] for one in outcomes(served, [full, full, POST + LENGTH, health, ended, there, full])],
        ["POST", "POST", "POST", "GET", "DELETE", "POST", "POST"],
    )
    for status, body in ((200, b"{}"), (200, (b"{", b"}")), (202, b"")):
        answer(status, body)
        answer(status, body, False, b"A: b\r\n")
    assert served.request.can_stream()
    eq(imported(), HOT)


def test_rare_ones_import_what_they_need():
    eq(outcomes(reader(), [POST.replace(JSON, b"Content-Type: text/plain\r\n") + LENGTH]), [(415, "POST")])
    eq(imported(), sorted(HOT + ["content"]))
