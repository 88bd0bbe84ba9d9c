"""A server on stdio, for a client on stdio, that is started anew when it has left: the client sees an error, no end.

The next message starts it, and the handshake of the older versions is said again, unseen by the client. What the server
kept in its memory is gone with it.
"""

import asyncio

from .errors import Unreachable
from .pipeline import REQUEST, Channel, Exchange, Reply, Responder, error_reply
from .upstream_link import Link

_INTERNAL = -32603
_HANDSHAKE_S = 30


class RestartingUpstream(Responder):
    """command: list of str.  note: function of a str, for people.  starts: int, how often it was started."""

    def __init__(self, command, note):
        self._command = command
        self._note = note
        self._link = None
        self._handshake = {}  # method to the client's message, bytes
        self._starting = asyncio.Lock()
        self.starts = 0

    async def start(self):
        """Start the server.  Raises Unreachable."""
        await self._begin()

    async def handle(self, exchange):
        """See `Responder`."""
        try:
            link = await self._running(exchange)
        except Unreachable as e:
            self._note(str(e))
            await self._refuse(exchange, "The server cannot be started")
            return
        if exchange.method in ("initialize", "notifications/initialized"):
            self._handshake[exchange.method] = exchange.raw
        replies = []

        async def sink(action):
            replies.append(type(action) is Reply)
            await exchange.send(action)

        await link.handle(exchange.through(sink))
        if link.ended.done() and not any(replies):
            await self._refuse(exchange, "The server has left")

    async def close(self):
        """End the server."""
        if self._link is not None:
            await self._link.close()

    async def _running(self, exchange):
        async with self._starting:
            if self._link.ended.done():
                self._note(
                    "the server has left (status %d), and is started again" % self._link.ended.result()
                )
                await self._begin()
                if exchange.method != "initialize":
                    await self._greet(exchange.peer)
            return self._link

    async def _begin(self):
        link = Link(self._command, False, True, self._note)
        await link.start()
        self._link = link
        self.starts += 1

    # What the client said when it began. Nobody is there to hear the answers.
    async def _greet(self, peer):
        for method in ("initialize", "notifications/initialized"):
            raw = self._handshake.get(method)
            if raw is None:
                return
            try:
                unheard = Exchange(raw, "stdio", peer, Channel())
                await asyncio.wait_for(self._link.handle(unheard), _HANDSHAKE_S)
            except asyncio.TimeoutError:
                raise Unreachable("the server does not answer %s" % method) from None
        if self._link.ended.done():
            raise Unreachable("the server has left again")

    async def _refuse(self, exchange, text):
        if exchange.kind == REQUEST:
            await exchange.send(error_reply(exchange.id, _INTERNAL, text))
