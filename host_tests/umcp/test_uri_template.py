"""URI templates: RFC 6570 level 1, matched in one pass, whatever a peer sends."""

from harness import eq, raises
from umcp.errors import LocalError
from umcp.uri_template import UriTemplate, decoded


def match(template, uri):
    return UriTemplate(template).match(uri if isinstance(uri, bytes) else uri.encode())


def test_variables_between_literals():
    eq(match("test://template/{id}/data", "test://template/123/data"), {"id": "123"})
    eq(match("a:{x}", "a:1"), {"x": "1"})
    eq(match("{x}", "1"), {"x": "1"})
    eq(match("{x}/", "1/"), {"x": "1"})
    eq(match("a:{one}/{two_2}.json", "a:1/2.json"), {"one": "1", "two_2": "2"})
    eq(match("a:{x}-{y}", "a:1-2-3"), {"x": "1", "y": "2-3"})
    eq(match("a:{x}bc{y}c", "a:1bbc2bcc"), {"x": "1b", "y": "2bc"})
    eq(UriTemplate("a:{b}/{a}/{c}").names, ["b", "a", "c"])


def test_what_does_not_fit():
    for template, uri in (
        ("test://t/{id}/data", "test://t/1/data/"),
        ("test://t/{id}/data", "test://t/1/dat"),
        ("test://t/{id}/data", "Test://t/1/data"),
        ("test://t/{id}/data", "test://t/data"),
        ("test://t/{id}/data", "test://t//data"),
        ("test://t/{id}/data", ""),
        ("a:{x}", "a:"),
        ("a:{x}", "a"),
        ("{x}a", "a"),
        ("a:{x}-{y}", "a:1-"),
        ("a:{x}-{y}", "a:-1"),
        ("a:{x}-{y}", "a:--"),
        ("a:{x}--{y}", "a:1-2"),
        # The literals at both ends may not share characters.
        ("aba{x}aba", "ababa"),
        ("aba{x}aba", "abaaba"),
    ):
        eq((template, uri, match(template, uri)), (template, uri, None))


def test_a_variable_stands_for_no_slash():
    for template, uri in (
        ("a:{x}", "a:1/2"),
        ("a:{x}", "a:/"),
        ("a:{x}", "a:1/"),
        ("a:{x}/{y}", "a:1/2/3"),
        ("a:{x}/{y}", "a:1//3"),
        ("a:{x}-{y}", "a:1/2-3"),
        ("a:{x}-{y}", "a:1-2/3"),
        ("a:{x}b/{y}", "a:1/2b/3"),
    ):
        eq((template, uri, match(template, uri)), (template, uri, None))
    eq(match("a:{x}b/{y}", "a:1bb/3"), {"x": "1b", "y": "3"})


def slow_match(literals, uri):
    """The same by trying every place: lists of values, or None. Exponential, for short URIs."""
    if not uri.startswith(literals[0]):
        return None
    uri = uri[len(literals[0]) :]
    if len(literals) == 1:
        return None if uri else []
    for end in range(1, len(uri) + 1):
        if "/" in uri[:end]:
            return None
        rest = slow_match(literals[1:], uri[end:])
        if rest is not None:
            return [uri[:end]] + rest
    return None


def words(letters, size):
    if not size:
        return [""]
    return [letter + word for word in words(letters, size - 1) for letter in letters]


def test_the_leftmost_place_of_each_literal_is_as_good_as_any():
    matched = 0
    for literals in (
        ["", "b", ""],
        ["a", "b/", "a"],
        ["", "ab", "b"],
        ["", "a", "a", ""],
        ["", "/a", ""],
    ):
        template = literals[0] + "".join(["{v%d}%s" % (i, literals[i]) for i in range(1, len(literals))])
        for size in range(7):
            for uri in words("ab/", size):
                values = match(template, uri)
                fits = slow_match(literals, uri) is not None
                eq((template, uri, values is not None), (template, uri, fits))
                if values is None:
                    continue
                matched += 1
                filled = template
                for name in values:
                    filled = filled.replace("{%s}" % name, values[name])
                eq(filled, uri)
    assert matched > 100


def test_values_are_percent_decoded():
    for raw, value in (
        ("a%20b", "a b"),
        ("%41%62", "Ab"),
        ("%c3%A9", "é"),
        ("é", "é"),
        ("%F0%9F%A4%96🤖", "🤖🤖"),
        ("%2F", "/"),
        ("..%2F..", "../.."),
        ("%2525", "%25"),
        ("%00", "\0"),
        ("a+b", "a+b"),
    ):
        eq(match("a:{x}/b", "a:%s/b" % raw), {"x": value})


def test_a_broken_escape_fits_nothing():
    for raw in ("%", "%4", "%zz", "%4g", "%%41", "a%", "%+1", "% 1", "%1 ", "%-1", "%é", "%0x41%"):
        eq((raw, match("a:{x}", "a:" + raw)), (raw, None))


def test_what_is_no_utf_8_fits_nothing():
    for raw in (
        "%ff",
        "%80",
        "%c3",
        "%c3%28",
        "%C0%AF",
        "%C0%80",
        "%E0%80%AF",
        "%ED%A0%BD%ED%B8%80",
        "%ED%A0%80",
        "%F5%80%80%80",
        "%F4%90%80%80",
    ):
        eq((raw, match("a:{x}", "a:" + raw)), (raw, None))
    for raw in (b"\xff", b"\xc0\xaf", b"\xed\xa0\x80"):
        eq((raw, decoded(raw)), (raw, None))


def test_what_is_no_template_of_level_1_is_our_fault():
    for template in (
        "",
        "a:b",
        "a:{",
        "a:}",
        "a:{}",
        "a:{x",
        "a:x}",
        "a:{x}}",
        "a:{{x}}",
        "a:{x}{y}",
        "a:{x}/{x}",
        "a:{+x}",
        "a:{#x}",
        "a:{/x}",
        "a:{?x}",
        "a:{x*}",
        "a:{x:3}",
        "a:{x,y}",
        "a:{x y}",
        "a:{é}",
    ):
        raises(LocalError, UriTemplate, template)


def test_hostile_uris_take_one_pass():
    # What would take an exponential time, or a square one of many seconds, with another order of trying.
    deep = "a:" + "/".join(["{v%d}-{w%d}" % (i, i) for i in range(30)])
    template = UriTemplate(deep)
    for uri in (b"a:" + b"-" * 2046, b"a:" + b"a-/" * 680, b"a:" + b"a-a/" * 511, b"a:" + b"%41" * 682):
        eq(template.match(uri), None)
    fits = b"a:" + b"/".join([b"x" * 30 + b"-" * 30] * 30)
    eq(len(template.match(fits)), 60)
    ladder = UriTemplate("a" + "".join(["{v%d}a" % i for i in range(40)]))
    eq(ladder.match(b"a" * 2047 + b"b"), None)
    eq(len(ladder.match(b"a" * 2048)), 40)
