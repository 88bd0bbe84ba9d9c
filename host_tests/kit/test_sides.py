"""What each action of the pipeline becomes on the wire, on both transports."""

import asyncio
import json
import os
import socket

import pytest

from tsumiki.http_side import HttpSide
from tsumiki.pipeline import (
    Ask,
    Close,
    Delay,
    Exit,
    Middleware,
    Notify,
    RawBytes,
    Reply,
    Responder,
    Silence,
    Status,
)
from tsumiki.stdio_side import StdioSide

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
PONG = b'{"jsonrpc":"2.0","id":1,"result":{}}'
NOTE = b'{"jsonrpc":"2.0","method":"notifications/message","params":{}}'
INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'


class Says(Responder):
    """Answers each exchange with the same actions, or with what a function of the exchange gives."""

    def __init__(self, *actions):
        self.actions = actions
        self.seen = []
        self.gone = []

    async def handle(self, exchange):
        self.seen.append(exchange)
        for action in self.actions:
            if callable(action):
                await action(exchange)
            else:
                await exchange.send(action)
        self.gone.append(exchange.left)


def over_http(
    responder, *bodies, accept="application/json, text/event-stream", sse="accept", verb="POST", hang_up=None
):
    """The bytes that come back on one connection for each body; the last is b"" where it was closed."""

    async def work():
        side = HttpSide(responder, "127.0.0.1", 0, sse=sse)
        await side.start()
        reader, writer = await asyncio.open_connection("127.0.0.1", side.port)
        seen = []
        try:
            for body in bodies:
                head = (
                    "%s /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: %s\r\n"
                    % (verb, accept)
                )
                writer.write(head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body)
                if hang_up is not None:
                    await asyncio.sleep(hang_up)
                    writer.close()
                    await asyncio.sleep(0.05)
                    return seen
                seen.append(await _answer(reader))
        finally:
            writer.close()
            await side.close()
        return seen

    return asyncio.run(asyncio.wait_for(work(), 10))


async def _answer(reader):
    data = b""
    try:
        while True:
            more = await asyncio.wait_for(reader.read(65536), 0.4)
            if not more:
                return data + b"<closed>"
            data += more
    except asyncio.TimeoutError:
        return data
    except ConnectionResetError:
        return data + b"<reset>"


def over_stdio(responder, *lines, ends=True):
    """(status, the bytes that came out) for lines of input."""

    async def work():
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()
        os.write(to_write, b"".join(line + b"\n" for line in lines))
        if ends:
            os.close(to_write)
        side = StdioSide(responder, to_read, from_write, end_seconds=0.3)
        status = await asyncio.wait_for(side.serve(), 10)
        os.close(from_write)
        with os.fdopen(from_read, "rb") as out:
            said = out.read()
        if not ends:
            os.close(to_write)
        return status, said

    return asyncio.run(work())


def head_of(answer):
    return answer.split(b"\r\n\r\n")[0]


def test_a_reply_is_json_and_the_connection_stays():
    seen = over_http(Says(Reply(PONG, headers=(("Mcp-Session-Id", "s1"),))), PING, PING)
    assert all(one.startswith(b"HTTP/1.1 200 OK\r\nContent-Type: application/json") for one in seen)
    assert all(one.endswith(b"\r\nMcp-Session-Id: s1\r\n\r\n" + PONG) for one in seen)
    assert over_stdio(Says(Reply(PONG)), PING, PING) == (0, PONG + b"\n" + PONG + b"\n")


def test_a_reply_without_a_message_is_202():
    assert over_http(Says(Reply(b"", 202)), INITIALIZED)[0].startswith(b"HTTP/1.1 202")
    assert over_http(Says(), INITIALIZED)[0].startswith(b"HTTP/1.1 202")
    assert over_stdio(Says(Reply(b"", 202)), INITIALIZED) == (0, b"")


def test_what_comes_before_the_answer_opens_a_stream():
    responder = Says(Notify(NOTE, "e7", 90), Ask(b'{"jsonrpc":"2.0","id":9,"method":"ping"}'), Reply(PONG))
    seen = over_http(responder, PING, PING)
    for one in seen:
        assert b"\r\nContent-Type: text/event-stream\r\n" in head_of(one)
        assert b"id: e7\nretry: 90\nevent: message\ndata: " + NOTE in one
        assert one.endswith(b"data: " + PONG + b"\n\n\r\n0\r\n\r\n")
    assert over_stdio(responder, PING)[1].splitlines()[::2] == [NOTE, PONG]


def test_who_takes_no_stream_gets_the_answer_alone():
    for options in ({"accept": "application/json"}, {"sse": "never"}):
        (one,) = over_http(Says(Notify(NOTE), Reply(PONG)), PING, **options)
        assert one.endswith(b"\r\n\r\n" + PONG) and NOTE not in one


def test_every_answer_is_a_stream_if_so_wished():
    one, two = over_http(Says(Reply(PONG, headers=(("Mcp-Session-Id", "s1"),))), PING, PING, sse="always")
    assert b"text/event-stream" in head_of(one) and b"\r\nMcp-Session-Id: s1" in head_of(one)
    assert b"data: " + PONG in two
    assert over_http(Says(Reply(b"", 202)), INITIALIZED, sse="always")[0].startswith(b"HTTP/1.1 202")


def test_a_status_is_sent_as_it_is_told():
    (one,) = over_http(Says(Status(429, (("Retry-After", "3"),), b'{"a":1}')), PING)
    assert one == (
        b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 3\r\nContent-Length: 7\r\n"
        b'Content-Type: application/json; charset=utf-8\r\n\r\n{"a":1}'
    )
    (one,) = over_http(
        Says(Status(200, (("Content-Length", "90"), ("Content-Type", "text/html")), b"<p>")), PING
    )
    assert one == b"HTTP/1.1 200 OK\r\nContent-Length: 90\r\nContent-Type: text/html\r\n\r\n<p>"
    assert over_stdio(Says(Status(503)), PING) == (0, b"")


def test_raw_bytes_are_the_senders_affair():
    assert over_http(Says(RawBytes(b"HTT"), Delay(20), RawBytes(b"P!")), PING) == [b"HTTP!"]
    assert over_stdio(Says(RawBytes(b"{not-json}\n")), PING) == (0, b"{not-json}\n")


def test_a_delay_comes_between():
    async def timed(exchange):
        begun = asyncio.get_running_loop().time()
        await exchange.send(Delay(60))
        assert asyncio.get_running_loop().time() - begun >= 0.05

    assert over_http(Says(timed, Reply(PONG)), PING)[0].endswith(PONG)
    assert over_stdio(Says(timed, Reply(PONG)), PING)[1] == PONG + b"\n"


def test_silence_holds_the_connection():
    assert over_http(Says(Silence()), PING) == [b""]
    assert over_stdio(Says(Silence()), PING) == (0, b"")


def test_a_connection_is_closed_before_an_answer():
    assert over_http(Says(Close()), PING) == [b"<closed>"]
    assert over_http(Says(Exit(70)), PING) == [b"<closed>"]
    assert over_http(Says(Close(reset=True)), PING)[0] in (b"<reset>", b"<closed>")
    assert over_stdio(Says(Close()), PING, ends=False) == (0, b"")
    assert over_stdio(Says(Exit(70)), PING, ends=False) == (70, b"")


def test_a_connection_is_closed_behind_an_answer_or_in_its_middle():
    whole = over_http(Says(Reply(PONG), Close()), PING)[0]
    assert whole.endswith(PONG + b"<closed>")
    (cut,) = over_http(Says(Close(after=30), Reply(PONG)), PING)
    assert cut == whole[:30] + b"<closed>"
    assert over_stdio(Says(Close(after=5), Reply(PONG)), PING, ends=False) == (0, PONG[:5])
    assert over_stdio(Says(Reply(PONG), Exit(70)), PING, ends=False) == (70, PONG + b"\n")


def test_a_stream_that_is_left_open_is_ended():
    (one,) = over_http(Says(Notify(NOTE)), PING)
    assert one.endswith(b"\n\n\r\n0\r\n\r\n")


def test_a_request_without_an_answer_closes_the_connection():
    assert over_http(Says(), PING) == [b"<closed>"]


def test_get_and_delete_are_exchanges_too():
    responder = Says()
    for verb in ("GET", "DELETE"):
        (one,) = over_http(responder, b"", verb=verb)
        assert one.startswith(b"HTTP/1.1 405") and b"Allow: POST" in one
    assert [e.kind for e in responder.seen] == ["get", "delete"]


def test_a_responder_that_fails_is_told_so_and_the_next_call_works():
    async def fail_once(exchange):
        if not responder.gone and len(responder.seen) == 1:
            raise RuntimeError("broken")

    responder = Says(fail_once, Reply(PONG))
    one, two = over_http(responder, PING, PING)
    assert one.startswith(b"HTTP/1.1 500") and two.endswith(PONG)
    responder = Says(fail_once, Reply(PONG))
    said = over_stdio(responder, PING, PING)[1].splitlines()
    assert json.loads(said[0])["error"]["code"] == -32603 and said[1] == PONG


def test_who_hangs_up_is_known_to_be_gone():
    told = []

    async def wait(exchange):
        await exchange.gone()
        told.append(exchange.left)

    over_http(Says(wait), PING, hang_up=0.05)
    assert told == [True]
    # On stdio its answer may still be read: it is cancelled when the time for that is over.
    assert over_stdio(Says(wait), PING) == (0, b"")


def test_what_http_tells_of_a_request():
    responder = Says(Reply(PONG))
    over_http(responder, PING)
    (seen,) = responder.seen
    assert (seen.http.method, seen.http.path, seen.http.headers["host"]) == ("POST", "/mcp", "localhost")
    assert (seen.id, seen.method, seen.kind, seen.era, seen.session) == (1, "ping", "request", "legacy", None)
    responder = Says(Reply(PONG))
    over_stdio(responder, PING)
    assert responder.seen[0].http is None and responder.seen[0].transport == "stdio"


def test_middleware_sees_what_is_sent():
    class Doubles(Middleware):
        async def handle(self, exchange):
            async def sink(action):
                await exchange.send(action)
                await exchange.send(action)

            await super().handle(exchange.through(sink))

    assert over_stdio(Doubles(Says(Reply(PONG))), PING)[1] == (PONG + b"\n") * 2


def test_many_clients_that_vanish_leave_nothing_behind():
    async def work():
        side = HttpSide(Says(Silence()), "127.0.0.1", 0)
        await side.start()
        for _ in range(50):
            s = socket.create_connection(("127.0.0.1", side.port))
            s.sendall(
                b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n"
                + PING
            )
            await asyncio.sleep(0)
            s.close()
        for _ in range(100):
            await asyncio.sleep(0.02)
            if not side.connections:
                break
        assert not side.connections
        await side.close()
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(work())


@pytest.mark.parametrize("token", ["", "  "])
def test_a_token_that_is_none_is_refused(token):
    with pytest.raises(ValueError):
        HttpSide(Says(), "127.0.0.1", 0, token=token)
