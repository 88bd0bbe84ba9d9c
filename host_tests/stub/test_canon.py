"""One way to write a value, and its digest."""

from harness import eq, raises
from stub.canon import canon, digest
from umcp.errors import LocalError


def test_members_are_sorted_and_nothing_is_spaced():
    eq(
        canon({"b": [1, {"z": None, "a": True}], "a": "x", "": {}}),
        b'{"":{},"a":"x","b":[1,{"a":true,"z":null}]}',
    )
    eq(canon([]), b"[]")
    eq(canon(()), b"[]")


def test_names_are_sorted_by_code_points_and_stay_utf8():
    eq(
        canon({"é": 1, "z": 2, "Z": 3, "\U0001f600": 4, "\uffee": 5}),
        '{"Z":3,"z":2,"é":1,"\uffee":5,"\U0001f600":4}'.encode(),
    )
    eq(canon('a"\n'), b'"a\\"\\n"')


def test_a_whole_float_is_its_integer_and_no_boolean():
    eq(canon([1.0, -0.0, 1, True, 0.5]), b"[1,0,1,true,0.5]")
    eq(digest({"n": 2}), digest({"n": 2.0}))
    assert digest({"n": 1}) != digest({"n": True})


def test_the_digest_is_that_of_the_canonical_text():
    eq(digest({}), "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a")
    eq(digest({"a": 1, "b": 2}), digest({"b": 2, "a": 1}))


def test_what_json_cannot_say_is_refused():
    raises(LocalError, canon, {"n": float("inf")})
    raises(LocalError, canon, {"n": object()})
