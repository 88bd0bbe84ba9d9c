"""The responder of a fixture: `umcp.server.Server` with the tools of `stub`, in both eras, on both transports."""

from stub.server import StubServer
from umcp.errors import RemoteError
from umcp.off import Off
from umcp.ram import Ram
from umcp.rpc import error

from . import loop
from .fast_message import FastMessage
from .known_calls import KnownCalls
from .pipeline import DELETE, GET, Reply, Responder, Status

SESSIONS = ("off", "optional", "required")
_LIMIT = 10_000  # sessions
_ALLOW = (("Allow", "POST"),)


class StubResponder(Responder):
    """fixture: a `stub.fixture.Fixture`.  session: of `SESSIONS`, for legacy clients over HTTP.

    eras: as of `StubServer`.  log: log(level, text, exception=None).  Raises FixtureError.
    """

    def __init__(self, fixture, session="off", eras=None, log=None):
        self._fixture = fixture
        self._server = StubServer(fixture, _store(session), eras, loop, **({"log": log} if log else {}))
        self._server.message = FastMessage()
        self._known = KnownCalls(self._server)

    def at_once(self, exchange):
        """The `Reply` or `Status` of an exchange, None for none, or an awaitable of one of them."""
        peer = exchange.peer
        if exchange.given_kind in (GET, DELETE):
            return self._of_session(exchange)
        if not peer.headed and peer.sessions is None:
            peer.sessions = self._server.line()
        raw = exchange.raw
        now_ms = loop.now_ms()
        known = self._known.find(raw, peer, now_ms)
        if known is not None:
            if known[1] is not None:
                exchange.notes["case"] = known[1]
            return Reply(known[0])
        fixture = self._fixture
        fixture.origin = None
        fixture.fixed = True
        reply = self._server.handle(raw, 0, len(raw), peer, now_ms)
        if fixture.origin is not None:
            exchange.notes["case"] = fixture.origin
        if reply is not None and type(reply) is not tuple:
            return _later(reply)
        if fixture.fixed and reply is not None:
            self._known.learn(raw, peer, reply, now_ms, fixture.origin)
        return _reply(reply)

    async def handle(self, exchange):
        """See `Responder`."""
        action = self.at_once(exchange)
        if action is not None and hasattr(action, "__await__"):
            action = await action
        if action is not None:
            await exchange.send(action)

    def _of_session(self, exchange):
        server = self._server
        if exchange.given_kind == GET or (not server.sessions.ids and exchange.era == "legacy"):
            return Status(405, _ALLOW)
        try:
            server.close_session(exchange.peer, loop.now_ms())
        except RemoteError as e:
            return Reply(error(None, e.code, e.message), e.status, _ALLOW if e.status == 405 else ())
        return Reply(b"{}")


def _reply(reply):
    if reply is None:
        return None
    status, body, session_id = reply
    if type(body) is tuple:
        body = b"".join(body)
    headers = (("Mcp-Session-Id", session_id.decode()),) if session_id else ()
    return Reply(body, status, headers)


async def _later(awaitable):
    return _reply(await awaitable)


def _store(session):
    if session == "off":
        return Off()
    return Ram(_LIMIT) if session == "required" else _Optional(_LIMIT)


class _Optional(Ram):
    """Sessions that a client may have: who sends no id is served without."""

    def __init__(self, limit):
        super().__init__(limit)
        self._none = Off()

    def find(self, id_, version, principal, now_ms):
        if id_ is None:
            return self._none.find(id_, version, principal, now_ms)
        return super().find(id_, version, principal, now_ms)
