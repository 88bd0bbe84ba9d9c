"""The sessions of a replayed server: its ids on HTTP, what it asks its clients, and what it tells them unasked."""

import asyncio
import os
from collections import deque

from .pipeline import Ask, Notify
from .tape import ASK

OFF = "off"
OPTIONAL = "optional"  # who has none is served, too
REQUIRED = "required"
POLICIES = (OFF, OPTIONAL, REQUIRED)

HEADER = "Mcp-Session-Id"

_MAX_SESSIONS = 1000
_MAX_UNHEARD = 1000  # events that nobody has listened for


class Refused(Exception):
    """A request outside of any session.  status: int, of HTTP (2025-11-25, transports: session management)."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class Session:
    """A client's.  held: list of events that wait for `notifications/initialized`."""

    def __init__(self):
        self.held = []
        self._asked = {}  # id of a request of ours, JSON text -> Future
        self._unheard = deque(maxlen=_MAX_UNHEARD)
        self._news = asyncio.Event()
        self._listeners = 0

    def asks(self, id):
        """A request with this id is about to go to the client."""
        self._asked[id] = asyncio.get_running_loop().create_future()

    def responded(self, id):
        """The client responds to the request with this id."""
        waiting = self._asked.get(id)
        if waiting is not None and not waiting.done():
            waiting.set_result(None)

    async def response(self, id, seconds):
        """Wait until the client has responded; True if it has."""
        waiting = self._asked.get(id)
        if waiting is None:
            return True
        try:
            await asyncio.wait_for(asyncio.shield(waiting), seconds)
            return True
        except asyncio.TimeoutError:
            return False
        finally:
            self._asked.pop(id, None)

    async def tell(self, exchange, events):
        """Send what belongs to no request.  exchange: one of the client's, which carries it on stdio."""
        for event in events:
            if exchange.transport == "http":
                self._unheard.append(event)
                self._news.set()
            else:
                await exchange.send(_action(event))

    async def listen(self, exchange):
        """Send to the stream of a GET what belongs to no request, until the client leaves."""
        await exchange.send(Notify(b""))
        leaves = asyncio.ensure_future(exchange.gone())
        try:
            while not leaves.done():
                while self._unheard:
                    await exchange.send(_action(self._unheard.popleft()))
                self._news.clear()
                news = asyncio.ensure_future(self._news.wait())
                await asyncio.wait((leaves, news), return_when=asyncio.FIRST_COMPLETED)
                news.cancel()
        finally:
            leaves.cancel()


class Sessions:
    """policy: one of POLICIES. It concerns HTTP, and clients of the older versions; the others share one session."""

    def __init__(self, policy=OPTIONAL):
        self.policy = policy
        self._shared = Session()
        self._known = {}

    def open(self, exchange):
        """A client says `initialize`: (its `Session`, tuple of header fields)."""
        if exchange.transport != "http" or self.policy == OFF:
            self._shared = Session()
            return self._shared, ()
        if len(self._known) == _MAX_SESSIONS:
            del self._known[next(iter(self._known))]
        id = os.urandom(16).hex()
        self._known[id] = Session()
        return self._known[id], ((HEADER, id),)

    def of(self, exchange):
        """The `Session` of an exchange.  Raises Refused."""
        if exchange.transport != "http" or self.policy == OFF or exchange.era == "modern":
            return self._shared
        id = exchange.session
        if id is None:
            if self.policy == REQUIRED:
                raise Refused(400, "Bad Request: %s is missing" % HEADER)
            return self._shared
        if id not in self._known:
            raise Refused(404, "Session not found")
        return self._known[id]

    def end(self, exchange):
        """The client says DELETE: the HTTP status for it."""
        if self.policy == OFF or exchange.session is None:
            return 405
        return 404 if self._known.pop(exchange.session, None) is None else 204


def _action(event):
    return (Ask if event.kind == ASK else Notify)(event.raw)
