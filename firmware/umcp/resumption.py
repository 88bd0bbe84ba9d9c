"""Replies that a legacy client may come back for (MCP 2025-11-25, transports: resumability and redelivery).

Each message of such a reply has an event id, `STREAM.NUMBER`. What was sent is kept for as long as the reply is not
over, and a little of it after that; a client that lost the connection, or was let go, opens a stream with GET and the
last id it saw.
"""

import os
from binascii import hexlify

from .session import owner

try:
    from micropython import const
except ImportError:
    const = int

RETRY_MS = const(1000)

_MOST = const(4)  # replies that are kept
_MAX_KEPT = const(16 * 1024)  # bytes of one


class _Reply:
    def __init__(self, whose, event):
        self.owner = whose
        self.id = hexlify(os.urandom(6))
        self.event = event
        self.peer = None
        self.messages = []
        self.first = 1  # the number of messages[0]
        self.size = 0
        self.over = False

    def keep(self, raw):
        """Keep a message; returns its event id."""
        self.messages.append(raw)
        self.size += len(raw)
        while self.size > _MAX_KEPT and len(self.messages) > 1:
            self.size -= len(self.messages.pop(0))
            self.first += 1
        return self.event_id(self.first + len(self.messages) - 1)

    def event_id(self, number):
        return b"%s.%d" % (self.id, number)


class Resumption:
    """server: `umcp.server.Server`.  A peer's reply is one of these from its first message on."""

    def __init__(self, server):
        self._runtime = server.runtime
        self._replies = []

    async def send(self, peer, raw):
        """Send a message on the peer's reply, and keep it."""
        reply = self._of(peer) or await self._begin(peer, RETRY_MS)
        if not reply.over:
            await self._send(reply, raw)

    async def let_go(self, peer, retry_ms):
        """End the peer's stream; what follows is for when it comes back."""
        reply = self._of(peer) or await self._begin(peer, retry_ms)
        # Not all clients have seen an id yet, and one with another pause in mind should know.
        await peer.send(b"", reply.event_id(reply.first + len(reply.messages) - 1), retry_ms)
        await peer.close_stream()

    async def finish(self, peer, answer):
        """The answer (tuple of bytes) is there; True if it goes this way."""
        reply = self._of(peer)
        if reply is None:
            return False
        reply.over = True
        await self._send(reply, b"".join(answer))
        self.leave(peer)
        return True

    def leave(self, peer):
        """The peer's request is over: its next one is another reply."""
        reply = self._of(peer)
        if reply is not None:
            reply.over = True
            reply.begun_by = reply.peer = None
            reply.event.set()

    def resume(self, peer):
        """An awaitable that gives the peer what follows its Last-Event-ID, or None for an id that is not kept."""
        whose = owner(peer)
        id_, _, number = peer.last_event_id.partition(b".")
        for reply in self._replies:
            if reply.id == id_ and reply.owner == whose and number.isdigit():
                return self._go_on(reply, peer, int(number))
        return None

    async def _go_on(self, reply, peer, number):
        peer.allow(None)
        peer.stops_with_peer = True
        reply.peer = None
        reply.event.set()  # Who came back before has left.
        at = max(0, number + 1 - reply.first)
        while at < len(reply.messages):
            # More may be kept while one is sent.
            first = reply.first
            await peer.send(reply.messages[at], reply.event_id(first + at))
            at = max(0, at + 1 - (reply.first - first))
        reply.peer = peer
        try:
            while not reply.over and reply.peer is peer:
                reply.event.clear()
                await reply.event.wait()
        finally:
            if reply.peer is peer:
                reply.peer = None

    async def _begin(self, peer, retry_ms):
        if len(self._replies) >= _MOST:
            over = [reply for reply in self._replies if reply.over]
            lost = over[0] if over else self._replies[0]
            self._replies.remove(lost)
            # Who came back for it has nothing to wait for.
            lost.over = True
            lost.event.set()
        reply = _Reply(owner(peer), self._runtime.event())
        reply.begun_by = reply.peer = peer
        self._replies.append(reply)
        await peer.send(b"", reply.event_id(0), retry_ms)
        return reply

    async def _send(self, reply, raw):
        event_id = reply.keep(raw)
        if reply.peer is not None:
            await reply.peer.send(raw, event_id)
        else:
            await self._runtime.pause()

    def _of(self, peer):
        for reply in self._replies:
            if reply.begun_by is peer:
                return reply
        return None
