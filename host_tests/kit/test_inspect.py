"""A cassette as a listing."""

import json

import pytest

from kit.playing import GREENHOUSE, c2s, call, note, request, result, s2c, text, written
from tsumiki import cli

ROWS = (
    {"cassette": "tsumiki/cassette-v1", "server": "kitchen", "scenario": "tea"},
    c2s(request(1, "initialize", {}), t=0), s2c(result(1, serverInfo={}), t=5),
    s2c(note("notifications/tools/list_changed")),
    c2s(call(2, "boil", {"pin": "[redacted]"}), t=10, redacted=["/params/arguments/pin"]),
    s2c(note("notifications/progress", progress=1)), s2c(request("s", "elicitation/create")), c2s(result("s")),
    s2c(text(2, "hot\x1b[31m"), t=52),
    c2s(call(3, "boil", {})), s2c(result(3, isError=True, content=[{"type": "text", "text": "empty_pot: no"}])),
    c2s(request(4, "a/b"), ex=9), s2c("no", ex=9, http={"status": 503}),
    s2c("a banner"),
)  # fmt: skip


def inspected(capsys, *arguments):
    assert cli.main(["inspect", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_a_listing_for_people(tmp_path, capsys):
    found = inspected(capsys, written(tmp_path, *ROWS)).splitlines()
    assert found[0].endswith("tape.ndjson: 13 rows, 4 requests, 1 redacted")
    assert found[1].split() == ["kitchen", "tea"]
    assert [line.split() for line in found[2:]] == [
        ["1", "initialize", "ok", "5", "ms"],
        ["later", "<-", "notifications/tools/list_changed"],
        ["2", "tools/call", "boil", '{"pin":"[redacted]"}', "ok", "42", "ms", "hot?[31m"],
        ["<-", "notifications/progress"],
        ["<-", "asks", "elicitation/create"],
        ["redacted:", "/params/arguments/pin"],
        ["3", "tools/call", "boil", "{}", "tool_error:empty_pot", "empty_pot:", "no"],
        ["4", "a/b", "(any", "params)", "http:503"],
        ["!", *"tape.ndjson, line 14: no JSON, passed over: a banner".split()],
    ]


def test_the_same_for_programs(tmp_path, capsys):
    found = json.loads(inspected(capsys, "--json", written(tmp_path, *ROWS)))
    assert [one["class"] for one in found["requests"]] == ["ok", "ok", "tool_error:empty_pot", "http:503"]
    assert found["requests"][1]["before"] == ["notifications/progress", "asks elicitation/create"]


def test_our_sample(capsys):
    assert "tomatoes: 41 %" in inspected(capsys, GREENHOUSE)


def test_what_is_no_cassette(tmp_path, capsys):
    path = tmp_path / "x"
    path.write_text("{}\n")
    assert cli.main(["inspect", str(path)]) == 2
    assert "line 1: no row of a cassette" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        cli.main(["inspect"])
