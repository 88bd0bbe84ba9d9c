"""What becomes of the actions of one exchange over HTTP: the bytes of its answer."""

import asyncio
from http import HTTPStatus

from http1.answer import answer
from http1.events import COMMENT, LAST_CHUNK, chunk, event, head

from . import pipeline
from .pipeline import DELETE, GET, NOTIFICATION, REQUEST, RESPONSE, Channel


class Answer(Channel):
    """connection: its `http_connection.Connection`.  exchange: the `Exchange`, whose peer is the `Request`.

    left: bool, its client is gone, or has its answer.  closing: bool, the connection closes
    behind it.
    """

    def __init__(self, connection, exchange):
        self.exchange = exchange
        self.left = self.closing = False
        self._connection = connection
        self._request = exchange.peer
        self._streaming = self._said = self._silent = False
        self._room = None  # bytes that still go out, or None for all
        self._gone = None

    async def send(self, action):
        """Take an action of the pipeline."""
        kind = type(action)
        if kind is pipeline.Delay:
            await asyncio.sleep(action.ms / 1000)
        elif not self.left or kind in (pipeline.Close, pipeline.Exit):
            await _ACTIONS[kind](self, action)

    async def send_raw(self, raw, event_id=b"", retry_ms=None):
        """A message before the answer, as `umcp.peer.Peer` sends it."""
        await self.send(pipeline.Notify(raw, event_id.decode() or None, retry_ms))

    async def gone(self):
        """See `Exchange.gone`."""
        if not self._connection.lost:
            if self._gone is None:
                self._gone = asyncio.Event()
            await self._gone.wait()

    def lose(self):
        """The client is gone."""
        self.left = self._request.left = True
        if self._gone is not None:
            self._gone.set()

    async def finish(self):
        """The responder is through: what it has left open is closed."""
        if self._silent:
            await self.gone()
        elif self.left or self._said:
            return
        elif self._streaming:
            await self._end(())
        elif self.exchange.kind in (NOTIFICATION, RESPONSE):
            await self._write(plain(pipeline.Reply(b"", 202), self._request))
        elif self.exchange.kind in (GET, DELETE):
            await self._status(pipeline.Status(405, (("Allow", "POST"),)))
        else:
            self.closing = True

    async def fail(self):
        """The responder has failed."""
        if self.left or self._said or self._streaming:
            self.closing = True
        else:
            await self._status(pipeline.Status(500))

    # Everything that is sent passes here.
    async def _write(self, data):
        transport = self._connection.transport
        if self.left or transport.is_closing():
            return
        if self._room is not None:
            data = data[: self._room]
            self._room -= len(data)
        transport.write(data)
        if self._room == 0:
            self._cut()
        await self._connection.writable.wait()

    def _cut(self):
        self.left = self.closing = True

    async def _reply(self, reply):
        self._said = True
        always = self._connection.side.sse == "always" and self.exchange.kind in (REQUEST, pipeline.BATCH)
        if self._streaming or (always and reply.raw and reply.status == 200):
            await self._open(reply.headers)
            await self._end(event(reply.raw))
        else:
            await self._write(plain(reply, self._request))
        self.left = True

    async def _notify(self, action):
        if self._said or self._connection.side.sse == "never" or not self._request.can_stream():
            return
        await self._open(())
        id_ = (action.event_id or "").encode()
        opens = not (action.raw or id_ or action.retry_ms is not None)
        await self._write(self._framed((COMMENT,) if opens else event(action.raw, id_, action.retry_ms)))

    async def _open(self, headers):
        if not self._streaming:
            self._streaming = True
            data = head(self._request, self._request.keep_alive and not self._request.http10)
            await self._write(data[:-2] + _lines(headers) + b"\r\n")

    async def _end(self, parts):
        self._said = True
        if self._request.http10:
            self.closing = True
            await self._write(b"".join(parts))
        else:
            await self._write((self._framed(parts) if parts else b"") + LAST_CHUNK)

    def _framed(self, parts):
        return b"".join(parts if self._request.http10 else chunk(*parts))

    async def _status(self, action):
        names = [name.lower() for name, _ in action.headers]
        lines = ["HTTP/1.1 %d %s" % (action.code, _phrase(action.code))]
        lines += ["%s: %s" % pair for pair in action.headers]
        if "content-length" not in names and "transfer-encoding" not in names and action.code != 204:
            lines.append("Content-Length: %d" % len(action.body))
        if action.body and "content-type" not in names:
            lines.append("Content-Type: application/json; charset=utf-8")
        if not self._request.keep_alive and "connection" not in names:
            lines.append("Connection: close")
        lead = "\r\n".join(lines).encode("latin-1") + b"\r\n" + self._request.cors + b"\r\n"
        self._said = True
        await self._write(lead + action.body)
        self.left = True

    async def _raw(self, action):
        self._said = True
        await self._write(action.data)

    async def _hold(self, action):
        self._silent = True

    async def _close(self, action):
        if action.reset:
            self._connection.reset()
        if action.after is None or action.reset:
            self._cut()
        else:
            self._room = action.after
            if not self._room:
                self._cut()

    async def _exit(self, action):
        self._cut()


def plain(reply, request):
    """A `Reply` to a `Request` as bytes, no stream."""
    lines = _lines(reply.headers) + request.cors if reply.headers else request.cors
    return answer(reply.status, reply.raw, request.keep_alive, lines)


def _phrase(status):
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Status"


def _lines(headers):
    return b"".join([("%s: %s\r\n" % pair).encode("latin-1") for pair in headers])


_ACTIONS = {
    pipeline.Reply: Answer._reply,
    pipeline.Notify: Answer._notify,
    pipeline.Ask: Answer._notify,
    pipeline.Status: Answer._status,
    pipeline.RawBytes: Answer._raw,
    pipeline.Silence: Answer._hold,
    pipeline.Close: Answer._close,
    pipeline.Exit: Answer._exit,
}
