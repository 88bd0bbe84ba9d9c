"""The responders that pass everything on to a real server, and what it says back, unchanged.

A client on stdio has a server process of its own, line by line the same; it ends with the server's exit status. Over
HTTP each session of the older versions is a process of its own; clients of 2026-07-28, and those without a session,
share one.
"""

import asyncio
import secrets
from dataclasses import replace

from . import batches
from .errors import Unreachable
from .people import tell
from .pipeline import BATCH, DELETE, GET, INVALID, Reply, Responder, Status, error_reply
from .replay_sessions import HEADER
from .upstream_http import HttpUpstream
from .upstream_link import Link

_MAX_SESSIONS = 32  # processes; one more ends the one that was silent for longest
_NOT_ALLOWED = Status(405, (("Allow", "POST"),))


def upstream(transport, command=None, url=None, token=None, note=tell):
    """The responder for a server: a command (list of str), or a url.

    transport: "stdio" or "http", of the client.  token: str or None, a bearer for the url.
    """
    if command is not None:
        return CommandUpstream(command, transport, note)
    return HttpUpstream(url, token, note)


class CommandUpstream(Responder):
    """command: list of str, started by `start`.  transport: of the clients.  note: function of a str, for people."""

    def __init__(self, command, transport, note=tell):
        self._command = command
        self._on_line = transport == "stdio"
        self._note = note
        self._sessions = {}
        self._shared = None
        self._starting = asyncio.Lock()
        self._status = 0

    @property
    def exit_status(self):
        """The server's, for a client on stdio; 1 if a signal ended it that was not ours."""
        ended = self.ended
        return _status(ended.result()) if ended is not None and ended.done() else self._status

    @property
    def ended(self):
        """On stdio: Future of the server's exit status, once it has started; else None."""
        return self._shared.ended if self._on_line and self._shared else None

    async def start(self):
        """Start the server that a client on stdio has.  Raises Unreachable."""
        if self._on_line:
            self._shared = await self._started(False)

    async def handle(self, exchange):
        """See `Responder`."""
        if self._on_line:
            await self._shared.handle(exchange)
        elif exchange.kind == BATCH and exchange.message:
            await exchange.send(await batches.handled(exchange, self.handle))
        elif exchange.kind in (BATCH, INVALID):
            code, text = (-32700, "Parse error") if exchange.message is None else (-32600, "Invalid Request")
            await exchange.send(error_reply(None, code, text, status=400))
        else:
            await self._over_http(exchange)

    async def close(self):
        """End every server that was started."""
        links = [*self._sessions.values(), *([self._shared] if self._shared else ())]
        self._sessions.clear()
        await asyncio.gather(*(link.close() for link in links))

    async def _over_http(self, exchange):
        modern = exchange.era == "modern"
        id = None if modern else exchange.session
        if exchange.method == "initialize" and not modern:
            await self._initialize(exchange)
        elif exchange.kind in (GET, DELETE) and id is None:
            await exchange.send(_NOT_ALLOWED)
        elif id is None:
            try:
                link = await self._common()
            except Unreachable as e:
                await self._unreachable(exchange, e)
                return
            await link.handle(exchange)
        elif id not in self._sessions or self._sessions[id].ended.done():
            self._sessions.pop(id, None)
            await exchange.send(error_reply(exchange.id, -32600, "Session not found", status=404))
        elif exchange.kind == GET:
            await self._sessions[id].listen(exchange)
        elif exchange.kind == DELETE:
            await self._sessions.pop(id).close()
            await exchange.send(Status(204))
        else:
            await self._sessions[id].handle(exchange)

    async def _initialize(self, exchange):
        try:
            link = await self._started(False)
        except Unreachable as e:
            await self._unreachable(exchange, e)
            return
        id = secrets.token_hex(16)
        self._sessions[id] = link

        async def sink(action):
            if isinstance(action, Reply):
                action = replace(action, headers=((HEADER, id),))
            await exchange.send(action)

        if len(self._sessions) > _MAX_SESSIONS:
            oldest = min(self._sessions, key=lambda one: self._sessions[one].used or link.used + 1)
            await self._sessions.pop(oldest).close()
        await link.handle(exchange.through(sink))

    # The server of those who have no session: started when it is needed, and again when it has left.
    async def _common(self):
        async with self._starting:
            if self._shared is None or self._shared.ended.done():
                self._shared = await self._started(True)
            return self._shared

    async def _started(self, shared):
        link = Link(self._command, shared, self._on_line, self._note)
        await link.start()
        return link

    async def _unreachable(self, exchange, error):
        self._status = Unreachable.status
        self._note(str(error))
        await exchange.send(error_reply(exchange.id, -32603, "The server cannot be started", status=502))


# The exit status of a server as ours: that of a signal is none.
def _status(code):
    return code if code >= 0 else 1
