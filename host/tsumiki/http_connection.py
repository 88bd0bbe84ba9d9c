"""One connection of `HttpSide`: requests one after another, each an exchange with its `Answer`."""

import asyncio
import socket
import struct
from contextlib import suppress
from functools import partial

from http1.answer import CONTINUE, answer, failure
from http1.errors import HTTPError
from http1.reader import Reader

from .http_answer import Answer, plain
from .pipeline import DELETE, GET, Exchange, Http, Reply

MAX_BODY = 16 * 1024 * 1024  # bytes
MAX_HEAD = 16 * 1024

_LINGER = 1.0  # seconds for the rest of a refused request: closed with bytes unread, its answer would be lost
_KINDS = {"GET": GET, "DELETE": DELETE}
_AHEAD = 1 << 20  # bytes that a client may send while its request is handled


class Connection(asyncio.Protocol):
    """side: its `HttpSide`.

    transport: asyncio's.  reader: `http1.reader.Reader`.  answer: that of the exchange at hand, or None.  task: what
    handles it, or None.  writable: an Event, set while the client takes what is written.
    """

    def __init__(self, side):
        self.side = side
        self.transport = self.answer = self.task = None
        self.lost = False
        self._ahead = bytearray()
        self._skipping = self._deaf = False

    def connection_made(self, transport):
        self.transport = transport
        self.reader = Reader(self.side.router, MAX_HEAD, MAX_BODY)
        self.reader.repeat = self.side.known_heads
        self.writable = asyncio.Event()
        self.writable.set()
        self.side.connections.add(self)

    def connection_lost(self, error):
        self.lost = True
        self.writable.set()
        self.side.connections.discard(self)
        if self.answer is not None:
            self.answer.lose()
            if self.task and self.reader.request.stops_with_peer:
                self.task.cancel()

    def pause_writing(self):
        self.writable.clear()

    def resume_writing(self):
        self.writable.set()

    def eof_received(self):
        return False

    def data_received(self, data):
        if self._deaf:
            return
        if self.answer is not None:
            self._ahead += data
            if len(self._ahead) > _AHEAD:
                self.transport.pause_reading()
            return
        if not self._skipping:
            space = self.reader.space()
            if len(data) <= len(space):
                space[: len(data)] = data
                self.reader.received(len(data))
                data = b""
        self._take(data)

    def abort(self):
        """Close at once, whatever was not sent."""
        if self.transport:
            self.transport.abort()

    def reset(self):
        """Close with RST."""
        sock = self.transport.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.abort()

    # Serves all that has arrived, until a request has to be waited for.
    def _take(self, data):
        reader = self.reader
        data = memoryview(data)
        while True:
            try:
                route = self._next()
            except HTTPError as e:
                self._refuse(e)
                continue
            if route is not None:
                route.handler(self)
                if self.answer is not None or self._deaf:
                    self._ahead += data
                    return
                if data or reader.begun:
                    continue
                return
            if self._deaf or not data:
                break
            space = reader.space()
            count = min(len(space), len(data))
            space[:count] = data[:count]
            reader.received(count)
            data = data[count:]
        if reader.wants_continue():
            self.transport.write(CONTINUE)
            reader.request.wants_continue = False

    def _next(self):
        if self._deaf:
            return None
        if self._skipping:
            if not self.reader.skip():
                return None
            self._skipping = False
        return self.reader.next()

    def _refuse(self, error):
        request = self.reader.request
        # A client that was not told to continue may or may not send its body: where the next request starts is unsure.
        unsure = error.close or request.wants_continue or (request.length or 0) > MAX_BODY
        keep_alive = request.keep_alive and not unsure
        data = failure(error, keep_alive, request.cors)
        self.transport.write(data[: data.find(b"\r\n\r\n") + 4] if request.method == "HEAD" else data)
        if keep_alive:
            self._skipping = True
        else:
            self.linger()

    def linger(self):
        """Send what is written, read no more, and close."""
        self._deaf = True
        if self.transport.can_write_eof() and not self.transport.is_closing():
            with suppress(OSError):  # the client has reset it meanwhile
                self.transport.write_eof()
        asyncio.get_running_loop().call_later(_LINGER, self.transport.close)

    def serve_health(self):
        """A request for /health."""
        request = self.reader.request
        data = answer(200, b'{"status":"ok"}', request.keep_alive, request.cors)
        self._put(data[: data.find(b"\r\n\r\n") + 4] if request.method == "HEAD" else data)

    def serve_message(self):
        """A request for the endpoint."""
        reader = self.reader
        request = reader.request
        raw = bytes(reader.buf[reader.start : reader.stop])
        request.left = False
        exchange = Exchange(raw, "http", request, None, self._http, _KINDS.get(request.method))
        at_once = self.side.responder.at_once
        coming = None
        if at_once is not None:
            coming = at_once(exchange)
            if type(coming) is Reply and self.side.sse != "always":
                self._put(plain(coming, request))
                return
        # Now the head must be kept: what waits may ask for it when the next one is there.
        exchange.set_http(partial(_http, request.method, request.path, bytes(reader.buf[: request.size])))
        self.answer = channel = Answer(self, exchange)
        exchange.set_channel(channel)
        request.send = channel.send_raw
        request.close_stream = request.allow = _nothing
        self.task = asyncio.create_task(self._run(exchange, channel, coming))

    def _http(self):
        request = self.reader.request
        return _http(request.method, request.path, bytes(self.reader.buf[: request.size]))

    # Writes an answer that is there at once; the request is over.
    def _put(self, data):
        self.transport.write(data)
        if self.reader.request.keep_alive:
            self.reader.done()
        else:
            self.linger()

    async def _run(self, exchange, channel, coming):
        responder = self.side.responder
        try:
            if responder.at_once is None:
                await responder.handle(exchange)
            else:
                action = await coming if hasattr(coming, "__await__") else coming
                if action is not None:
                    await channel.send(action)
            await channel.finish()
        except asyncio.CancelledError:
            self.abort()
        except Exception as e:
            self.side.log("error", "exchange %d failed: %r" % (exchange.number, e))
            await channel.fail()
        finally:
            self.answer = self.task = None
            self._go_on(channel)

    def _go_on(self, channel):
        if self.lost or self._deaf or self.transport.is_closing():
            return
        if channel.closing or not self.reader.request.keep_alive:
            self.linger()
            return
        self.reader.done()
        ahead = bytes(self._ahead)
        self._ahead.clear()
        self.transport.resume_reading()
        self._take(ahead)


def _nothing(*given):
    return None


def _http(method, path, head):
    fields = {}
    for line in head.split(b"\r\n")[1:-2]:
        name, _, value = line.decode("latin-1").partition(":")
        name = name.lower()
        value = value.strip()
        fields[name] = fields[name] + ", " + value if name in fields else value
    return Http(method, path, fields)
