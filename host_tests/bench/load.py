"""A load client on raw sockets: 1 to 4 connections, each with one request in flight, every answer checked."""

import selectors
import socket
import time
from typing import NamedTuple

from bench import wire

_PATIENCE = 5  # seconds without any answer


class Failed(Exception):
    """The server answered wrongly, or not at all; the text says what came."""


class Result(NamedTuple):
    """requests: int, answered well.  connections: int, opened.  seconds: float."""

    requests: int
    connections: int
    seconds: float


class Plan(NamedTuple):
    """operation: of wire.OPERATIONS.  connections: int.  fresh: a new connection for each request.
    split: head and body in two segments.  session: str or None.  expected: False for a server with one answer for all.
    """

    operation: str
    connections: int = 1
    fresh: bool = False
    split: bool = False
    session: str = None
    expected: bool = True

    def pieces(self, port):
        """The segments of one request."""
        body = wire.body(self.operation)
        connection = "close" if self.fresh else "keep-alive"
        head = wire.head(self.operation, port, len(body), self.session, connection)
        return [head, body] if self.split else [head + body]


class Answer:
    """Collects one answer with Content-Length."""

    def __init__(self):
        self.data = b""
        self._size = 0

    def add(self, data):
        """True once the answer is whole."""
        self.data += data
        if not self._size:
            end = self.data.find(b"\r\n\r\n") + 4
            if end < 4:
                return False
            self.head = self.data[:end].lower()
            at = self.head.find(b"content-length:")
            if at < 0:
                raise Failed("no Content-Length: %r" % self.data[:200])
            self._size = end + int(self.head[at + 15 : self.head.find(b"\r", at)])
        return len(self.data) >= self._size

    def closes(self):
        return b"\r\nconnection: close" in self.head or self.head.startswith(b"http/1.0")

    def check(self, *wanted, status=b"200"):
        """Raise Failed unless the answer has this status, and these texts in it."""
        if self.data[9:12] != status or any(text not in self.data for text in wanted):
            raise Failed("not %s with %r: %r" % (status.decode(), wanted, self.data[:400]))


def connect(port):
    """A socket to a port of this machine."""
    s = socket.create_connection(("127.0.0.1", port), _PATIENCE)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s


class _Client:
    """One connection after another, as the server wants it."""

    def __init__(self, load):
        self._load = load
        self._socket = None

    def send(self):
        if self._socket is None:
            self._connect()
        self._answer = Answer()
        for piece in self._load.pieces:
            self._socket.sendall(piece)

    def _connect(self):
        self._socket = connect(self._load.port)
        self._load.selector.register(self._socket, selectors.EVENT_READ, self)
        self._load.opened += 1

    def readable(self):
        """True once an answer is whole and good."""
        data = self._socket.recv(65536)
        if not data:
            raise Failed("closed within an answer: %r" % self._answer.data[:200])
        if not self._answer.add(data):
            return False
        self._answer.check(*self._load.wanted)
        if self._load.plan.fresh or self._answer.closes():
            self.close()
        return True

    def close(self):
        if self._socket is not None:
            self._load.selector.unregister(self._socket)
            self._socket.close()
            self._socket = None


class Load:
    """port: int, of 127.0.0.1.  plan: `Plan`."""

    def __init__(self, port, plan):
        self.port = port
        self.plan = plan
        self.pieces = plan.pieces(port)
        self.wanted = wire.expected(plan.operation) if plan.expected else ()
        self.selector = selectors.DefaultSelector()
        self.opened = 0

    def run(self, requests=None, seconds=3600.0):
        """Send so many requests, or for so long; returns a `Result`. Raises Failed or OSError."""
        clients = [_Client(self) for _ in range(self.plan.connections)]
        begun = time.perf_counter()
        try:
            done = self._run(clients, requests or 1 << 60, begun + seconds)
        finally:
            for client in clients:
                client.close()
            self.selector.close()
        return Result(done, self.opened, time.perf_counter() - begun)

    def _run(self, clients, requests, end):
        sent = done = 0
        for client in clients[:requests]:
            client.send()
            sent += 1
        while done < sent:
            ready = self.selector.select(_PATIENCE)
            if not ready:
                raise Failed("no answer in %d s, after %d" % (_PATIENCE, done))
            for key, _ in ready:
                if key.data.readable():
                    done += 1
                    if sent < requests and time.perf_counter() < end:
                        key.data.send()
                        sent += 1
        return done


def open_session(port):
    """Initialize as the SDK does; returns the session's id (str), or None if the server issues none."""
    answer = Answer()
    plan = Plan("initialize")
    with connect(port) as s:
        s.sendall(b"".join(plan.pieces(port)))
        while not answer.add(s.recv(65536)):
            pass
    answer.check()
    at = answer.head.find(b"mcp-session-id:")
    if at < 0:
        return None
    return answer.data[at + 15 : answer.data.find(b"\r", at)].strip().decode()
