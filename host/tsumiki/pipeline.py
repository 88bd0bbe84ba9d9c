"""What the test kit's parts pass each other: one message of a client in, actions for its transport out.

    transport (stdio_side | http_side) -> recorder, call log -> faults -> responder (stub | replay | upstream)

A responder has `async handle(exchange)`, which sends actions with `await exchange.send(action)` while it runs. What
wraps one (a `Middleware`) has the same method, and sees the actions by giving `exchange.through(sink)` on. An exchange
is handled in a task of its own: a handler that waits holds up no other.
"""

import json
from dataclasses import dataclass, field
from itertools import count

MODERN = "2026-07-28"
MAX_LEVELS = 100  # of a message

# Kinds of an exchange. The last two have no message: HTTP's GET, for a stream, and DELETE, the end of a session.
REQUEST = "request"
NOTIFICATION = "notification"
RESPONSE = "response"
BATCH = "batch"
INVALID = "invalid"  # no JSON, or no message
GET = "get"
DELETE = "delete"

_VERSION = "io.modelcontextprotocol/protocolVersion"
_numbers = count(1)
_UNREAD = object()


@dataclass(slots=True)
class Reply:
    """The answer.  raw: bytes, one message without its newline; b"": there is none to say (HTTP 202).

    status: int.  headers: tuple of (name, value), str.  HTTP sends it as JSON, or as the last event of a stream; then
    status and headers are said no more. It ends the exchange there.
    """

    raw: bytes
    status: int = 200
    headers: tuple = ()


@dataclass(slots=True)
class Notify:
    """A message before the answer: a notification, or (`Ask`) a request of the server's.  raw: bytes.

    HTTP opens an event stream for it, and drops it where the client takes none.  event_id: str or None, the event's
    id.  retry_ms: int or None.  raw b"" is an event that tells only those; without them it opens the stream, no more.
    """

    raw: bytes
    event_id: str = None
    retry_ms: int = None


class Ask(Notify):
    """A request of the server's; the client's response is an exchange of its own."""

    __slots__ = ()


@dataclass(slots=True)
class Status:
    """HTTP only: the answer as it is told, instead of a `Reply`.  body: bytes.

    headers: tuple of (name, value); Content-Length is added unless it is there.
    """

    code: int
    headers: tuple = ()
    body: bytes = b""


@dataclass(slots=True)
class RawBytes:
    """Bytes for the wire as they are, head and framing included: what follows them is the sender's affair."""

    data: bytes


@dataclass(slots=True)
class Delay:
    """Wait before the next action.  ms: int."""

    ms: int


@dataclass(slots=True)
class Silence:
    """Never answer: HTTP holds the connection until the client leaves; on stdio there is nothing to do."""


@dataclass(slots=True)
class Close:
    """Close the connection: now, or when `after` more bytes of this exchange have gone out.

    stdio closes its output and ends the process with status 0.  after: int, or None: what was sent before goes out
    whole.  reset: bool, HTTP only: with RST instead of FIN.
    """

    after: int = None
    reset: bool = False


@dataclass(slots=True)
class Exit:
    """End: stdio ends the process with this status, HTTP closes the connection.  code: int."""

    code: int


@dataclass(slots=True)
class Http:
    """What HTTP tells with a message.  method: str.  path: str.  headers: dict of lower-case name -> value, str.

    A request that reaches a responder has passed token, Host and Origin.
    """

    method: str
    path: str
    headers: dict = field(default_factory=dict)

    @property
    def session_id(self):
        """The client's Mcp-Session-Id, or None."""
        return self.headers.get("mcp-session-id")


class Channel:
    """Where a transport takes the actions of an exchange. This one keeps them in a list: it is for tests.

    sent: list of actions.  left: bool, see `Exchange.left`.
    """

    def __init__(self):
        self.sent = []
        self.left = False

    async def send(self, action):
        """Take an action."""
        self.sent.append(action)

    async def gone(self):
        """Return once the client is gone."""


class Exchange:
    """A message of a client, and where what is said to it goes.

    raw: bytes, without a newline.  transport: "stdio" or "http".  peer: as of `umcp.peer`, for `umcp.server.Server`.
    channel: the transport's end, see `Channel`.  http: an `Http`, a function without arguments that makes it, or None.
    kind: str, of the above, or None: as the message says.

    number: int, counts the exchanges of this process from 1.  notes: dict, what one part of the pipeline tells the
    others of this exchange (`{"fault": "timeout"}`); the call log writes it down.
    """

    def __init__(self, raw, transport, peer, channel, http=None, kind=None):
        self.raw = raw
        self.transport = transport
        self.peer = peer
        self.number = next(_numbers)
        self.notes = {}
        self._http = http
        self._channel = channel
        self._sink = None
        self._kind = kind
        self._message = _UNREAD

    async def send(self, action):
        """Send an action: it is on its way, in order, when this returns.

        After the answer nothing more is sent on HTTP; on stdio messages still are, until the line ends. Where the
        client is gone it does nothing.
        """
        await (self._sink or self._channel.send)(action)

    def set_channel(self, channel):
        """For a transport that has no channel yet when it makes the exchange."""
        self._channel = channel

    def set_http(self, http):
        """The same for `http`."""
        self._http = http

    def through(self, sink):
        """The same exchange, what is sent in it passing through `async sink(action)` first."""
        copy = Exchange.__new__(Exchange)
        copy.__dict__.update(self.__dict__, _sink=sink)
        return copy

    def altered(self, raw):
        """The same exchange with another message.  raw: bytes."""
        copy = Exchange.__new__(Exchange)
        copy.__dict__.update(self.__dict__, raw=raw, _message=_UNREAD)
        return copy

    @property
    def left(self):
        """True once the client is gone, or, on HTTP, has its answer."""
        return self._channel.left

    async def gone(self):
        """Wait until the client is gone (HTTP: from this connection; stdio: it reads no more)."""
        await self._channel.gone()

    @property
    def http(self):
        """The `Http` of it, or None on stdio."""
        if callable(self._http):
            self._http = self._http()
        return self._http

    @property
    def message(self):
        """The parsed message, or None if it is no JSON."""
        if self._message is _UNREAD:
            self._message = parsed(self.raw)
        return self._message

    @property
    def kind(self):
        """What it is: see the constants."""
        return self._kind or kind_of(self.message)

    @property
    def given_kind(self):
        """GET or DELETE, which the transport knows, or None: the message tells."""
        return self._kind

    @property
    def id(self):
        """The message's id (str or int), or None."""
        return self._member("id", None)

    @property
    def method(self):
        """The method's name, or None."""
        method = self._member("method", None)
        return method if isinstance(method, str) else None

    @property
    def params(self):
        """The params, {} where there are none or they are no object."""
        params = self._member("params", None)
        return params if isinstance(params, dict) else {}

    @property
    def tool(self):
        """The name of the tool that is called, or None."""
        name = self.params.get("name") if self.method == "tools/call" else None
        return name if isinstance(name, str) else None

    @property
    def session(self):
        """The id of its session (str), or None."""
        return self.http.session_id if self.http else None

    @property
    def era(self):
        """ "modern" for a message of 2026-07-28, else "legacy"."""
        meta = self.params.get("_meta")
        modern = isinstance(meta, dict) and _VERSION in meta
        if not modern and self.http:
            modern = self.http.headers.get("mcp-protocol-version") == MODERN
        return "modern" if modern else "legacy"

    def _member(self, name, default):
        message = self.message
        return message.get(name, default) if isinstance(message, dict) else default


class Responder:
    """Answers exchanges.  exit_status: int, for the process when all is over (a replay that missed: 3).

    at_once: None, or a shorter way than `handle`, for responders that need not wait: a function of the exchange that
    returns its one action, None for none, or an awaitable of them. Transports use it only where nothing is around the
    responder.
    ended: None, or a Future once it has started: it has ended by itself, and so does the process.
    """

    exit_status = 0
    at_once = None
    ended = None

    async def start(self):
        """It is about to serve: start what has to run.  Raises Failed."""

    async def handle(self, exchange):
        """Answer an exchange; a request that gets no action at all is an error of the responder's."""
        raise NotImplementedError

    async def close(self):
        """All is over: let go of processes and connections, write files. Also called when interrupted."""


class Middleware(Responder):
    """A responder around another one.  inner: `Responder`."""

    def __init__(self, inner):
        self.inner = inner

    @property
    def exit_status(self):
        """That of the inner one."""
        return self.inner.exit_status

    @property
    def ended(self):
        """That of the inner one."""
        return self.inner.ended

    async def start(self):
        """Start the inner one."""
        await self.inner.start()

    async def handle(self, exchange):
        """Pass the exchange on as it is."""
        await self.inner.handle(exchange)

    async def close(self):
        """Close the inner one."""
        await self.inner.close()


def parsed(raw):
    """The JSON value in bytes, or None if they hold none, or one of more than 100 levels."""
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return None if raw.count(b"[") + raw.count(b"{") > MAX_LEVELS and is_deep(value) else value


def is_deep(value):
    """True for a JSON value of more than 100 levels: recursion over others needs no care."""
    level = [value]
    for _ in range(MAX_LEVELS):
        level = [one for each in level if isinstance(each, (dict, list)) for one in _inside(each)]
        if not level:
            return False
    return True


def _inside(value):
    return value.values() if isinstance(value, dict) else value


def kind_of(message):
    """The kind of a parsed message: see the constants."""
    if isinstance(message, list):
        return BATCH
    if not isinstance(message, dict):
        return INVALID
    if isinstance(message.get("method"), str):
        return NOTIFICATION if message.get("id") is None and "id" not in message else REQUEST
    if "result" in message or "error" in message:
        return RESPONSE
    return INVALID


def dumped(message):
    """A message as compact JSON bytes, as transports send it."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def error_reply(id_, code, text, data=None, status=200):
    """The `Reply` of a JSON-RPC error.  id_: str, int or None."""
    body = {"code": code, "message": text}
    if data is not None:
        body["data"] = data
    return Reply(dumped({"jsonrpc": "2.0", "id": id_, "error": body}), status)
