"""What a handler can do besides returning a value: report progress, log, ask its client. It does not know the era.

    async def work(context, steps):
        await context.progress(1, steps)
        await context.log("info", "begun")
        answer = await context.elicit("Go on?", Object((("sure", Boolean()),)))

In the modern era a question that is not answered yet ends the handler, and when the answers are there it runs again
from its start: so a handler asks first, and acts afterwards.
"""

from .codec import dumps
from .errors import CannotAsk, LocalError
from .levels import LEVELS
from .meta import LOG_LEVEL, PROGRESS_TOKEN, Meta
from .rpc import META, notification
from .session import owner, takes
from .version import MODERN

_KINDS = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}
_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"


class Context:
    """One call's. server: `umcp.server.Server`.  message, session, peer: of the request; the message is read here.

    cancelled: bool, the client takes no answer any more; the handler's task is cancelled, too.
    over: bool, False while the handler waits. Then nothing is sent any more, whoever still holds the context.
    """

    over = True

    def __init__(self, server, message, session, peer):
        self._server = server
        self._session = session
        self.peer = peer
        self.owner = owner(peer)
        self._token = self._level = self._progress = self._rounds = None
        if session.modern:
            self._method = bytes(message.method)
            self._params = message.params()
            self._declared = self._params["_meta"][_CAPABILITIES]
            if "requestState" in self._params:
                self._use_rounds()  # One that was tampered with is refused, whether the handler asks or not.
        elif server.levels is not None:
            self._level = server.levels.of(self.owner)
        if message.spans[META + 2] == 5:
            self._read(message)

    def _read(self, message):
        meta = Meta()
        meta.read(message.buf, message.spans[META], message.spans[META + 1])
        if meta.kind(PROGRESS_TOKEN) in (1, 2, 3):
            self._token = meta.raw(PROGRESS_TOKEN)
        if self._session.modern:
            self._level = meta.value(LOG_LEVEL)

    @property
    def cancelled(self):
        return self.peer.left and self.peer.stops_with_peer

    async def progress(self, done, total=None, message=None):
        """Tell how far the work is, if the client wants to know.  done, total: number.  message: str.

        done must grow from call to call (MCP: progress); one that does not is not sent.
        """
        if self._token is None or (self._progress is not None and done <= self._progress):
            return await self.send(b"")
        self._progress = done
        members = b'"progressToken":%s,"progress":%s' % (self._token, dumps(done))
        if total is not None:
            members += b',"total":' + dumps(total)
        if message and self._session.version > "2025-03":
            members += b',"message":' + dumps(message)
        await self.send(notification(b"notifications/progress", members))

    async def log(self, level, data, logger=None):
        """Send a log message, if the client wants that level.  level: one of umcp.levels.LEVELS.  data: JSON value."""
        if level not in LEVELS:
            raise LocalError("level: one of " + ", ".join(LEVELS))
        if self._level is None or LEVELS.index(level) < LEVELS.index(self._level):
            return await self.send(b"")
        members = b'"level":"%s","data":%s' % (level.encode(), dumps(data))
        if logger:
            members += b',"logger":' + dumps(logger)
        await self.send(notification(b"notifications/message", members))

    def can(self, capability):
        """True if the client can be asked: "elicitation", "sampling" or "roots"."""
        if self._session.modern:
            return takes(self._declared, capability)
        return self._session.can(capability) and self.owner is not None and self.peer.can_stream()

    async def elicit(self, message, schema, key="answer"):
        """Ask the person.  message: str.  schema: an `Object` of umcp.types with flat fields, or a dict of JSON Schema.

        Returns {"action": "accept", "content": {...}}, or {"action": "decline"} or {"action": "cancel"}.
        key: str, names this question among those of one handler. Raises CannotAsk, and ToolError for an answer that
        does not fit.
        """
        schema = schema if type(schema) is dict else schema.schema()
        return await self._ask_one(key, "elicitation/create", {"message": message, "requestedSchema": schema})

    async def sample(self, messages, max_tokens=256, key="sample", **more):
        """Have the client's model answer.  messages: list of {"role": ..., "content": {...}}.

        more: further members of MCP's CreateMessageRequest (systemPrompt, temperature, ...).  Returns its result, a
        dict.  Raises as `elicit`.
        """
        more["messages"] = messages
        more["maxTokens"] = max_tokens
        return await self._ask_one(key, "sampling/createMessage", more)

    async def roots(self, key="roots"):
        """The client's roots: list of dicts with "uri".  Raises as `elicit`."""
        return (await self._ask_one(key, "roots/list", {}))["roots"]

    async def ask(self, questions):
        """Ask several things at once.  questions: dict of key (str) -> (method, params), as MCP defines them.

        Returns a dict of key -> result.  Raises as `elicit`.
        """
        if self.over:
            raise LocalError("a context asks nothing when its handler has returned")
        for method, _ in questions.values():
            if not self.can(_KINDS[method]):
                raise CannotAsk(_KINDS[method])
        if not self._session.modern:
            return await self._server.use("asking").ask(self, questions)
        return self._use_rounds().answers(questions)

    async def _ask_one(self, key, method, params):
        return (await self.ask({key: (method, params)}))[key]

    async def close_stream(self, retry_ms=1000):
        """Let the client go while the work goes on: it comes back for the rest after `retry_ms`.

        Nothing happens for a client that cannot come back: it knows how to since 2025-11-25 (SSE resumption).
        """
        if self._resumable() and not self.over:
            await self._server.use("resumption").let_go(self.peer, retry_ms)

    async def send(self, raw):
        """Send a message (bytes, b"" for none) before the answer; nothing is sent where the client takes none.

        Others have their turn in any case: a handler may await nothing but this.
        """
        if not raw or self.over or not self.peer.can_stream():
            if self._server.runtime:
                await self._server.runtime.pause()
        elif self._resumable():
            await self._server.use("resumption").send(self.peer, raw)
        else:
            await self.peer.send(raw)

    def _resumable(self):
        peer = self.peer
        return (
            self._server.streams
            and peer.headed
            and self.owner is not None
            and "2025-11-25" <= self._session.version < MODERN
        )

    def _use_rounds(self):
        if self._rounds is None:
            from .rounds import Rounds  # late (RAM): few handlers ask

            self._rounds = Rounds(self._server, self._method, self.peer.principal, self._params)
        return self._rounds
