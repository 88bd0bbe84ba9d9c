"""The client's side of a legacy MCP session, 2024-11-05 to 2025-11-25 (lifecycle, transports, tools), without I/O.

Each call is a flow: a generator that yields `Exchange` objects and returns the result. A driver runs it:

    exchange = next(flow)               # send it, tell it what came back, then
    exchange = flow.send(None)          # until StopIteration, whose value is the result

A flow raises `ClientError` or `ToolFailed`, and can be dropped at any yield.
"""

from . import codec
from .client_errors import (
    AlreadyInitialized,
    ConfigError,
    InvalidResponse,
    LimitError,
    NotInitialized,
    SessionLost,
    ToolFailed,
    UnsupportedVersion,
)
from .errors import METHOD_NOT_FOUND, LocalError
from .exchange import Exchange
from .version import LEGACY

try:
    from micropython import const
except ImportError:
    const = int

MAX_PAGES = 16
MAX_TOOLS = 64

_MAX_TEXT = const(512)
_MAX_SESSION_ID = const(1024)


class ClientSession:
    """parser: makes an event-stream parser (`feed(bytes)` -> list of (type, data)).

    token: str or None.  redirect: turns a Location (bytes or None) into the note of an error text.
    Raises ConfigError for a token that cannot stand in a header.
    """

    def __init__(self, parser, token=None, name="tsumiki", version="1.0.0", max_pages=MAX_PAGES, max_tools=MAX_TOOLS,
                 redirect=None):  # fmt: skip
        self.parser = parser
        self.redirect = redirect or (lambda location: "")
        self._token = _checked_token(token)
        self._info = {"name": name, "version": version}
        self._max_pages = max_pages
        self._max_tools = max_tools
        self.reset()

    def reset(self):
        """Forget the session; ids start at 1 again."""
        self._last_id = 0
        self._forget()

    def _forget(self):
        self.initialized = False
        self._stale = False  # the server dropped the session; renew it before the next request
        self.protocol_version = None
        self._session_id = None
        self._set_headers()

    def _set_headers(self):
        self.headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if self._token:
            self.headers["Authorization"] = "Bearer " + self._token
        if self._session_id:
            self.headers["Mcp-Session-Id"] = self._session_id
        if self.protocol_version:
            self.headers["MCP-Protocol-Version"] = self.protocol_version

    def initialize(self):
        """Flow: open the session; returns the server's result (dict)."""
        if self.initialized:
            raise AlreadyInitialized()
        return (yield from self._handshake())

    def list_tools(self):
        """Flow: all pages of tools/list; returns a list of dicts.  Raises LimitError past the limits."""
        yield from self._ready()
        tools = yield from self._pages()
        if tools is None:
            yield from self._handshake()
            tools = yield from self._pages()
        if tools is None:
            raise SessionLost()
        return tools

    def call_tool(self, name, arguments=None, raise_errors=True):
        """Flow: tools/call; returns the result (dict).

        arguments: dict or None.  Raises ToolFailed for `isError: true`, unless raise_errors is False;
        SessionLost where the server had dropped the session: the call was not carried out.
        """
        params = {"name": name, "arguments": arguments if arguments is not None else {}}
        if not isinstance(name, str) or not isinstance(params["arguments"], dict):
            raise LocalError("name must be a str, arguments a dict")
        if not self.initialized or self._stale:
            yield from self._ready()
        exchange = self._request(b"tools/call", params, "Tool call failed")
        yield exchange
        if self._was_lost(exchange):
            yield from self._handshake()
            raise SessionLost()
        result = _object(exchange.outcome())
        if raise_errors and result.get("isError") is True:
            raise ToolFailed(result, self._hide(_first_text(result)))
        return result

    def close(self):
        """Flow: end the session at the server (DELETE). 404 and 405 are as good as yes."""
        headed = self._session_id is not None
        exchange = Exchange(self, "DELETE", b"", idempotent=True)
        self.reset()
        if headed:
            yield exchange
            if exchange.status not in (404, 405):
                exchange.outcome()

    def cancel(self, id):
        """Flow: tell the server that nobody waits for request `id` (int) any more."""
        yield self._notification(b"notifications/cancelled", {"requestId": id, "reason": "timeout"})

    def answer_exchange(self, body):
        """The exchange that carries one of our answers to the server's requests."""
        return Exchange(self, "POST", body)

    def answer(self, message):
        """The body of our answer to a request of the server (dict), or None for a notification."""
        id = message.get("id")
        if type(id) not in (int, str):
            return None
        reply = {"jsonrpc": "2.0", "id": id}
        if message["method"] == "ping":
            reply["result"] = {}
        else:
            reply["error"] = {"code": METHOD_NOT_FOUND, "message": "Method not found"}
        return codec.dumps(reply)

    def clean(self, text):
        """A peer's words for an error text: short, and without our token if they quote it."""
        return self._hide(text)[:_MAX_TEXT]

    def _hide(self, text):
        return text.replace(self._token, "***") if self._token else text

    def _ready(self):
        if not self.initialized:
            raise NotInitialized()
        if self._stale:
            yield from self._handshake()

    # Lifecycle, 2025-11-25: initialize carries neither session id nor version; all that follows carries both.
    def _handshake(self):
        keep = self.initialized
        self._forget()
        self.initialized = self._stale = keep
        params = {"protocolVersion": LEGACY[-1], "capabilities": {}, "clientInfo": self._info}
        exchange = self._request(b"initialize", params, "Initialize failed", True)
        exchange.wants_session = True
        yield exchange
        result = _object(exchange.outcome())
        self._adopt(result, exchange.session_id)
        exchange = self._notification(b"notifications/initialized")
        yield exchange
        exchange.outcome()
        self.initialized = True
        self._stale = False
        return result

    def _adopt(self, result, session_id):
        version = result.get("protocolVersion")
        if version not in LEGACY:
            raise UnsupportedVersion(self.clean(str(version)))
        if session_id is not None:
            self._session_id = _visible(session_id)
        self.protocol_version = version
        self._set_headers()

    # None if the session was lost on the way: the cursors are lost with it, so the listing starts again.
    def _pages(self):
        tools = []
        cursors = []
        for _ in range(self._max_pages):
            params = {"cursor": cursors[-1]} if cursors else None
            exchange = self._request(b"tools/list", params, "List tools failed", True)
            yield exchange
            if self._was_lost(exchange):
                return None
            cursor = self._add_page(tools, _object(exchange.outcome()))
            if cursor is None:
                return tools
            if cursor in cursors:
                raise LimitError("tools/list: the cursors run in a circle")
            cursors.append(cursor)
        raise LimitError("tools/list: more than %d pages" % self._max_pages)

    def _add_page(self, tools, result):
        page = result.get("tools")
        if not isinstance(page, list) or not all([_is_tool(tool) for tool in page]):
            raise InvalidResponse("Invalid JSON-RPC response: tools")
        if len(tools) + len(page) > self._max_tools:
            raise LimitError("tools/list: more than %d tools" % self._max_tools)
        tools.extend(page)
        cursor = result.get("nextCursor")
        if cursor is not None and not isinstance(cursor, str):
            raise InvalidResponse("Invalid JSON-RPC response: nextCursor")
        return cursor

    # 404 to a request with a session id (2025-11-25, transports: session management).
    def _was_lost(self, exchange):
        if exchange.status == 404 and self._session_id is not None:
            self._stale = True
        return self._stale

    def _request(self, method, params, what, idempotent=False):
        id = self._last_id = self._last_id + 1
        if params is None:
            body = b'{"jsonrpc":"2.0","id":%d,"method":"%s"}' % (id, method)
        else:
            body = b'{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}' % (id, method, codec.dumps(params))
        return Exchange(self, "POST", body, id, what, idempotent)

    def _notification(self, method, params=None):
        body = b'{"jsonrpc":"2.0","method":"%s"' % method
        body += b"}" if params is None else b',"params":%s}' % codec.dumps(params)
        return Exchange(self, "POST", body, idempotent=True)


def _checked_token(token):
    if token is not None and (not token or not all(["!" <= c <= "~" for c in token])):
        raise ConfigError("token: visible ASCII only")
    return token


def _is_tool(tool):
    return isinstance(tool, dict) and isinstance(tool.get("name"), str)


def _object(result):
    if not isinstance(result, dict):
        raise InvalidResponse("Invalid JSON-RPC response: result")
    return result


def _visible(session_id):
    if not 0 < len(session_id) <= _MAX_SESSION_ID or not all([0x21 <= c <= 0x7E for c in session_id]):
        raise InvalidResponse("Invalid JSON-RPC response: Mcp-Session-Id")
    return session_id.decode()


def _first_text(result):
    content = result.get("content")
    for item in content if isinstance(content, list) else ():
        if isinstance(item, dict) and isinstance(item.get("text"), str):
            return item["text"]
    return "tool error without text"
