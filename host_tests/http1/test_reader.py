"""Requests out of bytes: limits, what is kept, and what a refusal leaves."""

from served import HOST, JSON, POST, outcomes, put, reader, refusal

from harness import eq, splits
from http1.errors import HTTPError

GET = b"GET /health HTTP/1.1\r\n" + HOST + b"\r\n"
SEEN = ("GET", "/health", b"")


def post(body, head=POST):
    return head + b"Content-Length: %d\r\n\r\n" % len(body) + body


def feed(made, data):
    for _ in put(made, data):
        pass
    return made


def test_requests_follow_one_another_however_they_are_cut():
    raw = GET + post(b'{"a":1}') + POST + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n" + GET
    wanted = [SEEN, ("POST", "/mcp", b'{"a":1}'), ("POST", "/mcp", b"{}"), SEEN]
    for pieces in splits(raw):
        eq(outcomes(reader(), pieces), wanted)


def test_rfc_9112_2_2_empty_lines_before_a_request_are_ignored():
    for raw in (b"\r\n" + GET, b"\r\n\r\n" + GET, GET + b"\r\n" + GET, b"\r\n" * 700 + GET):
        for pieces in ([raw], [raw[i : i + 1] for i in range(len(raw))]):
            eq(outcomes(reader(), pieces), [SEEN] * raw.count(b"GET"))
    # Also where the buffer that a long request left is given back.
    for size in range(1020, 1032):
        raw = post(b"x" * 2000) + b"\r\n" + GET[:-2] + b"X: " + b"a" * (size - len(GET) - 7) + b"\r\n\r\n"
        made = reader(max_body=3000)
        made.buf = bytearray(8000)
        eq((size, outcomes(made, [raw])), (size, [("POST", "/mcp", b"x" * 2000), SEEN]))


def test_a_bare_lf_ends_no_head():
    for raw in (
        b"GET / HTTP/1.1\n\n",
        b"GET / HTTP/1.1\r\nHost: a\n\r\n",
        b"GET / HTTP/1.1\nHost: a\r\n\r\n",
        b"\n\n",
        b"\nGET / HTTP/1.1\r\n\r\n",
    ):
        for pieces in splits(raw):
            eq((raw, outcomes(reader(), pieces)), (raw, [400]))


def test_a_head_has_a_limit():
    for limit in (200, 1024, 3000):
        fill = GET[:-2] + b"X: "
        fits = fill + b"a" * (limit - len(fill) - 4) + b"\r\n\r\n"
        eq(len(fits), limit)
        for size in (1, 7, 1000, 5000):
            pieces = [fits[i : i + size] for i in range(0, limit, size)]
            eq((limit, outcomes(reader(max_head=limit), pieces)), (limit, [SEEN]))
            longer = fits[:-4] + b"a\r\n\r\n"
            pieces = [longer[i : i + size] for i in range(0, limit + 1, size)]
            eq((limit, outcomes(reader(max_head=limit), pieces)), (limit, [431]))
    eq(outcomes(reader(), [b"x" * 4096]), [])
    eq(outcomes(reader(), [b"x" * 4097]), [431])


def test_a_head_without_end_is_refused_before_it_fills_the_memory():
    made = reader()
    sent = 0
    while refusal(made.next) is None:
        feed(made, b"X: aaaaaa\r\n")
        sent += 11
        assert sent < 4200
    eq((refusal(made.next), len(made.buf) <= 8192), ((431, True), True))


def test_a_body_is_whole_before_it_is_handed_out():
    raw = post(b"0123456789")
    made = reader()
    for i in range(len(raw) - 1):
        feed(made, raw[i : i + 1])
        eq(made.next(), None)
    feed(made, raw[-1:])
    assert made.next() is not None
    eq(bytes(made.buf[made.start : made.stop]), b"0123456789")


def test_a_route_is_asked_before_the_body_arrives():
    made = feed(reader(), POST + b"Content-Length: 101\r\n\r\n")
    eq(refusal(made.next), (413, False))
    made = feed(reader(), b"POST /mcp HTTP/1.1\r\n" + HOST + JSON + b"Content-Length: 9\r\n\r\n")
    eq(refusal(made.next), (401, False))


def test_the_body_of_a_refused_request_is_skipped():
    refused = b"POST /mcp HTTP/1.1\r\n" + HOST + JSON
    chunks = b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nA: b\r\n\r\n"
    for raw in (
        post(b"GET /x HTTP/1.1\r\n\r\n", refused),
        refused + chunks,
        b"GET /nowhere HTTP/1.1\r\n" + HOST + b"\r\n",
    ):
        for pieces in splits(raw + GET):
            seen = outcomes(reader(), pieces)
            eq((len(seen), seen[0][0] in (401, 404), seen[1]), (2, True, SEEN))


def test_a_refused_body_in_chunks_has_the_same_limit():
    raw = b"POST /mcp HTTP/1.1\r\n" + HOST + JSON + b"Transfer-Encoding: chunked\r\n\r\n"
    eq(outcomes(reader(), [raw + b"65\r\n"]), [(401, "POST"), 413])
    eq(outcomes(reader(), [raw + b"x\r\n"]), [(401, "POST"), 400])


def test_chunked_data_have_the_limit_of_a_body():
    raw = POST + b"Transfer-Encoding: chunked\r\n\r\n"
    whole = raw + (b"1\r\na\r\n" * 100) + b"0\r\n\r\n"
    for size in (1, 3, 10, 4000):
        pieces = [whole[i : i + size] for i in range(0, len(whole), size)]
        eq(outcomes(reader(), pieces), [("POST", "/mcp", b"a" * 100)])
    eq(outcomes(reader(), [raw + b"1\r\na\r\n" * 101]), [413])


def test_the_buffer_is_bounded_and_given_back():
    made = reader(max_body=8192)
    most = 0
    feed(made, POST + b"Transfer-Encoding: chunked\r\n\r\n")
    chunks = b"1;%s\r\na\r\n" % (b"e" * 60) * 64
    for piece in [chunks] * 128 + [b"0\r\n\r\n"]:
        for _ in put(made, piece):
            route = made.next()
            most = max(most, len(made.buf))
            assert len(made.space()) > 0
    assert route is not None
    eq((made.stop - made.start, most <= 4096 + 8192 + 512), (8192, True))
    made.done()
    eq((len(made.buf), made.begun), (1024, 0))


def test_what_a_connection_is_told():
    made = reader()
    eq((made.begun, made.wants_continue()), (0, False))
    feed(made, b"P")
    eq((made.next(), made.begun), (None, 1))
    feed(made, POST[1:] + b"Content-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    eq((made.next(), made.wants_continue()), (None, True))
    feed(made, b"{")
    eq((made.next(), made.wants_continue()), (None, False))
    feed(made, b"}")
    assert made.next() is not None
    made.done()
    eq((made.begun, made.wants_continue()), (0, False))


def test_a_reader_forgets_its_connection():
    for raw in (
        b"GET /he",
        post(b"12345")[:-2],
        POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\nab",
        GET[:-2] + b"Cookie: " + b"a" * 2000,
    ):
        made = feed(reader(), raw)
        eq(made.next(), None)
        made.reset()
        eq(len(made.buf), 1024)
        eq(outcomes(made, [GET]), [SEEN])


def refusal_of(made, data):
    """The HTTPError that ends the bytes."""
    for _ in put(made, data):
        try:
            eq(made.next(), None)
        except HTTPError as e:
            return e
    raise AssertionError("not refused")


def test_a_malformed_head_behind_a_head_request_is_not_answered_as_one():
    cookie = b"GET / HTTP/1.1\r\nCookie: " + b"c" * 17000
    for bad in (b"GET / HTTP/1.1\n\n", b"x" * 4097, b"GET\r\n\r\n", cookie):
        made = feed(reader(), b"HEAD /health HTTP/1.1\r\n" + HOST + b"\r\n")
        assert made.next() is not None
        eq(made.request.method, "HEAD")
        made.done()
        eq(refusal_of(made, bad).close, True)
        eq(made.request.method, "")
