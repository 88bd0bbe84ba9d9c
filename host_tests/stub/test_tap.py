"""The tap: rows of a cassette, bounded, and without secrets."""

import json

from harness import eq
from stub.tap import Tap


def rows(tap):
    return [json.loads(line) for line in tap.text().split(b"\n") if line]


def call(**arguments):
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "x", "arguments": arguments},
    }
    return json.dumps(message).encode()


def test_a_message_is_kept_as_it_came():
    tap = Tap(4)
    raw = b'{ "jsonrpc":"2.0", "id": 7, "method":"ping" }'
    tap.add("c2s", raw)
    tap.add("s2c", b'{"jsonrpc":"2.0","id":7,"result":{}}')
    eq(
        rows(tap),
        [
            {"direction": "c2s", "raw": raw.decode()},
            {"direction": "s2c", "raw": '{"jsonrpc":"2.0","id":7,"result":{}}'},
        ],
    )


def test_secrets_are_taken_out_and_their_places_told():
    tap = Tap(9, ("the-robots-own-token",))
    planted = (
        ({"api_key": "hunter2"}, "/params/arguments/api_key"),
        ({"Password": 1234}, "/params/arguments/Password"),
        ({"deep": [{"access-token": ["hunter2"]}]}, "/params/arguments/deep/0/access-token/0"),
        ({"text": "Authorization: Bearer hunter2"}, "/params/arguments/text"),
        ({"text": "it is the-robots-own-token, really"}, "/params/arguments/text"),
        ({"a/b": {"cookie": "hunter2"}}, "/params/arguments/a~1b/cookie"),
    )
    for arguments, _ in planted:
        tap.add("c2s", call(**arguments))
    for row, (arguments, pointer) in zip(rows(tap), planted):
        eq((arguments, row["redacted"]), (arguments, [pointer]))
        assert json.loads(row["raw"])["method"] == "tools/call"
    assert b"hunter2" not in tap.text() and b"1234" not in tap.text() and b"robots-own" not in tap.text()


def test_what_is_no_secret_stays():
    tap = Tap(4)
    schema = {"properties": {"token": {"type": "string"}}}
    for raw in (call(text="hello", n=3, on=True, none=None), call(progressToken=5), call(schema=schema)):
        tap.add("c2s", raw)
        eq(rows(tap)[-1], {"direction": "c2s", "raw": raw.decode()})


def test_it_is_bounded():
    tap = Tap(3)
    for i in range(10):
        tap.add("c2s", call(n=i))
    eq([json.loads(row["raw"])["params"]["arguments"]["n"] for row in rows(tap)], [7, 8, 9])
    tap.add("c2s", call(text="x" * 5000))
    eq((len(rows(tap)), tap.left_out), (3, 1))
    wide = Tap(1000)
    for _ in range(50):
        wide.add("s2c", call(text="x" * 1000))
        assert len(wide.text()) <= 8192
    assert len(rows(wide)) == 7


def test_what_is_no_json_is_told_and_off_is_off():
    tap = Tap(2)
    tap.add("c2s", b"{token: hunter2")
    eq(rows(tap)[0]["raw"], "")
    assert b"hunter2" not in tap.text()
    off = Tap(0)
    off.add("c2s", call())
    eq(off.text(), b"")
