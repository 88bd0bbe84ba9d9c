"""The strict JSON scanner: RFC 8259's grammar, UTF-8, bounds and places, the bytecode and the native one alike."""

from array import array

from harness import eq
from umcp import scan as bytecode

try:
    from umcp import scan_viper as native
except (ImportError, SyntaxError, ValueError):
    native = None

TWINS = (bytecode,) if native is None else (bytecode, native)

NO_NAMES = b"\xff\0\0"
WIDE = 30 | 65535 << 8
DEEP = "[" * 30 + "]" * 30

GOOD = [
    '1|-1|0|-0|0.5|-0.5|1e5|1E+5|1e-05|1.25E-2|true|false|null|[]|{}|[[]]|[{}]|""|"a"'.split("|"),
    '["\\\\","\\"","\\/","\\b","\\f","\\n","\\r","\\t"]| 1 |\t[\r\n1 , 2]\n|{"a":1}|{ "a" : 1 , "a" : 2 }'.split(
        "|"
    ),
    ['"\\u0041"', '"\\uD83d\\ude00"', '"\\udfff"', '"\x7f"', '"/"', '{"":{"":[]}}', DEEP],
]
BAD = [
    # What MicroPython's json takes.
    ["[1,]", "[1 2]", '{"a" 1}', '{"a":}', "{,}", "[1}", "01", "1.", '"\n"', '"\x01"', '{"yaw":10 20}'],
    # What is no JSON anywhere.
    '|[|]|{|}|,|:|[,1]|[1,,2]|{"a":1,}|{"a"}|{1:2}|{a:1}|[\'a\']|nul|nulll|True|NaN|Infinity|-Infinity'.split(
        "|"
    ),
    '-|+1|.5|1.e5|1e|1e+|-01|00|0x1|1_0|--1|1 2|[]]|{}}|"|"a|"\\"|"\\x"|"\\u12"|"\\u12g4"|"\\u 123"|[1'.split(
        "|"
    ),
    [
        '"a"b',
        "[1]]",
        '{"a":1]',
        "\ufeff1",
        "\x0c1",
        "//x\n1",
        "1\0",
        '"\\u123',
        "tru",
        "-a",
        '["a" "b"]',
        "[true false]",
    ],
]
# RFC 3629 section 4, as bytes within a string.
GOOD_UTF8 = (
    b"\xc2\x80",
    b"\xdf\xbf",
    b"\xe0\xa0\x80",
    b"\xed\x9f\xbf",
    b"\xee\x80\x80",
    b"\xf0\x90\x80\x80",
    b"\xf4\x8f\xbf\xbf",
)
BAD_UTF8 = (
    b"\x80 \xbf \xc0\x80 \xc1\xbf \xc2 \xc2A \xe0\x9f\xbf \xe0\x80\x80 \xe1\x80 \xe1\x80A \xed\xa0\x80".split()
    + b"\xed\xbf\xbf \xf0\x8f\xbf\xbf \xf0\x90\x80 \xf4\x90\x80\x80 \xf5\x80\x80\x80 \xff \xfe".split()
    + [b"\xf1\x80\x80A", b"\xe2\x28\xa1"]
)


def verdicts(raw, limits=WIDE):
    """The verdict on which the twins agree, wherever in a buffer the document lies."""
    inside = bytearray(b'"[' + raw + b'1]"')
    seen = []
    for twin in TWINS:
        seen.append(twin.scan(raw, 0, len(raw), limits, NO_NAMES, array("H")))
        seen.append(twin.scan(inside, 2, 2 + len(raw), limits, NO_NAMES, array("H")))
    eq(seen, seen[:1] * len(seen))
    return seen[0]


def test_documents_of_rfc_8259_pass():
    for text in GOOD[0] + GOOD[1] + GOOD[2]:
        eq((text, verdicts(text.encode())), (text, 0))


def test_malformed_documents_are_refused():
    for text in BAD[0] + BAD[1] + BAD[2] + BAD[3]:
        eq((text, verdicts(text.encode())), (text, -1))


def test_every_document_cut_short_is_refused():
    whole = b'{"a":[true,false,null,-1.5e+3,"\\u0041\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"],"b":{}}'
    eq(verdicts(whole), 0)
    for i in range(len(whole)):
        eq((i, verdicts(whole[:i])), (i, -1))


def test_utf_8_is_strict():
    for raw in GOOD_UTF8:
        eq((raw, verdicts(b'"' + raw + b'"')), (raw, 0))
    for raw in BAD_UTF8:
        eq((raw, verdicts(b'"' + raw + b'"')), (raw, -1))
        eq((raw, verdicts(raw)), (raw, -1))
        eq((raw, verdicts(b'{"' + raw + b'":1}')), (raw, -1))


def test_depth_has_a_bound():
    for depth in (1, 2, 24, 30):
        text = b"[" * depth + b"]" * depth
        eq(verdicts(text, depth | 65535 << 8), 0)
        eq(verdicts(text, depth - 1 | 65535 << 8), -2)
    eq(verdicts(b'{"a":' * 30 + b"1" + b"}" * 30), 0)
    eq(verdicts(b'{"a":[' * 15 + b"{}" + b"]}" * 15), -2)


def test_the_number_of_values_has_a_bound():
    for text, count in (
        (b"1", 1),
        (b"[]", 1),
        (b"[1,2,3]", 4),
        (b'{"a":{"b":"c"}}', 3),
        (b"[[],[],null]", 4),
    ):
        eq(verdicts(text, 30 | count << 8), 0)
        eq(verdicts(text, 30 | count - 1 << 8), -2)


def test_kinds_of_containers_are_kept_apart_at_every_depth():
    for depth in range(1, 30):
        opened = "".join(["[{"[i & 1] + ('"a":' if i & 1 else "") for i in range(depth)])
        closed = "".join(["]}"[i & 1] for i in reversed(range(depth))])
        eq(verdicts((opened + "1" + closed).encode()), 0)
        for i in range(depth):
            wrong = closed[:i] + "]}"[closed[i] == "]"] + closed[i + 1 :]
            eq(verdicts((opened + "1" + wrong).encode()), -1)


# The members a, b and n of the document, and x and y of n.
TABLE = bytes((2,)) + b"\1a\2bb\1n\0" + b"\1x\1y\0"


def places(text):
    """{name: (kind, raw value)} on which the twins agree, and the verdict."""
    raw = text.encode()
    seen = []
    for twin in TWINS:
        spans = array("H", [9] * 15)
        verdict = twin.scan(raw, 0, len(raw), WIDE, TABLE, spans)
        found = {}
        for i, name in enumerate(("a", "bb", "n", "x", "y")):
            if spans[3 * i + 2]:
                found[name] = (spans[3 * i + 2], raw[spans[3 * i] : spans[3 * i + 1]].decode())
        seen.append((found, verdict))
    eq(seen, seen[:1] * len(seen))
    return seen[0]


def test_wanted_members_are_found_with_their_kind():
    found = places('{ "a" : "s" ,"bb":"\\n","c":1,"n":{"x":1.5 , "y":[1,{"x":2}] , "z":0}}')
    wanted = {"a": (1, '"s"'), "bb": (2, '"\\n"'), "n": (5, '{"x":1.5 , "y":[1,{"x":2}] , "z":0}')}
    wanted["x"] = (4, "1.5")
    wanted["y"] = (6, '[1,{"x":2}]')
    eq(found, (wanted, 0))
    for text, kind in (
        ("1", 3),
        ("-1", 3),
        ("1e2", 4),
        ("null", 7),
        ("true", 7),
        ("false", 7),
        ("{}", 5),
        ("[]", 6),
    ):
        eq(places('{"a":%s}' % text), ({"a": (kind, text)}, 0))


def test_members_elsewhere_are_not_found():
    for text in (
        '{"c":{"a":1,"x":2}}',
        '[{"a":1}]',
        '{"n":[{"x":1}]}',
        '{"x":1}',
        '{"aa":1,"b":2}',
        '"a"',
        '{"c":["a"]}',
    ):
        found, verdict = places(text)
        eq(({k: v for k, v in found.items() if k != "n"}, verdict), ({}, 0))
    eq(places('{"n":{"c":{"x":1}}}'), ({"n": (5, '{"c":{"x":1}}')}, 0))


def test_the_last_of_a_repeated_name_counts():
    eq(places('{"a":1,"a":[2]}'), ({"a": (6, "[2]")}, 0))
    eq(places('{"n":{"x":1,"x":2}}')[0]["x"], (3, "2"))
    eq(places('{"n":{"x":1},"n":{"y":2}}'), ({"n": (5, '{"y":2}'), "y": (3, "2")}, 0))
    eq(places('{"n":{"x":1},"n":5}'), ({"n": (3, "5")}, 0))


def test_a_name_with_an_escape_is_told():
    for text in ('{"\\u0061":1}', '{"z\\n":1}', '{"n":{"\\u0078":1}}', '{"a":1,"n":{"q":1,"\\/":2}}'):
        eq(places(text)[1], 1)
    for text in ('{"c":{"\\u0061":1}}', '{"a":"\\u0061"}', '[{"\\u0061":1}]', '{"n":[{"\\u0078":1}]}'):
        eq(places(text)[1], 0)


def test_a_plain_string_needs_no_escape():
    for twin in TWINS:
        for raw in (b"", b"abc", b" ~\x7f", "é€😀".encode(), b"\xef\xbf\xbd"):
            eq(twin.plain(raw, len(raw)), 1)
        for raw in (b'"', b"\\", b"\n", b"\0", b"\x1f", b"ab\x01", b"\xed\xa0\x80"):
            eq(twin.plain(raw, len(raw)), 0)
            eq(twin.plain(b"ok" + raw, 2), 1)


def test_the_twins_agree_on_random_bytes():
    alphabet = b'[]{},:"\\/u0123456789eE+-.truefalsn \n\x00\x1f\x80\xbf\xc3\xe0\xed\xf0\xf4\xff'
    state = 1
    for _ in range(3000):
        raw = bytearray()
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        for _ in range(1 + state % 12):
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            raw.append(alphabet[(state >> 8) % len(alphabet)])
        assert verdicts(bytes(raw), 4 | 6 << 8) in (0, -1, -2)
