"""`tsumiki score`: the right tool, every required argument, what is confused with what, and retries."""

import pytest

from kit.commands import Command, written
from kit.playing import c2s, call, result, s2c

SAY = {
    "name": "say",
    "inputSchema": {
        "type": "object",
        "properties": {"text": {}, "volume": {}, "lines": {}},
        "required": ["text"],
    },
}
LOOK = {"name": "look", "inputSchema": {"type": "object"}}


@pytest.fixture
def tsumiki(capsys):
    return Command(capsys)


@pytest.fixture
def tools(tmp_path):
    return written(tmp_path / "tools.json", {"tools": [SAY, LOOK]})


def choice(tool, **arguments):
    return None if tool is None else {"tool": tool, "arguments": arguments}


def triple(id, expected, got, **more):
    return {"id": id, "context": ["x"], "expect": expected, "got": got, **more}


OUTCOMES = [
    ("right", choice("say", text="a"), choice("say", text="a"), "right"),
    ("an optional one differs", choice("say", text="a", volume=1), choice("say", text="a"), "right"),
    ("order of members", choice("say", text={"a": 1, "b": 2}), choice("say", text={"b": 2, "a": 1}), "right"),
    ("1 is 1.0", choice("say", text=1), choice("say", text=1.0), "right"),
    ("1 is not true", choice("say", text=1), choice("say", text=True), "wrong-arg"),
    ("1 is no string", choice("say", text=1), choice("say", text="1"), "wrong-arg"),
    ("case", choice("say", text="usd"), choice("say", text="USD"), "wrong-arg"),
    ("order of items", choice("say", text=[1, 2]), choice("say", text=[2, 1]), "wrong-arg"),
    ("missing", choice("say", text="a"), choice("say"), "missing-arg"),
    ("null is not missing", choice("say", text=None), choice("say", text=None), "right"),
    ("wrong tool", choice("say", text="a"), choice("look"), "wrong-tool"),
    ("no tool", choice("say", text="a"), None, "wrong-tool"),
    ("a tool for nothing", None, choice("look"), "wrong-tool"),
    ("rightly none", None, None, "right"),
]


@pytest.mark.parametrize(
    "expected, got, outcome", [row[1:] for row in OUTCOMES], ids=[row[0] for row in OUTCOMES]
)
def test_an_outcome(expected, got, outcome, tsumiki, tools, tmp_path):
    path = written(tmp_path / "t.ndjson", [triple("t", expected, got)])
    assert tsumiki("score", path, "--tools", tools, "--json") == 0
    (found,) = tsumiki.json["scores"]
    assert found["outcomes"] == {
        name: int(name == outcome) for name in ("right", "wrong-tool", "missing-arg", "wrong-arg")
    }
    assert found["score"] == (1 if outcome == "right" else 0)


def test_without_the_tools_every_expected_argument_counts(tsumiki, tools, tmp_path):
    path = written(
        tmp_path / "t.ndjson", [triple("t", choice("say", text="a", volume=1), choice("say", text="a"))]
    )
    assert tsumiki("score", path, "--min", 1) == 1 and "missing-arg" in tsumiki.out
    assert tsumiki("score", path, "--min", 1, "--tools", tools) == 0


TRIPLES = [
    triple("1", choice("say", text="a"), choice("say", text="a")),
    triple("2", choice("say", text="a"), choice("look")),
    triple("3", choice("say", text="a"), choice("look")),
    triple("4", choice("look"), choice("say", text="a")),
    triple("5", choice("look"), choice("look"), retries=2),
    triple("6", choice("look"), None),
    triple("1", choice("say", text="a"), choice("say", text="b")),  # a retry
    triple("7", choice("look"), choice("look")),
]


def test_the_report_of_forty_lines_in_small(tsumiki, tools, tmp_path):
    path = written(tmp_path / "t.ndjson", TRIPLES)
    assert tsumiki("score", path, "--tools", tools, "--json") == 0
    (found,) = tsumiki.json["scores"]
    assert (found["decisions"], found["score"]) == (7, 3 / 7)
    assert found["tools"] == {"say": 1 / 3, "look": 0.5}
    assert [tuple(pair.values()) for pair in found["confusions"]] == [
        ("say", "look", 2),
        ("look", "(none)", 1),
        ("look", "say", 1),
    ]
    assert found["retry_rate"] == {"look": 2 / 4, "say": 1 / 2}
    assert tsumiki("score", path, "--tools", tools) == 0
    assert "score  0.429  (3 of 7)" in tsumiki.out and "confused    say -> look  2 times" in tsumiki.out


@pytest.mark.parametrize("least, status", [("0.42", 0), ("0.43", 1)])
def test_a_score_below_the_least_fails(least, status, tsumiki, tools, tmp_path):
    assert (
        tsumiki("score", written(tmp_path / "t.ndjson", TRIPLES), "--tools", tools, "--min", least) == status
    )
    assert ("below" in tsumiki.err) == bool(status)


def test_two_files_are_compared_and_the_later_one_counts(tsumiki, tools, tmp_path):
    before = written(tmp_path / "a.ndjson", TRIPLES)
    after = written(tmp_path / "b.ndjson", TRIPLES[:2])
    assert tsumiki("score", before, after, "--tools", tools, "--json", "--min", "0.5") == 0
    found = tsumiki.json["change"]
    assert found["score"] == pytest.approx(0.5 - 3 / 7)
    assert found["tools"] == {"say": pytest.approx(0.5 - 1 / 3)}
    assert found["retry_rate"] == {"look": -0.5, "say": -0.5}
    assert tsumiki("score", after, before, "--tools", tools, "--min", "0.5") == 1
    assert "score  -0.071" in tsumiki.out and "retries     look  +0.50 a call" in tsumiki.out


def test_the_retries_of_a_cassette(tsumiki, tmp_path):
    rows = []
    refused = result(0, content=[], isError=True)
    for id, (tool, good) in enumerate(
        [("say", 0), ("say", 0), ("look", 1), ("say", 1), ("say", 1), ("look", 1)]
    ):
        rows += [c2s(call(id, tool, {})), s2c(dict(result(0, content=[]) if good else refused, id=id))]
    path = written(tmp_path / "t.ndjson", rows)
    assert tsumiki("score", path, "--json") == 0
    assert tsumiki.json["scores"][0]["retry_rate"] == {"look": 0, "say": 1}
    assert tsumiki("score", path, "--min", "0.9") == 2 and "no decisions" in tsumiki.err


BAD = [
    ("", "no decisions"),
    ("{", "no JSON object"),
    ("[1]", "no object"),
    ('{"got":null}', ":1: expect is missing"),
    ('{"expect":{"tool":"say"}}', ":1: got is missing"),
    ('{"expect":{"name":"say"},"got":null}', ":1: expect must be"),
    ('{"expect":null,"got":{"tool":"say","arguments":[]}}', ":1: got must be"),
    ('{"expect":null,"got":null,"retries":-1}', ":1: retries must be"),
    ('{"expect":{"tool":"none"},"got":{"tool":"none"}}', "none is not in --tools"),
    ('{"expect":{"tool":"say"},"got":{"tool":"say"}}', "say requires text, which is not in expect"),
]


@pytest.mark.parametrize("text, words", BAD, ids=[words for _, words in BAD])
def test_a_file_with_a_slip_is_refused(text, words, tsumiki, tools, tmp_path):
    (tmp_path / "t.ndjson").write_text(text)
    assert tsumiki("score", tmp_path / "t.ndjson", "--tools", tools) == 2
    assert words in tsumiki.err and len(tsumiki.err.splitlines()) == 1


def test_the_least_is_a_share(tsumiki, tmp_path):
    assert tsumiki("score", written(tmp_path / "t.ndjson", TRIPLES), "--min", "90") == 2
