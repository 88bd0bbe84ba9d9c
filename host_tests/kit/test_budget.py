"""`tsumiki budget`: the article's two examples, how tokens are counted, and bytes."""

import json
import sys

import pytest

from kit import mutable
from kit.commands import Command, written
from tsumiki.budget import compact


@pytest.fixture
def tsumiki(capsys):
    return Command(capsys)


def tools(count, tokens):
    """So many tools, each of so many tokens of four characters."""
    made = []
    for i in range(count):
        tool = {"name": "t%02d" % i, "description": "", "inputSchema": {"type": "object"}}
        tool["description"] = "d" * (4 * tokens - len(compact(tool)))
        made.append(tool)
    return {"tools": made}


GOLDEN = [(90, 1260, 50_400_000, 126.0), (190, 2660, 106_400_000, 266.0)]


@pytest.mark.parametrize("average, a_request, a_month, cost", GOLDEN)
def test_the_articles_examples(average, a_request, a_month, cost, tsumiki, tmp_path):
    path = written(tmp_path / "t.json", tools(14, average))
    words = ("budget", path, "--requests", 40000, "--price", "2.50")
    assert tsumiki(*words, "--json") == 0
    found = tsumiki.json
    assert (found["tokens_per_request"], found["tokens"], found["cost"]) == (a_request, a_month, cost)
    assert tsumiki(*words) == 0
    assert tsumiki.out.splitlines()[-2:] == [
        "40,000 requests: %s tokens" % format(a_month, ","),
        "cost: $%.2f" % cost,
    ]


@pytest.mark.parametrize("more, tokens", [(0, 10), (1, 11), (3, 11), (4, 11), (5, 12)])
def test_a_part_of_a_token_is_one(more, tokens, tsumiki, tmp_path):
    made = tools(1, 10)["tools"]
    made = [{"name": "t", "description": "d" * (40 + more - len(compact({"name": "t", "description": ""})))}]
    assert tsumiki("budget", written(tmp_path / "t.json", {"tools": made}), "--json") == 0
    assert tsumiki.json["tokens_per_request"] == tokens


def test_what_a_fixture_answers_is_no_part_of_the_cost(tsumiki, tmp_path):
    tool = tools(1, 50)["tools"][0]
    rich = dict(
        tool, result={"content": []}, cases=[{"when": {}, "result": {}}], note="n" * 500, **{"x-y": "z" * 500}
    )
    found = []
    for entry in (tool, rich):
        fixture = {"schema": "tsumiki/fixture-v1", "server": {"name": "f"}, "tools": [entry]}
        assert tsumiki("budget", written(tmp_path / "t.json", fixture), "--json") == 0
        found.append(tsumiki.json)
    assert found[0] == found[1] and found[0]["list_bytes"] == len(compact({"tools": [tool]}))


def test_bytes_are_those_of_the_list_and_tokens_of_what_a_model_reads(tsumiki, tmp_path):
    listed = {"tools": [dict(one, annotations={"title": "Ä" * 10}) for one in tools(3, 30)["tools"]]}
    assert tsumiki("budget", written(tmp_path / "t.json", listed), "--json") == 0
    assert (
        tsumiki.json["list_bytes"] == len(compact(listed).encode())
        and tsumiki.json["tokens_per_request"] == 90
    )


def test_the_dearest_tool_comes_first(tsumiki, tmp_path):
    made = [dict(tools(1, size)["tools"][0], name="t%d" % size) for size in (20, 60, 40)]
    assert tsumiki("budget", written(tmp_path / "t.json", {"tools": made}), "--json") == 0
    assert [row["tool"] for row in tsumiki.json["tools"]] == ["t60", "t40", "t20"]


def test_a_command_counts_tokens(tsumiki, tmp_path):
    path = written(tmp_path / "t.json", tools(2, 30))
    count = "import sys; print(len(sys.stdin.read()) // 60)"
    command = "%s -c '%s'" % (sys.executable, count)
    assert tsumiki("budget", path, "--tokens-cmd", command, "--json") == 0
    assert [row["tokens"] for row in tsumiki.json["tools"]] == [2, 2]
    for bad, status in (("no-such-program-x", 1), (sys.executable + " -c 'exit(1)'", 1), ("'", 2), ("", 1)):
        assert tsumiki("budget", path, "--tokens-cmd", bad) == status and "--tokens-cmd" in tsumiki.err


@pytest.mark.parametrize("most, status", [(60, 0), (59, 1)])
def test_more_than_the_most_fails(most, status, tsumiki, tmp_path):
    assert tsumiki("budget", written(tmp_path / "t.json", tools(2, 30)), "--max-tokens", most) == status


def test_a_live_server_is_listed(tsumiki):
    assert tsumiki("budget", "--json", "--", *mutable.command()) == 0
    assert sorted(row["tool"] for row in tsumiki.json["tools"]) == ["echo", "get_status", "move"]


def test_wrong_usage_is_told_in_one_line(tsumiki, tmp_path):
    path = written(tmp_path / "t.json", tools(1, 30))
    tape = tmp_path / "t.ndjson"
    tape.write_text(json.dumps({"direction": "c2s", "raw": '{"jsonrpc":"2.0","id":1,"method":"ping"}'}))
    for words in ((), (path, "--requests", "-1"), (path, "--", "x"), (tape,)):
        assert tsumiki("budget", *words) == 2 and len(tsumiki.err.splitlines()) == 1
