"""One HTTP request of a client, and its answer as it comes: for what passes answers on."""

import asyncio
import ssl
from contextlib import suppress

from http1.reply import ReplyReader
from http1.url import authority, parse_url

from .errors import Unreadable
from .live_http import is_private

_CONNECT_S = 10
_MAX_HEAD = 16000  # bytes
_MAX_BODY = 64 << 20
_CHUNK = 1 << 16


class Site:
    """Where requests go.  url: str.  token: str or None, a bearer.

    Raises Unreadable for an URL or a token that cannot be, and for a token that would leave a private network in the
    clear.
    """

    def __init__(self, url, token=None):
        try:
            self.scheme, self.host, self.port, self.target = parse_url(url)
        except ValueError as e:
            raise Unreadable(str(e)) from None
        if token is not None and not (token and all("!" <= c <= "~" for c in token)):
            raise Unreadable("the token: visible ASCII only")
        self.token = token
        self.is_private = self.scheme == "https" or is_private(self.host)
        if token and not self.is_private:
            raise Unreadable(
                "a token goes to this machine or a private network over http://, elsewhere over https://"
            )

    async def ask(self, verb, headers, body=b""):
        """Send a request; returns an `Incoming`, its head is there.

        headers: list of (name, value), str.  body: bytes.  Raises OSError, or http1.errors.HTTPError for an answer
        that is none.
        """
        context = ssl.create_default_context() if self.scheme == "https" else None
        try:
            reader, writer = await asyncio.wait_for(
                asyncio.open_connection(self.host, self.port, ssl=context), _CONNECT_S
            )
        except asyncio.TimeoutError:
            raise OSError("no connection in %d s" % _CONNECT_S) from None
        incoming = Incoming(reader, writer)
        try:
            writer.write(self._head(verb, headers, body) + body)
            await writer.drain()
            await incoming.begin()
        except BaseException:
            incoming.close()
            raise
        return incoming

    def _head(self, verb, headers, body):
        lines = [
            "%s %s HTTP/1.1" % (verb, self.target),
            "Host: " + authority(self.scheme, self.host, self.port),
        ]
        lines += ["%s: %s" % pair for pair in headers]
        if body:
            lines.append("Content-Type: application/json")
        if verb == "POST":
            lines.append("Content-Length: %d" % len(body))
        if self.token:
            lines.append("Authorization: Bearer " + self.token)
        return ("\r\n".join(lines) + "\r\nConnection: close\r\n\r\n").encode("latin-1")


class Incoming:
    """An answer.  status: int."""

    def __init__(self, reader, writer):
        self._reader = reader
        self._writer = writer
        self._reply = ReplyReader(_MAX_HEAD, _MAX_BODY)
        self._first = b""
        self._fields = {}

    @property
    def status(self):
        return self._reply.status

    async def begin(self):
        """Wait for the head."""
        head = b""
        while not self._reply.status:
            data = await self._reader.read(_CHUNK)
            if not data:
                raise ConnectionError("closed without an answer")
            head += data
            self._first += self._reply.feed(data)
        self._fields = _fields(head)
        if self.is_stream:
            self._reply.unbound()

    def get(self, name):
        """The value of a field by its lower-case name, str, or None."""
        return self._fields.get(name)

    @property
    def is_stream(self):
        """True if the body is a stream of events."""
        kind = self.get("content-type") or ""
        return self.status == 200 and kind.split(";")[0].strip().lower() == "text/event-stream"

    async def read(self):
        """The next bytes of the body, b"" at its end.  Raises OSError where it is cut."""
        if self._first:
            data, self._first = self._first, b""
            return data
        while not self._reply.done:
            data = await self._reader.read(_CHUNK)
            if not data:
                if not self._reply.eof():
                    raise ConnectionError("the answer was cut")
                break
            part = self._reply.feed(data)
            if part:
                return part
        return b""

    async def whole(self):
        """The whole body."""
        parts = []
        while True:
            part = await self.read()
            if not part:
                return b"".join(parts)
            parts.append(part)

    def close(self):
        """Let go of the connection."""
        with suppress(OSError, RuntimeError):
            self._writer.close()


# The fields of the head that is no interim one: dict of lower-case name -> value, the last of several.
def _fields(data):
    for head in data.split(b"\r\n\r\n"):
        if head[9:10] != b"1":
            pairs = [line.decode("latin-1").partition(":") for line in head.split(b"\r\n")[1:]]
            return {name.lower(): value.strip() for name, _, value in pairs}
    return {}
