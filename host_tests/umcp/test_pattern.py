"""Patterns: one table of verdicts for both interpreters, what is refused, and that nothing hangs."""

from harness import eq, raises
from umcp.errors import LocalError
from umcp.pattern import compile

# pattern, what it is found in, what it is not found in
TABLE = (
    ("abc", ("abc", "xabcx"), ("ab", "", "ABC")),
    ("", ("", "x"), ()),
    ("^$", ("",), ("x", "\n")),
    ("^abc$", ("abc",), ("xabc", "abcx", "abc\n")),
    (
        r"^[A-Z]{3}-\d{4}$",
        ("ABC-1234",),
        ("abc-1234", "ABC-123", "ABC-12345", "ABC-1234\n", "xABC-1234", "ABC-\u0661234"),
    ),
    (r"^\d{4}-\d{2}-\d{2}$", ("2026-01-31",), ("2026-1-31", "")),
    ("^[a-z]+(-[a-z]+)*$", ("a", "ab-cd-ef"), ("-a", "a-", "a--b", "")),
    ("^(foo|bar)+$", ("foo", "barfoobar"), ("fo", "foob", "")),
    (r"^[^@\s]+@[^@\s]+\.[a-z]{2,}$", ("a.b+c@example.org",), ("a@b", "a b@c.de", "@c.de")),
    (r"^#[0-9a-fA-F]{6}$", ("#00ffAA",), ("#00ffA", "#00ffAg")),
    ("^(?:a|b|)c", ("ac", "bc", "c"), ("dc",)),
    ("a|^b|c$", ("xa", "bx", "xc"), ("xb", "cx")),
    ("(^a|b)c", ("ac", "xbc"), ("xac",)),
    ("a{2}", ("aa", "xaax"), ("a", "aba")),
    ("^a{2,}$", ("aa", "aaaaa"), ("a", "")),
    ("^a{0,2}$", ("", "a", "aa"), ("aaa",)),
    ("^(ab){1,2}?$", ("ab", "abab"), ("", "ababab")),
    ("^a*?b+?c??$", ("b", "aab", "abbc"), ("a", "bcc")),
    ("^(a*)*b$", ("b", "aab"), ("", "aa")),
    ("^(a|ab)(c|bcd)$", ("abcd", "ac", "abc"), ("abd",)),
    ("a{0}b", ("b",), ("a",)),
    ("^.$", ("x", "\xe9", "\u7a4d", "\U0001f600", "\x00"), ("", "\n", "\r", "\u2028", "\u2029", "xy")),
    (r"^\.\*\/\-\$\^\(\)\[\]\{\}\|\\$", (".*/-$^()[]{}|\\",), ("x",)),
    (r"^\n\r\t\f\v$", ("\n\r\t\f\v",), ("nrtfv",)),
    (r"^\x41\u00e9\u7A4D$", ("A\xe9\u7a4d",), ("x41",)),
    ("^\xe9+$", ("\xe9\xe9",), ("e", "\xc3")),
    ("^[\xe8-\xea\u7a4d]$", ("\xe9", "\u7a4d"), ("\xe7", "e", "\xe9\xe9")),
    ("^[^\xe9]$", ("\xe8", "a"), ("\xe9",)),
    (r"^\w+$", ("aZ_09",), ("\xe9", "-", "")),
    (r"^\W$", ("-", "\xe9"), ("a", "_")),
    (r"^\D\S$", ("a\u0661", "-x"), ("1x", "a ")),
    (r"^\s$", (" ", "\t", "\n", "\xa0", "\u3000", "\ufeff"), ("x", "\x1c", "\x85")),
    (r"^[\d\-x]$", ("5", "-", "x"), ("d", "\\")),
    ("^[a-]$", ("a", "-"), ("b",)),
    ("^[-a]$", ("a", "-"), ("b",)),
    ("^[a-c-e]$", ("a", "b", "-", "e"), ("d",)),
    (r"^[\]\\^[]$", ("]", "\\", "^", "["), ("a",)),
    (r"^[^\d\s]$", ("a",), ("1", " ", "\u3000")),
    (r"^[\s\S]$", ("\n", "a", "\U0010ffff"), ("", "ab")),
    ("[.]", (".",), ("a",)),
    ("^[$|?*+(){}]$", ("$", "|", "?", "*", "+", "(", ")", "{", "}"), ("a",)),
)

REFUSED = (
    ("(?=a)", "lookaround"),
    ("(?!a)", "lookaround"),
    ("(?<=a)b", "lookaround"),
    ("(?<!a)b", "lookaround"),
    ("(?<name>a)", "named groups"),
    ("(?P<name>a)", "named groups"),
    ("(?i)a", "group flags"),
    (r"(a)\1", "backreferences"),
    (r"(?:a)\k<x>", "backreferences"),
    (r"\bword", "\\b"),
    (r"\p{L}", "\\p"),
    (r"\u{41}", "bad \\x or \\u"),
    (r"\u12", "bad \\x or \\u"),
    (r"\ud83d\ude00", "surrogate"),
    ("a\\", "backslash"),
    ("(a", "without a )"),
    ("a)", "without a ("),
    ("[a", "without a ]"),
    ("a]", "without its pair"),
    ("[]a]", "empty class"),
    ("[^]", "empty class"),
    ("[z-a]", "bad range"),
    (r"[a-\d]", "bad range"),
    (r"[\d-z]", "range from a class"),
    ("*a", "nothing to repeat"),
    ("a|+", "nothing to repeat"),
    ("a**", "nothing to repeat"),
    ("a+++", "nothing to repeat"),
    ("^*a", "repeats ^"),
    ("a{2,1}", "bad {m,n}"),
    ("a{,3}", "bad {m,n}"),
    ("a{x}", "bad {m,n}"),
    ("a{99999}", "bad {m,n}"),
    ("a{1001}", "may hang"),
    ("(((a{10}){10}){10}){10}", "may hang"),
    ("((((a?){1,99}){1,99}){1,99}){1,99}", "may hang"),
    ("(){0,9999}", "may hang"),
    ("(" * 25 + ")" * 25, "deep"),
    ("a" * 1001, "longer than"),
    (5, "must be a string"),
)

# With a matcher that backtracks each takes a time exponential or of a high power in the subject's length.
HANGING = (
    (r"(a+)+$", "a" * 1023 + "b", False),
    (r"^(a+)+$", "a" * 1023 + "b", False),
    ("^(a|a)*$", "a" * 1023 + "b", False),
    ("^(a|aa)+$", "a" * 1024, True),
    ("^(a?){20}a{20}$", "a" * 20, True),
    ("^(a?){20}a{20}$", "a" * 1024, False),
    ("a*a*a*a*b", "a" * 1024, False),
    ("^(.*)*x$", "a" * 1024, False),
    ("((((a*)*)*)*)*b", "a" * 1024, False),
    ("(x+x+)+y", "x" * 1024, False),
)


def test_both_interpreters_give_these_verdicts():
    for text, found, missed in TABLE:
        pattern = compile(text)
        for subject in found:
            eq((text, subject, pattern.matches(subject)), (text, subject, True))
        for subject in missed:
            eq((text, subject, pattern.matches(subject)), (text, subject, False))


def test_what_is_refused_says_why():
    for text, reason in REFUSED:
        seen = str(raises(LocalError, compile, text))
        assert reason in seen, (text, seen)
        assert len(seen) < 200


def test_hanging_patterns_are_linear():
    for text, subject, verdict in HANGING:
        pattern = compile(text)
        eq((text, pattern.matches(subject)), (text, verdict))
        assert pattern.steps < 100 * 1025, (text, pattern.steps)
        whole = pattern.steps
        pattern.matches(subject[:100] + subject[-1])
        assert pattern.steps * 30 > whole, (text, pattern.steps, whole)


def test_work_is_bounded_for_the_largest_pattern():
    pattern = compile("(a?){200}(a?){200}b$")
    reason = pattern.refusal("a" * 1024)
    eq(reason, "takes too long to match against (a?){200}(a?){200}b$")
    assert pattern.steps < 102000


def test_a_long_subject_is_refused_with_the_limit():
    pattern = compile("^a*$")
    assert pattern.matches("a" * 1024)
    eq(pattern.refusal("a" * 1025), "must have at most 1024 characters")


def test_a_reason_never_shows_more_than_the_pattern():
    eq(compile("^a$").refusal("secret"), "does not match ^a$")
    assert len(compile("a" * 1000).refusal("")) < 150
