"""Lines out of pieces, and what is no line."""

from harness import eq, splits
from net.split import LINE, MORE, TOO_LONG, Lines

BOM = b"\xef\xbb\xbf"


def split(pieces, most=100):
    """What is found in the pieces: bytes for a line, TOO_LONG as it is."""
    lines = Lines(most)
    found = []
    for piece in pieces:
        at = 0
        while at < len(piece):
            at += receive(lines, piece[at:])
            assert len(lines.buf) <= max(1024, most + 2)
            take(lines, found)
    lines.end()
    take(lines, found)
    return found


def receive(lines, piece):
    """Put in as much of the piece as there is space for: how much."""
    space = lines.space()
    count = min(len(space), len(piece))
    space[:count] = piece[:count]
    lines.received(count)
    return count


def put(lines, piece):
    while piece:
        piece = piece[receive(lines, piece) :]


def take(lines, found):
    while True:
        kind = lines.next()
        if kind == MORE:
            return
        found.append(bytes(lines.buf[lines.start : lines.stop]) if kind == LINE else kind)


def test_any_pieces_give_the_same_lines():
    text = '{"a":"\U0001f916 こ"}\r\n\n  \t\r\n[1]\n {}\r\n"half'.encode()
    for pieces in splits(text):
        eq(split(pieces), ['{"a":"\U0001f916 こ"}'.encode(), b"[1]", b" {}", b'"half'])


def test_a_byte_order_mark_is_dropped_at_the_start_alone():
    for pieces in splits(BOM + b"a\n" + BOM + b"b\n"):
        eq(split(pieces), [b"a", BOM + b"b"])
    eq(split([BOM + b"\r\n" + b"a\n"]), [b"a"])


def test_cr_ends_no_line_and_is_kept_within_one():
    eq(split([b"a\rb\r\r\n\r\n"]), [b"a\rb\r"])


def test_nothing_is_found_in_nothing():
    eq(split([]), [])
    eq(split([b"\n\r\n \n"]), [])


def test_a_line_may_be_as_long_as_the_bound_and_no_longer():
    for most in (10, 1021, 1022, 1023, 3000):
        good = b"x" * most
        text = good + b"\r\n" + good + b"x\n" + good + b"\n" + good + b"yyy\r\nend\n"
        for pieces in ([text], [text[i : i + 7] for i in range(0, len(text), 7)]):
            eq(split(pieces, most), [good, TOO_LONG, good, TOO_LONG, b"end"])


def test_a_line_without_an_end_is_said_once_and_takes_no_memory():
    eq(split([b"x" * 9000] * 20 + [b"x\nnext\n"], 2000), [TOO_LONG, b"next"])
    eq(split([b"x" * 9000], 2000), [TOO_LONG])


def test_a_large_buffer_is_let_go_and_a_small_one_kept():
    lines = Lines(5000)
    first = lines.buf
    for _ in range(2):
        for _ in range(4):
            put(lines, b"x" * 1000)
            eq(lines.next(), MORE)
        put(lines, b"\n")
        eq(lines.next(), LINE)
        eq(lines.stop - lines.start, 4000)
        assert len(lines.buf) > 4000
        eq(lines.next(), MORE)
        lines.space()
        eq(len(lines.buf), 1024)
    assert lines.buf is not first
    small = lines.buf
    lines.space()
    assert lines.buf is small


def test_a_line_that_is_dropped_is_skipped_to_its_end():
    lines = Lines(100)
    put(lines, b"abc")
    eq(lines.next(), MORE)
    eq(lines.drop(), TOO_LONG)
    eq(lines.drop(), MORE)
    put(lines, b"def\nx\n")
    eq(lines.next(), LINE)
    eq(bytes(lines.buf[lines.start : lines.stop]), b"x")
