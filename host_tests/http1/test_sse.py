"""Event streams, each fed whole, byte by byte and cut in two at every offset (WHATWG HTML 9.2)."""

from harness import eq, raises, splits
from http1.errors import HTTPError
from http1.sse import SSEParser


def _parse(pieces, **limits):
    parser = SSEParser(**limits)
    events = []
    for piece in pieces:
        events.extend(parser.feed(piece))
    return parser, events


def _check(data, *wanted):
    """The events, and the parser of the last run."""
    for pieces in splits(data):
        parser, events = _parse(pieces)
        eq(events, [w if isinstance(w, tuple) else (b"message", w) for w in wanted])
    return parser


def test_all_three_line_ends_and_mixtures():
    for end in (b"\n", b"\r\n", b"\r"):
        _check(b"data: a" + end + end + b"data: b" + end + end, b"a", b"b")
    _check(b"data: a\r\n\rdata: b\n\r\ndata: c\r\r\ndata: d\n\n", b"a", b"b", b"c", b"d")


def test_one_byte_order_mark_is_dropped():
    _check(b"\xef\xbb\xbfdata: a\n\n", b"a")
    _check(b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\n")
    _check(b"data: a\n\n\xef\xbb\xbfdata: b\n\n", b"a")


def test_comments_and_unknown_fields_are_nothing():
    _check(b": hello\n\n:\ndata: a\n: data: x\nfoo: bar\nfoo\ndatax: y\n\n", b"a")


def test_data_lines_are_joined():
    _check(b"data: a\ndata:b\ndata:  c\ndata\n\n", b"a\nb\n c\n")


def test_a_missing_space_and_a_missing_colon():
    _check(b"data:a\n\n", b"a")
    _check(b"data\n\n")
    _check(b"data: a: b\n\n", b"a: b")


def test_characters_split_over_chunks():
    _check('data: {"t":"\u00e9\u6f22\U0001f600"}\n\n'.encode(), '{"t":"\u00e9\u6f22\U0001f600"}'.encode())


def test_a_priming_event_gives_nothing_but_its_id():
    parser = _check(b"id: 7\ndata:\n\nevent: x\n\ndata: a\n\n", b"a")
    eq(parser.last_id, b"7")


def test_an_event_that_is_cut_keeps_the_id_of_the_one_before():
    parser = _check(b"id: 1\ndata: a\n\nid: 2\ndata: b\n", b"a")
    eq(parser.last_id, b"1")
    eq((parser.feed(b"\n"), parser.last_id), ([(b"message", b"b")], b"2"))


def test_ids():
    eq(_check(b"id: 1\ndata: a\n\ndata: b\n\n", b"a", b"b").last_id, b"1")
    eq(_check(b"id: 1\n\nid: 2\x003\n\n").last_id, b"1")
    eq(_check(b"id: 1\n\nid\n\n").last_id, b"")


def test_retry_is_digits_only():
    eq(_check(b"retry: 1500\n\n").retry_ms, 1500)
    for value in (b"", b"1.5", b"-1", b"1s", b" 1", b"1" * 10):
        eq(_check(b"retry: " + value + b"\n\n").retry_ms, None)


def test_event_types_and_their_end():
    _check(b"event: ping\ndata: a\n\ndata: b\n\nevent:\ndata: c\n\n", (b"ping", b"a"), b"b", b"c")


def test_an_event_without_its_empty_line_is_dropped():
    _check(b"data: a\n\ndata: b\n", b"a")
    _check(b"data: a\n\ndata: b", b"a")


def test_limits():
    for data in (
        b"data: " + b"x" * 100,
        b"x" * 100,
        b": " + b"x" * 100,
        b"data: 12345678\n" * 9,
        b"data: " + b"x" * 65 + b"\n",
    ):
        eq(raises(HTTPError, _parse, [data], max_event=64).status, 413)
        raises(HTTPError, _parse, [data[i : i + 1] for i in range(len(data))], max_event=64)
    _parse([b"data: 12345678\n\n" * 99], max_event=64)


def test_empty_data_lines_count_and_cost_no_more_than_their_bytes():
    parser = SSEParser(max_event=1000)
    eq(parser.feed(b"data\n" * 900), [])
    eq(len(parser._data), 899)
    eq(parser.feed(b"\n"), [(b"message", b"\n" * 899)])
    raises(HTTPError, parser.feed, b"data\n" * 1001)
