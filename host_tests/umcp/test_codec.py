"""JSON in and out: bounds, surrogates, and what JSON cannot say."""

from harness import eq, raises
from umcp import codec
from umcp.errors import INVALID_REQUEST, PARSE_ERROR, LocalError, RemoteError

INF = float("inf")
FACE = chr(0x1F600)


def refused(text, **bounds):
    raw = text if isinstance(text, bytes) else text.encode()
    e = raises(RemoteError, codec.loads, raw, **bounds)
    return e.code, e.status


def test_values_come_in_as_they_are():
    text = '{"a":[1,-2.5,1e3,true,false,null,"\\n\\u00e9é"],"b":{}}'
    eq(codec.loads(text.encode()), {"a": [1, -2.5, 1000.0, True, False, None, "\né" + "é"], "b": {}})
    eq(codec.loads(bytearray(b"xx[1]yy"), 2, 5), [1])
    eq(codec.loads(b'{"a":1,"a":2}'), {"a": 2})
    eq(codec.loads(b"12345678901234567890123"), 12345678901234567890123)


def test_what_rfc_8259_refuses_is_a_parse_error():
    for text in (
        '{"yaw":10 20}',
        "[1,]",
        "01",
        "",
        " ",
        "[1]x",
        "NaN",
        "Infinity",
        "-Infinity",
        "[NaN]",
        b'"\xff"',
        b"\xed\xa0\x80",
    ):
        eq(refused(text), (PARSE_ERROR, 400))


def test_a_document_past_a_bound_is_an_invalid_request():
    eq(refused("[" * 25 + "]" * 25), (INVALID_REQUEST, 400))
    assert codec.loads(b"[" * 24 + b"]" * 24)
    eq(refused("[1,2]", values=2), (INVALID_REQUEST, 400))
    eq(codec.loads(b"[1,2]", values=3), [1, 2])
    eq(refused("[" + "1," * 4095 + "1]"), (INVALID_REQUEST, 400))
    eq(len(codec.loads(("[" + "1," * 4094 + "1]").encode())), 4095)


def test_an_integer_of_any_length_is_read_or_refused():
    raw = b"1" * 5000
    try:
        eq(codec.loads(raw), (10**5000 - 1) // 9)
    except RemoteError as e:  # CPython bounds the digits.
        eq((e.code, e.status), (PARSE_ERROR, 400))


def test_surrogate_pairs_are_joined():
    for text, wanted in (
        ("\\ud83d\\ude00", FACE),
        ("\\uD83D\\uDE00", FACE),
        ("a\\ud83d\\ude00\\ud83d\\ude00b", "a" + FACE + FACE + "b"),
        ("\\ud800\\udc00", chr(0x10000)),
        ("\\udbff\\udfff", chr(0x10FFFF)),
        ("\\u00e9\\n\\ud83d\\ude00", "é\n" + FACE),
        ("\\\\ud83d\\ude00", "\\ud83d" + chr(0xFFFD)),
        ("\\\\\\ud83d\\ude00", "\\" + FACE),
    ):
        eq(codec.loads(('{"%s":"%s"}' % (text, text)).encode()), {wanted: wanted})


def test_half_a_pair_becomes_a_replacement_character():
    for text, wanted in (
        ("\\ud83d", "\ufffd"),
        ("\\ude00", "\ufffd"),
        ("\\ud83dx", "\ufffdx"),
        ("\\ud83d\\n", "\ufffd\n"),
        ("\\ude00\\ud83d", "\ufffd\ufffd"),
        ("\\ud83d\\ud83d\\ude00", "\ufffd" + FACE),
        ("\\ud83d\\u0041", "\ufffdA"),
        ("\\ud83d\\\\ude00", "\ufffd\\ude00"),
    ):
        eq(codec.loads(('"%s"' % text).encode()), wanted)


def test_values_go_out_compact_and_as_utf_8():
    eq(codec.dumps([1, -2, None, True, False, "é" + FACE]), '[1,-2,null,true,false,"é😀"]'.encode())
    eq(codec.dumps({"a": {"b": []}}), b'{"a":{"b":[]}}')
    eq(codec.loads(codec.dumps({"a": 1.5, "b": '"\\\n\t\x01/'})), {"a": 1.5, "b": '"\\\n\t\x01/'})
    eq(codec.dumps('\x01\n"\\'), b'"\\u0001\\n\\"\\\\"')


def test_what_json_cannot_say_is_our_bug():
    deep = []
    for _ in range(31):
        deep = [deep]
    for value in (
        INF,
        -INF,
        INF - INF,
        [INF],
        {"a": INF},
        object(),
        {"a": object()},
        deep,
        test_values_come_in_as_they_are,
    ):
        raises(LocalError, codec.dumps, value)


def test_infinity_from_the_wire_never_goes_out_again():
    value = codec.loads(b"[1e999,-1e999]")
    raises(LocalError, codec.dumps, value)


def test_a_lone_surrogate_of_ours_goes_out_as_a_replacement_character():
    for text in (chr(0xD83D), "a" + chr(0xDFFF) + "b", chr(0xD800) + chr(0xD7FF)):
        raw = codec.dumps(text)
        eq(codec.loads(raw), "".join(["\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in text]))
        eq(codec.dumps_text(text), raw)


def test_a_text_goes_out_as_dumps_would_write_it():
    for text in ("", "abc", 'a"b', "a\\b", "\n", "\0", "é" + FACE, "\x7f", chr(0xD7FF), "\ufffd", "/"):
        eq(codec.dumps_text(text), codec.dumps(text))


def test_a_name_may_need_an_escape():
    for value in ({"a\n": 1}, {'"': {"\\": [{"\x01": 2}]}}):
        eq(codec.loads(codec.dumps(value)), value)
