"""The Streamable HTTP transport of a live server: a POST a message, answered with JSON or an event stream."""

import asyncio
import contextlib
import ipaddress
import socket
import ssl

from http1.errors import HTTPError
from http1.reply import ReplyReader
from http1.sse import SSEParser
from http1.url import authority, parse_url, redirect_note

from .errors import Unreadable
from .exchanges import DISCONNECT, MALFORMED, TIMEOUT, Answer, answers, parse
from .live_stdio import refusal
from .people import note

_MAX_HEAD = 16000  # bytes
_MAX_BODY = 64 << 20
_CHUNK = 1 << 16


class Http:
    """url: str.  token: str or None.  session: str, the Mcp-Session-Id that the server has given, or None.

    Raises Unreadable for an URL or a token that cannot be, and for a token that would leave a private network in
    the clear.
    """

    lost = False  # a connection a request: there is nothing that lasts

    def __init__(self, url, token=None):
        try:
            self._scheme, self._host, self._port, self._target = parse_url(url)
        except ValueError as e:
            raise Unreadable(str(e)) from None
        if token is not None and not all("!" <= c <= "~" for c in token):
            raise Unreadable("the token: visible ASCII only")
        if token and self._scheme == "http" and not is_private(self._host):
            raise Unreadable(
                "a token goes to this machine or a private network over http://, elsewhere over https://"
            )
        self._token = token
        self.session = None

    async def request(self, body, id, headers, timeout):
        """Send one message; returns an Answer.  headers: list of str, lines of the head."""
        answer = Answer("")
        try:
            await asyncio.wait_for(self._exchange("POST", body, headers, id, answer), timeout)
        except asyncio.TimeoutError:
            answer.failure, answer.detail = TIMEOUT, "no answer in %g s" % timeout
        except OSError as e:
            answer.failure, answer.detail = DISCONNECT, self._hide(self._why(e))
        except (HTTPError, ValueError) as e:
            answer.failure, answer.detail = MALFORMED, self._hide(str(e))
        return answer

    async def notify(self, body, headers, timeout):
        """Send a message that nobody answers."""
        await self.request(body, None, headers, timeout)

    async def close(self, headers):
        """End the session at the server, if there is one."""
        if self.session is not None:
            with contextlib.suppress(OSError, HTTPError, asyncio.TimeoutError):
                await asyncio.wait_for(self._exchange("DELETE", b"", headers, None, Answer("")), 2)
            self.session = None

    def warn(self, text):
        note(text)

    async def _exchange(self, verb, body, headers, id, answer):
        answer.unreachable = True
        context = ssl.create_default_context() if self._scheme == "https" else None
        reader, writer = await asyncio.open_connection(self._host, self._port, ssl=context)
        answer.unreachable = False
        try:
            writer.write(self._head(verb, body, headers) + body)
            await writer.drain()
            await self._read(reader, id, answer)
        finally:
            writer.close()

    def _head(self, verb, body, headers):
        lines = [
            "%s %s HTTP/1.1" % (verb, self._target),
            "Host: " + authority(self._scheme, self._host, self._port),
            "Content-Type: application/json",
            "Accept: application/json, text/event-stream",
            "Content-Length: %d" % len(body),
            "Connection: close",
            *headers,
        ]
        if self.session is not None:
            lines.append("Mcp-Session-Id: " + self.session)
        if self._token:
            lines.append("Authorization: Bearer " + self._token)
        return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")

    async def _read(self, reader, id, answer):
        reply = ReplyReader(_MAX_HEAD, _MAX_BODY)
        stream = None
        body = bytearray()
        while not reply.done:
            data = await reader.read(_CHUNK)
            if not data:
                if not reply.eof():
                    raise ConnectionError("the answer was cut")
                break
            fresh = not reply.status
            part = reply.feed(data)
            if fresh and reply.status:
                stream = self._begun(reply)
            if stream is None:
                body += part
            elif await self._events(stream, part, id, answer):
                return
        if stream is not None:
            raise ConnectionError("the event stream ended without the answer")
        self._whole(reply, bytes(body), id, answer)

    # The head is there: an SSEParser if the body is a stream of events, else None.
    def _begun(self, reply):
        if reply.status != 200:
            return None
        session = reply.get(b"mcp-session-id")
        if session is not None:
            self.session = session.decode("latin-1")
        if (reply.get(b"content-type") or b"").split(b";")[0].strip().lower() != b"text/event-stream":
            return None
        reply.unbound()
        return SSEParser(_MAX_BODY)

    # True when the answer is among the events.
    async def _events(self, stream, data, id, answer):
        for kind, text in stream.feed(data):
            if kind != b"message":
                continue
            message = parse(text)
            if answers(message, id):
                answer.message, answer.raw = message, text
                return True
            answer.notes.append(message)
            if isinstance(message, dict) and "method" in message and "id" in message:
                await self.notify(refusal(message), ["MCP-Protocol-Version: 2025-11-25"], 5)
        return False

    def _whole(self, reply, body, id, answer):
        answer.raw = body
        try:
            message = parse(body)
        except ValueError:
            message = None
        if answers(message, id):
            answer.message = message
        elif reply.status >= 300:
            answer.failure = "http:%d" % reply.status
            answer.detail = self._hide(reply.reason)
            if reply.status < 400:
                answer.detail += redirect_note(reply.get(b"location"))
        elif id is not None:
            kind = (reply.get(b"content-type") or b"").decode("latin-1")
            raise ValueError(
                "no response to the request in %d, %s, %d bytes" % (reply.status, kind, len(body))
            )

    def _why(self, error):
        if isinstance(error, ConnectionRefusedError):
            return "nobody listens on %s, port %d" % (self._host, self._port)
        if isinstance(error, socket.gaierror):
            return "there is no host %s: %s" % (self._host, error.strerror)
        return str(error) or type(error).__name__

    def _hide(self, text):
        return text.replace(self._token, "***") if self._token else text


def is_private(host):
    """True for an address or a name of this machine or of a private network (RFC 1918, link-local, `.local`)."""
    if host == "localhost" or host.endswith((".localhost", ".local", ".lan", ".internal", ".home.arpa")):
        return True
    try:
        return ipaddress.ip_address(host.split("%")[0]).is_private
    except ValueError:
        return "." not in host and ":" not in host
