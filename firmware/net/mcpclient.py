"""The tools of an MCP server, over asyncio.

    client = McpClient("http://robot.local:8080/mcp", token="...")
    await client.initialize()
    tools = await client.list_tools()
    result = await client.call_tool("move_head", {"yaw": 20})
    await client.close()

Calls raise `ClientError` (umcp.client_errors), or `ToolFailed` for what the tool itself refuses.
"""

import asyncio

from micropython import const

from http1.reply import MAX_BODY, MAX_HEAD
from http1.sse import MAX_EVENT, SSEParser
from http1.url import parse_url, redirect_note
from umcp.client import MAX_PAGES, MAX_TOOLS, ClientSession
from umcp.client_errors import ClientError, ConfigError, RequestTimeout

from .deadline import Deadline
from .http_client import HTTPClient
from .turns import Turns

_TIMEOUT_MS = const(30000)
_CLOSE_MS = const(5000)
_CANCEL_MS = const(500)


class McpClient:
    """One server, one connection; calls of several tasks wait for each other.

    url: str, http or https; one slash at its end is dropped.  token: str, sent as bearer token, or None.
    ca: bytes, DER, required for https.  timeout_ms: of each call, from the moment it has the connection
    (looking up a host name is not covered).  The limits: see http1.reply, http1.sse, umcp.client.
    Raises ConfigError. Each call raises ClientError (umcp.client_errors); after any of them the next one works.
    """

    def __init__(self, url, token=None, *, ca=None, name="tsumiki", version="1.0.0", timeout_ms=_TIMEOUT_MS,
                 max_pages=MAX_PAGES, max_tools=MAX_TOOLS, max_head=MAX_HEAD, max_body=MAX_BODY,
                 max_event=MAX_EVENT):  # fmt: skip
        try:
            where = parse_url(url)
            self._http = HTTPClient(*where, self._answer, ca=ca, max_head=max_head, max_body=max_body)
        except ValueError as e:
            raise ConfigError(str(e))
        self._session = ClientSession(
            lambda: SSEParser(max_event), token, name, version, max_pages, max_tools, redirect_note
        )
        self._timeout_ms = timeout_ms
        self._deadline = Deadline()
        self._turns = Turns()

    def is_initialized(self):
        return self._session.initialized

    def reset(self):
        """Forget the session without a word to the server."""
        self._session.reset()

    # These are awaitable without being coroutines: one frame less per call.

    def initialize(self, timeout_ms=None):
        """Awaitable: open the session; the server's result (dict).

        Raises AlreadyInitialized, UnsupportedVersion.
        """
        return self._run(self._session.initialize(), timeout_ms)

    def list_tools(self, timeout_ms=None):
        """Awaitable: a list of dicts, of all pages.  Raises LimitError."""
        return self._run(self._session.list_tools(), timeout_ms)

    def call_tool(self, name, arguments=None, timeout_ms=None, raise_errors=True):
        """Awaitable: the result (dict).

        arguments: dict or None.  Raises ToolFailed for `isError: true`, or returns it with raise_errors=False.
        SessionLost: the session is new, and the tool was not called.
        """
        return self._run(self._session.call_tool(name, arguments, raise_errors), timeout_ms)

    async def close(self):
        """End the session at the server, and the connection. At most 5 s."""
        try:
            await self._run(self._session.close(), _CLOSE_MS)
        finally:
            self._http.drop()
            self._deadline.close()

    async def _run(self, flow, timeout_ms):
        timeout_ms = timeout_ms or self._timeout_ms
        if not self._turns.take():
            await self._turns.wait()
        try:
            self._deadline.start(timeout_ms)
            exchange = next(flow)
            while True:
                await self._http.exchange(exchange)
                exchange = flow.send(None)
        except StopIteration as e:
            return e.value
        except asyncio.CancelledError:
            if not self._deadline.expired:
                raise
            await self._give_up(exchange)
            raise exchange.error or RequestTimeout(timeout_ms)
        finally:
            self._deadline.stop()
            self._turns.give()

    # Cancellation (2025-11-25, basic/utilities): a hang-up is not one, so a running tool must be told.
    async def _give_up(self, exchange):
        if exchange.idempotent:
            return
        self._deadline.start(_CANCEL_MS)
        try:
            await self._http.exchange(next(self._session.cancel(exchange.id)))
        except ClientError:
            pass
        except asyncio.CancelledError:
            if not self._deadline.expired:
                raise

    # The connection at hand is busy with the stream that the server's request came on.
    async def _answer(self, body):
        side = self._http.twin()
        try:
            await side.exchange(self._session.answer_exchange(body))
        except ClientError:
            pass
        finally:
            side.drop()
