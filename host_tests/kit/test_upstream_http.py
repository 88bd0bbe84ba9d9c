"""Relays to a Streamable HTTP server, played here byte by byte."""

import asyncio
import json

import pytest

from kit.playing import META, Client, Staying, call, note, request, result, run, text
from tsumiki.errors import Unreadable
from tsumiki.pipeline import Ask, Notify, Reply, Status
from tsumiki.upstream_http import HttpUpstream


class Server:
    """Answers each request with `script(verb, headers, message)`: bytes, or a list of them to send one after another.

    An answer may end with an `asyncio.Event`, which the connection waits for.  seen: list of (verb, headers, message).
    """

    def __init__(self, script):
        self._script = script
        self.seen = []
        self.left = 0

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = "http://127.0.0.1:%d/mcp" % self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *error):
        self._server.close()

    async def _serve(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        fields = dict(line.split(": ", 1) for line in head[1:-2])
        headers = {name.lower(): value for name, value in fields.items()}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        message = json.loads(body) if body else None
        self.seen.append((head[0].split(" ")[0], headers, message))
        answer = self._script(*self.seen[-1])
        for part in answer if isinstance(answer, list) else [answer]:
            if isinstance(part, asyncio.Event):
                waiting = asyncio.ensure_future(part.wait())
                gone = asyncio.ensure_future(reader.read())
                await asyncio.wait((waiting, gone), return_when=asyncio.FIRST_COMPLETED)
                self.left += gone.done()
                waiting.cancel()
                gone.cancel()
            else:
                writer.write(part)
                await writer.drain()
        writer.close()


def reply(message, status="200 OK", *fields):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    kind = "text/plain" if isinstance(message, bytes) else "application/json"
    head = ["HTTP/1.1 " + status, "Content-Type: " + kind, "Content-Length: %d" % len(body), *fields]
    return ("\r\n".join(head) + "\r\n\r\n").encode() + body


STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
ACCEPTED = b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"
NO_STREAM = b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n"


def event(message, id=None, retry=None):
    lines = ["id: " + id] if id else []
    lines += ["retry: %d" % retry] if retry is not None else []
    lines.append("data: " + (json.dumps(message) if message is not None else ""))
    return ("\n".join(lines) + "\n\n").encode()


def with_server(script, work, http=False, token=None):
    """What `async work(client, server)` returns."""

    async def whole():
        async with Server(script) as server:
            notes = []
            relay = HttpUpstream(server.url, token, notes.append)
            relay.notes = notes
            try:
                return await work(Client(relay, http=http), server)
            finally:
                await relay.close()

    return run(whole())


def opening(verb, headers, message):
    """A server with sessions, whose stream tells one thing."""
    if verb == "GET":
        return [STREAM + event(note("notifications/tools/list_changed")), asyncio.Event()]
    if verb == "DELETE" or "id" not in message:
        return ACCEPTED
    if message["method"] == "initialize":
        answer = result(message["id"], protocolVersion="2025-06-18")
        return reply(answer, "200 OK", "Mcp-Session-Id: s-1")
    return reply(text(message["id"], "yes"))


def test_a_client_on_stdio_has_a_session_and_hears_what_is_unasked():
    async def work(one, server):
        await one.ask("initialize", {})
        channel = Staying()
        await one.responder.handle(one.exchange(note("notifications/initialized"), channel))
        await one.call("t", {})
        for _ in range(200):
            if channel.sent:
                break
            await asyncio.sleep(0.01)
        await one.responder.close()
        assert json.loads(channel.sent[0].raw)["method"] == "notifications/tools/list_changed"
        return server.seen

    seen = with_server(opening, work)
    assert sorted(verb for verb, _, _ in seen) == ["DELETE", "GET", "POST", "POST", "POST"]
    assert "mcp-session-id" not in seen[0][1]
    for _, headers, _ in seen[1:]:
        assert (headers["mcp-session-id"], headers["mcp-protocol-version"]) == ("s-1", "2025-06-18")


def test_what_comes_before_the_answer_and_a_request_of_the_servers():
    asked = request("q", "roots/list")

    def script(verb, headers, message):
        if "method" not in message:
            return ACCEPTED
        progress = note("notifications/progress", progress=1)
        return STREAM + event(None, "e0") + event(progress) + event(asked) + event(text(message["id"], "yes"))

    async def work(one, server):
        sent = await one.send(call(1, "t", {}))
        await one.send(result("q", roots=[]))
        return sent, server.seen[-1][2]

    for http in (False, True):
        sent, responded = with_server(script, work, http)
        kinds = [Notify, Notify, Ask, Reply] if http else [Notify, Ask, Reply]
        assert [type(action) for action in sent] == kinds
        if http:
            assert sent[0] == Notify(b"", "e0")
        assert responded == result("q", roots=[])


def test_a_stream_that_ends_early_is_taken_up_again_for_a_client_on_stdio():
    def script(verb, headers, message):
        if verb == "POST":
            return STREAM + event(None, "e1", 10) + event(note("notifications/message", n=1), "e2")
        assert headers["last-event-id"] in ("e2", "e3")
        if headers["last-event-id"] == "e2":
            return STREAM + event(note("notifications/message", n=2), "e3")
        return STREAM + event(text(1, "late"), "e4")

    async def work(one, server):
        return await one.send(call(1, "t", {})), len(server.seen)

    sent, count = with_server(script, work)
    assert [json.loads(action.raw).get("params", {}).get("n") for action in sent] == [1, 2, None]
    assert type(sent[-1]) is Reply and count == 3


def test_a_stream_that_ends_without_the_answer():
    def script(verb, headers, message):
        return STREAM + event(note("notifications/message"))

    async def work(one, server):
        return (await one.call("t", {}))["error"]["message"]

    assert with_server(script, work) == "The server's stream ended without the answer"


def test_over_http_what_the_client_says_goes_on_and_what_the_server_says_comes_back():
    def script(verb, headers, message):
        if headers.get("authorization") != "Bearer client's":
            return reply({"error": "no"}, "401 Unauthorized", 'WWW-Authenticate: Bearer realm="x"')
        return opening(verb, headers, message)

    async def work(one, server):
        (refused,) = await one.send(request(1, "initialize", {}))
        assert type(refused) is Status and refused.code == 401
        assert ("www-authenticate", 'Bearer realm="x"') in refused.headers
        one.headers = {"authorization": "Bearer client's", "x-other": "1"}
        await one.ask("initialize", {})
        assert one.session == "s-1"
        assert "result" in await one.call("t", {})
        assert "x-other" not in server.seen[-1][1]
        assert (await one.send(b"", "delete"))[0].status == 202
        return server.seen[-1]

    verb, headers, _ = with_server(script, work, http=True)
    assert (verb, headers["mcp-session-id"]) == ("DELETE", "s-1")


def test_a_token_for_the_server_takes_the_place_of_the_clients():
    async def work(one, server):
        one.headers = {"authorization": "Bearer for-the-relay"}
        await one.call("t", {})
        return server.seen[0][1]["authorization"]

    assert with_server(opening, work, http=True, token="for-the-server") == "Bearer for-the-server"


def test_errors_keep_their_status_over_http_and_their_code_on_stdio():
    def script(verb, headers, message):
        error = {"jsonrpc": "2.0", "id": None, "error": {"code": -32001, "message": "Session not found"}}
        return reply(error, "404 Not Found")

    async def over_http(one, server):
        (answer,) = await one.send(call(1, "t", {}))
        return type(answer), answer.status

    async def on_line(one, server):
        return await one.call("t", {}, id=1)

    assert with_server(script, over_http, http=True) == (Reply, 404)
    found = with_server(script, on_line)
    assert (found["id"], found["error"]["code"]) == (1, -32001)


def test_a_refusal_without_a_message():
    def script(verb, headers, message):
        return reply(b"later", "503 Service Unavailable", "Retry-After: 3")

    async def over_http(one, server):
        return (await one.send(call(1, "t", {})))[0]

    async def on_line(one, server):
        return (await one.call("t", {}))["error"]["message"]

    found = with_server(script, over_http, http=True)
    assert (found.code, found.body, dict(found.headers)["retry-after"]) == (503, b"later", "3")
    assert with_server(script, on_line) == "HTTP status 503"


@pytest.mark.parametrize(
    "answer",
    [b"", b"SSH-2.0\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf"],
    ids=["nothing", "no HTTP", "half"],
)
def test_an_answer_that_is_none(answer):
    async def work(one, server):
        found = await one.call("t", {})
        return found["error"]["message"], one.responder.exit_status

    assert with_server(lambda *_: answer, work) == ("The server cannot be reached", 4)
    assert with_server(lambda *_: answer, work, http=True) == ("The server cannot be reached", 4)


def test_a_client_that_leaves_takes_its_request_along():
    class Leaving(Staying):
        async def gone(self):
            await asyncio.sleep(0.2)

    async def work(one, server):
        await one.responder.handle(one.exchange(call(1, "t", {}), Leaving()))
        for _ in range(200):
            if server.left:
                break
            await asyncio.sleep(0.01)
        return server.left

    assert with_server(lambda *_: [STREAM, asyncio.Event()], work, http=True) == 1


def test_a_modern_client_on_stdio_gets_its_header_fields():
    schema = {"type": "object", "properties": {"city": {"type": "string", "x-mcp-header": "City"}}}

    def script(verb, headers, message):
        if message["method"] == "tools/list":
            return reply(result(message["id"], tools=[{"name": "t", "inputSchema": schema}]))
        return reply(text(message["id"], "yes"))

    async def work(one, server):
        one.era = "modern"
        await one.ask("tools/list", {"_meta": META})
        await one.call("t", {"city": "Z\u00fcrich"})
        return server.seen[-1][1]

    headers = with_server(script, work)
    assert headers["mcp-protocol-version"] == "2026-07-28"
    assert (headers["mcp-method"], headers["mcp-name"]) == ("tools/call", "t")
    assert headers["mcp-param-city"] == "=?base64?WsO8cmljaA==?="


def test_urls_and_tokens_that_cannot_be():
    for url, token in (
        ("ftp://x", None),
        ("http://a b", None),
        ("http://example.org/", "secret-1"),
        ("https://x", "\n"),
    ):
        with pytest.raises(Unreadable) as e:
            HttpUpstream(url, token)
        assert "secret-1" not in str(e.value)
