"""A driver of the client's flows whose server is a list of replies."""

from harness import eq
from umcp import client_errors as ce
from umcp import codec
from umcp.client import ClientSession
from umcp.client_features import deal
from umcp.errors import LocalError, ToolError

JSON = {b"content-type": b"application/json"}
STREAM = {b"content-type": b"text/event-stream; charset=utf-8"}
ACCEPTED = (202, {}, b"")
READY = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}


class Lines:
    """A parser that takes each line for an event: `TYPE DATA`, and `id ID`, `retry MS` for themselves."""

    last_id = b""
    retry_ms = None

    def feed(self, data):
        events = [tuple(line.split(b" ", 1)) for line in data.split(b"\n") if line]
        for name, value in events:
            if name == b"id":
                self.last_id = value
            elif name == b"retry":
                self.retry_ms = int(value)
        return events


def run(flow, *replies, session=None, posted=None):
    """(result or None, exchanges, exception or None) of a flow that gets these replies, in turn.

    A reply is (status, headers, body), the body bytes, or a function of the request that returns them; or the
    exception with which the connection fails.
    session, posted: the session whose callbacks deal with the server's messages, and a list for what is answered.
    """
    sent = []
    try:
        exchange = next(flow)
        while True:
            if exchange.http_method is None:
                finish(exchange.work())
            else:
                sent.append(exchange)
                _play(exchange, replies[len(sent) - 1], session, posted)
            exchange = flow.send(None)
    except StopIteration as e:
        eq(len(sent), len(replies))
        return e.value, sent, None
    except (ce.ClientError, ToolError, LocalError) as e:
        eq(len(sent), len(replies))
        return None, sent, e


def _play(exchange, reply, session, posted):
    if isinstance(reply, Exception):
        if not exchange.lost(reply):
            raise reply
        return
    status, headers, body = reply
    exchange.head(status, "R", headers)
    if exchange.done:
        return
    for message in exchange.feed(body(codec.loads(exchange.body)) if callable(body) else body):
        made, error = finish(deal(session, message)) if isinstance(message, dict) else (message, None)
        if made is not None:
            posted.append(codec.loads(made))
        if error:
            raise error
    exchange.eof()


def finish(coroutine):
    """The value of a coroutine that waits for nothing."""
    try:
        coroutine.send(None)
    except StopIteration as e:
        return e.value
    raise AssertionError("it waits")


def discovered(**more):
    """The reply to server/discover of a modern server."""
    result = {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {}, "ttlMs": 0}
    return result_of(dict(result, cacheScope="private", **more))


def open_modern(**kwargs):
    """A session of 2026-07-28; its requests begin with id 2."""
    made = ClientSession(Lines, only=None, **kwargs)
    _, _, error = run(made.initialize(), discovered())
    eq((error, made.era), (None, "modern"))
    return made


def error_of(code, status=200, **more):
    """A reply with a JSON-RPC error."""
    error = dict({"code": code, "message": "no"}, **more)
    return status, JSON, lambda request: codec.dumps({"jsonrpc": "2.0", "id": request["id"], "error": error})


def lines_of(exchange):
    """The lines of its head that an exchange adds, list of str."""
    return exchange.fields.decode().split("\r\n")[:-1]


def result_of(result, headers=JSON):
    return (
        200,
        headers,
        lambda request: codec.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}),
    )


def with_session(result, id=b"s1"):
    status, _, body = result_of(result)
    return status, {b"content-type": b"application/json", b"mcp-session-id": id}, body


def open_session(session=b"s1", version="2025-11-25", **kwargs):
    made = ClientSession(Lines, **kwargs)
    reply = with_session(dict(READY, protocolVersion=version), session) if session else result_of(READY)
    _, _, error = run(made.initialize(), reply, ACCEPTED)
    eq(error, None)
    return made


def call(*replies, session=None, **kwargs):
    return run((session or open_session()).call_tool("t", {"a": 1}, **kwargs), *replies)


def outcome(*replies, session=None):
    """The exception of a call; the session must work afterwards."""
    session = session or open_session()
    _, _, error = call(*replies, session=session)
    eq(call(result_of({"ok": 1}), session=session)[0], {"ok": 1})
    return error
