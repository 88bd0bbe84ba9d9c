"""`tsumiki verify`: what is sent again, what is left out, and what counts as another answer."""

import json

import pytest

from kit import mutable, playing, taping
from kit.commands import Command, written
from kit.playing import c2s, call, request, result, s2c

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture
def tsumiki(capsys):
    return Command(capsys)


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return taping.record(mutable.command(), tmp_path_factory.mktemp("tapes") / "base.ndjson")


def tape(path, *exchanges):
    rows = []
    for id, (message, answer) in enumerate(exchanges):
        rows.append(c2s(dict(message, id=id)))
        if answer is not None:
            rows.append(s2c(dict(answer, id=id)))
    return written(path, rows)


OK = result(0, content=[{"type": "text", "text": "a"}])
GATES = [
    ((), [], 5),
    (("--allow-calls",), ["echo", "echo", "echo", "get_status"], 1),
    (("--all-calls",), ["echo", "echo", "echo", "get_status", "move"], 0),
]


@pytest.mark.parametrize("http", [False, True], ids=["stdio", "http"])
@pytest.mark.parametrize("flags, called, skipped", GATES, ids=["none", "read-only", "all"])
def test_only_what_is_allowed_is_called(flags, called, skipped, http, base, tsumiki, tmp_path):
    log = tmp_path / "calls"
    log.touch()
    words = ("verify", base, "--json", *flags)
    if http:
        with mutable.listener(more=("--log", str(log), "--sse")) as server:
            assert tsumiki(*words, "--url", server.url) == 0
    else:
        assert tsumiki(*words, "--", *mutable.command(more=("--log", str(log)))) == 0
    assert log.read_text().split() == called
    assert len(tsumiki.json["skipped"]) == skipped and tsumiki.json["changes"] == []
    assert ("move real hardware" in tsumiki.err) == bool(called)


def test_a_tool_that_is_not_listed_counts_as_one_that_moves(tsumiki, tmp_path):
    log = tmp_path / "calls"
    log.touch()
    path = tape(tmp_path / "t.ndjson", (call(0, "hidden", {}), OK))
    command = mutable.command(more=("--log", str(log)))
    assert tsumiki("verify", path, "--allow-calls", "--", *command) == 0 and not log.read_text()
    assert tsumiki("verify", path, "--all-calls", "--", *command) == 1
    assert "was ok, is rpc_error:-32602" in tsumiki.out


LEFT_OUT = [
    ("without params", c2s(request(1, "tools/call")), "without params"),
    ("redacted", c2s(call(1, "echo", {"text": "*"}), redacted=["/params/arguments/text"]), "it was redacted"),
    ("endless", c2s(request(1, "subscriptions/listen", {})), "would not end"),
    ("goes on", c2s(request(1, "tools/call", {"name": "echo", "requestState": "s"})), "goes on with a state"),
]


@pytest.mark.parametrize("row, reason", [row[1:] for row in LEFT_OUT], ids=[row[0] for row in LEFT_OUT])
def test_what_cannot_be_sent_again_is_left_out_and_told(row, reason, tsumiki, tmp_path):
    path = written(tmp_path / "t.ndjson", [row, s2c(dict(OK, id=1))])
    assert tsumiki("verify", path, "--all-calls", "--", *mutable.command()) == 0
    assert reason in tsumiki.err and "(0 requests sent, 1 left out)" in tsumiki.out


def test_what_was_not_answered_is_left_out(tsumiki, tmp_path):
    path = tape(tmp_path / "t.ndjson", (call(0, "echo", {"text": "a"}), None))
    assert tsumiki("verify", path, "--all-calls", "--", *mutable.command()) == 0
    assert "was not answered when" in tsumiki.err


@pytest.mark.parametrize("http", [False, True], ids=["stdio", "http"])
def test_a_cassette_of_the_modern_era_is_asked_in_it(http, tsumiki, tmp_path):
    modern = call(0, "echo", {"text": "a"})
    modern["params"]["_meta"] = META
    answer = json.loads(json.dumps(OK))
    answer["result"]["resultType"] = "complete"
    path = tape(tmp_path / "t.ndjson", (modern, answer))
    more = ("--era", "modern")
    if http:
        with mutable.listener(more=more) as server:
            assert tsumiki("verify", path, "--deep", "--all-calls", "--url", server.url) == 0
    else:
        assert tsumiki("verify", path, "--deep", "--all-calls", "--", *mutable.command(more=more)) == 0
    assert "(1 requests sent, 0 left out)" in tsumiki.out


def test_the_eras_are_compared_across(base, tsumiki):
    words = (
        "verify",
        base,
        "--deep",
        "--all-calls",
        "--era",
        "modern",
        "--",
        *mutable.command(more=("--era", "modern")),
    )
    assert tsumiki(*words) == 0
    assert tsumiki("verify", base, "--all-calls", "--", *mutable.command(more=("--era", "modern"))) == 4


DEEP = [
    ((), ["/result/content/0/text differs"]),
    (("--ignore", "/result/content/0/text"), []),
    (("--ignore", "/result/content/*/text"), []),
    (("--ignore", "/result/*"), []),
    (("--ignore", "/result/content/1/text"), ["/result/content/0/text differs"]),
]


@pytest.mark.parametrize("more, details", DEEP)
def test_a_deep_look_names_the_place_and_can_pass_over_it(more, details, tsumiki, tmp_path):
    path = tape(tmp_path / "t.ndjson", (call(0, "echo", {"text": "b"}), OK))
    words = ("verify", path, "--json", "--all-calls")
    assert tsumiki(*words, "--deep", *more, "--", *mutable.command()) == (1 if details else 0)
    assert [one["detail"] for one in tsumiki.json["exchanges"] if not one["ok"]] == details
    assert tsumiki(*words, "--", *mutable.command()) == 0


def test_what_was_redacted_in_an_answer_is_passed_over(tsumiki, tmp_path):
    rows = [c2s(call(1, "echo", {"text": "b"})), s2c(dict(OK, id=1), redacted=["/result/content/0/text"])]
    path = written(tmp_path / "t.ndjson", rows)
    assert tsumiki("verify", path, "--deep", "--all-calls", "--", *mutable.command()) == 0


def test_a_description_fails_only_if_it_is_wanted(base, tsumiki):
    words = ("verify", base, "--", *mutable.command("description"))
    assert tsumiki(*words) == 0 and "routing" in tsumiki.out
    assert tsumiki(*words[:2], "--fail-on", "routing", *words[2:]) == 1


def test_the_server_may_leave_between_two_calls(base, tsumiki):
    assert (
        tsumiki(
            "verify", base, "--all-calls", "--json", "--era", "legacy", "--", *mutable.command("disconnect")
        )
        == 1
    )
    classes = [one["now"] for one in tsumiki.json["exchanges"] if one["request"].startswith("tools/call")]
    assert classes == ["disconnect"] * 5
    assert tsumiki.json["exchanges"][-1] == {
        "request": "no/such",
        "was": "rpc_error:-32601",
        "now": "rpc_error:-32601",
        "ok": True,
    }


def test_wrong_usage_is_told_in_one_line(base, tsumiki, tmp_path):
    for words, status in (
        ((base,), 2),
        ((tmp_path / "none.ndjson", "--", "x"), 2),
        ((written(tmp_path / "x.json", {"tools": []}), "--", "x"), 2),
        ((base, "--deep", "--ignore", "result", "--", "x"), 2),
        ((base, "--", "no-such-program-x"), 4),
    ):
        assert tsumiki("verify", *words) == status and len(tsumiki.err.splitlines()) == 1 and not tsumiki.out


def test_the_articles_cassette_is_compared_as_far_as_it_goes(tsumiki):
    path = playing.original("cassette.ndjson")
    assert tsumiki("verify", path, "--all-calls", "--json", "--", *mutable.command()) == 1
    assert [one["request"] for one in tsumiki.json["skipped"]] == ["tools/call", "tools/call"]
    assert {change["kind"] for change in tsumiki.json["changes"]} >= {
        "tool-added",
        "words",
        "limit-tightened",
    }
