"""Values of headers that are plain or Base64 (2026-07-28, transports: value encoding; the table of its examples)."""

from harness import eq, raises
from umcp.sentinel import decode, encode

_TABLE = (
    ("us-west1", "us-west1"),
    ("us west 1", "us west 1"),
    ("", ""),
    ("Hello, \u4e16\u754c", "=?base64?SGVsbG8sIOS4lueVjA==?="),
    (" padded ", "=?base64?IHBhZGRlZCA=?="),
    ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
    ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
)


def test_the_examples_of_the_specification():
    for text, value in _TABLE:
        eq(encode(text), value)
        eq(decode(value.encode()), text.encode())


def test_what_is_not_safe_in_a_header_is_coded():
    for text in (
        " a",
        "a ",
        "a\tb",
        "\ta",
        "a\r\nX: y",
        "a\0",
        "\x7f",
        "\u00e9",
        "=?base64??=",
        "x" * 100 + "\n",
    ):
        value = encode(text)
        assert value.startswith("=?base64?") and value.endswith("?="), value
        assert all([32 < c < 127 for c in value.encode()])
        eq(decode(value.encode()), text.encode())


def test_half_a_mark_is_literal():
    for value in (
        b"=?base64?",
        b"=?base64?=",
        b"=?base64?YQ==",
        b"YQ==?=",
        b"=?BASE64?YQ==?=",
        b"x=?base64?YQ==?=",
    ):
        eq(decode(value), value)
        eq(encode(value.decode()), value.decode())


def test_broken_base64_is_refused():
    for coded in (b"YQ", b"YQ=", b"Y Q=", b"Y*==", b"YQ==YQ==", b"YR==", b"-_-_", b"====", b"\xff\xff=="):
        raises(ValueError, decode, b"=?base64?" + coded + b"?=")
