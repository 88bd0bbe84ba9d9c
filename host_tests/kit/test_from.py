"""Fixtures made of what servers offer: from files of several shapes, and from servers that are only listed."""

import json

import pytest

from kit.playing import GREENHOUSE, original
from kit.served import DUMMY, TIDE, Served, command, run
from tsumiki.check import check

TOOL = {
    "name": "t",
    "title": "T",
    "description": "D",
    "inputSchema": {
        "type": "object",
        "properties": {"a": {"type": "string", "pattern": "^é$"}},
        "required": ["a"],
    },
    "outputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": True},
    "icons": [{"src": "https://example.com/i.png"}],
    "_meta": {"com.example/x": 1},
}
RESOURCE = {"uri": "a://b", "name": "b", "mimeType": "text/plain", "size": 5}
TEMPLATE = {"uriTemplate": "a://{b}", "name": "t"}
PROMPT = {"name": "p", "description": "D", "arguments": [{"name": "x", "required": True}]}
SERVER = {"name": "s", "version": "3"}
LISTS = {"tools": [TOOL], "resources": [RESOURCE], "resourceTemplates": [TEMPLATE], "prompts": [PROMPT]}

# What a file may hold, and the identity that it tells.
SHAPES = {
    "tools-list": ({"tools": [TOOL]}, None),
    "message": ({"jsonrpc": "2.0", "id": 1, "result": {"tools": [TOOL]}}, None),
    "array": ([TOOL], None),
    "modern": (
        {"tools": [TOOL], "ttlMs": 0, "_meta": {"io.modelcontextprotocol/serverInfo": SERVER}},
        SERVER,
    ),
    "report": (
        {"schema": "report/v1", "ok": True, "server": SERVER, "inventory": LISTS, "checks": [{"id": "x"}]},
        SERVER,
    ),
    "report-by-info": ({"target": {"command": "x"}, "result": {"serverInfo": SERVER, **LISTS}}, SERVER),
    "report-with-templates": (
        {"contract": {"tools": [TOOL], "templates": [TEMPLATE], "serverInfo": SERVER}},
        SERVER,
    ),
    "fixture": (
        {"schema": "mcpstub/v1", "server": SERVER, "tools": [dict(TOOL, cases=[], result={"content": []})]},
        SERVER,
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_file_of_any_shape_becomes_a_fixture(tmp_path, shape):
    value, identity = SHAPES[shape]
    source, out = tmp_path / "report.json", tmp_path / "made.json"
    source.write_text(json.dumps(value), "utf-8")
    assert run("from", source, "--out", out) == (0, "tsumiki: wrote %s (1 tool)\n" % out, "")
    made = json.loads(out.read_text("utf-8"))
    assert made["schema"] == "tsumiki/fixture-v1"
    assert made["server"] == (identity or {"name": "stub", "version": "0"})
    assert made["tools"] == [TOOL]
    if shape in ("report", "report-by-info"):
        assert {name: made[name] for name in LISTS} == LISTS
    if shape == "report-with-templates":
        assert made["resourceTemplates"] == [TEMPLATE]
    assert check(out)[1] == []


def test_without_a_name_it_is_printed():
    status, out, err = run("from", TIDE)
    assert (status, err) == (0, "")
    made = json.loads(out)
    tools = json.loads(TIDE.read_text("utf-8"))["tools"]
    assert made["tools"] == [{k: v for k, v in t.items() if k not in ("cases", "result")} for t in tools]
    assert "Brest" not in out  # nothing that was ever answered


def test_a_cassette_becomes_a_fixture(tmp_path):
    made = json.loads(run("from", GREENHOUSE)[1])
    assert made["server"]["name"] == "greenhouse" and made["tools"][0]["name"] == "read_bed"
    assert "41 %" not in json.dumps(made)
    made = json.loads(run("from", original("cassette.ndjson"))[1])
    assert made["server"] == {"name": "echo-test", "version": "1.0.0"}
    assert [t["name"] for t in made["tools"]] == ["echo"]


REFUSED = (
    ({"a": 1}, "no list of tools"),
    ({"a": {"tools": [TOOL]}, "b": {"tools": [TOOL]}}, "more than one list of tools: at /a, /b"),
    ("{nonsense", "no JSON"),
    ({"tools": [TOOL, TOOL]}, "t"),
)


@pytest.mark.parametrize("value, text", REFUSED, ids=range(len(REFUSED)))
def test_what_holds_no_tools_is_refused(tmp_path, value, text):
    source = tmp_path / "x.json"
    source.write_text(value if isinstance(value, str) else json.dumps(value))
    status, out, err = run("from", source)
    assert (status, out, len(err.splitlines())) == (2, "", 1) and text in err, err


def test_a_file_that_is_there_stays(tmp_path):
    out = tmp_path / "made.json"
    out.write_text("mine")
    status, _, err = run("from", TIDE, "--out", out)
    assert status == 2 and "--force" in err and out.read_text() == "mine"
    assert run("from", TIDE, "--out", out, "--force")[0] == 0
    assert json.loads(out.read_text("utf-8"))["tools"]
    assert [p.name for p in tmp_path.iterdir()] == ["made.json"]


def test_one_source_please():
    for arguments in ((), (TIDE, "--url", "http://127.0.0.1:1/mcp")):
        status, _, err = run("from", *arguments)
        assert status == 2 and "please" in err


LISTED = {"server/discover", "initialize", "notifications/initialized", "tools/list", "resources/list"}
LISTED |= {"resources/templates/list", "prompts/list"}


def offered(document):
    """The lists of a fixture, as its server would tell them."""
    own = ("cases", "result", "text", "delayMs")
    return {
        name: [{k: v for k, v in entry.items() if k not in own} for entry in document[name]] for name in LISTS
    }


@pytest.mark.parametrize("era", ["auto", "legacy", "modern"])
def test_a_live_server_is_listed_and_never_called(tmp_path, era):
    document = json.loads(DUMMY.read_text("utf-8"))
    by_http, by_stdio = tmp_path / "http.json", tmp_path / "stdio.json"
    log = tmp_path / "calls.jsonl"
    with Served(DUMMY, "--log", log) as served:
        status, out, err = run("from", "--url", served.url + "/mcp", "--era", era, "--out", by_http)
        assert (status, out) == (0, "tsumiki: wrote %s (4 tools)\n" % by_http), err
    status, out, err = run(
        "from", "--era", era, "--out", by_stdio, "--", *command("serve", DUMMY, "--log", log)
    )
    assert status == 0, err
    for path in (by_http, by_stdio):
        made = json.loads(path.read_text("utf-8"))
        assert offered(made) == offered(document) and made["instructions"] == document["instructions"]
        assert made["server"]["name"] == "tsumiki-dummy"
        assert check(path)[1] == []
    assert log.read_text() == ""


def test_a_server_that_cannot_be_reached():
    status, _, err = run("from", "--url", "http://127.0.0.1:9/mcp")
    assert status == 4 and len(err.splitlines()) == 1
