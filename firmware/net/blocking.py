"""The tools of an MCP server without asyncio, over micropython-lib's `requests`: for a script, or at first boot.

    client = BlockingMcpClient("http://192.168.1.20:8080/mcp", token="...")
    client.initialize()

Less than `McpClient`, for `requests` decides: a new connection each time, HTTP/1.0, a head without a bound, a
time limit per socket operation until the body comes, a stream read only when it has ended. It does not verify
certificates either, so https takes no token.
"""

from time import sleep_ms, ticks_add, ticks_diff, ticks_ms

import requests
from micropython import const

from http1.errors import HTTPError
from http1.reply import MAX_BODY
from http1.sse import MAX_EVENT, SSEParser
from http1.url import authority, parse_url, redirect_note
from umcp.client import MAX_PAGES, MAX_TOOLS
from umcp.client_api import Client
from umcp.client_errors import ClientError, ConfigError, Disconnected, Malformed, RequestTimeout, TooLarge
from umcp.errors import LocalError

_TIMEOUT_MS = const(30000)
_CLOSE_MS = const(5000)
_CHUNK = const(1024)
_ETIMEDOUT = (110, 116, 11)  # Linux, lwIP; EAGAIN is what a socket with a time limit says on some ports

_WANTED = (b"content-type", b"content-length", b"mcp-session-id", b"retry-after", b"location")
_FRAMING = (b"content-length", b"transfer-encoding")


class _Redirect(OSError):
    """Raised under `requests`, which would follow a redirect and take the token along; it closes on OSError."""


class BlockingMcpClient(Client):
    """The methods of `McpClient`, not awaited, with the same results and errors; for these see `umcp.client_api`.

    only: the era to speak, "legacy" unless it is said otherwise; "modern", or None: the server is asked. Callbacks are
    plain functions here, and those that a server waits for come late: a stream is answered when it has ended.
    """

    def __init__(self, url, token=None, *, name="tsumiki", version="1.0.0", timeout_ms=_TIMEOUT_MS,
                 max_pages=MAX_PAGES, max_tools=MAX_TOOLS, max_body=MAX_BODY, max_event=MAX_EVENT,
                 only="legacy", era=None, **callbacks):  # fmt: skip
        try:
            scheme, host, port, target = parse_url(url)
        except ValueError as e:
            raise ConfigError(str(e))
        if scheme == "https" and token is not None:
            raise ConfigError("requests does not verify certificates: no token over https")
        self._begin(
            lambda: SSEParser(max_event), token, name, version, max_pages, max_tools, redirect_note, only, era,
            callbacks,
        )  # fmt: skip
        self._host = authority(scheme, host, port)
        self._url = "%s://%s%s" % (scheme, self._host, target)
        self._timeout_ms = timeout_ms
        self._max_body = max_body

    def close(self):
        self._run(self._session.close(), _CLOSE_MS)

    def _run(self, flow, timeout_ms):
        timeout_ms = timeout_ms or self._timeout_ms
        try:
            exchange = next(flow)
            while True:
                if exchange.http_method is None:
                    _finish(exchange.work())
                else:
                    self._send(exchange, timeout_ms)
                exchange = flow.send(None)
        except StopIteration as e:
            return e.value

    def _send(self, x, timeout_ms):
        if x.wait_ms:
            sleep_ms(x.wait_ms)
        try:
            self._exchange(x, timeout_ms)
        except ClientError as e:
            if not x.lost(e):
                raise

    def _exchange(self, x, timeout_ms):
        due = ticks_add(ticks_ms(), timeout_ms)
        fields = {}
        reply = self._request(x, timeout_ms, fields)
        if reply is None:
            return x.head(302, "Redirect", fields)
        answers = []
        try:
            x.head(reply.status_code, _reason(reply), fields)
            self._body(x, reply.raw, fields, due, answers)
        except OSError as e:
            if x.error is None:
                raise _translate(e, timeout_ms)
        except HTTPError as e:
            raise TooLarge("Malformed response: " + e.reason)
        finally:
            reply.close()
        for message in answers:
            self._answer(message, timeout_ms)

    # Late, as the stream has ended; whether it is taken does not matter to the call.
    def _answer(self, message, timeout_ms):
        error = None
        if isinstance(message, dict):
            from umcp.client_features import deal  # late (RAM): most clients are not called

            message, error = _finish(deal(self._session, message))
        try:
            if message is not None:
                self._exchange(self._session.answer_exchange(message), timeout_ms)
        except ClientError:
            pass
        if error is not None:
            raise error

    # None for a redirect. `requests` raises ValueError and NotImplementedError for what it cannot read.
    def _request(self, x, timeout_ms, fields):
        headers = dict(x.headers)
        for line in x.fields.decode().split("\r\n")[:-1]:
            name, _, value = line.partition(": ")
            headers[name] = value
        headers["Host"] = self._host
        try:
            return requests.request(x.http_method, self._url, data=x.body, headers=headers,
                                    timeout=timeout_ms / 1000, parse_headers=_collector(fields))  # fmt: skip
        except _Redirect:
            return None
        except OSError as e:
            raise _translate(e, timeout_ms)
        except (ValueError, IndexError, NotImplementedError, AssertionError):
            raise Malformed("Malformed response: not understood by requests")

    def _body(self, x, raw, fields, due, answers):
        left = _length(fields)
        room = self._max_body
        read = raw.recv if hasattr(raw, "recv") else raw.read
        while left != 0 and not x.done:
            data = read(_CHUNK if left < 0 else min(left, _CHUNK))
            if not data:
                break
            if ticks_diff(due, ticks_ms()) < 0:
                raise OSError(_ETIMEDOUT[0])
            room -= 0 if x.streams else len(data)
            if room < 0:
                raise TooLarge("Malformed response: body too large")
            left -= len(data) if left > 0 else 0
            answers.extend(x.feed(data))
        if left > 0 and not x.done:
            raise Malformed("Malformed response: Content-Length past the body") if x.cut() else OSError(None)
        x.eof()


# Run a coroutine that has nothing to wait for.
def _finish(coroutine):
    try:
        coroutine.send(None)
    except StopIteration as e:
        return e.value
    raise LocalError("a callback of the blocking client is a plain function")


# `headers` is where newer versions of `requests` look up the framing; old ones keep the raw lines in mind themselves.
def _collector(fields):
    def collect(line, headers):
        name, _, value = line.partition(b":")
        name = name.lower()
        value = value.strip()
        if name in _WANTED:
            fields[name] = value
        if name in _FRAMING:
            headers[name.decode()] = value.decode()
        if name == b"location":
            raise _Redirect()

    return collect


def _length(fields):
    value = fields.get(b"content-length")
    if value is None:
        return -1
    if not value.isdigit() or len(value) > 9:
        raise Malformed("Malformed response: Content-Length")
    return int(value)


def _reason(reply):
    reason = reply.reason
    text = reason.decode() if isinstance(reason, bytes) else reason or ""
    return text.strip()[:64]


def _translate(error, timeout_ms):
    if error.errno in _ETIMEDOUT:
        return RequestTimeout(timeout_ms)
    return Disconnected("connection failed" if error.errno else "inside the reply", error.errno)
