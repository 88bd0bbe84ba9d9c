"""One running server, and the exchanges that are under way with it: what it says goes where it belongs."""

import asyncio
from collections import deque
from itertools import count

from .pipeline import REQUEST, Ask, Notify, Reply, dumped, error_reply, parsed
from .tape import text_of, with_id
from .upstream_process import Process

_INTERNAL = -32603
_MAX_UNHEARD = 1000  # messages of the server's that nobody listens for
_PROGRESS = "notifications/progress"
_CANCELLED = "notifications/cancelled"
_SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


class _Entry:
    """A request under way.  id, token: JSON text, as the server knows them.  original: the client's token."""

    __slots__ = ("answered", "exchange", "id", "original", "token")

    def __init__(self, exchange, id, token, original):
        self.exchange = exchange
        self.id = id
        self.token = token
        self.original = original
        self.answered = asyncio.get_running_loop().create_future()


class Link:
    """command: list of str.  shared: bool, clients that know nothing of each other use it: their ids are replaced.

    line: bool, its one client is on stdio, and gets whatever it says.  note: function of a str, for people.
    used: int, counts up with each message.
    """

    _uses = count(1)

    def __init__(self, command, shared, line, note):
        self._shared = shared
        self._line = line
        self._note = note
        self._process = Process(command, self._take)
        self._open = []
        self._ids = count(1)
        self._unheard = deque(maxlen=_MAX_UNHEARD)
        self._listeners = []
        self._last = None  # on stdio: the exchange that came last, which carries what belongs to none
        self.used = 0

    async def start(self):
        """Start the server.  Raises Unreachable."""
        await self._process.start()

    @property
    def ended(self):
        """Future: the server's exit status."""
        return self._process.ended

    async def close(self):
        """End the server."""
        await self._process.close()

    async def handle(self, exchange):
        """Give a message to the server; returns when it is answered, if it is a request."""
        self.used = next(self._uses)
        if self._line:
            self._last = exchange
        if exchange.kind != REQUEST:
            self._process.write(exchange.raw)
            await self._to_last()
            await self._process.drain()
            await exchange.send(Reply(b"", 202))
            return
        raw, entry = self._entered(exchange)
        self._open.append(entry)
        self._process.write(raw)
        await self._to_last()
        await self._process.drain()
        try:
            await self._wait(entry)
        finally:
            if entry in self._open:
                self._open.remove(entry)

    async def listen(self, exchange):
        """Send what belongs to no request to the stream of a GET, until its client leaves."""
        await exchange.send(Notify(b""))
        self._listeners.append(exchange)
        try:
            while self._unheard:
                await exchange.send(self._unheard.popleft())
            await exchange.gone()
        finally:
            self._listeners.remove(exchange)

    # The message as the server gets it, and its entry.
    def _entered(self, exchange):
        meta = exchange.params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        if not self._shared:
            return exchange.raw, _Entry(
                exchange, text_of(exchange.id), None if token is None else text_of(token), token
            )
        number = next(self._ids)
        entry = _Entry(exchange, text_of(number), None if token is None else text_of(number), token)
        message = dict(exchange.message, id=number)
        if token is not None:
            message["params"] = dict(exchange.params, _meta=dict(meta, progressToken=number))
        return dumped(message), entry

    async def _wait(self, entry):
        exchange = entry.exchange
        waiting = {entry.answered, self.ended}
        leaves = None
        if self._shared:
            leaves = asyncio.ensure_future(exchange.gone())
            waiting.add(leaves)
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if leaves is not None:
                leaves.cancel()
        if entry.answered.done():
            return
        if self.ended.done():
            if not self._line:
                await exchange.send(error_reply(exchange.id, _INTERNAL, "The server has left", status=502))
            return
        # To leave is to cancel, where there is no session (2026-07-28, cancellation).
        params = {"requestId": int(entry.id), "reason": "the client has left"}
        self._process.write(dumped({"jsonrpc": "2.0", "method": _CANCELLED, "params": params}))

    # A line of the server's.
    async def _take(self, raw):
        message = parsed(raw)
        is_object = isinstance(message, dict)
        if is_object and "method" not in message and "id" in message:
            entry = self._entry(lambda one: one.id == text_of(message["id"]))
            if entry is not None:
                await self._answer(entry, raw, message)
                return
            if not self._line:
                self._note("an answer to nothing: %r" % raw[:80])
                return
        if isinstance(message, list) and not self._line:
            for one in message:
                await self._take(dumped(one))
            return
        await self._say(raw, message if is_object else {})

    def _entry(self, fits):
        return next((one for one in self._open if fits(one)), None)

    async def _answer(self, entry, raw, message):
        self._open.remove(entry)
        if self._shared:
            result = message.get("result")
            if isinstance(result, dict) and _SUBSCRIPTION in (result.get("_meta") or {}):
                raw = dumped(dict(message, result=_renamed(result, entry)))
            raw = with_id(raw, text_of(entry.exchange.id))
        await entry.exchange.send(Reply(raw))
        if not entry.answered.done():
            entry.answered.set_result(None)

    # Anything but an answer.
    async def _say(self, raw, message):
        action = (Ask if "id" in message and "method" in message else Notify)(raw)
        entry = self._owner(message)
        if entry is not None:
            if self._shared:
                action.raw = dumped(_restored(message, entry))
            await entry.exchange.send(action)
        elif self._last is not None:
            await self._last.send(action)
        elif not message and not self._line:
            self._note("no message: %r" % raw[:80])
        elif self._shared and len(self._open) != 1:
            self._note("left out, for it may be anybody's: %s" % message.get("method"))
        elif self._open:
            await self._open[-1].exchange.send(action)
        elif self._listeners:
            await self._listeners[-1].send(action)
        else:
            self._unheard.append(action)

    # What came before there was a client.
    async def _to_last(self):
        while self._line and self._unheard:
            await self._last.send(self._unheard.popleft())

    # The request that a notification is about, or None.
    def _owner(self, message):
        params = message.get("params")
        if not isinstance(params, dict):
            return None
        meta = params.get("_meta")
        if isinstance(meta, dict) and _SUBSCRIPTION in meta:
            id = text_of(meta[_SUBSCRIPTION])
            return self._entry(lambda one: one.id == id)
        if message.get("method") != _PROGRESS or "progressToken" not in params:
            return None
        token = text_of(params["progressToken"])
        return self._entry(lambda one: one.token == token)


# A notification with the id and the token of the client's.
def _restored(message, entry):
    params = message["params"]
    if "progressToken" in params:
        params = dict(params, progressToken=entry.original)
    return dict(message, params=_renamed(params, entry))


def _renamed(value, entry):
    meta = value.get("_meta")
    if not isinstance(meta, dict) or _SUBSCRIPTION not in meta:
        return value
    return dict(value, _meta=dict(meta, **{_SUBSCRIPTION: entry.exchange.id}))
