"""The HTTP server over loopback: framing, keep-alive, refusals, and what an answer looks like on the wire."""

import asyncio

from loopback import BEARER, GET, HOST, JSON, Loopback, post

from harness import araises, eq, raises
from net.http_server import Limits


async def test_a_connection_serves_one_request_after_another():
    async with Loopback() as served:
        client = await served.connect()
        for i in range(50):
            body = b'{"n":%d}' % i
            status, headers, seen = await client.ask(post(b"/echo", body))
            eq((status, seen, b"Connection" in headers), (200, body, False))


async def test_pipelined_requests_are_answered_in_their_order():
    async with Loopback() as served:
        client = await served.connect()
        await client.send(
            GET + post(b"/echo", b"[1]") + post(b"/mcp", b"[2]") + post(b"/mcp", b"[3]", BEARER) + GET
        )
        seen = []
        for _ in range(5):
            seen.append(await client.answer())
        eq(
            [(status, body) for status, _, body in seen][1:4],
            [(200, b"[1]"), (401, b'{"error":"invalid_token"}'), (200, b"[3]")],
        )
        eq(served.seen, [b"", b"[1]", b"[3]", b""])


async def test_a_request_may_come_in_any_pieces():
    async with Loopback() as served:
        client = await served.connect()
        raw = post(b"/echo", b'{"a":"\xc3\xa9"}')
        for cut in (1, 10, len(raw) - 12, len(raw) - 10, len(raw) - 1):
            eq((await client.ask(raw[:cut], raw[cut:]))[2], b'{"a":"\xc3\xa9"}')
        raw += raw
        for cut in (len(raw) // 2 - 3, len(raw) // 2 + 3):
            await client.send(raw[:cut], raw[cut:])
            eq([(await client.answer())[0], (await client.answer())[0]], [200, 200])


async def test_a_large_body_arrives_whole():
    async with Loopback() as served:
        client = await served.connect()
        body = b"0123456789" * 819
        eq((await client.ask(post(b"/echo", body)))[2], body)
        eq((await client.ask(GET))[0], 200)


async def test_chunks_arrive_as_one_body():
    async with Loopback() as served:
        client = await served.connect()
        head = b"POST /echo HTTP/1.1\r\n" + HOST + JSON + b"Transfer-Encoding: chunked\r\n\r\n"
        eq((await client.ask(head + b"2\r\n[1\r\n1\r\n]\r\n0\r\n\r\n"))[2], b"[1]")
        eq((await client.ask(head, b"2\r", b"\n[2\r\n1\r\n", b"]\r\n0\r\n", b"\r\n"))[2], b"[2]")


async def test_rfc_9110_10_1_1_a_client_that_waits_is_told_to_continue():
    async with Loopback() as served:
        client = await served.connect()
        head = b"POST /echo HTTP/1.1\r\n" + HOST + JSON + b"Expect: 100-Continue\r\nContent-Length: 2\r\n\r\n"
        eq((await client.ask(head))[0], 100)
        eq((await client.ask(b"{}"))[2], b"{}")
        # One that does not wait is not told.
        eq((await client.ask(head + b"[]"))[2], b"[]")
        # One that is refused is not either; where its next request would start is unsure.
        status, headers, _ = await client.ask(head.replace(b"/echo", b"/mcp"))
        eq((status, b"Connection: close\r\n" in headers, await client.ended()), (401, True, True))


async def test_a_client_is_told_to_continue_once_though_its_body_comes_in_pieces():
    async with Loopback() as served:
        client = await served.connect()
        lines = b"Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n"
        eq((await client.ask(b"POST /echo HTTP/1.1\r\n" + HOST + JSON + lines))[0], 100)
        status, _, body = await client.ask(b"2\r\n", b"{", b"}\r\n", b"0\r\n\r\n")
        eq((status, body), (200, b"{}"))


async def test_a_length_counts_bytes():
    async with Loopback() as served:
        client = await served.connect()
        body = '{"text":"こんにちは 😀 é"}'.encode()
        status, headers, seen = await client.ask(post(b"/echo", body))
        eq((status, seen), (200, body))
        assert b"Content-Length: %d\r\n" % len(body) in headers
        eq((await client.ask(GET))[0], 200)


class Writes:
    """Stands for a stream and notes what is written to it."""

    def __init__(self, stream):
        self._stream = stream
        self.written = []
        self.s = stream.s

    @property
    def out_buf(self):
        return self._stream.out_buf

    def write(self, data):
        self.written.append(bytes(data))
        self._stream.write(data)

    def readinto(self, buf):
        return self._stream.readinto(buf)

    def drain(self):
        return self._stream.drain()


async def test_an_answer_is_one_write():
    async with Loopback() as served:
        client = await served.connect()
        await client.ask(GET)
        connection = served.server.connections[0]
        connection.stream = Writes(connection.stream)
        # The read that is under way is the old stream's.
        await client.ask(GET)
        connection.stream.written.clear()
        for request in (GET, post(b"/echo", b"x" * 8000), post(b"/mcp", b"{}"), post(b"/wait", b"{}")):
            served.may_end.set()
            await client.ask(request)
            eq((len(connection.stream.written), connection.stream.written.pop()[:9]), (1, b"HTTP/1.1 "))


async def test_head_has_the_head_of_get_and_no_body():
    async with Loopback() as served:
        client = await served.connect()
        status, headers, body = await client.ask(GET)
        await client.send(b"HEAD" + GET[3:] + GET)
        lines = b""
        while not lines.endswith(b"\r\n\r\n"):
            lines += await client.line()
        eq(lines, b"HTTP/1.1 200 OK\r\n" + headers + b"\r\n")
        eq(await client.answer(), (status, headers, body))
        # What follows a HEAD is none.
        await client.send(b"HEAD" + GET[3:])
        while await client.line() != b"\r\n":
            pass
        status, _, body = await client.ask(b"GET / HTTP/1.1\n\n")
        eq((status, body), (400, b'{"error":"bad_request","message":"lines end with CR LF"}'))


async def test_rfc_9112_9_3_when_the_connection_closes():
    async with Loopback() as served:
        for raw in (
            GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"),
            GET.replace(b"HTTP/1.1", b"HTTP/1.0"),
        ):
            client = await served.connect()
            status, headers, _ = await client.ask(raw + GET)
            eq((status, b"Connection: close\r\n" in headers, await client.ended()), (200, True, True))


async def test_a_refused_request_leaves_the_connection_open():
    async with Loopback() as served:
        client = await served.connect()
        body = b"x" * 3000
        for path, status in ((b"/mcp", 401), (b"/nowhere", 404), (b"/health", 405)):
            eq((await client.ask(post(path, body)))[0], status)
            eq((await client.ask(post(path, body)[:-100], body[:100]))[0], status)
            eq((await client.ask(GET))[0], 200)


async def test_a_refused_request_with_a_large_body_is_answered_and_closed():
    async with Loopback() as served:
        for lines, status in ((b"", 401), (BEARER, 413)):
            client = await served.connect()
            status_seen, headers, _ = await client.ask(post(b"/mcp", b"x" * 100_000, lines))
            eq((status_seen, b"Connection: close\r\n" in headers, await client.ended()), (status, True, True))


async def test_a_refused_request_gets_one_answer_whatever_follows():
    head = b"POST /mcp HTTP/1.1\r\n" + HOST + JSON + b"Transfer-Encoding: chunked\r\n\r\n"
    async with Loopback(head_ms=60, body=100) as served:
        for rest in (b"x\r\n", b"65\r\n", b"5\r\nab"):
            client = await served.connect()
            eq((await client.ask(head, rest))[0], 401)
            eq(await client.ended(), True)
        eq(served.log, [])


async def test_a_body_that_no_method_needs_is_bounded_too():
    async with Loopback() as served:
        client = await served.connect()
        status, headers, _ = await client.ask(GET.replace(b"\r\n\r\n", b"\r\nContent-Length: 99999\r\n\r\n"))
        eq((status, b"Connection: close\r\n" in headers), (413, True))


async def test_malformed_requests_are_answered_and_closed():
    async with Loopback() as served:
        for raw, status in (
            (b"\x16\x03\x01\x02\0\x01\r\n\r\n", 400),
            (b"GET /health HTTP/1.1\r\n\r\n", 400),
            (b"GET /health HTTP/2.0\r\n" + HOST + b"\r\n", 505),
            (b"X: " + b"x" * 5000, 431),
            (post(b"/echo", b"{}", b"Expect: x\r\n"), 417),
            (post(b"/echo", b"{}").replace(b"Content-Length: 2", b"X: y"), 411),
            (post(b"/echo", b"{}").replace(b"Content-Length: 2", b"Transfer-Encoding: gzip"), 501),
        ):
            client = await served.connect()
            seen, headers, _ = await client.ask(raw)
            eq((raw[:30], seen, b"Connection: close\r\n" in headers), (raw[:30], status, True))
            eq(await client.ended(), True)
        eq((await (await served.connect()).ask(GET))[0], 200)


async def test_a_handler_that_breaks_is_a_500_and_closes():
    async with Loopback() as served:
        client = await served.connect()
        status, headers, body = await client.ask(post(b"/broken", b"{}"))
        eq(
            (status, body, b"Connection: close\r\n" in headers),
            (500, b'{"error":"internal_server_error"}', True),
        )
        eq(await client.ended(), True)
        eq(
            [(level, text, str(e)) for level, text, e in served.log],
            [("error", "connection failed", "broken handler")],
        )
        eq((await (await served.connect()).ask(GET))[0], 200)


async def test_a_connection_that_is_over_keeps_nothing():
    async with Loopback() as served:
        client = await served.connect()
        await client.send(post(b"/echo", b"x" * 8000)[:-10])
        await asyncio.sleep_ms(10)
        connection = served.server.connections[0]
        assert len(connection.reader.buf) > 8000
        await client.close()
        await asyncio.sleep_ms(10)
        eq((served.server._spare, connection.stream, len(connection.reader.buf)), ([connection], None, 1024))


async def test_two_servers_in_one_process():
    async with Loopback() as one:
        async with Loopback() as other:
            first, second = await one.connect(), await other.connect()
            eq(
                ((await first.ask(post(b"/echo", b"1")))[2], (await second.ask(post(b"/echo", b"2")))[2]),
                (b"1", b"2"),
            )
            eq((one.seen, other.seen), ([b"1"], [b"2"]))
        eq((await first.ask(GET))[0], 200)


async def test_closing_frees_the_port_and_ends_the_connections():
    async with Loopback() as served:
        for _ in range(3):
            client = await served.connect()
            eq((await client.ask(GET))[0], 200)
            await served.server.close()
            eq(await client.ended(), True)
            await araises(OSError, (await served.connect()).ask(GET))
            await served.server.start()
        await served.server.close()
        await served.server.close()


async def test_a_port_in_use_is_an_error():
    async with Loopback() as served:
        other = Loopback()
        other.server.where = ("127.0.0.1", served.number)
        await araises(OSError, other.server.start())


def test_limits_that_cannot_be_kept_are_refused():
    eq((Limits(head=16383, body=48000).body, Limits().head), (48000, 4096))
    for changes in ({"head": 16384}, {"body": 61000}):
        raises(ValueError, Limits, **changes)
    raises(TypeError, Limits, heads=1)
