"""Replies, each fed whole, byte by byte and cut in two at every offset."""

from harness import eq, raises, splits
from http1.errors import HTTPError
from http1.reply import ReplyReader

_OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def _read(pieces, ended=False, **limits):
    """(reader, body) after feeding the pieces, and the end of the connection if `ended`."""
    reader = ReplyReader(**limits)
    body = b"".join([reader.feed(piece) for piece in pieces])
    if ended:
        reader.eof()
    return reader, body


def _check(data, body, keep_alive=True, status=200, ended=False):
    for pieces in splits(data):
        reader, seen = _read(pieces, ended)
        eq((seen, reader.status, reader.done, reader.keep_alive), (body, status, True, keep_alive))


def _refused(data, status=502, **limits):
    """The reason, the same for every way to cut the data."""
    reasons = []
    for pieces in splits(data):
        e = raises(HTTPError, _read, pieces, **limits)
        assert e.close
        eq(e.status, status)
        reasons.append(e.reason)
    eq(reasons, [reasons[0]] * len(reasons))
    return reasons[0]


def test_a_length_ends_the_body():
    _check(_OK + b"Content-Length: 2\r\n\r\n{}", b"{}")
    _check(_OK + b"Content-Length: 0\r\n\r\n", b"")


def test_chunks_are_joined_and_their_extensions_and_trailers_dropped():
    head = _OK + b"Transfer-Encoding: Chunked\r\n\r\n"
    _check(head + b'2\r\n{"\r\nA ;x="y"\r\na":1234567\r\n1\r\n}\r\n000\r\nX-T: v\r\n\r\n', b'{"a":1234567}')
    _check(head + b"0\r\n\r\n", b"")


def test_a_body_without_a_length_ends_with_the_connection():
    _check(_OK + b"\r\nhello", b"hello", keep_alive=False, ended=True)
    reader, _ = _read([_OK + b"\r\nhello"])
    assert not reader.done


def test_an_end_before_the_end_is_no_end():
    for data in (
        b"",
        b"HTTP/1.1 2",
        _OK + b"Content-Length: 3\r\n\r\n{}",
        _OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}",
    ):
        reader, _ = _read([data])
        assert not reader.eof() and not reader.done


def test_statuses_without_a_body():
    _check(b"HTTP/1.1 204 No Content\r\n\r\n", b"", status=204)
    _check(b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", b"", status=304)
    _check(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n", b"", status=204, keep_alive=False)


def test_interim_replies_are_skipped():
    interim = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nContent-Length: 7\r\n\r\n"
    _check(interim + _OK + b"Content-Length: 2\r\n\r\n{}", b"{}")
    _refused(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n")
    _refused(b"HTTP/1.1 100 Continue\r\n\r\n" * 20, status=413, max_head=400)


def test_who_keeps_the_connection():
    tail = b"Content-Length: 2\r\n\r\n{}"
    _check(_OK + b"Connection: close\r\n" + tail, b"{}", keep_alive=False)
    _check(_OK + b"Connection: X, Close\r\n" + tail, b"{}", keep_alive=False)
    old = b"HTTP/1.0 200 OK\r\n"
    _check(old + tail, b"{}", keep_alive=False)
    _check(old + b"Connection: Keep-Alive\r\n" + tail, b"{}")


def test_bytes_behind_the_reply_end_the_connection():
    for data in (
        _OK + b"Content-Length: 2\r\n\r\n{}",
        _OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    ):
        for more in (b"x", b"HTTP/1.1 200 OK\r\n\r\n"):
            _check(data + more, b"{}", keep_alive=False)


def test_a_bytearray_may_be_used_again():
    reader = ReplyReader()
    buf = bytearray(100)
    body = b""
    for piece in (_OK, b"Content-Length: 4\r\n\r\n{", b'"":', b"1}"):
        buf[: len(piece)] = piece
        body += reader.feed(buf, len(piece))
        if reader.status:
            eq(reader.get(b"content-length"), b"4")
    eq((body, reader.done), (b'{"":', True))


def test_a_reader_is_used_again():
    reader = ReplyReader()
    reader.feed(b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n\r\nx")
    eq((reader.status, reader.reason, reader.get(b"content-type")), (404, "Not Found", b"text/plain"))
    reader.reset()
    eq((reader.status, reader.reason, reader.done), (0, "", False))
    eq(reader.feed(_OK + b"Content-Length: 2\r\n\r\n{}"), b"{}")
    eq((reader.status, reader.reason, reader.get(b"content-type")), (200, "", b"application/json"))


def test_fields_in_any_case_and_the_reason_made_printable():
    reader, _ = _read(
        [b"HTTP/1.1 429 T\xc3\xa9\x01" + b"x" * 99 + b"\r\nretry-AFTER:\t7 \r\nMcp-Session-Id: ab\r\n\r\n"]
    )
    eq(reader.reason, "T???" + "x" * 60)
    eq(
        (reader.get(b"retry-after"), reader.get(b"mcp-session-id"), reader.get(b"location")),
        (b"7", b"ab", None),
    )
    reader, _ = _read([b"HTTP/1.1 500\r\nContent-Length: 0\r\n\r\n"])
    eq((reader.status, reader.reason, reader.done), (500, "", True))


def test_what_may_be_read_in_two_ways_is_refused():
    for fields in (
        b"Content-Length: 2\r\nContent-Length: 3\r\n",
        b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: gzip, chunked\r\n",
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: identity\r\n",
        b"Content-Length: +2\r\n",
        b"Content-Length: 2, 2\r\n",
        b"Content-Length: \r\n",
        b"Content-Length: 1234567890\r\n",
    ):
        for pieces in splits(_OK + fields + b"\r\n{}"):
            raises(HTTPError, _read, pieces)
    raises(HTTPError, _read, [b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"])


def test_malformed_lines_are_refused():
    for head in (
        b"SSH-2.0-OpenSSH\r\n\r\n",
        b"HTTP/2.0 200 OK\r\n\r\n",
        b"HTTP/1.2 200 OK\r\n\r\n",
        b"HTTP/1.1  200 OK\r\n\r\n",
        b"HTTP/1.1 20 OK\r\n\r\n",
        b"HTTP/1.1 2000 OK\r\n\r\n",
        b"HTTP/1.1 099 OK\r\n\r\n",
        b"HTTP/1.\r\n\r\n",
        b"HTTP/1.1\r\n\r\nX: y\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX : y\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nnothing\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\x00b\r\n\r\n",
        b"HTTP/1.1 200 OK\nX: y\n\n",
    ):
        for pieces in splits(head):
            raises(HTTPError, _read, pieces)


def test_malformed_chunks_are_refused():
    head = _OK + b"Transfer-Encoding: chunked\r\n\r\n"
    for body in (
        b"z\r\n",
        b"\r\n",
        b"+2\r\n{}",
        b"0x2\r\n",
        b" 2\r\n",
        b"12345678\r\n",
        b"2\r\n{}x\r\n",
        b"2" * 300,
    ):
        _refused(head + body)


def test_limits():
    eq(_refused(_OK + b"X: " + b"y" * 100 + b"\r\n\r\n", status=413, max_head=120), "head too large")
    eq(_refused(b"HTTP/1.1 200 " + b"y" * 100, status=413, max_head=60), "head too large")
    eq(_refused(_OK + b"Content-Length: 11\r\n\r\n", status=413, max_body=10), "body too large")
    eq(_refused(_OK + b"\r\n" + b"x" * 11, status=413, max_body=10), "body too large")
    chunked = _OK + b"Transfer-Encoding: chunked\r\n\r\n"
    eq(_refused(chunked + b"6\r\n123456\r\n6\r\n123456\r\n", status=413, max_body=10), "body too large")
    eq(_refused(chunked + b"0\r\n" + b"X: y\r\n" * 30, status=413, max_head=100), "trailer too large")


def test_the_status_is_known_where_the_body_is_too_large():
    reader = ReplyReader(max_body=1)
    raises(HTTPError, reader.feed, b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n")
    eq(reader.status, 404)


def test_an_event_stream_has_no_bound():
    reader = ReplyReader(max_body=4)
    reader.feed(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    reader.unbound()
    for _ in range(9):
        eq(reader.feed(b"3\r\nabc\r\n"), b"abc")


def test_a_head_past_what_places_can_tell_is_refused():
    ReplyReader(max_head=16383)
    raises(ValueError, ReplyReader, 16384)
