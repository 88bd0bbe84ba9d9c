"""Faults on purpose: the part of the pipeline that breaks what the rules name, whoever answers behind it.

    tsumiki serve weather.json --fault 'tools/call#2=timeout'
    tsumiki proxy --listen 127.0.0.1:9000 --faults faults.json -- npx some-server

The first rule that hits a message has it. A request that was hit is not handed on, unless the fault is one of its
answer, or the rule says `consume`. A batch of the older versions passes unharmed.
"""

import asyncio

from .pipeline import BATCH, REQUEST, Middleware, Notify, Reply, Status, dumped, parsed

NEVER_FIRED = 1  # exit status, with --faults-must-fire


class Faults(Middleware):
    """inner: `Responder`.  rules: list of `fault_rules.Rule`.  note: function of a str, for people.

    must_fire: bool, a rule that never hit anything makes the exit status 1.
    """

    def __init__(self, inner, rules, note=lambda text: None, must_fire=False):
        super().__init__(inner)
        self.note = note
        self._rules = rules
        self._must_fire = must_fire
        self._begun = 0
        self._sessions = {}  # id to number
        self._dead = set()
        self._waiting = []  # an Event for each answer that waits for another

    @property
    def exit_status(self):
        """The inner one's, or 1 for a rule that never fired and must."""
        unfired = self._must_fire and any(not rule.fired for rule in self._rules)
        return self.inner.exit_status or (NEVER_FIRED if unfired else 0)

    async def handle(self, exchange):
        """See `Responder`."""
        if exchange.session in self._dead:
            await exchange.send(Status(404, (), b'{"error":"session not found"}'))
            return
        if exchange.kind == BATCH:
            await self.inner.handle(exchange)
            return
        session = self._session(exchange)
        hit = None
        for rule in self._rules:
            if rule.is_about(exchange, session) and rule.count(session):
                hit = hit or rule
        if exchange.method == "initialize":
            exchange = self._learning(exchange, session)
        try:
            if hit is None:
                await self.inner.handle(exchange)
            else:
                await self._meet(exchange, hit)
        finally:
            self._answered(exchange)

    async def close(self):
        """See `Responder`; tells which rules never fired."""
        await super().close()
        for rule in self._rules:
            if not rule.fired:
                self.note("%s never fired" % rule.text)

    async def _meet(self, exchange, rule):
        rule.fired += 1
        exchange.notes["fault"] = rule.do
        await rule.fault.act(Met(self, exchange, rule))

    # The number of its session: of the one that it opens, of the one that it names, or of the last on a line.
    def _session(self, exchange):
        if exchange.method == "initialize" and exchange.kind == REQUEST:
            self._begun += 1
            return self._begun
        if exchange.session is not None:
            return self._sessions.get(exchange.session, 0)
        return self._begun if exchange.transport == "stdio" else 0

    def _learning(self, exchange, session):
        async def sink(action):
            for name, value in getattr(action, "headers", ()):
                if name.lower() == "mcp-session-id":
                    self._sessions[value] = session
            await exchange.send(action)

        return exchange.through(sink)

    def lose(self, session):
        """From now on there is no such session.  session: str, its id, or None."""
        if session is not None:
            self._dead.add(session)

    async def wait_for_another(self, ms):
        """Wait until another request has been answered, or so long."""
        event = asyncio.Event()
        self._waiting.append(event)
        try:
            await asyncio.wait_for(event.wait(), ms / 1000)
        except asyncio.TimeoutError:
            pass
        finally:
            self._waiting.remove(event)

    def _answered(self, exchange):
        if exchange.kind == REQUEST:
            for event in self._waiting:
                event.set()


class Met:
    """What a fault meets.  exchange: `Exchange`.  given: dict, the fault's parameters.  http: bool, the transport."""

    def __init__(self, faults, exchange, rule):
        self._faults = faults
        self._rule = rule
        self.exchange = exchange
        self.given = rule.given
        self.http = exchange.transport == "http"
        self._asked = False

    async def send(self, action):
        """Send an action to the client. A rule that says `consume` has the request carried out before."""
        if self._rule.consume and not self._asked:
            await self.answer(self.nothing)
        await self.exchange.send(action)

    async def pass_on(self):
        """Have the request carried out and answered as if nothing were."""
        self._asked = True
        await self._faults.inner.handle(self.exchange)

    async def answer(self, before=None):
        """Have it carried out; returns the `Reply`, or None where what came is none, and has been sent.

        before: `async before(action)`, what becomes of what comes before it; else it is sent.
        """
        self._asked = True
        replies = []

        async def sink(action):
            if isinstance(action, Reply) and not replies:
                replies.append(action)
            elif before is not None and isinstance(action, Notify) and not replies:
                await before(action)
            else:
                await self.exchange.send(action)

        await self._faults.inner.handle(self.exchange.through(sink))
        return replies[0] if replies else None

    async def nothing(self, action):
        """For `answer`: what comes before it is left out."""

    def parsed(self, reply):
        """The message of a `Reply` as a dict, {} if it is none."""
        message = parsed(reply.raw)
        return message if isinstance(message, dict) else {}

    def result(self, members):
        """The `Reply` of a result.  members: dict."""
        if self.exchange.era == "modern":
            members = dict(members, resultType="complete")
        return Reply(dumped({"jsonrpc": "2.0", "id": self.exchange.id, "result": members}))

    def lose_session(self):
        """The session of the exchange is gone."""
        self._faults.lose(self.exchange.session)

    async def wait_for_another(self, ms):
        """See `Faults.wait_for_another`."""
        await self._faults.wait_for_another(ms)

    def note(self, text):
        """Tell people."""
        self._faults.note("%s: %s" % (self._rule.text, text))
