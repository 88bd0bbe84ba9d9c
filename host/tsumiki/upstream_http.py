"""The responder that passes everything on to a Streamable HTTP server, in whatever era, and what it says back.

A client over HTTP has its own session there: its header fields go on, and those of the server come back. For a client
on stdio the session is kept here, and the stream of what belongs to no request is opened for it.
"""

import asyncio
from contextlib import suppress

from http1.errors import HTTPError
from http1.sse import SSEParser
from umcp.client_params import lines_of, mirrored
from umcp.sentinel import encode
from umcp.version import MODERN

from .errors import NotAllowed, Unreachable
from .http_fetch import Site
from .pipeline import (
    BATCH,
    DELETE,
    GET,
    INVALID,
    REQUEST,
    Ask,
    Notify,
    Reply,
    Responder,
    Status,
    error_reply,
    parsed,
)
from .tape import text_of

_INTERNAL = -32603
_BOTH = "application/json, text/event-stream"
_MAX_EVENT = 64 << 20  # bytes
_RESUMES = 10
_RETRY_MS = 1000
_MAX_RETRY_MS = 30_000
_LEAVE_S = 2
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}  # what Mcp-Name repeats
# Fields of a client's that are the server's business.
_PASSED = ("accept", "last-event-id", "authorization")
_ANSWERED = ("mcp-session-id", "www-authenticate", "retry-after")


class HttpUpstream(Responder):
    """url: str.  token: str or None: then clients' own credentials are not passed on.  note: function of a str.

    Raises Unreadable, see `http_fetch.Site`.
    """

    def __init__(self, url, token=None, note=print):
        self._site = Site(url, token)
        self._note = note
        self._status = 0
        # Of a client on stdio.
        self._session = self._version = self._listening = None
        self._mirrored = {}

    @property
    def exit_status(self):
        """4 if the server was not there, 5 if it wanted another token."""
        return self._status

    async def start(self):
        """There is nothing to start: the server is asked when the client asks."""

    async def handle(self, exchange):
        """See `Responder`."""
        if exchange.transport == "http":
            await self._over_http(exchange)
        else:
            await self._on_line(exchange)

    async def close(self):
        """End the session of a client on stdio."""
        if self._listening is not None:
            self._listening.cancel()
        if self._session is not None:
            headers = self._headers(None, {})
            self._session = None
            with suppress(OSError, HTTPError, asyncio.TimeoutError):
                incoming = await asyncio.wait_for(self._site.ask("DELETE", headers), _LEAVE_S)
                incoming.close()

    async def _over_http(self, exchange):
        headers = [
            (name, value)
            for name, value in exchange.http.headers.items()
            if name.startswith("mcp-")
            or (name in _PASSED and not (name == "authorization" and self._site.token))
        ]
        verb = {GET: "GET", DELETE: "DELETE"}.get(exchange.kind, "POST")
        asking = asyncio.ensure_future(self._pass_on(exchange, verb, headers))
        leaves = asyncio.ensure_future(exchange.gone())
        try:
            await asyncio.wait((asking, leaves), return_when=asyncio.FIRST_COMPLETED)
            if asking.done():
                asking.result()
        finally:
            asking.cancel()
            leaves.cancel()

    async def _pass_on(self, exchange, verb, headers):
        try:
            incoming = await self._site.ask(verb, headers, exchange.raw if verb == "POST" else b"")
            try:
                if incoming.is_stream:
                    await self._stream(exchange, incoming)
                else:
                    await self._whole(exchange, incoming)
            finally:
                incoming.close()
        except (OSError, HTTPError) as e:
            await self._unreachable(exchange, e)

    async def _whole(self, exchange, incoming):
        body = await incoming.whole()
        headers = tuple((name, incoming.get(name)) for name in _ANSWERED if incoming.get(name) is not None)
        self._judge(incoming.status)
        if _is_message(body) or (not body and incoming.status in (200, 202)):
            await exchange.send(Reply(body, incoming.status, headers))
        else:
            kind = incoming.get("content-type")
            headers = (*headers, *((("Content-Type", kind),) if kind else ()))
            await exchange.send(Status(incoming.status, headers, body))

    async def _stream(self, exchange, incoming):
        session = incoming.get("mcp-session-id")
        headers = () if session is None else (("mcp-session-id", session),)
        # The head of an answer goes out with its first event: a session that begins is told there.
        opening = exchange.method == "initialize"
        events = SSEParser(_MAX_EVENT)
        if exchange.kind == GET:
            await exchange.send(Notify(b""))
        try:
            async for raw, id, retry_ms in _events(incoming, events):
                if _is_answer(exchange, raw):
                    await exchange.send(Reply(raw, 200, headers))
                    return
                if not opening:
                    await exchange.send(_action(raw, id, retry_ms))
                elif raw:
                    self._note("what came before the answer to initialize was left out")
        except (OSError, HTTPError) as e:
            self._note("the stream of the server broke: %s" % e)

    # A client on stdio.
    async def _on_line(self, exchange):
        if exchange.kind == INVALID:
            text = "Parse error" if exchange.message is None else "Invalid Request"
            await exchange.send(error_reply(None, -32700 if exchange.message is None else -32600, text))
            return
        if exchange.method == "initialize":
            self._session = self._version = None
        headers = self._headers(exchange.method, exchange.params, exchange.era)
        try:
            incoming = await self._site.ask("POST", headers, exchange.raw)
            try:
                await self._to_line(exchange, incoming)
            finally:
                incoming.close()
        except (OSError, HTTPError) as e:
            await self._unreachable(exchange, e)
        if exchange.method == "notifications/initialized" and exchange.era == "legacy":
            self._listening = asyncio.ensure_future(self._listen(exchange))

    async def _to_line(self, exchange, incoming):
        if exchange.method == "initialize":
            self._session = incoming.get("mcp-session-id")
        if incoming.is_stream:
            await self._line_stream(exchange, incoming)
            return
        body = await incoming.whole()
        self._judge(incoming.status)
        message = parsed(body)
        if exchange.kind not in (REQUEST, BATCH):
            if incoming.status >= 400:
                self._note("%s: HTTP status %d" % (exchange.method or "a response", incoming.status))
            return
        if _is_answer(exchange, body) or isinstance(message, list):
            await self._answer(exchange, body)
            return
        error = message.get("error") if isinstance(message, dict) else None
        if isinstance(error, dict) and isinstance(error.get("code"), int):
            text = str(error.get("message", ""))
            await exchange.send(error_reply(exchange.id, error["code"], text, error.get("data")))
        else:
            await exchange.send(error_reply(exchange.id, _INTERNAL, "HTTP status %d" % incoming.status))

    # A stream that ends before the answer is taken up again where it has ended (2025-11-25, transports: resumability).
    async def _line_stream(self, exchange, incoming):
        events = SSEParser(_MAX_EVENT)
        for _ in range(_RESUMES):
            with suppress(OSError, HTTPError):
                async for raw, _, _ in _events(incoming, events):
                    if _is_answer(exchange, raw):
                        await self._answer(exchange, raw)
                        return
                    if raw:
                        await exchange.send(_action(raw, None, None))
            if not events.last_id or exchange.era == "modern" or exchange.kind not in (REQUEST, BATCH):
                break
            incoming.close()
            await asyncio.sleep(min(events.retry_ms or _RETRY_MS, _MAX_RETRY_MS) / 1000)
            incoming = await self._resumed(events)
            if not incoming.is_stream:
                incoming.close()
                break
        if exchange.kind in (REQUEST, BATCH):
            await exchange.send(
                error_reply(exchange.id, _INTERNAL, "The server's stream ended without the answer")
            )

    async def _resumed(self, events):
        headers = [*self._headers(None, {}), ("Last-Event-ID", events.last_id.decode("latin-1"))]
        return await self._site.ask("GET", headers)

    async def _answer(self, exchange, raw):
        result = (parsed(raw) or {}).get("result") if exchange.kind == REQUEST else None
        if isinstance(result, dict):
            if exchange.method == "initialize":
                version = result.get("protocolVersion")
                self._version = version if isinstance(version, str) else None
            elif exchange.method == "tools/list" and isinstance(result.get("tools"), list):
                self._learn(result["tools"])
        await exchange.send(Reply(raw))

    def _learn(self, tools):
        for tool in tools:
            if isinstance(tool, dict) and isinstance(tool.get("name"), str):
                self._mirrored[tool["name"]] = mirrored(tool.get("inputSchema")) or ()

    # What belongs to no request, for as long as the client is there.
    async def _listen(self, exchange):
        events = SSEParser(_MAX_EVENT)
        while True:
            with suppress(OSError, HTTPError):
                incoming = await (
                    self._resumed(events)
                    if events.last_id
                    else self._site.ask("GET", self._headers(None, {}))
                )
                try:
                    if not incoming.is_stream:
                        return  # it has none
                    async for raw, _, _ in _events(incoming, events):
                        if raw:
                            await exchange.send(_action(raw, None, None))
                finally:
                    incoming.close()
            await asyncio.sleep(min(events.retry_ms or _RETRY_MS, _MAX_RETRY_MS) / 1000)

    # For the request of a client on stdio.
    def _headers(self, method, params, era="legacy"):
        found = [("Accept", _BOTH)]
        if self._session is not None:
            found.append(("Mcp-Session-Id", self._session))
        if era == "legacy":
            return [*found, ("MCP-Protocol-Version", self._version)] if self._version else found
        found.append(("MCP-Protocol-Version", MODERN))
        if method:
            found.append(("Mcp-Method", method))
        name = params.get(_NAMED[method]) if method in _NAMED else None
        if isinstance(name, str):
            found.append(("Mcp-Name", encode(name)))
            if method == "tools/call" and self._mirrored.get(name):
                lines = lines_of(self._mirrored[name], params.get("arguments")).decode().split("\r\n")[:-1]
                found += [tuple(line.split(": ", 1)) for line in lines]
        return found

    def _judge(self, status):
        if status == 401:
            self._status = NotAllowed.status
            self._note("the server wants a token, or another one")

    async def _unreachable(self, exchange, error):
        self._status = Unreachable.status
        self._note("the server cannot be reached: %s" % error)
        if exchange.kind in (GET, DELETE):
            await exchange.send(Status(502))
        elif exchange.transport == "http" or exchange.kind in (REQUEST, BATCH):
            await exchange.send(
                error_reply(exchange.id, _INTERNAL, "The server cannot be reached", status=502)
            )


# Yields (message or b"", event id or None, retry time or None): each event by itself.
async def _events(incoming, events):
    while True:
        data = await incoming.read()
        if not data:
            return
        for line in data.splitlines(True):
            before = events.last_id
            wait = events.retry_ms
            found = events.feed(line)
            told = events.last_id if events.last_id != before else b""
            retry_ms = events.retry_ms if events.retry_ms != wait else None
            id = told.decode("utf-8", "replace") or None
            for _, raw in found:
                yield raw, id, retry_ms
            if not found and id:
                yield b"", id, retry_ms


def _is_message(raw):
    message = parsed(raw)
    return isinstance(message, list) or (isinstance(message, dict) and message.get("jsonrpc") == "2.0")


def _is_answer(exchange, raw):
    message = parsed(raw) if raw else None
    if exchange.kind == BATCH:
        return isinstance(message, list)
    if exchange.kind != REQUEST or not isinstance(message, dict) or "method" in message:
        return False
    return "id" in message and text_of(message["id"]) == text_of(exchange.id)


def _action(raw, id, retry_ms):
    message = parsed(raw) if raw else None
    asks = isinstance(message, dict) and "method" in message and "id" in message
    return (Ask if asks else Notify)(raw, id, retry_ms)
