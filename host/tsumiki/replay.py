"""The responder that plays a cassette: each request gets the answer that was recorded for one like it.

What the server said before an answer comes before it; what it asked its client is asked, and waited for, as it was.
A request without a recording is a JSON-RPC error -32601, "No recording for METHOD", whose `data.reason` tells a miss
from a method that the recorded server did not know; the process ends with status 3 then.
"""

import asyncio

from umcp.version import LEGACY, MODERN

from . import batches, eras, replay_answer
from .people import tell
from .pipeline import (
    BATCH,
    DELETE,
    GET,
    INVALID,
    NOTIFICATION,
    REQUEST,
    RESPONSE,
    Ask,
    Delay,
    Notify,
    Reply,
    Responder,
    Silence,
    Status,
    error_reply,
)
from .replay_match import Library, Miss
from .replay_sessions import Refused, Sessions
from .tape import ASK, NOTE, WAIT, Tape, text_of

MISSED = 3  # exit status

_METHOD_NOT_FOUND = -32601
_INVALID_REQUEST = -32600
_ORDER_S = 0.05
_RESPONSE_S = 30
_INITIALIZED = "notifications/initialized"
_NOT_ALLOWED = Status(405, (("Allow", "POST"),))


class Replay(Responder):
    """cassette: `cassette.Cassette`.  match, exhausted, ignore: see `replay_match.Library`.

    era: "both", "legacy" or "modern".  session: a policy of `replay_sessions`.  streams: bool, a GET gets a stream.
    as_is: bool, answers are not adapted to the other era.  pace: bool, answers take the time that they took.
    complete: bool, the opening of a session repeats, and is made up where there was none.  quiet: bool, what is no
    message gets no answer.  order_s: how long an answer waits for others that came before it when it was recorded.
    note: function of a str, for people.
    """

    def __init__(self, cassette, match="auto", exhausted=None, ignore=(), era="both", session="optional", streams=True,
                 as_is=False, pace=False, complete=True, quiet=False, order_s=_ORDER_S, note=tell):  # fmt: skip
        recorded = Tape(cassette.rows, cassette.path.name)
        for text in cassette.warnings + recorded.warnings:
            note(text)
        if cassette.redacted:
            note("%s: what was redacted in it is not what the server said" % cassette.path.name)
        self.misses = 0
        takes = [take for take in recorded.takes if _is_wanted(take, era)]
        self._library = Library(takes, match, exhausted, ignore, complete)
        self._handshake = eras.Handshake(takes, cassette.path.stem)
        self._sessions = Sessions(session)
        self._era = era
        self._streams = streams
        self._as_is = as_is
        self._pace = pace
        self._complete = complete
        self._quiet = quiet
        self._order_s = order_s
        self._note = note
        self._told = set()
        self._kinds = {
            REQUEST: self._request,
            NOTIFICATION: self._notification,
            RESPONSE: self._response,
            BATCH: self._batch,
            GET: self._get,
            DELETE: self._delete,
            INVALID: self._invalid,
        }

    @property
    def exit_status(self):
        """3 after a request without a recording."""
        return MISSED if self.misses else 0

    def at_once(self, exchange):
        """See `Responder`."""
        return self._kinds[exchange.kind](exchange)

    async def handle(self, exchange):
        """See `Responder`."""
        action = self._kinds[exchange.kind](exchange)
        if hasattr(action, "__await__"):
            action = await action
        if action is not None:
            await exchange.send(action)

    # These return an action, None, or an awaitable of one of them.
    def _request(self, exchange):
        if self._era not in ("both", exchange.era):
            return self._refusal(exchange)
        headers = ()
        try:
            if exchange.method == "initialize":
                session, headers = self._sessions.open(exchange)
            else:
                session = self._sessions.of(exchange)
        except Refused as e:
            return error_reply(exchange.id, _INVALID_REQUEST, str(e), status=e.status)
        try:
            take, note = self._library.find(exchange.method, exchange.params)
        except Miss as e:
            return self._missed(exchange, e, headers)
        if note:
            self._note_once("%s: %s" % (exchange.tool or exchange.method, note))
        exchange.notes["take"] = take.number
        if take.events or take.later or take.behind or self._pace or take.answer is None:
            return self._play(exchange, take, session, headers)
        take.answered()
        return self._answer(exchange, take, headers)

    def _refusal(self, exchange):
        status = 400 if exchange.transport == "http" else 200
        if self._era == "legacy":
            return error_reply(exchange.id, _METHOD_NOT_FOUND, "Method not found", status=status)
        data = {"supported": [MODERN], "requested": exchange.params.get("protocolVersion", LEGACY[-1])}
        return error_reply(exchange.id, -32022, "Unsupported protocol version", data, status)

    def _missed(self, exchange, miss, headers):
        made = self._complete and self._handshake.answer(exchange.id, exchange.method, exchange.params)
        if made:
            return Reply(made, 200, headers)
        self.misses += 1
        exchange.notes["miss"] = miss.data["reason"]
        self._note("%s: no recording for %s" % (miss.data["reason"], exchange.tool or exchange.method))
        text = "No recording for %s" % exchange.method
        status = 404 if exchange.era == "modern" and exchange.transport == "http" else 200
        return error_reply(exchange.id, _METHOD_NOT_FOUND, text, miss.data, status)

    async def _play(self, exchange, take, session, headers):
        try:
            await self._events(exchange, take, session)
            if take.answer is None:
                return Silence()
            await self._in_order(take)
            await exchange.send(self._answer(exchange, take, headers))
        finally:
            take.answered()
        if take.method == "initialize":
            session.held.extend(take.later)
        elif exchange.era == "legacy":
            await session.tell(exchange, take.later)
        return None

    def _answer(self, exchange, take, headers):
        found = replay_answer.answer(exchange, take, headers, self._handshake.identity, self._as_is)
        if found is None:
            self._note("%s: a client of the older versions cannot be asked in a result" % take.method)
            return self._missed(exchange, Miss({"reason": "other-era"}), headers)
        return found

    async def _events(self, exchange, take, session):
        at = take.t
        for event in take.events:
            at = await self._paced(exchange, at, event.t)
            if event.kind == NOTE:
                raw = replay_answer.notification(exchange, take, event.raw)
                if raw is not None:
                    await exchange.send(Notify(raw))
            elif exchange.era == "modern":
                self._note_once("%s: what the server asked its client was left out" % take.method)
            elif event.kind == ASK:
                session.asks(event.id)
                await exchange.send(Ask(event.raw))
            elif event.kind == WAIT and not await session.response(event.id, _RESPONSE_S):
                self._note(
                    "%s: the client did not respond to the server's request %s" % (take.method, event.id)
                )
        await self._paced(exchange, at, take.answer_t)

    async def _paced(self, exchange, since, until):
        if self._pace and since is not None and until is not None:
            await exchange.send(Delay(max(0, round(until - since))))
        return until

    # Whoever was asked later and answered earlier is answered earlier again, if it is asked soon.
    async def _in_order(self, take):
        loop = asyncio.get_running_loop()
        until = loop.time() + self._order_s
        for other in take.behind:
            if other.done:
                continue
            other.sent = other.sent or asyncio.Event()
            try:
                await asyncio.wait_for(other.sent.wait(), until - loop.time())
            except asyncio.TimeoutError:
                return

    async def _notification(self, exchange):
        session = self._session(exchange)
        if isinstance(session, Reply):
            return session
        await exchange.send(Reply(b"", 202))
        if exchange.method == _INITIALIZED:
            held, session.held = session.held, []
            await session.tell(exchange, held)
        return None

    def _response(self, exchange):
        session = self._session(exchange)
        if isinstance(session, Reply):
            return session
        session.responded(text_of(exchange.id))
        return Reply(b"", 202)

    # The session, or the `Reply` that refuses.
    def _session(self, exchange):
        try:
            return self._sessions.of(exchange)
        except Refused as e:
            return error_reply(None, _INVALID_REQUEST, str(e), status=e.status)

    async def _batch(self, exchange):
        if self._quiet:
            return None
        if not exchange.message:
            return self._invalid(exchange)
        return await batches.handled(exchange, self.handle)

    def _invalid(self, exchange):
        if self._quiet:
            return None
        if exchange.message is None:
            return error_reply(None, -32700, "Parse error", status=400)
        return error_reply(None, _INVALID_REQUEST, "Invalid Request", status=400)

    async def _get(self, exchange):
        if exchange.era == "modern" or not self._streams:
            return _NOT_ALLOWED
        session = self._session(exchange)
        if isinstance(session, Reply):
            return session
        await session.listen(exchange)
        return None

    def _delete(self, exchange):
        status = 405 if exchange.era == "modern" else self._sessions.end(exchange)
        return _NOT_ALLOWED if status == 405 else Status(status)

    def _note_once(self, text):
        if text not in self._told:
            self._told.add(text)
            self._note(text)


# A server of the newest version alone does not refuse to be discovered.
def _is_wanted(take, era):
    if era == "modern" and take.method == "server/discover":
        return "result" in (take.answer_message() or {})
    return True
