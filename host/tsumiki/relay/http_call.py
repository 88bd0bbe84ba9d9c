"""HTTP exchanges that tell whether a request has left: what did not leave may be sent, what did is not sent again.

`http.client` of the standard library: it follows no redirect, asks no proxy and repeats nothing.
"""

import http.client
import select
import socket
import threading
import time

from http1.sse import SSEParser

from ..errors import Failed

_CONNECT_S = 5
_ANSWER_S = 300
_IDLE_S = 10  # the robot closes a connection after 60
_MAX_BODY = 16 << 20
_MAX_EVENT = 4 << 20
_CHUNK = 1 << 16
# A robot that lost its power says nothing: it is asked after so many seconds, so often, so many times.
_KEEPALIVE = (("TCP_KEEPIDLE", 10), ("TCP_KEEPALIVE", 10), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3))


class NotSent(Exception):
    """Nothing has left: the robot cannot be reached."""


class Lost(Exception):
    """It has left, and there is no answer, or only a part of it."""


_BROKEN = (OSError, http.client.HTTPException, ValueError, AttributeError)


class Answer:
    """status: int.  kind: str, its media type.  session_id: str or None."""

    def __init__(self, call, response):
        self._call = call
        self._response = response
        self.status = response.status
        self.kind = (response.headers.get("Content-Type") or "").partition(";")[0].strip().lower()
        self.session_id = response.headers.get("Mcp-Session-Id")
        self.last_id = b""
        self.retry_ms = None

    def body(self):
        """All of it, bytes. Raises Lost."""
        try:
            if (self._response.length or 0) > _MAX_BODY:
                raise ValueError("the answer is too large")
            found = self._response.read()  # all of it, or IncompleteRead
        except _BROKEN as e:
            self._call.close()
            raise Lost(_reason(e)) from None
        self._call.done(self._response)
        return found

    def events(self):
        """Yield the data of each event, bytes, until the stream ends. Raises Lost."""
        parser = SSEParser(_MAX_EVENT)
        try:
            while True:
                data = self._response.read1(_CHUNK)
                if not data:
                    break
                for name, found in parser.feed(data):
                    self.last_id = parser.last_id
                    if name == b"message":
                        yield found
                self.last_id, self.retry_ms = parser.last_id, parser.retry_ms
        except Exception as e:
            self._call.close()
            raise Lost(_reason(e)) from None
        self._call.done(self._response)

    def leave(self):
        """Read no more of it."""
        self._call.close()


class Call:
    """One exchange, which `close` ends from any thread."""

    def __init__(self, pool, connection):
        self._pool = pool
        self._connection = connection
        self._socket = connection.sock

    def send(self, method, path, body, headers, endless=False):
        """Raises Lost. Returns an `Answer`."""
        try:
            self._socket.settimeout(None if endless else _ANSWER_S)
            self._connection.request(method, path, body, headers)
            return Answer(self, self._connection.getresponse())
        except _BROKEN as e:
            self.close()
            raise Lost(_reason(e)) from None

    def done(self, response):
        """It is over; its connection serves again if the server says so."""
        connection, self._connection = self._connection, None
        if connection and response.will_close:
            connection.close()
        elif connection:
            self._pool.give(connection)

    def close(self):
        """Hang up, unless it is over."""
        connection, self._connection = self._connection, None
        if connection:
            try:
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            connection.close()


class Pool:
    """Connections to a robot.  target: `address.Target`."""

    def __init__(self, target):
        self._target = target
        self._idle = []
        self._lock = threading.Lock()

    def call(self):
        """A `Call` whose connection stands. Raises NotSent, or Failed for an address where the token may not go."""
        with self._lock:
            idle, self._idle = self._idle, []
        found = None
        for connection, since in idle:
            if time.monotonic() - since > _IDLE_S or _is_readable(connection.sock):
                connection.close()
            elif found is None:
                found = connection
            else:
                self._keep(connection, since)
        return Call(self, found or self._connect())

    def has_live(self):
        """True if a connection stands: then whoever is at its other end has not restarted since."""
        with self._lock:
            idle = list(self._idle)
        return any(time.monotonic() - since <= _IDLE_S and not _is_readable(c.sock) for c, since in idle)

    def give(self, connection):
        """It is free again."""
        self._keep(connection, time.monotonic())

    def close(self):
        with self._lock:
            for connection, _ in self._idle:
                connection.close()
            self._idle = []

    def _keep(self, connection, since):
        with self._lock:
            self._idle.append((connection, since))

    def _connect(self):
        target = self._target
        kind = http.client.HTTPSConnection if target.tls else http.client.HTTPConnection
        connection = kind(target.host, target.port, timeout=_CONNECT_S)
        try:
            connection.connect()
            target.check_peer(connection.sock.getpeername()[0])
            _keep_alive(connection.sock)
        except OSError as e:
            connection.close()
            raise NotSent(_reason(e)) from None
        except Failed:
            connection.close()
            raise
        return connection


# The robot has closed it, or says what nobody asked for.
def _is_readable(sock):
    try:
        return bool(select.select([sock], [], [], 0)[0])
    except (OSError, ValueError):
        return True


def _keep_alive(sock):
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEPALIVE:
        if hasattr(socket, name):
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def _reason(e):
    return str(e) or type(e).__name__
