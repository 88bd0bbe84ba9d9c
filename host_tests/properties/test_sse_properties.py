"""The SSE parser and the reply reader against a plain model, however the bytes are cut."""

from hypothesis import given
from hypothesis import strategies as st

from http1.errors import HTTPError
from http1.events import event
from http1.reply import ReplyReader
from http1.sse import SSEParser

_LINE = st.binary(max_size=12).filter(lambda b: b"\r" not in b and b"\n" not in b)
_FIELD = st.builds(
    lambda name, sep, value: name + sep + value,
    st.sampled_from([b"data", b"event", b"id", b"retry", b"", b"other"]),
    st.sampled_from([b":", b": ", b"", b":  "]),
    _LINE,
)
_LINES = st.lists(st.tuples(st.one_of(_FIELD, st.just(b""), _LINE), st.sampled_from([b"\n", b"\r\n", b"\r"])))
_CUTS = st.lists(st.integers(0, 400))


def _model(lines):
    """(events, last id) of whole lines, as WHATWG HTML 9.2.6 words it."""
    events, kind, data, id, last_id = [], b"", None, b"", b""
    for line in lines:
        if not line:
            if data:
                events.append((kind or b"message", data))
            kind, data, last_id = b"", None, id
            continue
        name, _, value = line.partition(b":")
        value = value[1:] if value[:1] == b" " else value
        if name == b"data":
            data = value if data is None else data + b"\n" + value
        elif name == b"event":
            kind = value
        elif name == b"id" and b"\0" not in value:
            id = value
    return events, last_id


def _pieces(data, cuts):
    at = 0
    for cut in sorted(c for c in cuts if c < len(data)):
        yield data[at:cut]
        at = cut
    yield data[at:]


@given(_LINES, _CUTS, st.booleans(), st.binary(max_size=8))
def test_events_are_those_of_the_model(lines, cuts, marked, rest):
    # A CR right before an LF of the next line's end would be one line end, not two.
    ends = [end for _, end in lines]
    texts = [line for line, _ in lines]
    for i in range(1, len(lines)):
        if not texts[i] and ends[i - 1] == b"\r" and ends[i][:1] == b"\n":
            ends[i - 1] = b"\r\n"
    if texts and texts[0].startswith(b"\xef\xbb\xbf"):
        marked = True
    stream = b"".join(line + end for line, end in zip(texts, ends))
    data = (b"\xef\xbb\xbf" if marked else b"") + stream
    unfinished = rest.replace(b"\r", b"").replace(b"\n", b"")
    parser = SSEParser()
    seen = [event for piece in _pieces(data + unfinished, cuts) for event in parser.feed(piece)]
    assert (seen, parser.last_id) == _model(texts)


@given(st.lists(_LINE.filter(bool)), _CUTS)
def test_what_a_server_writes_is_read_back(documents, cuts):
    parser = SSEParser()
    data = b"".join(b"".join(event(d)) for d in documents)
    assert [d for piece in _pieces(data, cuts) for _, d in parser.feed(piece)] == documents


@given(st.lists(st.binary(max_size=40)), st.integers(16, 64))
def test_the_parser_holds_no_more_than_its_limit(pieces, limit):
    parser = SSEParser(max_event=limit)
    try:
        for piece in pieces:
            for _, data in parser.feed(piece):
                assert len(data) <= limit
            assert len(parser._line) + parser._size <= limit
    except HTTPError as e:
        assert e.status == 413


@given(st.lists(st.binary(min_size=1, max_size=40)), st.booleans(), _CUTS)
def test_bodies_are_read_back(chunks, chunked, cuts):
    body = b"".join(chunks)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
    if chunked:
        framed = b"".join(b"%x\r\n%s\r\n" % (len(c), c) for c in chunks) + b"0\r\n\r\n"
        data = head + b"Transfer-Encoding: chunked\r\n\r\n" + framed
    else:
        data = head + b"Content-Length: %d\r\n\r\n" % len(body) + body
    reader = ReplyReader()
    seen = b"".join([reader.feed(piece) for piece in _pieces(data, cuts)])
    assert (seen, reader.done, reader.keep_alive) == (body, True, True)


@given(st.binary(max_size=300), _CUTS)
def test_any_bytes_are_a_reply_or_refused(noise, cuts):
    for head in (b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"):
        outcomes = []
        for pieces in ([head + noise], _pieces(head + noise, cuts)):
            reader = ReplyReader(max_head=200, max_body=200)
            try:
                seen = b"".join([reader.feed(piece) for piece in pieces])
                outcomes.append((seen, reader.status, reader.done))
            except HTTPError as e:
                outcomes.append(e.status if e.status == 413 else 400)
        assert outcomes[0] == outcomes[1]
