"""The server's side of MCP, sans I/O: the bytes of a message in, the bytes of its answer out.

`handle` parses, tells the two eras apart, finds the session, and calls the method from one table. It knows no socket
and no clock. What the transport knows of the request comes as `peer`: see `umcp.peer`.
"""

from .codec import dumps, loads
from .errors import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    CannotAsk,
    RemoteError,
)
from .pages import Pages
from .rpc import ARGUMENTS, META, NAME, NOTIFICATION, REQUEST, RESPONSE, Message, error, result
from .session import capability_bits, owner
from .version import BY_NAME, LEGACY, MODERN

try:
    from micropython import const
except ImportError:

    def const(value):
        return value


_MODERN = const(b"2026-07-28")  # MODERN, as in a header field

MAX_RESULT = 24 * 1024  # bytes of a tool's result, and of a page of a list
TOOL_MS = 60_000


def no_log(level, text, exception=None):
    """The default log: none. level: one of MCP's eight.  exception: whose traceback belongs to the text."""


class Server:
    """name, version: str, the server's identity.  about: dict of more of it (title, description, icons, websiteUrl).

    sessions: see umcp.session; none by default.  max_result: int, bytes.  runtime: `net.runtime`, or None: then
    handlers that wait have no limit of time, and can neither ask nor be cancelled.  tool_ms: what a waiting handler
    may take.  streams: int, how many streams for changes may be held; 0: none, and none is offered.  secret: function
    that returns the bytes of a key that is kept, or None.
    Further methods, as add_resource and publish, are in `umcp.parts`.
    """

    def __init__(
        self,
        name,
        version,
        sessions=None,
        instructions=None,
        log=no_log,
        max_result=MAX_RESULT,
        runtime=None,
        tool_ms=TOOL_MS,
        streams=0,
        secret=None,
        about=None,
    ):
        self.identity = {"name": name, "version": version}
        self.instructions = instructions
        self.about = about or {}
        if sessions is None:
            from .off import Off

            sessions = Off()
        self.sessions = sessions
        self.log = log
        self.max_result = max_result
        self.runtime = runtime
        self.streams = streams
        self.secret = secret
        self.tool_ms = tool_ms
        self.message = Message()
        self.tools = Pages("tools", max_result)
        # Its parts that are not used are not loaded: see `use`.
        self.modern = self.levels = self.resources = self.prompts = self.completion = None
        self.running = self.asking = self.subscriptions = self.resumption = None
        self.features = {}
        self.lines = []
        self.methods = {
            b"ping": lambda message, session, peer: b"",
            b"tools/list": self.tools.list,
            b"tools/call": self._call_tool,
        }

    def add_tool(self, tool):
        """Offer a `Tool`; it takes the place of one of its name. Raises LocalError if its entry is too large."""
        self.tools.add(tool.name.encode(), tool)
        if tool.context or b'"x-mcp-header"' in tool.listed():
            from .parts import tool_added  # late (RAM): most tools need nothing more

            tool_added(self, tool)
        self.changed("tools")

    def changed(self, kind):
        """A list has changed: "tools", "resources" or "prompts"."""
        if self.lines or self.subscriptions is not None:
            self.use("subscriptions").list_changed(kind)

    def bound(self, awaitable, ms=None):
        """What a waiting handler returns, within its time (`ms`, or the server's)."""
        return self.runtime.in_time(awaitable, ms or self.tool_ms) if self.runtime else awaitable

    def handle(self, buf, start, end, peer, now_ms):
        """Answer the message in buf[start:end].

        Returns (HTTP status, body, session id to announce or b""), None where nothing is to be said, or an awaitable of
        one of them; the body is bytes, or a tuple of bytes to join; more than five are better sent one after another.
        now_ms: int.
        """
        message = self.message
        id_ = None
        try:
            kind = message.parse(buf, start, end)
            session = None
            if kind == REQUEST:
                id_ = message.id
            if message.spans[META + 2] or peer.protocol_version == _MODERN:
                session = (self.modern or self.use("modern")).session_of(message, kind, peer)
            if session is None:
                if kind == REQUEST and message.method == b"initialize":
                    return self._initialize(message, peer, now_ms)
                version = None if peer.protocol_version is None else _version(peer)
                store = self.sessions if peer.sessions is None else peer.sessions
                session = store.find(peer.session_id, version, peer.principal, now_ms)
            if kind == REQUEST:
                return self.answer(message, session, peer)
            if kind:
                # A notification of the modern era has no session, whatever its header fields say.
                return self._noted(kind, message, None if session.modern and peer.headed else owner(peer))
            from .batch import answer_batch  # late (RAM): few clients send batches

            return answer_batch(self, loads(buf, start, end), session, peer)
        except RemoteError as e:
            return e.status, error(id_, e.code, e.message, e.data), b""
        finally:
            message.buf = b""

    def close_session(self, peer, now_ms):
        """End the peer's session (DELETE).

        Raises RemoteError: status 400 without an id, 404 for an unknown one, 405 in the modern era, which has none.
        """
        if peer.protocol_version == _MODERN:
            raise RemoteError(INVALID_REQUEST, "there are no sessions in " + MODERN, status=405)
        self.sessions.close(peer.session_id, peer.principal, now_ms)
        if self.subscriptions is not None:
            self.subscriptions.forget(owner(peer))

    def open_stream(self, peer, now_ms):
        """The awaitable of a stream that a legacy client opens with GET: for changes, or to resume another one.

        Raises RemoteError: as `close_session`, and 405 where no stream can be held.
        """
        if peer.protocol_version == _MODERN or not self.streams:
            raise RemoteError(INVALID_REQUEST, "no stream is offered here", status=405)
        session = self.sessions.find(
            peer.session_id, _version(peer) if peer.protocol_version else None, peer.principal, now_ms
        )
        from .parts import open_stream  # late (RAM): few servers hold streams

        return open_stream(self, session, peer)

    # What few servers need, by the names of functions: see `umcp.parts`.
    def __getattr__(self, name):
        from .parts import method

        return method(self, name)

    def use(self, name):
        """A part that not every server needs, loaded when it is first used: see `umcp.parts`."""
        part = getattr(self, name)
        if part is None:
            from .parts import use

            part = use(self, name)
        return part

    def answer(self, message, session, peer):
        """The reply to one request, as of `handle`."""
        id_ = message.id
        try:
            if session.modern:
                method = session.method
                tail = session.tails.get(message.method, session.tail)
            else:
                method = self.methods.get(message.method)
                tail = session.tail
                if method is None:
                    from .rare import method_of  # late (RAM): what well-informed clients never ask for

                    method = method_of(self, message.method, peer)
            members = method(message, session, peer)
            if type(members) is bytes:
                return 200, result(id_, members, tail), b""
            if type(members) is tuple:
                return 200, result(id_, b"", b"")[:3] + members + (tail,), b""
            return self._answer_later(id_, members, session, peer, tail)
        except Exception as e:
            return self._failure(id_, e, session)

    def capabilities(self, streams):
        """What the server offers, as in `initialize` and `server/discover`.  streams: bool, changes can be told."""
        found = {"tools": {}}
        found.update(self.features)
        for name in ("tools", "resources", "prompts"):
            if streams and name in found:
                found[name] = {"listChanged": True}
        if streams and "resources" in found:
            found["resources"]["subscribe"] = True
        return found

    # The call can be cancelled by its id, except where the client cancels by hanging up, or has no session to own it.
    async def _answer_later(self, id_, members, session, peer, tail):
        peer.stops_with_peer = session.modern
        call = None
        whose = owner(peer)
        if whose is not None and not (session.modern and peer.headed):
            call = self.use("running").enter(whose, id_)
        try:
            answer = result(id_, await members, tail)
            if self.resumption is not None and await self.resumption.finish(peer, answer):
                return None
            return 200, answer, b""
        except Exception as e:
            return self._failure(id_, e, session)
        except BaseException as e:
            if hasattr(e, "members"):  # an InputRequired of the runtime's
                return 200, result(id_, e.members, session.tail_asked), b""
            if call is None or not call.cancelled:
                raise
            return None
        finally:
            if call is not None:
                self.running.leave(call)
            if self.resumption is not None:
                self.resumption.leave(peer)

    def _failure(self, id_, e, session):
        if isinstance(e, CannotAsk):
            from .rare import cannot_ask

            e = cannot_ask(e, session)
        if isinstance(e, RemoteError):
            return e.status, error(id_, e.code, e.message, e.data), b""
        self.log("error", "internal error", e)
        return 200, error(id_, INTERNAL_ERROR, "Internal error"), b""

    # A notification or a response has no answer (MCP transports, sending messages to the server, point 4), and of the
    # notifications only one asks for anything.  whose: see `umcp.session.owner`.
    def _noted(self, kind, message, whose):
        if kind == NOTIFICATION and self.running is not None and message.method == b"notifications/cancelled":
            self.running.cancel(whose, message.params().get("requestId"))
        if kind == RESPONSE and self.asking is not None:
            self.asking.answered(whose, message)
        return 202, b"", b""

    def _initialize(self, message, peer, now_ms):
        _version(peer)
        params = message.params()
        requested = params.get("protocolVersion")
        if type(requested) is not str:
            return 200, error(message.id, INVALID_PARAMS, "protocolVersion must be a string"), b""
        # The requested version if we speak it, else our latest.
        version = requested if requested in LEGACY else LEGACY[-1]
        store = self.sessions if peer.sessions is None else peer.sessions
        bits = capability_bits(params.get("capabilities"))
        session_id = store.open(version, bits, peer.principal, now_ms)
        if not peer.headed and peer not in self.lines:
            self.lines.append(peer)  # Who is told of changes on its line.
        about = dict(self.about)
        about.update(self.identity)
        members = b'"protocolVersion":"%s","capabilities":%s,"serverInfo":%s' % (
            version.encode(),
            dumps(self.capabilities(self.streams > 0 or not peer.headed)),
            dumps(about),
        )
        if self.instructions:
            members += b',"instructions":' + dumps(self.instructions)
        return 200, result(message.id, members), session_id or b""

    # A refusal by the tool is a result; only a call that names no tool is an error (MCP tools: error handling).
    def _call_tool(self, message, session, peer):
        name = message.text(NAME)
        arguments = message.object(ARGUMENTS)
        if name is None or arguments is None:
            raise RemoteError(INVALID_PARAMS, "tools/call needs a name and an object of arguments")
        tool = self.tools.get(name)
        if tool is None:
            raise RemoteError(INVALID_PARAMS, "Unknown tool: %s" % name.decode()[:64])
        context = None
        if tool.context or tool.headers or tool.time_ms:
            from .parts import prepare  # late (RAM): few tools have anything of that

            context = prepare(self, tool, arguments, message, session, peer)
        return tool.run(arguments, self, session.version, context)


# MCP 2025-06-18, transports, protocol version header: unsupported is 400; absent (None) is the session's.
def _version(peer):
    if peer.protocol_version is None:
        return None
    version = BY_NAME.get(peer.protocol_version)
    if version is None:
        why = "Unsupported protocol version (supported versions: %s)" % ", ".join(LEGACY)
        raise RemoteError(INVALID_REQUEST, why, status=400)
    return version
