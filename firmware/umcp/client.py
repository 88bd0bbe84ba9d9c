"""The client's side of an MCP session, without I/O: the legacy eras here, 2026-07-28 in `modern_client`.

Each call is a flow: a generator that yields `Exchange` objects and returns the result. A driver runs it:

    exchange = next(flow)               # send it, tell it what came back, then
    exchange = flow.send(None)          # until StopIteration, whose value is the result

What else an exchange may want is told by its `plain`. A flow raises `ClientError` or `ToolFailed`, and can be dropped
at any yield.
"""

from . import codec
from .client_errors import (
    AlreadyInitialized,
    ConfigError,
    HttpError,
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

_ERAS = (None, "legacy", "modern")

# Of a server that does not know the era of a request (2026-07-28, error codes).
_WRONG_ERA = (-32020, -32021, -32022, -32602)


class ClientSession:
    """parser: makes an event-stream parser (`feed(bytes)` -> list of (type, data)).

    token: str or None.  redirect: turns a Location (bytes or None) into the note of an error text.
    only: "legacy" (2024-11-05 to 2025-11-25), "modern" (2026-07-28), or None: the server is asked.
    era: the same, of what is known of the server; it is asked again where that does not hold.
    callbacks: dict, on_elicit, on_sample, on_roots, on_progress, on_log, on_change: see `client_features`.
    Raises ConfigError for a token that cannot stand in a header, another era, another callback.
    """

    def __init__(self, parser, token=None, name="tsumiki", version="1.0.0", max_pages=MAX_PAGES, max_tools=MAX_TOOLS,
                 redirect=None, only="legacy", era=None, callbacks=None):  # fmt: skip
        if only not in _ERAS or era not in _ERAS:
            raise ConfigError("an era is legacy or modern")
        self.parser = parser
        self.redirect = redirect or (lambda location: "")
        self._token = _checked_token(token)
        self.info = {"name": name, "version": version}
        self.only = only
        self.era = only or era
        self._max_pages = max_pages
        self._max_tools = max_tools
        self.capabilities = {}
        self.handled = {}  # methods of the server's messages, to callbacks
        self.watched = ()  # URIs, str, of subscriptions
        self.log_level = None
        self.token = None  # int, by which the progress of the request is known that may tell it
        if callbacks:
            from .client_features import install  # late (RAM): most clients call tools, and are not called

            install(self, callbacks)
        self.reset()

    def reset(self):
        """Forget the session, not the era; ids start at 1 again."""
        self._last_id = 0
        self._forget()

    def _forget(self):
        self.initialized = False
        self.stale = (
            False  # the server dropped the session, or changed its era; renew it before the next request
        )
        self.modern = None  # a `modern_client.Modern`
        self.set_version(None, None)

    def set_version(self, version, session_id):
        """What the headers say from now on.  version, session_id: str or None."""
        self.protocol_version = version
        self._session_id = session_id
        self.headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if self._token:
            self.headers["Authorization"] = "Bearer " + self._token
        if session_id:
            self.headers["Mcp-Session-Id"] = session_id
        if version:
            self.headers["MCP-Protocol-Version"] = version

    def initialize(self):
        """Flow: open the session; returns the server's result (dict), of `initialize` or `server/discover`."""
        if self.initialized:
            raise AlreadyInitialized()
        return (yield from self._open())

    def list_tools(self):
        """Flow: all pages of tools/list; returns a list of dicts.  Raises LimitError past the limits."""
        tools = yield from self.listing(b"tools/list", "tools", "List tools failed")
        return self.modern.checked_tools(tools) if self.modern else tools

    def call_tool(self, name, arguments=None, raise_errors=True):
        """Flow: tools/call; returns the result (dict).

        arguments: dict or None.  Raises ToolFailed for `isError: true`, unless raise_errors is False;
        SessionLost where the server had dropped the session: the call was not carried out.
        """
        params = {"name": name, "arguments": arguments if arguments is not None else {}}
        if not isinstance(name, str) or not isinstance(params["arguments"], dict):
            raise LocalError("name must be a str, arguments a dict")
        if not self.initialized or self.stale:
            yield from self.ready()
        if self.modern:  # the same as `once`, without the frame of another generator
            result = yield from self.modern.request(b"tools/call", params, "Tool call failed", False)
        elif self.handled:
            result = yield from self.once(b"tools/call", params, "Tool call failed", False)
        else:
            exchange = self._request(b"tools/call", params, "Tool call failed")
            yield exchange
            if exchange.last_id:
                exchange = yield from self._resumed(exchange)
            result = self._result(exchange)
        if result is None:
            yield from self._open()
            raise SessionLost()
        if raise_errors and result.get("isError") is True:
            raise ToolFailed(result, self._hide(_first_text(result)))
        return result

    def request(self, method, params, what):
        """Flow: any request that may be sent twice; returns the result (dict).

        method: bytes.  params: dict or None.  what: str, how the text of an RpcError begins.
        """
        yield from self.ready()
        result = yield from self.once(method, params, what, True)
        if result is None:
            yield from self._open()
            result = yield from self.once(method, params, what, True)
        if result is None:
            raise SessionLost()
        return result

    def listing(self, method, key, what):
        """Flow: all pages of a list; returns the list of dicts, under `key` in each page.

        Raises LimitError past the limits.
        """
        yield from self.ready()
        items = yield from self._pages(method, key, what)
        if items is None:
            yield from self._open()
            items = yield from self._pages(method, key, what)
        if items is None:
            raise SessionLost()
        return items

    def close(self):
        """Flow: end the session at the server (DELETE). 404 and 405 are as good as yes."""
        headed = self._session_id is not None
        exchange = Exchange(self, "DELETE", b"", idempotent=True)
        self.reset()
        if headed:
            yield exchange
            if exchange.status not in (404, 405):
                exchange.outcome()

    def cancel(self, id, reason="timeout"):
        """Flow: tell the server that nobody waits for request `id` (int) any more.

        In the modern era the closed connection says it (2026-07-28, transports: cancellation).
        """
        if not self.modern:
            yield self._notification(b"notifications/cancelled", {"requestId": id, "reason": reason})

    def answer_exchange(self, body):
        """The exchange that carries one of our answers to the server's requests."""
        return Exchange(self, "POST", body)

    def answer(self, message):
        """What a message of the server (dict) asks for: a body to POST, bytes; the message itself, if it is for a
        callback (`client_features.deal`); or None.
        """
        id = message.get("id")
        if type(id) not in (int, str):
            return message if "id" not in message and message["method"] in self.handled else None
        if self.modern:
            return None  # 2026-07-28: no requests on streams, and no answers
        if message["method"] in self.handled:
            return message
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

    def ready(self):
        if not self.initialized:
            raise NotInitialized()
        if self.stale:
            yield from self._open()

    def _open(self):
        if self.only == "legacy":
            return (yield from self.handshake())
        from .client_era import opening  # late (RAM): a client that is told the era needs none of it

        return (yield from opening(self))

    def begin(self):
        """Nothing is agreed on from here on; what was open before is to be renewed if this fails."""
        keep = self.initialized
        self._forget()
        self.initialized = self.stale = keep

    # Lifecycle, 2025-11-25: initialize carries neither session id nor version; all that follows carries both.
    def handshake(self):
        """Flow: open a legacy session; returns the result of initialize (dict)."""
        self.begin()
        params = {"protocolVersion": LEGACY[-1], "capabilities": self.capabilities, "clientInfo": self.info}
        exchange = self._request(b"initialize", params, "Initialize failed", True)
        exchange.wants_session = True
        yield exchange
        result = _object(exchange.outcome())
        self._adopt(result, exchange.session_id)
        exchange = self._notification(b"notifications/initialized")
        yield exchange
        exchange.outcome()
        self.initialized = True
        self.stale = False
        if self.watched or self.log_level:
            from .client_methods import restore  # late (RAM): there is nothing to restore for most

            yield from restore(self)
        return result

    def _adopt(self, result, session_id):
        version = result.get("protocolVersion")
        if version not in LEGACY:
            raise UnsupportedVersion(self.clean(str(version)))
        self.set_version(version, None if session_id is None else _visible(session_id))

    # None if the session was lost on the way: the cursors are lost with it, so the listing starts again.
    def _pages(self, method, key, what):
        items = []
        cursors = []
        for _ in range(self._max_pages):
            params = {"cursor": cursors[-1]} if cursors else None
            result = yield from self.once(method, params, what, True)
            if result is None:
                return None
            cursor = self._add_page(items, result, method, key)
            if cursor is None:
                return items
            if cursor in cursors:
                raise LimitError("%s: the cursors run in a circle" % method.decode())
            cursors.append(cursor)
        raise LimitError("%s: more than %d pages" % (method.decode(), self._max_pages))

    def _add_page(self, items, result, method, key):
        page = result.get(key)
        if not isinstance(page, list) or not all([_is_named(item) for item in page]):
            raise InvalidResponse("Invalid JSON-RPC response: " + key)
        if len(items) + len(page) > self._max_tools:
            raise LimitError("%s: more than %d %s" % (method.decode(), self._max_tools, key))
        items.extend(page)
        cursor = result.get("nextCursor")
        if cursor is not None and not isinstance(cursor, str):
            raise InvalidResponse("Invalid JSON-RPC response: nextCursor")
        return cursor

    def once(self, method, params, what, idempotent):
        """Flow: one request of an open session; returns the result (dict), or None if the session was lost."""
        if self.modern is not None:
            return (yield from self.modern.request(method, params, what, idempotent))
        if "notifications/progress" in self.handled:
            from .client_features import with_token

            params = with_token(self, method, params, self._last_id + 1)
        exchange = self._request(method, params, what, idempotent)
        yield exchange
        if exchange.last_id:
            exchange = yield from self._resumed(exchange)
        return self._result(exchange)

    def _resumed(self, exchange):
        from .client_resume import resumed  # late (RAM): few servers end a stream before its answer

        return resumed(self, exchange)

    def _result(self, exchange):
        if exchange.error is not None and self._was_lost(exchange):
            return None
        return _object(exchange.outcome())

    # 404 to a request with a session id (2025-11-25, transports: session management). A server that has changed its
    # era is asked anew before the next request.
    def _was_lost(self, exchange):
        if exchange.status == 404 and self._session_id is not None:
            self.stale = True
            return True
        error = exchange.error.error if isinstance(exchange.error, HttpError) else None
        if exchange.status == 400 and error and error.get("code") in _WRONG_ERA:
            self.stale = True
            self.era = self.only
        return False

    def next_id(self):
        self._last_id += 1
        return self._last_id

    def _request(self, method, params, what, idempotent=False):
        id = self._last_id = self._last_id + 1
        if params is None:
            body = b'{"jsonrpc":"2.0","id":%d,"method":"%s"}' % (id, method)
        else:  # joined, which costs half of what formatting does
            start = b'{"jsonrpc":"2.0","id":%d,"method":"' % id
            body = b"".join((start, method, b'","params":', codec.dumps(params), b"}"))
        return Exchange(self, "POST", body, id, what, idempotent)

    def _notification(self, method, params=None):
        body = b'{"jsonrpc":"2.0","method":"%s"' % method
        body += b"}" if params is None else b',"params":%s}' % codec.dumps(params)
        return Exchange(self, "POST", body, idempotent=True)


def _checked_token(token):
    if token is not None and (not token or not all(["!" <= c <= "~" for c in token])):
        raise ConfigError("token: visible ASCII only")
    return token


# Tools, prompts, resources and their templates all have one.
def _is_named(item):
    return isinstance(item, dict) and isinstance(item.get("name"), str)


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
