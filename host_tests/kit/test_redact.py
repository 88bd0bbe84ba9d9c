"""What is taken out of messages, what is left in them, and that a replay still matches."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.playing import Client, c2s, call, loaded, request, result, run, s2c, text, written
from tsumiki import cassette, cli
from tsumiki.errors import Unreadable
from tsumiki.redact import REDACTED, Redactor
from tsumiki.replay import Replay
from tsumiki.replay_match import digest, masked

SECRET = "hunter2-Xy"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl"


def message(value, *rules):
    raw, pointers = Redactor(rules).message(json.dumps(value))
    return json.loads(raw), pointers


@pytest.mark.parametrize(
    "name",
    ["token", "accessToken", "API_KEY", "x-api-key", "client_secret", "Password", "authorization", "Set-Cookie",
     "wifi_psk"],
)  # fmt: skip
def test_names_of_secrets(name):
    found, pointers = message(call(1, "t", {name: SECRET, "text": "hello"}))
    assert found["params"]["arguments"] == {name: REDACTED, "text": "hello"}
    assert pointers == ["/params/arguments/" + name]


@pytest.mark.parametrize(
    "words",
    [
        "Bearer %s", "authorization: Basic %s", "see https://user:%s@example.org/x", "GET /x?access_token=%s&n=1",
        "token=%s", 'the password: "%s".', "api_key = %s", "Cookie: sid=%s", "psk=%s",
    ],
)  # fmt: skip
def test_secrets_in_a_text(words):
    said = words % SECRET
    clean = Redactor().text(said)
    assert SECRET not in clean and REDACTED in clean
    assert Redactor().text(clean) == clean
    found, pointers = message(text(1, said))
    assert SECRET not in json.dumps(found)
    assert pointers == ["/result/content/0/text"]


@pytest.mark.parametrize(
    "secret",
    ["sk-" + "a1" * 12, "ghp_" + "Ab1" * 12, "github_pat_" + "a" * 30, "xoxb-1234567890-ab", "AKIA" + "Z" * 16, JWT,
     "sk_live_0123456789", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"],
)  # fmt: skip
def test_keys_that_have_a_mark(secret):
    assert Redactor().text("it is %s, yes" % secret) == "it is %s, yes" % REDACTED


@pytest.mark.parametrize(
    "path", ["/home/%s/notes", "/Users/%s/notes", "C:\\Users\\%s\\notes", "file:///home/%s/notes"]
)
def test_whose_home_it_is(path):
    clean = Redactor().text("open " + path % "alice")
    assert "alice" not in clean and clean.endswith("notes")


@pytest.mark.parametrize(
    "words",
    [
        "Uses bearer authentication", "a bearer token is needed", "https://example.org/home/page?page=2&n=1",
        "14 tokens: fine", "task-force", "the secret of tea", "monkey=1",
    ],
)  # fmt: skip
def test_ordinary_words_stay(words):
    assert Redactor().text(words) == words


def test_a_message_without_secrets_is_the_same_bytes():
    raw = '{ "jsonrpc":"2.0", "id" : 1, "result":{"n":1.50,"u":"\\u00e9"}}'
    assert Redactor().message(raw) == (raw, [])


def test_the_protocols_own_names_and_counts_are_no_secrets():
    value = request(1, "sampling/createMessage", {"maxTokens": 5, "_meta": {"progressToken": "p"}})
    assert message(value) == (value, [])
    value = result(1, structuredContent={"inputTokens": 12, "tokenize": True})
    assert message(value) == (value, [])


def test_names_inside_a_schema_are_no_secrets_but_samples_are():
    schema = {
        "type": "object",
        "properties": {
            "token": {"type": "string", "description": "token: of the account", "default": SECRET},
            "list": {"type": "array", "items": {"properties": {"password": {"type": "string"}}}},
        },
        "required": ["token"],
    }
    found, pointers = message(result(1, tools=[{"name": "t", "inputSchema": schema}]))
    schema["properties"]["token"]["default"] = REDACTED
    assert found["result"]["tools"][0]["inputSchema"] == schema
    assert pointers == ["/result/tools/0/inputSchema/properties/token/default"]


def test_all_below_a_secret_name():
    found, pointers = message(call(1, "t", {"credentials": {"user": "a", "pin": 1234, "on": True}}))
    assert found["params"]["arguments"]["credentials"] == {"user": REDACTED, "pin": REDACTED, "on": True}
    assert len(pointers) == 2


def test_json_in_a_string():
    inside = json.dumps({"user": "a", "token": SECRET})
    found, pointers = message(text(1, inside))
    assert json.loads(found["result"]["content"][0]["text"]) == {"user": "a", "token": REDACTED}
    assert pointers == ["/result/content/0/text"]
    same = text(1, '{ "user" : "a" }')
    assert message(same) == (same, [])


def test_a_secret_as_the_name_of_a_member():
    redactor = Redactor()
    redactor.learn(SECRET)
    raw, pointers = redactor.message(json.dumps(call(1, "t", {"by": {SECRET: 1}})))
    assert SECRET not in raw + "".join(pointers)
    assert pointers == ["/params/arguments/by"]


def test_known_secrets_wherever_they_stand(monkeypatch):
    secret = 'p"w/ä'
    monkeypatch.setenv("ROBOT_TOKEN", secret)
    redactor = Redactor(["env:ROBOT_TOKEN"])
    for said in (
        json.dumps({"note": "x%sx" % secret}),
        json.dumps([secret]),
        "x p%22w%2F%C3%A4",
        "x" + secret,
    ):
        clean, _ = redactor.message(said)
        assert REDACTED in clean
        assert secret not in clean and json.dumps(secret)[1:-1] not in clean and "%22w" not in clean


def test_rules_of_ones_own():
    value = call(1, "t", {"pin": "1234", "deep": [{"x": 1}, {"x": 2}], "note": "code 77-88"})
    found, pointers = message(value, "*pin*", "/params/arguments/deep/*/x", r"re:\d\d-\d\d")
    assert found["params"]["arguments"] == {
        "pin": REDACTED,
        "deep": [{"x": REDACTED}, {"x": REDACTED}],
        "note": "code [redacted]",
    }
    assert len(pointers) == 4
    value = call(1, "t", {"token": SECRET})
    assert message(value, "none") == (value, [])
    for rule in ("env:NO_SUCH_VARIABLE", "re:("):
        with pytest.raises(Unreadable):
            Redactor([rule])


def test_what_is_no_json_loses_its_secrets_too():
    assert Redactor().message("listening with token=%s" % SECRET) == ("listening with token=[redacted]", [])


def rows():
    return (
        c2s(call(1, "login", {"user": "ann", "password": SECRET})), s2c(text(1, "ann is in")),
        c2s(call(2, "login", {"user": "bob", "password": SECRET + "2"})), s2c(text(2, "bob is in")),
        c2s(call(3, "fetch", {"url": "https://x.org/a?key=" + SECRET})), s2c(text(3, "Bearer " + SECRET)),
        s2c("banner token=" + SECRET),
    )  # fmt: skip


def test_a_redacted_cassette_still_matches(tmp_path, capsys):
    before = written(tmp_path, {"cassette": cassette.MARK, "server": "x"}, *rows())
    after = tmp_path / "clean.ndjson"
    assert cli.main(["redact", str(before), str(after)]) == 0
    assert "5 redacted in 5 of 7 messages" in capsys.readouterr().out
    assert SECRET not in after.read_text("utf-8")
    found = cassette.load(after)
    assert found.headers[0]["redaction"] == {"rules": ["default"], "count": 5}
    notes = []
    one = Client(Replay(found, note=notes.append))

    async def work():
        assert await one.say("login", {"user": "bob", "password": "another"}) == "bob is in"
        assert await one.say("login", {"password": "another", "user": "ann"}) == "ann is in"
        assert await one.say("fetch", {"url": "https://elsewhere.org"}) == "Bearer [redacted]"
        missed = await one.say("login", {"user": "bob"})
        assert missed["data"]["reason"] == "replay-miss"

    run(work())
    assert "login: what was redacted in its recording is not compared" in notes
    assert SECRET not in "".join(notes)


def test_to_redact_twice_changes_nothing(tmp_path):
    first, second = tmp_path / "1", tmp_path / "2"
    header = {"cassette": cassette.MARK}
    cli.main(["redact", str(written(tmp_path, *rows(), header, *rows())), str(first)])
    cli.main(["redact", str(first), str(second)])
    assert cassette.load(second).rows == cassette.load(first).rows
    assert cassette.load(second).headers == cassette.load(first).headers
    assert [row.section for row in cassette.load(first).rows] == [0] * 7 + [1] * 7


def test_redacted_in_a_batch(tmp_path):
    batch = json.dumps([request(1, "ping"), call(2, "login", {"password": SECRET})])
    raw, pointers = Redactor().message(batch)
    answers = [result(1), text(2, "in")]
    one = Client(Replay(loaded(tmp_path, c2s(raw, redacted=pointers), s2c(answers)), note=lambda text: None))
    assert run(one.say("login", {"password": "x"})) == "in"


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**53), 2**53), st.text(max_size=8),
    st.builds(lambda a, b: a + SECRET + b, st.text(max_size=4), st.text(max_size=4)),
    st.sampled_from(["Bearer abc.def-1", "token=abcd", "https://u:p@h/x?key=v", '{"token":"abcd"}']),
    st.just("/home/%s/x" % "ann"),
)  # fmt: skip
NAMES = st.one_of(
    st.text(max_size=5), st.sampled_from(["token", "a/b", "c~d", "inputSchema", "properties", SECRET])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(NAMES, inner, max_size=4)),
    max_leaves=12,
)


@given(st.dictionaries(NAMES, VALUES, max_size=4))
def test_no_secret_is_left_and_what_is_left_matches(arguments):
    redactor = Redactor()
    redactor.learn(SECRET)
    before = call(1, "t", arguments)
    raw, pointers = redactor.message(json.dumps(before))
    assert SECRET not in json.dumps(json.loads(raw), ensure_ascii=False)
    assert not any(SECRET in pointer for pointer in pointers)
    # Both sides of a match, as a replay sees them.
    inside = [pointer[len("/params") :] for pointer in pointers]
    after = json.loads(raw)
    assert digest(masked(before["params"], inside)) == digest(masked(after["params"], inside))
    again, _ = redactor.message(raw)
    assert json.loads(again) == after
