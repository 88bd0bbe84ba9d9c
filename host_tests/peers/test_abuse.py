"""Peers that mean harm, or are broken: afterwards a normal call succeeds, and no memory is lost.

Raw sockets, since no client does this; each kind of abuse ends by itself in bounded time.
"""

import contextlib
import json
import os
import random
import socket
import struct
import time

import pytest

from bench import servers

HOST = b"Host: localhost\r\n"
SECONDS = 10
_SEED = random.Random(7)
_MUCH = 30_000_000  # bytes: far more than the buffers of two sockets hold
_PAUSE = 0.02  # seconds: the system drops more connections than it keeps for a server to accept


class Target:
    """The dummy server.  server: what started it."""

    def __init__(self, server):
        self.server = server
        self.address = ("127.0.0.1", server.port)
        self.bearer = b"Authorization: Bearer test-token\r\n"

    def connect(self):
        return socket.create_connection(self.address, timeout=SECONDS)

    def post(self, body, lines=b"", bearer=None):
        head = b"POST /mcp HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n"
        length = b"Content-Length: %d\r\n" % len(body)
        return head + (self.bearer if bearer is None else bearer) + lines + length + b"\r\n" + body

    def call(self):
        """A normal client's calls: a new session, and one tool."""
        with self.connect() as s:
            initialize = {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "t", "version": "1"},
            }
            head, _ = self._ask(s, "initialize", initialize, b"")
            session = next(line for line in head.split(b"\r\n") if line.lower().startswith(b"mcp-session-id"))
            lines = session + b"\r\n"
            _, answer = self._ask(s, "tools/call", {"name": "echo", "arguments": {"text": "h\u00e9"}}, lines)
            assert answer["result"]["content"][0]["text"] == "Echo: h\u00e9"
            s.sendall(b"DELETE /mcp HTTP/1.1\r\n" + HOST + self.bearer + lines + b"\r\n")
            assert read_answer(s)[0].startswith(b"HTTP/1.1 200 ")

    def _ask(self, s, method, params, lines):
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        s.sendall(self.post(json.dumps(body).encode(), lines))
        head, body = read_answer(s)
        assert head.startswith(b"HTTP/1.1 200 "), head
        return head, json.loads(body)


def read_answer(s):
    """(head, body) of one answer."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = s.recv(4096)
        assert piece, "closed after %r" % data
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    length = next((int(x[15:]) for x in head.split(b"\r\n") if x.lower().startswith(b"content-length:")), 0)
    while len(body) < length:
        body += s.recv(4096)
    return head, body


def read_rest(s):
    """All that still comes; a reset ends it too."""
    data = b""
    with contextlib.suppress(ConnectionResetError, BrokenPipeError):
        while piece := s.recv(65536):
            data += piece
    return data


def slow_loris(target):
    """Two hundred heads that never end."""
    with contextlib.ExitStack() as stack:
        for i in range(200):
            s = stack.enter_context(target.connect())
            s.sendall(b"POST /mcp HTTP/1.1\r\nHost: lo")
            if i % 8 == 7:
                time.sleep(_PAUSE)
        target.call()


def endless_header(target):
    with target.connect() as s:
        sent = _send_until_refused(s, b"GET /health HTTP/1.1\r\n" + HOST, b"X-More: " + b"x" * 90 + b"\r\n")
        assert sent < _MUCH
        answer = read_rest(s)
        assert answer == b"" or answer.startswith(b"HTTP/1.1 431 ")


def endless_cookie(target):
    with target.connect() as s:
        sent = _send_until_refused(s, b"GET /health HTTP/1.1\r\n" + HOST + b"Cookie: ", b"c" * 1000)
        assert sent < _MUCH


def endless_chunks(target):
    head = target.post(b"").replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    for start in (head, head.replace(target.bearer, b"")):
        with target.connect() as s:
            assert _send_until_refused(s, start, b"40\r\n" + b"x" * 64 + b"\r\n") < _MUCH


def _send_until_refused(s, start, more):
    """How many bytes the peer takes; it must end the connection at last."""
    s.sendall(start)
    sent = len(start)
    try:
        while sent < _MUCH:
            s.sendall(more)
            sent += len(more)
    except (ConnectionResetError, BrokenPipeError):
        pass
    return sent


def large_body_without_a_token(target):
    with target.connect() as s:
        s.sendall(target.post(b"x" * 300_000, bearer=b""))
        head, body = read_answer(s)
        assert head.startswith(b"HTTP/1.1 401 ") and b"Connection: close" in head
        assert json.loads(body) == {"error": "invalid_token"}
        assert read_rest(s) == b""


def half_closed(target):
    """The request ends, and so does what the client sends: the answer comes all the same."""
    for raw in (b"GET /health HTTP/1.1\r\n" + HOST + b"\r\n", b"GET /health HT", target.post(b"{}")[:-1]):
        with target.connect() as s:
            s.sendall(raw)
            s.shutdown(socket.SHUT_WR)
            answer = read_rest(s)
            assert answer.startswith(b"HTTP/1.1 200 ") if raw.endswith(b"\r\n\r\n") else answer == b"", answer


def reset_in_an_answer(target):
    listing = target.post(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
    for _ in range(20):
        with target.connect() as s:
            s.sendall(listing * 20)
            s.recv(10)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def garbage(target):
    for _ in range(30):
        with target.connect() as s:
            with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                s.sendall(_SEED.randbytes(_SEED.randrange(1, 4000)) + b"\r\n\r\n")
                s.shutdown(socket.SHUT_WR)
            answer = read_rest(s)
            assert answer == b"" or answer.startswith(b"HTTP/1.1 4") or answer.startswith(b"HTTP/1.1 5"), (
                answer
            )


def hang_up_at_once(target):
    for i in range(50):
        target.connect().close()
        if i % 8 == 7:
            time.sleep(_PAUSE)


ABUSES = (
    slow_loris,
    endless_header,
    endless_cookie,
    endless_chunks,
    large_body_without_a_token,
    half_closed,
    reset_in_an_answer,
    garbage,
    hang_up_at_once,
)


@pytest.fixture(scope="module")
def dummy():
    from processes import Server

    with Server("examples/dummy_server.py", "--port", "{port}") as server:
        yield Target(server)


@pytest.mark.parametrize("abuse", ABUSES, ids=lambda abuse: abuse.__name__)
def test_a_normal_call_succeeds_after(dummy, abuse):
    start = time.monotonic()
    abuse(dummy)
    dummy.call()
    assert dummy.server.running()
    assert time.monotonic() - start < 2 * SECONDS


def test_nothing_that_a_peer_does_costs_memory():
    heap = []
    with servers.Server(servers.EXAMPLE, heap=True, heapsize="1M") as server:
        target = Target(server)
        for _ in range(3):
            for abuse in ABUSES:
                abuse(target)
                target.call()
            heap.append(_settled(server))
        if os.path.isdir("/proc"):
            assert len(os.listdir("/proc/%d/fd" % server.pid)) < 40
    assert abs(heap[2] - heap[1]) <= 1024, heap


def _settled(server):
    """Bytes of heap in use, once the last connections are closed: when it is the same three times."""
    seen = []
    end = time.monotonic() + SECONDS
    while len(seen) < 3 or len(set(seen[-3:])) > 1:
        assert time.monotonic() < end, seen
        seen.append(server.heap()[0])
        time.sleep(0.2)
    return seen[-1]
