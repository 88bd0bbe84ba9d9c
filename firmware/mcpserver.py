"""An MCP server over HTTP: the one route table, and the parts of the library put together.

    server = McpServer("robot", "1.0", token="a-long-secret-token", port=8080)
    server.add_tool(Tool("add", "Add two numbers.", Object((("a", Number()), ("b", Number()))), lambda a, b: a + b))
    await server.start()               # server.status is "running", or "failed" with server.error

`GET /health` needs no token. `POST /mcp` (and `/mcp/`) does, and refuses everything while none is configured.
"""

import time

from micropython import const

from http1 import bearer
from http1.guard import Guard
from http1.router import Route, Router
from net import runtime
from net.http_server import HttpServer, Limits
from umcp.errors import RemoteError
from umcp.rpc import error
from umcp.server import MAX_RESULT, TOOL_MS, Server, no_log

_FEW = const(5)  # pieces of a body that are sent in one


class McpServer:
    """name, version: str.  tools: `umcp.tool.Tool`s.  host, port: where to listen.

    token: str; it comes before the preference `mcp.token`; with neither, every request is refused. A token of fewer
    than 16 characters is refused, unless `test_token` says that it guards nothing.
    sessions: "sealed", "ram" or "off" (umcp.session).  preferences: `get(key)` and `set(key, value)`, for `mcp.token`,
    `mcp.session_key` and `net.allowed_hosts`.  hosts: further names and addresses of this server.  origins: web origins
    that may call.  limits: `net.http_server.Limits`.  tool_ms: the time a waiting handler may take.
    pages: dict of path -> coroutine function of what anybody may GET, a handler as of `http1.router.Route`; a list of
    bytes as its body is sent in parts, and its header lines tell the Content-Type (`net.parts`).
    log: log(level, text, exception=None).  Raises ValueError for another setting of sessions, and for too many streams.
    """

    def __init__(
        self,
        name,
        version,
        tools=(),
        token=None,
        test_token=False,
        host="0.0.0.0",
        port=8080,
        sessions="sealed",
        preferences=None,
        hosts=(),
        origins=(),
        instructions=None,
        limits=None,
        max_result=MAX_RESULT,
        tool_ms=TOOL_MS,
        streams=0,
        about=None,
        pages=None,
        log=no_log,
    ):
        self.status = "starting"
        self.error = None
        self._log = log
        preferences = preferences or {}
        store = _store(sessions, preferences, log)
        self._mcp = Server(
            name,
            version,
            store,
            instructions,
            log,
            max_result,
            runtime,
            tool_ms,
            streams,
            lambda: _key(preferences, log),
            about,
        )
        for tool in tools:
            self._mcp.add_tool(tool)
        self._test_token = test_token
        token = bearer.normalize(token) or bearer.normalize(preferences.get("mcp.token"))
        hosts = tuple(hosts) + tuple(preferences.get("net.allowed_hosts") or ()) + (host,)
        self._guard = Guard(self._checked_token(token), hosts, origins, log=log)
        methods = ("POST",)
        if store.ids:
            methods += ("DELETE",)
        if streams:
            methods += ("GET",)
        routes = {"/mcp": Route(methods, True, self._serve_mcp)}
        routes["/mcp/"] = routes["/mcp"]
        for path, handler in (("/health", _health),) + tuple((pages or {}).items()):
            routes[path] = Route(("GET", "HEAD"), False, handler)
        limits = limits or Limits()
        if streams > max(0, limits.connections - 2):
            raise ValueError("streams: at least two of limits.connections must be left for requests")
        self._router = Router(routes, self._guard, limits.body)
        self._http = HttpServer(self._router, host, port, limits, log)

    # What is offered, and can be withdrawn: the methods of `umcp.server.Server` and `umcp.parts`.
    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._mcp, name)

    def add_route(self, path, route):
        """Serve one path more.  path: str.  route: `http1.router.Route`."""
        self._router.add(path, route)

    async def start(self):
        """Listen; returns True, or False with `status` failed and the reason in `error`."""
        try:
            await self._http.start()
        except OSError as e:
            self.status = "failed"
            from net.os_reason import reason  # late (RAM): mostly it can

            self.error = "cannot listen on %s:%d: %s" % (self._http.where + (reason(e),))
            self._log("error", self.error)
            return False
        self.status = "running"
        self.error = None
        self._log("info", "listening on %s:%d" % self._http.where)
        return True

    def serve_lines(self, *line):
        """An awaitable that serves a client on a line of its own, stdio or serial, until it ends.

        line: a reader, a writer, and perhaps whether there is noise, as of `net.lines.LineServer`.
        """
        from net.lines import LineServer  # late (RAM)

        return LineServer(self._mcp, self._log, *line).serve()

    async def close(self):
        """Stop listening, end every stream and close every connection."""
        if self._mcp.subscriptions is not None:
            self._mcp.end_streams()
        await self._http.close()
        self.status = "closed"

    def set_token(self, token):
        """Take another token from now on, by the same rules; sessions and streams opened under the old one are lost."""
        self._guard.set_token(self._checked_token(bearer.normalize(token)))
        if self._mcp.subscriptions is not None:
            self._mcp.end_streams()

    def _checked_token(self, token):
        if token is None:
            self._log("warning", "no token is configured: every request is refused; set mcp.token")
            return None
        if len(token) < bearer.MIN_LENGTH and not self._test_token:
            self._log("error", "the token is refused: it has fewer than %d characters" % bearer.MIN_LENGTH)
            return None
        return token.decode()

    def _serve_mcp(self, request, buf, start, end):
        if request.method != "POST":
            return self._serve_other(request)
        reply = self._mcp.handle(buf, start, end, request, time.ticks_ms())
        if type(reply) is not tuple or (len(reply[1]) > _FEW and type(reply[1]) is tuple):
            return self._serve_later(reply)
        return _announced(reply) if reply[2] else reply

    # An awaitable, or a long list, which a small heap may have no room for in one piece: it goes out in parts.
    async def _serve_later(self, reply):
        if type(reply) is tuple:
            return 200, list(reply[1]), b"Content-Type: application/json; charset=utf-8\r\n"
        reply = await reply
        return _announced(reply) if reply and reply[2] else reply

    # DELETE ends a session, GET opens a stream.
    def _serve_other(self, request):
        try:
            if request.method == "GET":
                return self._mcp.open_stream(request, time.ticks_ms())
            self._mcp.close_session(request, time.ticks_ms())
            return 200, b"{}", b""
        except RemoteError as e:
            lines = b"Allow: POST\r\n" if e.status == 405 else b""
            return e.status, error(None, e.code, e.message), lines


def _health(*request):
    return 200, b'{"status":"ok"}', b""


def _announced(reply):
    status, body, session_id = reply
    return status, body, b"Mcp-Session-Id: %s\r\n" % session_id


def _key(preferences, log):
    from umcp.sealed import kept_key

    return kept_key(preferences, log)


# Only the setting in use takes memory.
def _store(sessions, preferences, log):
    if sessions == "off":
        from umcp.off import Off

        return Off()
    if sessions == "ram":
        from umcp.ram import Ram

        return Ram()
    if sessions != "sealed":
        raise ValueError("sessions: sealed, ram or off")
    from umcp.sealed import sealed

    return sealed(preferences, log)
