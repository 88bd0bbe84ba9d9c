"""Faults of the event stream that an answer is sent in. What comes before the answer is in it, as it should be."""

import json

from http1.events import COMMENT, LAST_CHUNK, chunk, event, head

from .fault_messages import another_id
from .pipeline import Close, Delay, RawBytes, dumped

_DONE = b"data: [DONE]\n\n"
_PING = b"event: ping\ndata: {}\n\n"
_LOG = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "debug", "data": "injected"}}


class Stream:
    """The event stream of what a fault meets; it opens with the first byte that is written.  met: `faults.Met`.

    is_open: bool.
    """

    def __init__(self, met):
        self._met = met
        self._request = met.exchange.peer
        self.is_open = False

    async def write(self, data, headers=()):
        """data: bytes of events.  headers: of (name, value), for the head."""
        if not self.is_open:
            self.is_open = True
            keep_alive = self._request.keep_alive and not self._request.http10
            lines = b"".join(("%s: %s\r\n" % pair).encode("latin-1") for pair in headers)
            await self._met.send(RawBytes(head(self._request, keep_alive)[:-2] + lines + b"\r\n"))
        await self._met.send(RawBytes(data if self._request.http10 else b"".join(chunk(data))))

    async def before(self, action):
        """A `Notify` or `Ask`, as an event."""
        await self.write(b"".join(event(action.raw, (action.event_id or "").encode(), action.retry_ms)))

    async def end(self):
        """End it as it should."""
        if not self._request.http10:
            await self._met.send(RawBytes(LAST_CHUNK))
        if self._request.http10 or not self._request.keep_alive:
            await self._met.send(Close())


# Writes a stream: what `made(raw, message)` makes of the answer.
async def _streamed(met, made):
    stream = Stream(met)
    reply = await met.answer(stream.before)
    if reply is not None:
        await stream.write(made(reply.raw, met.parsed(reply)), reply.headers)
        await stream.end()
    elif stream.is_open:
        await met.send(Close())  # there was no answer


def _event(raw):
    return b"".join(event(raw))


async def plain(met):
    await _streamed(met, lambda raw, message: _event(raw))


async def no_final_blank(met):
    await _streamed(met, lambda raw, message: _event(raw)[:-1])


async def multi_data_lines(met):
    def made(raw, message):
        lines = (
            json.dumps(message, indent=1, ensure_ascii=False).encode("utf-8", "surrogatepass").split(b"\n")
        )
        return b"event: message\n" + b"".join(b"data: %s\n" % line for line in lines) + b"\n"

    await _streamed(met, made)


async def comments(met):
    def made(raw, message):
        return b": hello\n\n:\n" + b"what: ever\nnothing\n\n" + _event(raw).replace(b"\n", b"\n: within\n", 1)

    await _streamed(met, made)


async def crlf(met):
    await _streamed(met, lambda raw, message: _event(raw).replace(b"\n", b"\r\n"))


async def other_events_first(met):
    await _streamed(met, lambda raw, message: _PING + _event(dumped(_LOG)) + _event(raw))


async def wrong_id_first(met):
    def made(raw, message):
        id_ = message.get("id")
        others = (another_id(id_), str(id_) if isinstance(id_, int) else 0)
        return b"".join(_event(dumped(dict(message, id=one))) for one in others) + _event(raw)

    await _streamed(met, made)


async def done_marker(met):
    orders = {"before": (_DONE, 1), "behind": (1, _DONE), "instead": (_DONE,)}

    def made(raw, message):
        return b"".join(_event(raw) if part == 1 else part for part in orders[met.given["where"]])

    await _streamed(met, made)


async def never_ends(met):
    stream = Stream(met)
    while not met.exchange.left:
        await stream.write(COMMENT)
        await met.send(Delay(met.given["ms"]))
