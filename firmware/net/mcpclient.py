"""A client of one MCP server, over asyncio.

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
from umcp.client import MAX_PAGES, MAX_TOOLS
from umcp.client_api import Client
from umcp.client_errors import Cancelled, ClientError, ConfigError, RequestTimeout
from umcp.errors import LocalError

from .deadline import Deadline
from .http_client import HTTPClient
from .turns import Turns

_TIMEOUT_MS = const(30000)
_CLOSE_MS = const(5000)
_CANCEL_MS = const(500)


class McpClient(Client):
    """One server, one connection; calls of several tasks wait for each other. For the methods see `umcp.client_api`.

    url: str, http or https; one slash at its end is dropped.  token: str, sent as bearer token, or None.
    ca: bytes, DER, required for https.  timeout_ms: of each call, from the moment it has the connection
    (looking up a host name is not covered, and callbacks that the server waits for are not counted).
    only: the era to speak, "legacy" or "modern"; None: the server is asked, with half the time of `initialize`.
    era: what another client found out about the server (its `era`); it is asked again where that does not hold.
    callbacks: on_elicit, on_sample, on_roots, on_progress, on_log, on_change: see umcp.client_features.
    The limits: see http1.reply, http1.sse, umcp.client.
    Raises ConfigError. Each call raises ClientError (umcp.client_errors); after any of them the next one works.
    A call whose task is cancelled is cancelled at the server too.
    """

    def __init__(self, url, token=None, *, ca=None, name="tsumiki", version="1.0.0", timeout_ms=_TIMEOUT_MS,
                 max_pages=MAX_PAGES, max_tools=MAX_TOOLS, max_head=MAX_HEAD, max_body=MAX_BODY,
                 max_event=MAX_EVENT, only=None, era=None, **callbacks):  # fmt: skip
        try:
            where = parse_url(url)
            self._http = HTTPClient(*where, self._answer, ca=ca, max_head=max_head, max_body=max_body)
        except ValueError as e:
            raise ConfigError(str(e))
        self._begin(
            lambda: SSEParser(max_event), token, name, version, max_pages, max_tools, redirect_note, only, era,
            callbacks,
        )  # fmt: skip
        self._timeout_ms = timeout_ms
        self._deadline = Deadline()
        self._turns = Turns()

    @property
    def blocks(self):
        """bool: the next call is to look a name up or to shake hands over TLS, which stops all else for a while."""
        return self._http.blocks

    def cancel(self):
        """Give up the call that another task waits for at the moment: it raises Cancelled. False if there is none."""
        return self._deadline.cancel()

    async def listen(self, tools=True, prompts=True, resources=True, opened=None):
        """Have on_change called for what changes at the server, and in the older eras all callbacks, on a second
        connection; for a task of its own.

        tools, prompts, resources: bool, which lists are of interest; what `subscribe` named is so too.
        opened: function, called whenever the server has begun to listen to us, or None.
        Returns False if the server offers no such stream, True if it has ended it. Raises ClientError.
        """
        from .listening import listen  # late (RAM): most clients only call

        wanted = (
            ("toolsListChanged", tools),
            ("promptsListChanged", prompts),
            ("resourcesListChanged", resources),
        )
        return await listen(self, [name for name, is_wanted in wanted if is_wanted], opened or (lambda: None))

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
            if self._deadline.is_mine():
                raise LocalError("a callback cannot call its own client")
            await self._turns.wait()
        try:
            self._deadline.start(timeout_ms)
            exchange = next(flow)
            while True:
                if exchange.plain:
                    await self._http.exchange(exchange)
                else:
                    await self._perform(exchange, timeout_ms)
                exchange = flow.send(None)
        except StopIteration as e:
            return e.value
        except asyncio.CancelledError:
            await self._give_up(exchange, timeout_ms)
        finally:
            self._deadline.stop()
            self._turns.give()

    # What an exchange wants besides to be sent.
    async def _perform(self, exchange, timeout_ms):
        if exchange.http_method is None:
            self._deadline.pause()
            await exchange.work()
            self._deadline.resume()
            return
        if exchange.wait_ms:
            await asyncio.sleep_ms(exchange.wait_ms)
        if not exchange.probes:
            return await self._http.exchange(exchange)
        # A server that keeps still when it is asked for its era may yet be an old one.
        half_ms = timeout_ms // 2
        self._deadline.start(half_ms)
        try:
            await self._http.exchange(exchange)
        except asyncio.CancelledError:
            if not self._deadline.expired or self._deadline.cancelled:
                raise
            exchange.lost(RequestTimeout(half_ms))
        self._deadline.start(half_ms)

    # Raises what the cancellation of a call means.
    async def _give_up(self, exchange, timeout_ms):
        cancelled = self._deadline.cancelled
        expired = self._deadline.expired
        if not exchange.idempotent or exchange.http_method == "GET":
            await self._tell(exchange, "timeout" if expired and not cancelled else "cancelled")
        if cancelled:
            raise Cancelled()
        if not expired:
            raise asyncio.CancelledError()
        raise exchange.error or RequestTimeout(timeout_ms)

    # Cancellation (2025-11-25, basic/utilities): a hang-up is not one, so a running tool must be told.
    async def _tell(self, exchange, reason):
        self._deadline.start(_CANCEL_MS)
        try:
            for notice in self._session.cancel(exchange.id, reason):
                await self._http.exchange(notice)
        except ClientError:
            pass
        except asyncio.CancelledError:
            if not self._deadline.expired:
                raise

    # A body to post, or a message for a callback. The connection at hand is busy with the stream that it came on.
    async def _answer(self, message):
        error = None
        if isinstance(message, dict):
            from umcp.client_features import deal

            self._deadline.pause()
            message, error = await deal(self._session, message)
            self._deadline.resume()
        if message is not None:
            await self._post(message)
        if error is not None:
            raise error

    async def _post(self, body):
        side = self._http.twin()
        try:
            await side.exchange(self._session.answer_exchange(body))
        except ClientError:
            pass
        finally:
            side.drop()
