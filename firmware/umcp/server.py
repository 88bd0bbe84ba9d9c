"""The server's side of MCP, sans I/O: the bytes of a message in, the bytes of its answer out.

`handle` parses, finds the session, and calls the method from one table. It knows no socket and no clock.
What the transport knows of the request comes as `peer`: `session_id` and `protocol_version`, bytes of the headers or
None, and `principal`, bytes that stand for the credential.
"""

from .codec import dumps, loads
from .errors import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, LocalError, RemoteError
from .rpc import ARGUMENTS, CAPABILITIES, CURSOR, NAME, PROTOCOL_VERSION, REQUEST, Message, error, result
from .session import capability_bits
from .version import BY_NAME, LEGACY

MAX_RESULT = 24 * 1024  # bytes of a tool's result, and of a page of a list

# A POST that asks for no answer: MCP transports, sending messages to the server, point 4.
_ACCEPTED = (202, b"", b"")


def no_log(level, text, exception=None):
    """The default log: none. level: one of MCP's eight.  exception: whose traceback belongs to the text."""


class Server:
    """name, version: str, the server's identity.  sessions: see umcp.session; none by default.

    max_result: int, bytes.  bound: called with the awaitable of a waiting handler, returns one that ends in time.
    """

    def __init__(
        self, name, version, sessions=None, instructions=None, log=no_log, max_result=MAX_RESULT, bound=None
    ):
        self._identity = {"name": name, "version": version}
        self._instructions = instructions
        self.sessions = _no_sessions() if sessions is None else sessions
        self.log = log
        self.max_result = max_result
        self.bound = bound or (lambda awaitable: awaitable)
        self._tools = []
        self._by_name = {}
        self._pages = None
        self._generation = 0
        self.message = Message()
        self._methods = {b"ping": _ping, b"tools/list": self._list_tools, b"tools/call": self._call_tool}

    def add_tool(self, tool):
        """Offer a `Tool`; it takes the place of one of its name. Raises LocalError if its entry is too large."""
        if len(tool.listed()) > self.max_result - 100:
            raise LocalError("the entry of tool %s is over the limit of an answer" % tool.name)
        key = tool.name.encode()
        old = self._by_name.get(key)
        if old is None:
            self._tools.append(tool)
        else:
            self._tools[self._tools.index(old)] = tool
        self._by_name[key] = tool
        self._tools_changed()

    def remove_tool(self, name):
        """Withdraw the tool of that name; True if there was one."""
        tool = self._by_name.pop(name.encode(), None)
        if tool is None:
            return False
        self._tools.remove(tool)
        self._tools_changed()
        return True

    def get_tools(self):
        """A copy of the list of tools, in the order they were added."""
        return list(self._tools)

    def _tools_changed(self):
        self._pages = None
        self._generation += 1

    def handle(self, buf, start, end, peer, now_ms):
        """Answer the message in buf[start:end].

        Returns (HTTP status, body, session id to announce or b""), or an awaitable of it; the body is bytes, or a
        tuple of bytes to join.  now_ms: int.
        """
        message = self.message
        id_ = None
        try:
            kind = message.parse(buf, start, end)
            if kind == REQUEST:
                id_ = message.id
            if kind == REQUEST and message.method == b"initialize":
                return self._initialize(message, peer, now_ms)
            version = None if peer.protocol_version is None else _version(peer)
            session = self.sessions.find(peer.session_id, version, peer.principal, now_ms)
            if kind == REQUEST:
                answer = self.answer(message, session)
                return (200, answer, b"") if type(answer) is tuple else _later(answer)
            if kind:
                return _ACCEPTED
            from .batch import answer_batch  # late (RAM): few clients send batches

            return answer_batch(self, loads(buf, start, end), session)
        except RemoteError as e:
            return e.status, error(id_, e.code, e.message, e.data), b""
        finally:
            message.buf = b""

    def close_session(self, peer, now_ms):
        """End the peer's session (DELETE). Raises RemoteError: status 400 without an id, 404 for an unknown one."""
        self.sessions.close(peer.session_id, peer.principal, now_ms)

    def answer(self, message, session):
        """The response to one request, as a tuple of bytes to join, or an awaitable of it."""
        id_ = message.id
        try:
            method = self._methods.get(message.method)
            if method is None:
                raise RemoteError(METHOD_NOT_FOUND, "Method not found")
            raw = method(message, session)
            return result(id_, raw) if type(raw) is bytes else self._answer_later(id_, raw)
        except Exception as e:
            return self._error(id_, e)

    async def _answer_later(self, id_, awaitable):
        try:
            return result(id_, await awaitable)
        except Exception as e:
            return self._error(id_, e)

    def _error(self, id_, e):
        if isinstance(e, RemoteError):
            return (error(id_, e.code, e.message, e.data),)
        self.log("error", "internal error", e)
        return (error(id_, INTERNAL_ERROR, "Internal error"),)

    def _initialize(self, message, peer, now_ms):
        _version(peer)
        requested = message.text(PROTOCOL_VERSION)
        if requested is None:
            return 200, error(message.id, INVALID_PARAMS, "protocolVersion must be a string"), b""
        # The requested version if we speak it, else our latest.
        version = BY_NAME.get(requested, LEGACY[-1])
        bits = capability_bits(message.object(CAPABILITIES))
        session_id = self.sessions.open(version, bits, peer.principal, now_ms)
        answer = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": self._identity}
        if self._instructions:
            answer["instructions"] = self._instructions
        return 200, result(message.id, dumps(answer)), session_id or b""

    def _list_tools(self, message, session):
        if self._pages is None:
            self._pages = self._make_pages()
        return self._pages[self._page(message.text(CURSOR)) if message.has(CURSOR) else 0]

    # A cursor is "generation.page": one from before a change of the tools is refused, as any unknown one.
    def _page(self, cursor):
        for i in range(1, len(self._pages)):
            if cursor == self._cursor(i):
                return i
        raise RemoteError(INVALID_PARAMS, "unknown cursor; list again without one")

    def _cursor(self, page):
        return b"%d.%d" % (self._generation, page)

    # The results of tools/list, made once until the tools change: as few as hold them all within the limit.
    def _make_pages(self):
        pages = [[]]
        size = 0
        for tool in self._tools:
            entry = tool.listed()
            size += len(entry) + 1
            if size > self.max_result - 100 and pages[-1]:
                pages.append([])
                size = len(entry) + 1
            pages[-1].append(entry)
        last = len(pages) - 1
        return [
            b'{"tools":[%s]%s}'
            % (b",".join(page), b"" if i == last else b',"nextCursor":"%s"' % self._cursor(i + 1))
            for i, page in enumerate(pages)
        ]

    # A refusal by the tool is a result; only a call that names no tool is an error (MCP tools: error handling).
    def _call_tool(self, message, session):
        name = message.text(NAME)
        arguments = message.object(ARGUMENTS)
        if name is None or arguments is None:
            raise RemoteError(INVALID_PARAMS, "tools/call needs a name and an object of arguments")
        tool = self._by_name.get(name)
        if tool is None:
            raise RemoteError(INVALID_PARAMS, "Unknown tool: %s" % name.decode()[:64])
        return tool.run(arguments, self)


def _no_sessions():
    from .off import Off

    return Off()


def _ping(message, session):
    return b"{}"


async def _later(answer):
    return 200, await answer, b""


# MCP 2025-06-18, transports, protocol version header: unsupported is 400; absent (None) is the session's.
def _version(peer):
    if peer.protocol_version is None:
        return None
    version = BY_NAME.get(peer.protocol_version)
    if version is None:
        why = "Unsupported protocol version (supported versions: %s)" % ", ".join(LEGACY)
        raise RemoteError(INVALID_REQUEST, why, status=400)
    return version
