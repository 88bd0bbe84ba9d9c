"""A browser's cookies count against no limit of the head, and are not kept."""

from served import HOST, POST, outcomes, put, reader, refusal

from harness import eq, splits
from http1.odd_head import MAX_COOKIES, Cookies

START = b"GET /health HTTP/1.1\r\n" + HOST
SEEN = ("GET", "/health", b"")


def cut(raw, size):
    return [raw[i : i + size] for i in range(0, len(raw), size)]


def seen(raw, size, **limits):
    return outcomes(reader(**limits), cut(raw, size))


def test_a_cookie_may_be_longer_than_a_head():
    for length in (0, 1100, 8000, 16000):
        raw = START + b"Cookie: " + b"c" * length + b"\r\nAccept: a/b\r\n\r\n" + START + b"\r\n"
        for size in (7, 1024, 20000):
            eq((length, size, seen(raw, size)), (length, size, [SEEN, SEEN]))


def test_it_is_dropped_however_it_is_cut():
    raw = START + b"CooKIE:\t" + b"ab=c; " * 6 + b"\r\nX: y\r\ncookie:" + b"d" * 40 + b"\r\n\r\n"
    for pieces in splits(raw + START + b"\r\n"):
        eq(outcomes(reader(max_head=110), pieces), [SEEN, SEEN])


def test_what_is_dropped_is_stored_nowhere():
    made = reader()
    for _ in put(made, START + b"Cookie: " + b"secret" * 2000 + b"\r\n"):
        eq(made.next(), None)
    eq((made.buf.find(b"secret", 0, made.begun), made.begun < 1024, len(made.buf) <= 2048), (-1, True, True))


def test_other_fields_count_all_the_same():
    long = b"X: " + b"x" * 4096 + b"\r\n"
    for raw in (
        START + long + b"\r\n",
        START + b"Cookie: " + b"c" * 5000 + b"\r\n" + long + b"\r\n",
        START + long + b"Cookie: c\r\n\r\n",
    ):
        for size in (1, 1000, 20000):
            eq(seen(raw, size), [431])
    for name in (b"Cookies", b"X-Cookie", b"Cooki", b"Set-Cookie"):
        eq(seen(START + name + b": " + b"c" * 5000 + b"\r\n\r\n", 1000), [431])
    # Not the middle of a value, nor a request line.
    eq(seen(START + b"X: cookie:" + b"c" * 5000 + b"\r\n\r\n", 1000), [431])
    eq(seen(b"cookie:" + b"c" * 5000 + b"\r\n\r\n", 1000), [431])


def test_cookies_together_have_a_limit():
    for count in (1, 4):
        for extra, wanted in ((0, [SEEN]), (1, [431])):
            size = MAX_COOKIES // count
            lines = b"".join([b"Cookie:" + b"c" * (size + extra) + b"\r\n" for _ in range(count)])
            raw = START + lines + b"\r\n"
            for piece in (100, 1000, 20000):
                eq((count, extra, seen(raw, piece)), (count, extra, wanted))
    # Without an end, too.
    made = reader()
    sent = 0
    for _ in put(made, START + b"Cookie: " + b"c" * 20000):
        sent += 1
        if refusal(made.next) is not None:
            break
    eq((refusal(made.next), len(made.buf) <= 2048), ((431, True), True))


def test_each_head_may_have_its_own():
    raw = (START + b"Cookie: " + b"c" * 12000 + b"\r\n\r\n") * 4
    for size in (50, 777, 20000):
        eq(seen(raw, size), [SEEN] * 4)


def test_what_is_no_value_is_refused_though_it_is_long():
    for bad in (b"\0", b"\n", b"\r", b"\x7f", b"\x01", b"\nEvil: x"):
        raw = START + b"Cookie: " + b"c" * 3000 + bad + b"c" * 2000 + b"\r\n\r\n"
        for size in (1, 500, 20000):
            assert seen(raw, size)[0] in (400, 431), (bad, size)
        raw = START + b"Cookie: " + b"c" * 3000 + bad + b"c\r\n\r\n"
        for size in (1, 500, 20000):
            eq((bad, size, seen(raw, size)), (bad, size, [400]))


def test_a_long_cookie_behind_a_long_body():
    raw = (
        POST + b"Content-Length: 2000\r\n\r\n" + b"x" * 2000 + START + b"Cookie: " + b"c" * 5000 + b"\r\n\r\n"
    )
    made = reader(max_body=3000)
    made.buf = bytearray(8000)
    eq(outcomes(made, [raw]), [("POST", "/mcp", b"x" * 2000), SEEN])


def test_only_the_head_s_own_cookies_are_dropped():
    head = START + b"Cookie: abc\r\n\r\n"
    behind = b"GET / HTTP/1.1\r\nCookie: xyz\r\n\r\n"
    buf = bytearray(head + behind)
    end = Cookies().drop(buf, len(head), len(buf))
    eq(bytes(buf[:end]), START + b"Cookie:\r\n\r\n")
    eq(bytes(buf[end : end + len(behind)]), behind)
