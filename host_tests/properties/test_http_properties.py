"""The server's HTTP layer against any bytes: it serves or refuses, in bounded memory, however they are cut."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from http1.body import Chunked
from http1.errors import HTTPError
from http1.fields import Fields, Names
from http1.guard import Guard
from http1.odd_head import MAX_COOKIES
from http1.reader import Reader
from http1.request import Request, names
from http1.router import Route, Router
from http1.site import preflight

MAX_HEAD = 600
MAX_BODY = 200
TOKEN = "0123456789abcdef"

_CUTS = st.lists(st.integers(0, 3000), max_size=8)
_WORDS = st.sampled_from(
    b"GET|POST|OPTIONS|/mcp|/health|*|http://a/|HTTP/1.1|HTTP/1.0|Host|localhost|Content-Length|Transfer-Encoding|chunked"
    b"|Cookie|Expect|100-continue|Connection|close|Origin|Authorization|Bearer 0123456789abcdef|application/json"
    b"|Content-Type|Accept|5|0|2|ffffff|,|;".split(b"|")
)
_MARKS = st.sampled_from(
    [b"\r\n", b"\r\n\r\n", b": ", b" ", b"\n", b"\r", b"\0", b"\t", b"\x80", b"\r\nHost: localhost\r\n"]
)
_SOUP = st.lists(st.one_of(_WORDS, _MARKS, st.binary(max_size=4)), max_size=60).map(b"".join)

_NAME = st.sampled_from(
    [b"Host", b"content-length", b"Transfer-Encoding", b"Expect", b"Cookie", b"X-Any", b"Accept", b"Origin"]
)
_VALUE = st.one_of(_WORDS, st.binary(max_size=12), st.integers(0, 300).map(lambda n: b"v" * n))
_LINE = st.builds(lambda n, v: n + b": " + v + b"\r\n", _NAME, _VALUE)
_START = st.builds(
    lambda m, t, v: b"%s %s %s\r\n" % (m, t, v),
    st.sampled_from([b"GET", b"POST", b"HEAD", b"DELETE"]),
    st.sampled_from([b"/health", b"/open", b"/mcp", b"/nowhere", b"http://localhost/open"]),
    st.sampled_from([b"HTTP/1.1", b"HTTP/1.1", b"HTTP/1.1", b"HTTP/1.0", b"HTTP/1.7"]),
)
_HEAD = st.builds(
    lambda start, lines, body: start + b"Host: localhost\r\n" + b"".join(lines) + b"\r\n" + body,
    _START,
    st.lists(_LINE, max_size=6),
    st.one_of(st.binary(max_size=40), st.just(b"2\r\n{}\r\n0\r\n\r\n"), st.just(b"{}")),
)
_STREAM = st.one_of(st.binary(max_size=400), _SOUP, st.lists(_HEAD, max_size=4).map(b"".join))


def _reader():
    def handler(*_):
        raise AssertionError("the reader calls no handler")

    routes = {
        "/health": Route(("GET", "HEAD"), False, handler),
        "/open": Route(("POST", "GET"), False, handler),
        "/mcp": Route(("POST", "DELETE"), True, handler),
    }
    return Reader(Router(routes, Guard(TOKEN), MAX_BODY), MAX_HEAD, MAX_BODY)


def _pieces(data, cuts):
    at = 0
    for cut in sorted({c for c in cuts if 0 < c < len(data)}):
        yield data[at:cut]
        at = cut
    yield data[at:]


def _outcomes(data, cuts):
    """What a connection would make of the bytes: requests served, refused and skipped, and the last status."""
    reader = _reader()
    out = []
    skipping = False
    for sent in _pieces(data, cuts):
        piece = sent
        while piece:
            space = reader.space()
            count = min(len(space), len(piece))
            assert count > 0, "no space"
            space[:count] = piece[:count]
            reader.received(count)
            piece = piece[count:]
            assert len(reader.buf) <= max(1024, MAX_HEAD + MAX_BODY + 512)
            while True:
                try:
                    if skipping and not reader.skip():
                        break
                    skipping = False
                    if reader.next() is None:
                        break
                except HTTPError as e:
                    if e.close or skipping:
                        return [*out, e.status]
                    out.append((e.status, reader.request.method))
                    skipping = True
                    continue
                request = reader.request
                body = bytes(reader.buf[reader.start : reader.stop])
                assert len(body) <= MAX_BODY
                out.append((request.method, request.path, body))
                reader.done()
    return out


@given(_STREAM, _CUTS)
def test_no_bytes_do_more_than_be_refused(data, cuts):
    _outcomes(data, cuts)


@given(_STREAM, _CUTS)
def test_where_bytes_are_cut_makes_no_difference(data, cuts):
    whole = _outcomes(data, [])
    assert _outcomes(data, cuts) == whole
    assert _outcomes(data, range(len(data))) == whole


@given(
    st.lists(st.tuples(st.binary(max_size=MAX_BODY), st.booleans(), st.integers(1, 60)), max_size=5), _CUTS
)
def test_sound_requests_are_all_served(bodies, cuts):
    data = b""
    for body, chunked, size in bodies:
        data += b"POST /open HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        if chunked:
            parts = [body[i : i + size] for i in range(0, len(body), size)]
            data += b"Transfer-Encoding: chunked\r\n\r\n"
            data += b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
        else:
            data += b"Content-Length: %d\r\n\r\n" % len(body) + body
    assert _outcomes(data, cuts) == [("POST", "/open", body) for body, _, _ in bodies]


_COOKIE_VALUE = st.integers(0, 2 * MAX_COOKIES // 3).map(lambda n: b"c" * n)


@given(st.lists(_COOKIE_VALUE, max_size=3), st.integers(1, 700))
def test_cookies_never_count_against_the_head(values, size):
    lines = b"".join(b"Cookie: " + value + b"\r\n" for value in values)
    data = b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + lines + b"Accept: */*\r\n\r\n"
    outcome = _outcomes(data, range(0, len(data), size))
    if sum(map(len, values)) < MAX_COOKIES - 10:
        assert outcome == [("GET", "/health", b"")]
    elif sum(map(len, values)) > MAX_COOKIES + 1024:
        assert outcome == [431]


_TOKEN = b"!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_LINES = st.lists(
    st.tuples(
        st.one_of(st.sampled_from([b"Host", b"ACCEPT", b"x"]), st.binary(min_size=1, max_size=6)),
        st.one_of(st.sampled_from([b"", b" a", b"\tb\t", b"*/*"]), st.binary(max_size=8)),
    ),
    max_size=6,
)


# RFC 9112 section 5, said in another way: what the fields of some lines are, or None.
def _model(lines):
    found = {}
    for name, value in lines:
        if any(c not in _TOKEN for c in name) or any((c < 32 and c != 9) or c == 127 for c in value):
            return None
        found.setdefault(name.lower(), []).append(value.strip(b" \t"))
    if any(len(found.get(name, ())) > 1 for name in (b"host", b"x")):
        return None
    return {name: b", ".join(values) for name, values in found.items() if name in (b"host", b"accept", b"x")}


@given(_LINES)
def test_fields_are_those_of_the_model(lines):
    raw = b"".join(name + b":" + value + b"\r\n" for name, value in lines)
    fields = Fields(Names((b"host", (b"accept", b"*/*"), b"x")))
    try:
        fields.parse(bytearray(raw + b"\r\n"), 0, len(raw))
    except HTTPError as e:
        assert (e.status, e.close, _model(lines)) == (400, True, None)
        return
    seen = {name: fields.get(name) for name in (b"host", b"accept", b"x")}
    assert {name: value for name, value in seen.items() if value is not None} == _model(lines)


@given(st.one_of(_SOUP, st.binary(max_size=100)))
def test_any_head_is_a_request_or_refused(soup):
    head = soup.split(b"\r\n\r\n")[0] + b"\r\n\r\n"
    request = Request(names(), {})
    try:
        request.parse(bytearray(head), len(head))
    except HTTPError as e:
        assert e.close and e.status in (400, 417, 501, 505)
    else:
        preflight(Guard(TOKEN), request)


@given(st.binary(max_size=200), _CUTS)
def test_any_bytes_are_chunks_or_refused(data, cuts):
    outcomes = []
    for pieces in ([data], list(_pieces(data, cuts))):
        buf = bytearray(300)
        chunks = Chunked(10, 60)
        used = 10
        try:
            for piece in pieces:
                buf[used : used + len(piece)] = piece
                used = chunks.feed(buf, used + len(piece))
            assert chunks.end - 10 <= 60
            outcomes.append((bytes(buf[10 : chunks.end]), chunks.done, bytes(buf[chunks.end : used])))
        except HTTPError as e:
            outcomes.append(e.status)
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize(
    "head",
    [b"Host: a\r\nOrigin: \xff\r\n", b"Host: \xff\r\n", b"Host: [\r\n", b"Host: " + b"9" * 300 + b"\r\n"],
)
def test_odd_hosts_and_origins_are_refused(head):
    request = Request(names(), {})
    raw = b"GET / HTTP/1.1\r\n" + head + b"\r\n"
    request.parse(bytearray(raw), len(raw))
    with pytest.raises(HTTPError):
        Guard(TOKEN).check_site(request)


def test_they_run_on_the_bytecode_scanners():
    assert "http1.scan_viper" not in sys.modules
