"""What is found in files of every kind, and in a live server."""

import asyncio
import json

import pytest

from kit import mutable, playing, taping
from kit.commands import written
from tsumiki import surface
from tsumiki.errors import Failed, Unreadable
from tsumiki.live import Live

ECHO = {"name": "echo", "inputSchema": {"type": "object"}}
ADD = {"name": "add", "inputSchema": {"type": "object"}}
PROMPT = {"name": "greet"}
INFO = {"name": "robot", "version": "2.0.0"}
FIXTURE = {"schema": "mcpstub/v1", "server": INFO, "tools": [ECHO, ADD], "prompts": [PROMPT]}

SHAPES = {
    "fixture": FIXTURE,
    "fixture of our own": dict(FIXTURE, schema="tsumiki/fixture-v1"),
    "result": {"tools": [ECHO, ADD], "prompts": [PROMPT], "serverInfo": INFO},
    "envelope": {
        "jsonrpc": "2.0",
        "id": 1,
        "result": {
            "tools": [ECHO, ADD],
            "prompts": [PROMPT],
            "_meta": {"io.modelcontextprotocol/serverInfo": INFO},
        },
    },
    "report": {
        "schema": "somebody/v1",
        "server": INFO,
        "inventory": {"tools": [ECHO, ADD], "prompts": [PROMPT]},
        "findings": [{"tool": "echo"}],
    },
    "deep report": {
        "runs": [{"surface": {"server": INFO, "contract": {"tools": [ECHO, ADD], "prompts": [PROMPT]}}}]
    },
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_tools_are_found_in_files_of_every_shape(shape, tmp_path):
    found = surface.read(written(tmp_path / "f.json", SHAPES[shape]))
    assert list(found.tools) == ["echo", "add"] and found.tools["echo"]["inputSchema"] == {"type": "object"}
    assert list(found.prompts) == ["greet"] and found.identity == INFO


def test_a_bare_list_is_one_of_tools(tmp_path):
    path = tmp_path / "f.json"
    path.write_text("\ufeff" + json.dumps([ECHO]), "utf-8")
    assert list(surface.read(path).tools) == ["echo"]


def test_what_a_file_does_not_tell_is_not_known_but_a_fixture_tells_all():
    assert surface.of_value({"tools": []}, "x").prompts is None
    assert surface.of_value(dict(FIXTURE, templates=[{"uriTemplate": "a{b}"}]), "x").resources == {}


def test_both_names_of_templates_are_read():
    for name in ("templates", "resourceTemplates"):
        assert list(surface.of_value({"tools": [], name: [{"uriTemplate": "a{b}"}]}, "x").templates) == [
            "a{b}"
        ]


UNREADABLE = [
    ("", "no JSON"),
    ("{", "no JSON"),
    ("{}", "no list of tools"),
    ('{"tools":[{"title":"x"}]}', "no list of tools"),
    ('{"a":{"tools":[{"name":"x"}]},"b":{"tools":[{"name":"y"}]}}', "more than one list of tools: at /a, /b"),
    ('{"tools":[{"name":"x"},{"name":"x"}]}', "tools has x twice"),
    ('{"tools":[],"prompts":[{}]}', "prompts/0 has no name"),
    ('{"tools":[],"n":NaN}', "NaN"),
    ('{"tools":[],"n":1e999}', "too large"),
    ('{"tools":' + "[" * 3000 + "]" * 3000 + "}", "deep"),
]


@pytest.mark.parametrize("text, words", UNREADABLE, ids=[words for _, words in UNREADABLE])
def test_what_cannot_be_read_is_named(text, words, tmp_path):
    path = tmp_path / "f.json"
    path.write_text(text)
    with pytest.raises(Unreadable, match=words) as e:
        surface.read(path)
    assert "f.json" in str(e.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(Unreadable, match=path.name):
            surface.read(path)


def _tape(*pages):
    rows = []
    for id, (cursor, names, following) in enumerate(pages):
        asked = playing.request(id, "tools/list", {"cursor": cursor} if cursor else None)
        more = {"nextCursor": following} if following else {}
        rows += [
            playing.c2s(asked),
            playing.s2c(playing.result(id, tools=[{"name": n} for n in names], **more)),
        ]
    return rows


PAGES = [
    ("one page", [(None, ["a", "b"], None)], ["a", "b"], []),
    ("two pages", [(None, ["a"], "2"), ("2", ["b"], None)], ["a", "b"], []),
    ("read twice: the last counts", [(None, ["a"], None), (None, ["b"], None)], ["b"], []),
    ("not read to its end", [(None, ["a"], "2")], ["a"], ["not read to its end"]),
    ("the last was cut", [(None, ["a", "b"], None), (None, ["a"], "2")], ["a", "b"], []),
    (
        "a circle",
        [(None, ["a"], "2"), ("2", ["b"], "2"), ("2", ["c"], None)],
        ["a", "b"],
        ["comes twice", "its end"],
    ),
    ("from nowhere", [("9", ["z"], None)], None, ["from nowhere"]),
]


@pytest.mark.parametrize("pages, names, notes", [row[1:] for row in PAGES], ids=[row[0] for row in PAGES])
def test_a_list_of_a_cassette_is_the_last_one_that_was_read_to_its_end(pages, names, notes, tmp_path):
    found = surface.read(written(tmp_path / "t.ndjson", _tape(*pages)))
    assert (found.tools if found.tools is None else list(found.tools)) == names
    assert (
        [words for words, note in zip(notes, found.notes) if words in note]
        == notes
        == notes[: len(found.notes)]
    )


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_live_server_is_listed_and_nothing_is_called(era, tmp_path):
    log = tmp_path / "calls"

    async def look():
        async with Live(mutable.command(more=("--log", str(log))), era=era) as live:
            return await surface.of_live(live, "live")

    found = asyncio.run(look())
    tape = surface.read(taping.record(mutable.command(), tmp_path / "t.ndjson", taping.HANDSHAKE))
    assert list(found.tools) == ["echo", "get_status", "move"] and not log.exists()
    for name in ("tools", "resources", "templates", "prompts"):
        assert getattr(found, name) == getattr(tape, name)
    assert found.identity == tape.identity == {"name": "mutable", "version": "1.0.0"}


def test_repeated_cursors_of_a_live_server_are_refused():
    async def look():
        async with Live(mutable.command("repeated-cursor")) as live:
            await surface.of_live(live, "live")

    with pytest.raises(Failed, match="comes twice"):
        asyncio.run(look())


def test_the_originals_are_read():
    tape = surface.read(playing.original("cassette.ndjson"))
    assert list(tape.tools) == ["echo"] and tape.identity["name"] == "echo-test"
    assert [e.error_class for e in tape.recording.exchanges] == ["ok", "ok", "ok", "tool_error"]
    weather = surface.read(playing.original("weather.json"))
    answers = [weather.answer("get_weather", {"city": city}) for city in ("Paris", "Atlantis", "Rome")]
    assert [answer.error_class for answer in answers] == ["ok", "rpc_error:-32004", "ok"]
