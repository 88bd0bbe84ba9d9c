"""An HTTP/1.1 client of one connection that stays open, for one request at a time.

One bulk read per segment, one write per request: head and body in two writes cost 44 ms on a kept connection
(Nagle and delayed acknowledgement). Nothing here knows MCP; what a reply means is the exchange's affair
(`umcp.exchange`). Time limits are the caller's: cancelling the task drops the connection.
"""

import asyncio
import socket
from errno import EINPROGRESS

from http1.errors import HTTPError
from http1.reply import MAX_BODY, MAX_HEAD, ReplyReader
from http1.url import authority
from micropython import const
from umcp.client_errors import ConfigError, Disconnected, Malformed, TLSError, TooLarge

_CHUNK = const(1024)
_LINGER_MS = (0, 1, 4, 15, 30)  # pauses in which the rest of the last reply may still come in


class HTTPClient:
    """scheme, host, port, target: as `http1.url.parse_url` gives them.

    ca: bytes, the DER certificate that https is checked against.  Raises ConfigError for https without it.
    """

    def __init__(self, scheme, host, port, target, ca=None, max_head=MAX_HEAD, max_body=MAX_BODY):
        if scheme == "https" and ca is None:
            raise ConfigError("https needs ca=, the DER bytes of the certificate to trust")
        self._where = (scheme, host, port, target)
        self._tls = _context(ca) if scheme == "https" else None
        self._reader = ReplyReader(max_head, max_body)
        self._sock = self._stream = None
        self._headers = self._method = self._head = None

    def twin(self):
        """Another client for the same place, with its own connection."""
        twin = HTTPClient("http", *self._where[1:])
        twin._where = self._where
        twin._tls = self._tls
        return twin

    def drop(self):
        """Close the connection; the next exchange opens a new one."""
        sock = self._sock
        self._sock = self._stream = None
        if sock is not None:
            sock.close()

    async def exchange(self, x, answer):
        """Send the request of exchange `x` and feed it the reply, up to the end or until it wants no more.

        answer: coroutine function, called with each body that the exchange wants posted meanwhile.
        A request is sent a second time only if it is idempotent, the connection was an old one, and nothing came back.
        Raises Disconnected, TLSError, Malformed, TooLarge; not if `x` already has its error from the head.
        """
        data = self._render(x)
        whole = False
        try:
            while True:
                reused = await self._reusable()
                error = await self._attempt(x, data, reused, answer)
                if error is None or not (reused and x.idempotent and not self._reader.status):
                    break
                self.drop()
            whole = error is None and (not self._reader.done or self._reader.keep_alive)
        finally:
            if not whole:
                self.drop()
        if error is not None and x.error is None:
            raise error

    # Returns what went wrong, as an error of the client.
    async def _attempt(self, x, data, reused, answer):
        try:
            self._reader.reset()
            if not reused:
                self._open()
                # `drain` waits until the connection stands, and sends all of it in one piece.
                self._stream.out_buf = data
            else:
                self._stream.write(data)
            if self._stream.out_buf:
                await self._stream.drain()
            return await self._receive(x, answer)
        except OSError as e:
            return _translate(e)
        except HTTPError as e:
            return (TooLarge if e.status == 413 else Malformed)("Malformed response: " + e.reason)

    async def _receive(self, x, answer):
        reader = self._reader
        while not (reader.done or x.done):
            data = await self._stream.read(_CHUNK)
            if data:
                body = self._feed(x, data)
                if body:
                    for reply in x.feed(body):
                        await answer(reply)
            elif not reader.eof():
                return self._cut(x)
        if reader.done:
            x.eof()

    # The exchange sees the head even where the body is refused: the status says more than the size.
    def _feed(self, x, data):
        reader = self._reader
        headless = not reader.status
        try:
            return reader.feed(data)
        finally:
            if headless and reader.status:
                x.head(reader.status, reader.reason, reader)

    def _cut(self, x):
        if x.cut():
            return Malformed("Malformed response: Content-Length past the body")
        return Disconnected("inside the reply" if self._reader.status else "before the reply")

    # A closed socket reads as b"", an idle one as None. So a connection that the server closed meanwhile is known
    # to be dead before anything is written to it, and the rest of a stream that we left early is taken away.
    async def _reusable(self):
        if self._sock is None:
            return False
        reader = self._reader
        try:
            for pause_ms in _LINGER_MS:
                if pause_ms:
                    await asyncio.sleep_ms(pause_ms)
                data = self._sock.read(1 if reader.done else _CHUNK)
                if data is None:
                    if reader.done and reader.keep_alive:
                        return True
                elif reader.done or not data:
                    break
                else:
                    reader.feed(data)
        except (OSError, HTTPError):
            pass
        self.drop()
        return False

    def _open(self):
        _, host, port, _ = self._where
        address = socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM)[0]
        sock = self._sock = socket.socket(address[0], address[1], address[2])
        sock.setblocking(False)
        try:
            sock.connect(address[-1])
        except OSError as e:
            if e.errno != EINPROGRESS:
                raise
        if self._tls:
            sock = self._tls.wrap_socket(sock, server_hostname=host, do_handshake_on_connect=False)
            sock.setblocking(False)
            self._sock = sock
        self._stream = asyncio.StreamWriter(sock)

    def _render(self, x):
        if x.headers is not self._headers or x.http_method != self._method:
            self._headers = x.headers
            self._method = x.http_method
            self._head = self._render_head(x)
        return b"%s%d\r\n\r\n%s" % (self._head, len(x.body), x.body)

    def _render_head(self, x):
        scheme, host, port, target = self._where
        lines = ["%s %s HTTP/1.1" % (x.http_method, target), "Host: " + authority(scheme, host, port)]
        lines.extend(["%s: %s" % item for item in x.headers.items()])
        lines.append("Content-Length: ")
        return "\r\n".join(lines).encode()


# Only this class of MicroPython verifies (`ssl.SSLContext` and asyncio's `ssl=True` do not).
def _context(ca):
    import tls

    context = tls.SSLContext(tls.PROTOCOL_TLS_CLIENT)
    context.verify_mode = tls.CERT_REQUIRED
    try:
        context.load_verify_locations(cadata=ca)
    except (OSError, ValueError):
        raise ConfigError("ca: not a DER certificate")
    return context


# mbedTLS numbers its errors below -4096; the resolver's are small negative numbers.
def _translate(error):
    number = error.errno
    if isinstance(number, int) and number <= -4096:
        return TLSError("TLS: %s" % (error.args[1] if len(error.args) > 1 else number))
    return Disconnected("connection failed", number)
