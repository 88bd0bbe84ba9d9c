"""The bearer token: the three refusals of the original, and a comparison that tells nothing by its time."""

from served import BEARER, HOST, JSON, TOKEN, outcomes, reader

from harness import eq
from http1 import bearer, new_token, scan
from http1.bearer import normalize, passes
from http1.challenge import INVALID, MISSING, NOT_CONFIGURED, reason
from http1.guard import Guard


class Random:
    def __init__(self, made):
        self._made = made

    def urandom(self, size):
        return self._made[:size]


def test_a_new_token_is_long_enough_and_can_be_sent():
    real = new_token.os
    try:
        for made, wanted in (
            (b"\xff" * 16, "_" * 21 + "w"),
            (b"\xfb" * 16, "-_v7" * 5 + "-w"),
            (bytes(16), "A" * 22),
        ):
            new_token.os = Random(made)
            token = new_token.new_token()
            eq((token, refused(b"Bearer " + token.encode(), token)), (wanted, None))
    finally:
        new_token.os = real


def refused(header, token="secret-token"):
    """The reason for which a header (bytes, None if absent) is refused, as the guard asks."""
    buf = b"Authorization:" if header is None else b"--" + header + b"\r\n"
    span = 0 if header is None else 2 | 2 + len(header) << 16
    token = normalize(token)
    return None if passes(buf, span, token) else reason(span, token)


def test_the_vectors_of_the_original():
    for header, wanted in (
        (b"Bearer secret-token", None),
        (None, MISSING),
        (b"", MISSING),
        (b"Bearer wrong-token", INVALID),
        (b"Bearer", INVALID),
        (b"Basic secret-token", INVALID),
    ):
        eq((header, refused(header)), (header, wanted))
    for token in (None, "", "  ", "\t\n", 5, b"secret-token", ["x"]):
        for header in (b"Bearer secret-token", None, b"", b"Bearer ", b"Basic x"):
            eq(refused(header, token), NOT_CONFIGURED)
    eq(
        (NOT_CONFIGURED, MISSING, INVALID),
        ("token-not-configured", "missing-authorization", "invalid-authorization"),
    )


def test_the_scheme_has_no_case_and_white_space_follows():
    for header in (
        b"bearer secret-token",
        b"BEARER secret-token",
        b"bEaReR secret-token",
        b"Bearer   secret-token",
        b"Bearer\tsecret-token",
    ):
        eq((header, refused(header)), (header, None))
    for header in (
        b"Bearersecret-token",
        b"Bearer:secret-token",
        b"Bearer-secret-token",
        b"secret-token",
        b"Token secret-token",
        b"earer secret-token",
    ):
        eq((header, refused(header)), (header, INVALID))


def test_a_configured_token_is_trimmed():
    for token in (" secret-token", "secret-token\n", "\t secret-token  "):
        eq((token, refused(b"Bearer secret-token", token)), (token, None))


def test_anything_but_the_token_is_refused():
    for presented in (
        b"secret-toke",
        b"secret-token1",
        b"secret-tokeN",
        b"Secret-token",
        b"secret-token, x",
        b"secret-token secret-token",
        b"secret-tokensecret-token",
        b"x",
        b'"secret-token"',
        b"secret-token\xff",
    ):
        eq((presented, refused(b"Bearer " + presented)), (presented, INVALID))


class Counting:
    """Bytes that count how often one is looked at."""

    def __init__(self, data):
        self.data = data
        self.looks = 0

    def __getitem__(self, i):
        self.looks += 1
        return self.data[i]


def looks(presented, token):
    """How many bytes of what is presented, and of the token, the bytecode twin looks at."""
    buf, secret = Counting(presented), Counting(token)
    scan.differ(buf, 0 | len(presented) << 16, secret, len(token))
    return buf.looks, secret.looks


def test_a_comparison_looks_at_every_byte_whatever_they_are():
    token = b"0123456789abcdef"
    match = looks(token, token)
    eq(match, (16, 16))
    eq(looks(b"x123456789abcdef", token), match)
    eq(looks(b"0123456789abcdex", token), match)
    eq(looks(b"x" * 16, token), match)
    # A token of another length: its own length is what the time tells of, not that of the configured one.
    for size in (1, 8, 15, 17, 40):
        eq(looks(token, b"0123456789abcdef0123456789abcdef01234567"[:size]), match)


def count_comparisons(headers):
    """How many comparisons a reader makes for requests on one connection."""
    made = []
    real = bearer.differ

    def counted(*args):
        made.append(args)
        return real(*args)

    bearer.differ = counted
    try:
        served = reader(Guard(TOKEN))
        head = b"POST /mcp HTTP/1.1\r\n" + HOST + JSON + b"Content-Length: 2\r\n"
        seen = outcomes(served, [head + header + b"\r\n{}" for header in headers])
    finally:
        bearer.differ = real
    return len(made), [one[0] for one in seen]


def test_every_request_of_a_connection_is_compared():
    count, seen = count_comparisons([BEARER] * 100)
    eq((count, seen), (100, ["POST"] * 100))


def test_a_good_request_opens_no_door_for_the_next():
    wrong = BEARER.replace(b"abcdef", b"abcdeF")
    count, seen = count_comparisons([BEARER, wrong, BEARER, b"", wrong, BEARER])
    # A wrong one in a head like the last is compared twice: what differs goes the long way (http1/repeat.py).
    eq((count, seen), (6, ["POST", 401, "POST", 401, 401, "POST"]))
