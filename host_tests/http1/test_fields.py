"""Header fields, found in place: RFC 9112 section 5 and RFC 9110 section 5."""

from served import refusal

from harness import eq, raises
from http1.errors import HTTPError
from http1.fields import Fields, Names
from http1.names import bits, find
from http1.request import names
from http1.tokens import tokens

NAMES = Names(
    (b"host", (b"accept", b"*/*"), b"authorization", (b"content-type", b"application/json"), b"x-a")
)


def read(raw, names=NAMES):
    """The fields of some lines, in the middle of a buffer."""
    fields = Fields(names)
    buf = bytearray(b"GET / HTTP/1.1\r\n" + raw + b"\r\nnext")
    fields.parse(buf, 16, 16 + len(raw))
    return fields


def refused(raw):
    return refusal(read, raw) == (400, True)


def test_a_value_is_found_whatever_the_case_of_its_name():
    for name in (b"Host", b"host", b"HOST", b"hOsT"):
        eq(read(b"A: 1\r\n" + name + b": here\r\nB: 2\r\n").get(b"host"), b"here")
    fields = read(b"Hos: 1\r\nHostt: 2\r\nXHost: 3\r\n")
    eq((fields.get(b"host"), fields.present, fields.span(b"host")), (None, 0, 0))


def test_rfc_9112_5_1_white_space_around_a_value_is_no_part_of_it():
    for raw, wanted in (
        (b"x", b"x"),
        (b" x", b"x"),
        (b"\t x \t", b"x"),
        (b"a b", b"a b"),
        (b"a\tb ", b"a\tb"),
        (b"", b""),
        (b"   ", b""),
        (b":", b":"),
        (b"\xc3\xa9\x80\xff", b"\xc3\xa9\x80\xff"),
        (b'"a,b"', b'"a,b"'),
    ):
        fields = read(b"X-A:" + raw + b"\r\n")
        eq((raw, fields.get(b"x-a")), (raw, wanted))
        span = fields.span(b"x-a")
        eq(bytes(fields.buf[span & 0xFFFF : span >> 16]), wanted)


def test_rfc_9112_5_1_no_white_space_before_the_colon():
    for raw in (b"Host : x\r\n", b"Host\t: x\r\n", b"Host  :x\r\n", b"X-B : x\r\n"):
        assert refused(raw), raw


def test_rfc_9112_5_2_a_folded_line_is_refused():
    for raw in (
        b"X-A: a\r\n b\r\n",
        b"X-A: a\r\n\tb\r\n",
        b" X-A: a\r\n",
        b"X-A: a\r\n \r\n",
        b"Z: a\r\n b: c\r\n",
    ):
        assert refused(raw), raw


def test_rfc_9110_5_6_2_a_name_is_a_token():
    eq(read(b"!#$%&'*+-.^_`|~09azAZ: x\r\nX-A: y\r\n").get(b"x-a"), b"y")
    for byte in b'()<>@,;\\"/[]?={} \t\0\x01\x1f\x7f\x80\xff':
        raw = b"X" + bytes((byte,)) + b"A: x\r\n"
        assert refused(raw), raw
    for raw in (b": x\r\n", b"\r\n", b"X-A\r\n", b"X-A x\r\n", b"\0: x\r\n"):
        assert refused(raw), raw


def test_rfc_9110_5_5_a_value_has_no_control_characters():
    for byte in range(256):
        raw = b"X-A: a" + bytes((byte,)) + b"b\r\n"
        eq((byte, refused(raw)), (byte, (byte < 32 and byte != 9) or byte == 127))
        assert refused(raw.replace(b"X-A", b"Other")) == refused(raw)


def test_rfc_9112_2_2_a_bare_cr_or_lf_ends_no_line():
    for raw in (
        b"X-A: a\nHost: b\r\n",
        b"X-A: a\rHost: b\r\n",
        b"X-A: a\n\r\n",
        b"X-A: a\r\r\n",
        b"X-A\n: a\r\n",
        b"X-A: a\r",
    ):
        assert refused(raw), raw


def test_a_repeated_field_is_refused_unless_it_is_a_list():
    for name in (b"Host", b"Authorization", b"Content-Type", b"X-A"):
        e = raises(HTTPError, read, name + b": a\r\n" + name.lower() + b": b\r\n")
        eq((e.status, e.close, e.reason), (400, True, "repeated header: " + name.lower().decode()))
    eq(read(b"Z: 1\r\nZ: 2\r\n").present, 0)


def test_rfc_9110_5_3_lines_of_a_list_are_joined():
    fields = read(b"Accept: a/b\r\nHost: h\r\nACCEPT:  c/d \r\naccept:\r\n")
    eq((fields.get(b"accept"), fields.get(b"host")), (b"a/b, c/d, ", b"h"))
    # What the next message has is not what the last one had.
    buf = b"Accept: e/f\r\n\r\n"
    fields.parse(buf, 0, len(buf) - 2)
    eq((fields.get(b"accept"), fields.get(b"host")), (b"e/f", None))


def test_present_and_usual_are_bits():
    both = bits(NAMES.table, b"host", b"accept")
    fields = read(b"Host: h\r\nAccept: */*\r\n")
    eq((fields.present, fields.usual), (both, bits(NAMES.table, b"accept")))
    for value in (b"*/", b"*/*x", b"*/* x", b"", b"X/X"):
        eq(read(b"Accept: " + value + b"\r\n").usual, 0)
    eq(read(b"Accept: */*\r\nAccept: */*\r\n").usual, 0)
    eq(
        read(b"Accept:  */*  \r\nContent-Type: application/json\r\n").usual,
        bits(NAMES.table, b"accept", b"content-type"),
    )
    eq(read(b"Content-Type: Application/json\r\n").usual, 0)


def test_an_empty_value_is_never_the_usual_one():
    eq(read(b"Host:\r\nX-A: \r\n").usual, 0)


def test_the_usual_host_can_be_learned_and_forgotten():
    shared = names()
    for value, wanted in ((b"me:80", 33), (b"me", 32), (b"", 32), (b"me:80", 33)):
        shared.table = names(value).table
        fields = read(b"Host: me:80\r\nAccept: application/json, text/event-stream\r\n", shared)
        eq((value, fields.usual, fields.get(b"host")), (value, wanted, b"me:80"))


def test_a_slot_is_found_by_its_name():
    fields = read(b"Host: h\r\nAccept: a\r\nAccept: b\r\n")
    for name, value in ((b"host", b"h"), (b"accept", b"a, b"), (b"x-a", None)):
        eq((fields.get(find(NAMES.table, name)), fields.get(name)), (value, value))
    raises(ValueError, fields.get, b"x-b")


def test_fifteen_names_may_be_asked_for():
    names = Names([b"n%d" % i for i in range(15)])
    fields = read(b"".join([b"N%d: v%d\r\n" % (i, i) for i in range(15)]), names)
    eq([fields.get(b"n%d" % i) for i in range(15)], [b"v%d" % i for i in range(15)])
    eq(fields.present, (1 << 15) - 1)


def test_rfc_9110_5_6_1_members_of_a_list():
    for value, wanted in (
        (None, []),
        (b"", []),
        (b"a", [b"a"]),
        (b"Keep-Alive, X", [b"keep-alive", b"x"]),
        (b" a ,\tb,c ", [b"a", b"b", b"c"]),
        (b",a,, ,b,", [b"a", b"b"]),
        (b", ,", []),
    ):
        eq((value, tokens(value)), (value, wanted))
