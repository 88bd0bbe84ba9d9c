"""An HTTP/1.1 client of one connection that stays open, for one request at a time.

One bulk read per segment, one write per request: head and body in two writes cost 44 ms on a kept connection
(Nagle and delayed acknowledgement). Nothing here knows MCP; what a reply means is the exchange's affair
(`umcp.exchange`). Time limits are the caller's: cancelling the task drops the connection.
"""

import asyncio
import socket
from errno import ECONNRESET, EINPROGRESS

from micropython import const

from http1.errors import HTTPError
from http1.reply import MAX_BODY, MAX_HEAD, ReplyReader
from http1.url import authority
from umcp.client_errors import ClientError, ConfigError, Disconnected, Malformed, TLSError, TooLarge

_CHUNK = const(1024)
_MAX_KEPT = const(2048)  # bytes of the request buffer
_CLOSED = (ECONNRESET, 32)  # 32 is EPIPE, which MicroPython does not name
_LINGER_MS = (0, 1, 4, 15, 30)  # pauses in which the rest of the last reply may still come in


class HTTPClient:
    """scheme, host, port, target: as `http1.url.parse_url` gives them.

    answer: coroutine function, called with what `feed` of an exchange gives, one by one, before its reply goes on.
    ca: bytes, the DER certificate that https is checked against.  Raises ConfigError for https without it.
    """

    def __init__(self, scheme, host, port, target, answer, ca=None, max_head=MAX_HEAD, max_body=MAX_BODY):
        if scheme == "https" and ca is None:
            raise ConfigError("https needs ca=, the DER bytes of the certificate to trust")
        self._where = (scheme, host, port, target)
        self._answer = answer
        self._tls = _context(ca) if scheme == "https" else None
        self._reader = ReplyReader(max_head, max_body)
        self._sock = self._stream = None
        self._address = None  # what `getaddrinfo` gave
        self._buf = bytearray(_CHUNK)
        self._headers = self._method = None
        self._out = b""
        self._head_size = 0

    def twin(self, answer=None):
        """Another client for the same place, with its own connection."""
        twin = HTTPClient("http", *self._where[1:], answer or self._answer)
        twin._where = self._where
        twin._tls = self._tls
        twin._address = self._address
        return twin

    @property
    def blocks(self):
        """bool: the next exchange is to look a name up or to shake hands over TLS, which stops all else for a while."""
        return self._sock is None and (self._address is None or self._tls is not None)

    def drop(self):
        """Close the connection; the next exchange opens a new one."""
        sock = self._sock
        self._sock = self._stream = None
        if sock is not None:
            sock.close()

    async def exchange(self, x):
        """Send the request of exchange `x` and feed it the reply, up to the end or until it wants no more.

        A request is sent a second time only if it is idempotent, the connection was an old one, and nothing came back.
        Raises Disconnected, TLSError, Malformed, TooLarge; not if `x` already has its error from the head.
        """
        data = self._render(x)
        reader = self._reader
        while True:
            reused = self._idle() if self._sock is None or reader.done else await self._take_rest()
            whole = False
            try:
                reader.reset()
                if self._write(data, reused):
                    await self._drain()
                while not (reader.done or x.done):
                    size = await self._stream.readinto(self._buf)
                    if size:
                        for reply in self._feed(x, size):
                            await self._answer(reply)
                    elif size is not None and not reader.eof():
                        raise _cut(x)
                if reader.done:
                    x.eof()
                whole = reader.keep_alive or not reader.done
                return
            except (OSError, HTTPError, ClientError) as e:
                error = e
            finally:
                if not whole:
                    self.drop()
                    if not (reused or reader.status):
                        self._address = None  # The host may have moved.
            if not (reused and x.idempotent and not reader.status) or isinstance(error, HTTPError):
                return _tell(x, error)

    # True if there is more to write. On a new connection `drain` waits until it stands, then sends all at once.
    def _write(self, data, reused):
        if reused:
            self._stream.write(data)
        else:
            self._open()
            self._stream.out_buf = data
        return self._stream.out_buf

    # The handshake is in here, and MicroPython raises ValueError for a certificate that does not hold. A server may
    # close while we still write because it has answered: what it said is there to be read.
    async def _drain(self):
        try:
            await self._stream.drain()
        except OSError as e:
            if e.errno not in _CLOSED:
                raise
        except ValueError as e:
            raise TLSError("TLS: " + " ".join(str(e).split()))

    # The exchange sees the head even where the body is refused: the status says more than the size.
    def _feed(self, x, size):
        reader = self._reader
        headless = not reader.status
        try:
            body = reader.feed(self._buf, size)
        finally:
            if headless and reader.status:
                x.head(reader.status, reader.reason, reader)
                if x.streams:
                    reader.unbound()
        return x.feed(body) if body else ()

    # A closed socket reads as b"", an idle one as None: a connection that the server closed meanwhile is known to
    # be dead before anything is written to it. A byte that nobody asked for is as bad.
    def _idle(self):
        if self._sock is None:
            return False
        try:
            if self._sock.read(1) is None:
                return True
        except OSError:
            pass
        self.drop()
        return False

    # The end of a stream often comes behind the answer that we took and left with.
    async def _take_rest(self):
        reader = self._reader
        try:
            for pause_ms in _LINGER_MS:
                await asyncio.sleep_ms(pause_ms)
                data = self._sock.read(_CHUNK)
                if data is not None:
                    if not data:
                        break
                    reader.feed(data)
                    if reader.done:
                        return reader.keep_alive and self._idle()
        except (OSError, HTTPError):
            pass
        self.drop()
        return False

    def _open(self):
        _, host, port, _ = self._where
        # Looked up once, for it blocks; anew when nothing answered there.
        address = self._address = self._address or socket.getaddrinfo(host, port, 0, socket.SOCK_STREAM)[0]
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

    # The head is written once and stays in the buffer as long as the headers do; only length, fields and body change.
    def _render(self, x):
        if x.headers is not self._headers or x.http_method != self._method or len(self._out) > _MAX_KEPT:
            self._headers = x.headers
            self._method = x.http_method
            self._out = bytearray(self._render_head(x))
            self._head_size = len(self._out)
        if x.fields:
            self._out[self._head_size :] = b"".join((b"%d\r\n" % len(x.body), x.fields, b"\r\n", x.body))
        else:
            self._out[self._head_size :] = b"%d\r\n\r\n%s" % (len(x.body), x.body)
        return self._out

    def _render_head(self, x):
        scheme, host, port, target = self._where
        target = getattr(x, "target", target)
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
        context.load_verify_locations(ca)
    except (OSError, ValueError):
        raise ConfigError("ca: not a DER certificate")
    return context


def _cut(x):
    if x.cut():
        return Malformed("Malformed response: Content-Length past the body")
    return Disconnected("inside the reply" if x.status else "before the reply")


# What the head said is worth more than how the connection ended.
def _tell(x, error):
    if x.error is None:
        error = _translate(error)
        if not x.lost(error):
            raise error


# mbedTLS numbers its errors below -4096; the resolver's are small negative numbers.
def _translate(error):
    if isinstance(error, HTTPError):
        return (TooLarge if error.status == 413 else Malformed)("Malformed response: " + error.reason)
    if isinstance(error, ClientError):
        return error
    number = error.errno
    if isinstance(number, int) and number <= -4096:
        return TLSError("TLS: %s" % (error.args[1] if len(error.args) > 1 else number))
    return Disconnected("connection failed", number)
