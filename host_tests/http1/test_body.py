"""Chunked bodies, decoded in place (RFC 9112 section 7.1), whole and in any pieces."""

from served import refusal

from harness import eq, splits
from http1.body import Chunked


def decode(pieces, limit=20, start=3):
    """(data, done, what is left) of a body that arrives in pieces behind `start` other bytes."""
    buf = bytearray(400)
    buf[:start] = b"h" * start
    chunks = Chunked(start, limit)
    used = start
    for piece in pieces:
        buf[used : used + len(piece)] = piece
        used = chunks.feed(buf, used + len(piece))
    eq(bytes(buf[:start]), b"h" * start)
    return bytes(buf[start : chunks.end]), chunks.done, bytes(buf[chunks.end : used])


def everywhere(raw, limit=20):
    """What `decode` makes of it, however it is cut; a status where it is refused."""
    seen = []
    for pieces in splits(raw):
        seen.append(refusal(decode, pieces, limit) or decode(pieces, limit))
    eq((raw, seen), (raw, seen[:1] * len(seen)))
    return seen[0]


def test_chunks_become_one_piece():
    for raw, wanted in (
        (b"0\r\n\r\n", b""),
        (b"5\r\nhello\r\n0\r\n\r\n", b"hello"),
        (b"1\r\na\r\n2\r\nbc\r\n3\r\ndef\r\n0\r\n\r\n", b"abcdef"),
        (b"A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n", b"01234567890123456789"),
        (b"4\r\n\r\n\r\n\r\n0\r\n\r\n", b"\r\n\r\n"),
        (b"00005\r\nhello\r\n000\r\n\r\n", b"hello"),
    ):
        eq(everywhere(raw), (wanted, True, b""))


def test_what_lies_behind_the_body_is_kept():
    eq(everywhere(b"2\r\nab\r\n0\r\n\r\nGET / HT"), (b"ab", True, b"GET / HT"))
    eq(everywhere(b"0\r\n\r\n\r\n"), (b"", True, b"\r\n"))


def test_a_body_that_is_not_whole_is_not_done():
    raw = b"5\r\nhello\r\n0\r\nA: b\r\n\r\n"
    for i in range(len(raw)):
        eq(decode([raw[:i]])[1], False)
    eq(decode([raw])[1], True)


def test_rfc_9112_7_1_1_extensions_are_ignored():
    for ext in (b";a", b";a=b", b' ; a="b;c"', b";", b" ", b"\t"):
        eq(everywhere(b"2" + ext + b"\r\nab\r\n0" + ext + b"\r\n\r\n"), (b"ab", True, b""))


def test_rfc_9112_7_1_2_trailers_are_read_and_dropped():
    eq(everywhere(b"2\r\nab\r\n0\r\nA: b\r\nC:\r\n\r\nX"), (b"ab", True, b"X"))
    eq(everywhere(b"0\r\n" + b"A: b\r\n" * 8 + b"\r\n"), (b"", True, b""))


def test_malformed_chunks_are_refused():
    for raw in (
        b"\r\n\r\n",
        b"x\r\n",
        b"5x\r\nhello\r\n",
        b"-1\r\n",
        b"+5\r\nhello\r\n",
        b"0x5\r\nhello\r\n",
        b" 5\r\nhello\r\n",
        b"5 5\r\nhello\r\n",
        b";a\r\n",
        b"0000005\r\nhello\r\n",
        b"2\r\nabc\r\n",
        b"2\r\nab0\r\n\r\n",
        b"2\r\nab\n0\r\n\r\n ",
        b"0\r\nA\r\n\r\n",
        b"0\r\n: b\r\n\r\n",
        b"0\r\n" + b"A: b\r\n" * 9 + b"\r\n",
    ):
        eq((raw, everywhere(raw)), (raw, (400, True)))


def test_rfc_9112_7_1_a_bare_cr_or_lf_ends_no_line():
    for raw in (
        b"2\n\r\nab\r\n",
        b"2;a\nb\r\nab\r\n",
        b"2;a\rb\r\nab\r\n",
        b"2\r\r\nab\r\n",
        b"0\r\nA: b\nC: d\r\n\r\n",
        b"2;\0\r\nab\r\n",
    ):
        eq((raw, everywhere(raw)), (raw, (400, True)))


def test_a_line_has_a_limit():
    eq(everywhere(b"2;" + b"a" * 62 + b"\r\nab\r\n0\r\n\r\n"), (b"ab", True, b""))
    eq(everywhere(b"2;" + b"a" * 63 + b"\r\nab\r\n0\r\n\r\n"), (400, True))
    eq(everywhere(b"2" * 66), (400, True))
    eq(everywhere(b"0\r\nA: " + b"b" * 62 + b"\r\n\r\n"), (400, True))


def test_data_past_the_limit_is_refused_before_it_is_stored():
    eq(everywhere(b"14\r\n" + b"a" * 20 + b"\r\n0\r\n\r\n"), (b"a" * 20, True, b""))
    eq(refusal(decode, [b"15\r\n"]), (413, True))
    eq(refusal(decode, [b"ffffff\r\n"]), (413, True))
    eq(everywhere(b"a\r\n0123456789\r\nb\r\n"), (413, True))
    eq(everywhere(b"1\r\na\r\n", 0), (413, True))


def test_the_refusal_names_the_limit():
    try:
        decode([b"5\r\nhello\r\n14\r\n"])
    except Exception as e:
        eq(e.reason, "the body may have 20 bytes")
        return
    raise AssertionError("not refused")
