"""Patterns against random input: the verdicts of CPython's `re`, and bounded work."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from umcp.errors import LocalError
from umcp.pattern import compile

# Pieces of a pattern, and what they are for `re`, which reads `.`, `$` and `\s` differently.
SPACE = r"\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
pieces = st.one_of(
    st.sampled_from("ab1 _\u7a4d").map(lambda c: (c, c)),
    st.sampled_from(
        (
            (".", r"[^\n\r\u2028\u2029]"),
            ("$", r"\Z"),
            ("^", "^"),
            (r"\d", "[0-9]"),
            (r"\D", "[^0-9]"),
            (r"\w", "[A-Za-z0-9_]"),
            (r"\s", "[" + SPACE + "]"),
            (r"\S", "[^" + SPACE + "]"),
            ("[a-c1]", "[a-c1]"),
            ("[^a-c]", "[^a-c]"),
            (r"[^\s\-]", "[^" + SPACE + r"\-]"),
            (r"\x61", "a"),
            (r"\n", r"\n"),
            ("", ""),
        )
    ),
)
counts = st.sampled_from(("*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "+?", "{1,2}?"))


def grow(inner):
    return st.one_of(
        st.lists(inner, min_size=1, max_size=4).map(
            lambda all_: ("".join(p for p, _ in all_), "".join(q for _, q in all_))
        ),
        st.lists(inner, min_size=2, max_size=3).map(
            lambda all_: (
                "(" + "|".join(p for p, _ in all_) + ")",
                "(?:" + "|".join(q for _, q in all_) + ")",
            )
        ),
        st.tuples(inner, counts).map(lambda p: ("(?:" + p[0][0] + ")" + p[1], "(?:" + p[0][1] + ")" + p[1])),
    )


@given(
    st.recursive(pieces, grow, max_leaves=8),
    st.lists(st.text("ab1 _\n\u7a4d-\x1c", max_size=8), min_size=1, max_size=5),
)
@settings(max_examples=500, deadline=None)
def test_patterns_agree_with_re(pair, subjects):
    text, oracle = pair
    try:
        pattern = compile(text)
    except LocalError as e:
        assert "repeats ^ or $" in str(e)
        return
    for subject in subjects:
        assert pattern.matches(subject) == bool(re.search(oracle, subject)), (text, subject)


@given(st.text("ab1^$.|*+?(){},[]\\-dDwsx:=", max_size=30), st.text("ab1-", max_size=30))
@settings(max_examples=500, deadline=None)
def test_random_patterns_are_refused_or_bounded(text, subject):
    try:
        pattern = compile(text)
    except LocalError as e:
        assert len(str(e)) < 250
        return
    for tried in (subject, subject * 100):
        pattern.refusal(tried)
        assert pattern.steps <= 102000
        assert pattern.steps <= 1000 * (len(tried) + 1)
