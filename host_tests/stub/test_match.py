"""The subset match of `when`."""

from harness import eq
from stub.match import first, matches, shadowed

# when, value, whether it matches
CASES = (
    ({}, {}, True),
    ({}, {"a": 1}, True),
    ({"a": 1}, {"a": 1, "b": 2}, True),
    ({"a": 1}, {}, False),
    ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}}, True),
    ({"a": {"b": 1}}, {"a": 1}, False),
    ({"a": [1, 2]}, {"a": [1, 2]}, True),
    ({"a": [1, 2]}, {"a": [1, 2, 3]}, False),
    ({"a": [1, 2]}, {"a": [2, 1]}, False),
    ({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 1}]}, True),
    ({"a": []}, {"a": {}}, False),
    ({"a": None}, {"a": None}, True),
    ({"a": None}, {}, False),
    ({"a": None}, {"a": 0}, False),
    ({"a": True}, {"a": True}, True),
    ({"a": True}, {"a": 1}, False),
    ({"a": 1}, {"a": True}, False),
    ({"a": 0}, {"a": False}, False),
    ({"a": False}, {"a": 0}, False),
    ({"a": 1}, {"a": 1.0}, True),
    ({"a": 1.5}, {"a": 1.5}, True),
    ({"a": 1}, {"a": "1"}, False),
    ({"a": "1"}, {"a": 1}, False),
    ({"a": "Paris"}, {"a": "paris"}, False),
    ({"a": "é"}, {"a": "é"}, True),
    ({"a": ""}, {"a": None}, False),
)


def test_a_case_takes_what_has_all_that_it_asks_for():
    for when, value, wanted in CASES:
        eq((when, value, matches(when, value)), (when, value, wanted))


def test_the_first_that_matches_is_taken():
    whens = [{"a": 1, "b": 1}, {"a": 1}, {}]
    eq([first(whens, value) for value in ({"b": 1, "a": 1}, {"a": 1}, {"b": 1})], [0, 1, 2])
    eq(first(whens[:2], {"a": 2}), -1)


def test_a_case_behind_a_wider_one_is_never_reached():
    eq(shadowed([{"a": 1}, {"a": 1, "b": 2}, {"a": 2}, {}, {"c": 1}]), [(1, 0), (4, 3)])
    eq(shadowed([{"a": 1, "b": 2}, {"a": 1}, {"a": True}]), [])
