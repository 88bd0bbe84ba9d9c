"""What `tsumiki check` finds: each code, where, and that sound files have none."""

import copy
import json

import jsonschema
import pytest

from kit.playing import GREENHOUSE, original
from kit.served import DUMMY, TIDE, run
from tsumiki.check import SCHEMA, check, problems
from tsumiki.check_fixture import findings
from tsumiki.finding import Finding

SOUND = {
    "schema": "tsumiki/fixture-v1",
    "server": {"name": "s", "version": "1"},
    "tools": [
        {
            "name": "t",
            "inputSchema": {
                "type": "object",
                "properties": {"n": {"type": "integer"}, "s": {"type": "string", "maxLength": 9}},
                "additionalProperties": False,
            },
            "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
            "cases": [
                {"when": {"n": 1}, "result": {"content": [], "structuredContent": {"n": 1}}},
                {"when": {"n": 2}, "error": {"code": 7, "message": "busy"}},
            ],
        }
    ],
    "resources": [{"uri": "a://b", "name": "b", "text": "c"}],
    "prompts": [{"name": "p", "messages": [{"role": "user", "content": {"type": "text", "text": "x"}}]}],
}
WORDS = {"content": [{"type": "text", "text": "x"}]}
DEEP = {"type": "object", "properties": {"p": {"type": "string", "pattern": "(?=a)b"}}}
FREE = {"type": "object", "properties": {"instruction": {"type": "string"}}, "required": ["instruction"]}


def changed(path, value):
    """SOUND with another value at a place: "tools/0/name"; ... takes the member away."""
    document = copy.deepcopy(SOUND)
    *way, last = [int(p) if p.isdigit() else p for p in path.split("/")]
    at = document
    for name in way:
        at = at[name]
    if value is ...:
        del at[last]
    elif isinstance(at, list):
        at.insert(last, value)
    else:
        at[last] = value
    return document


def told(document, device=False):
    return {(f.code, f.severity, f.path) for f in findings(document, device)}


# place in SOUND, what is put there, what must be found
WRONG = (
    ("schema", "mcpstub/v2", ("FX002", "error", "/schema")),
    ("schema", ..., ("FX002", "error", "/schema")),
    ("server", ..., ("FX003", "warning", "/server")),
    ("server", [], ("FX003", "error", "/server")),
    ("server/name", "", ("FX003", "error", "/server/name")),
    ("server/version", ..., ("FX003", "warning", "/server/version")),
    ("tools", {}, ("FX003", "error", "/tools")),
    ("tools/0", "t", ("FX003", "error", "/tools/0")),
    ("tools/0/name", ..., ("FX003", "error", "/tools/0/name")),
    ("tools/0/name", 5, ("FX003", "error", "/tools/0/name")),
    ("tools/1", {"name": "t", "inputSchema": {"type": "object"}}, ("FX004", "error", "/tools/1/name")),
    ("resources/1", {"uri": "a://b", "name": "c"}, ("FX005", "error", "/resources/1/uri")),
    ("prompts/0", {"name": "p"}, ("FX005", "error", "/prompts/1/name")),
    ("resourceTemplates", [{"uriTemplate": "a://{b}"}] * 2, ("FX005", "error", "/resourceTemplates/1/uriTemplate")),
    ("templates", [{}], ("FX003", "error", "/templates/0/uriTemplate")),
    ("tools/0/inputSchema", ..., ("FX006", "error", "/tools/0/inputSchema")),
    ("tools/0/inputSchema", {"type": "string"}, ("FX006", "error", "/tools/0/inputSchema")),
    ("tools/0/inputSchema/properties", [], ("FX006", "error", "/tools/0/inputSchema")),
    ("tools/0/outputSchema", {"type": "array"}, ("FX006", "error", "/tools/0/outputSchema")),
    ("tools/0/cases", {}, ("FX007", "error", "/tools/0/cases")),
    ("tools/0/cases/0", [], ("FX007", "error", "/tools/0/cases/0")),
    ("tools/0/cases/0/when", ..., ("FX007", "error", "/tools/0/cases/0")),
    ("tools/0/cases/0/when", [1], ("FX007", "error", "/tools/0/cases/0")),
    ("tools/0/cases/0/error", {"code": 1, "message": ""}, ("FX008", "error", "/tools/0/cases/0")),
    ("tools/0/cases/0/result", ..., ("FX008", "error", "/tools/0/cases/0")),
    ("tools/0/cases/0/sequence", [{"result": WORDS}], ("FX008", "error", "/tools/0/cases/0")),
    ("tools/0/sequence", [], ("FX008", "error", "/tools/0")),
    ("tools/0/sequence", [5], ("FX008", "error", "/tools/0/sequence/0")),
    ("tools/0/cases/1/error/code", "7", ("FX009", "error", "/tools/0/cases/1/error")),
    ("tools/0/cases/1/error/code", True, ("FX009", "error", "/tools/0/cases/1/error")),
    ("tools/0/cases/1/error/message", ..., ("FX009", "error", "/tools/0/cases/1/error")),
    ("tools/0/cases/0/when", {}, ("FX010", "warning", "/tools/0/cases/1")),
    ("tools/0/cases/1/when", {"n": 1, "s": "x"}, ("FX010", "warning", "/tools/0/cases/1")),
    ("tools/0/cases/0/result", 5, ("FX011", "error", "/tools/0/cases/0/result")),
    ("tools/0/cases/0/result/content", "x", ("FX011", "error", "/tools/0/cases/0/result/content")),
    ("tools/0/cases/0/result/content", ..., ("FX011", "warning", "/tools/0/cases/0/result/content")),
    (
        "tools/0/cases/0/result/content/0",
        {"type": "text"},
        ("FX011", "error", "/tools/0/cases/0/result/content/0/text"),
    ),
    ("tools/0/cases/0/result/content/0", {"type": "video"}, ("FX011", "error", "/tools/0/cases/0/result/content/0")),
    ("tools/0/cases/0/result/isError", "yes", ("FX011", "error", "/tools/0/cases/0/result/isError")),
    ("prompts/0/messages", ..., None),
    ("prompts/0/result", {"messages": [{"role": "robot"}]}, ("FX011", "error", "/prompts/0/result/messages/0")),
    ("resources/0/result", {"contents": [{"uri": "a://b"}]}, ("FX011", "error", "/resources/0/result/contents/0")),
    ("tools/0/cases/0/result", WORDS, ("FX012", "error", "/tools/0/cases/0/result")),
    (
        "tools/0/cases/0/result/structuredContent",
        {"n": "1"},
        ("FX012", "error", "/tools/0/cases/0/result/structuredContent/n"),
    ),
    ("tools/0/outputSchema/properties/n/enum", [], ("FX006", "error", "/tools/0/outputSchema")),
    (
        "tools/0/outputSchema/properties/n",
        {"type": "integer", "minimum": 5, "maximum": 7, "multipleOf": 4},
        ("FX012", "warning", "/tools/0/outputSchema"),
    ),
    ("tools/0/cases/0/when", {"m": 1}, ("FX013", "warning", "/tools/0/cases/0/when/m")),
    ("tools/0/cases/0/when", {"n": "1"}, ("FX013", "warning", "/tools/0/cases/0/when/n")),
    ("tools/0/cases/1/error/code", -32004, ("FX014", "warning", "/tools/0/cases/1/error/code")),
    ("tools/0/cases/1/error/code", -32602, None),
    ("tools/0/name", "a b", ("FX015", "warning", "/tools/0/name")),
    ("tools/0/name", "x" * 129, ("FX015", "warning", "/tools/0/name")),
    ("extra", 1, ("FX016", "error", "/extra")),
    ("x-extra", 1, None),
    ("tools/0/wants", 1, ("FX016", "warning", "/tools/0/wants")),
    ("tools/0/cases/0/then", 1, ("FX016", "error", "/tools/0/cases/0/then")),
    ("http", {"port": 1}, ("FX016", "error", "/http/port")),
    ("tools/0/inputSchema", DEEP, ("FX017", "warning", "/tools/0/inputSchema/properties/p/pattern")),
    ("tools/0/description", "Authorization: Bearer abcdefghijklmnop", ("FX018", "error", "/tools/0/description")),
    ("server/api_key", "q1w2e3r4", ("FX018", "error", "/server/api_key")),
    ("tools/0/inputSchema/properties/api_key", {"type": "string"}, None),
    ("tools/0/inputSchema", FREE, ("FX019", "warning", "/tools/0/inputSchema/properties/instruction")),
    ("instructions", 5, ("FX020", "error", "/instructions")),
    ("protocol", [], ("FX020", "error", "/protocol")),
    ("protocol", {"eras": ["new"]}, ("FX020", "error", "/protocol/eras")),
    ("protocol", {"versions": []}, ("FX020", "error", "/protocol/versions")),
    ("http", {"session": True}, ("FX020", "error", "/http/session")),
    ("cache", {"ttlMs": -1}, ("FX020", "error", "/cache/ttlMs")),
    ("tools/0/validate", 1, ("FX020", "error", "/tools/0/validate")),
    ("tools/0/cases/0/times", -1, ("FX020", "error", "/tools/0/cases/0/times")),
    ("tools/0/delayMs", "5", ("FX020", "error", "/tools/0/delayMs")),
    ("resourceTemplates", [{"uriTemplate": "a://{+b}"}], ("FX021", "warning", "/resourceTemplates/0/uriTemplate")),
    ("tools/0/cases/0/result/_meta", {}, ("FX022", "warning", "/tools/0/cases/0/result/_meta")),
)  # fmt: skip


@pytest.mark.parametrize("path, value, wanted", WRONG, ids=range(len(WRONG)))
def test_what_is_wrong_is_found_where_it_is(path, value, wanted):
    found = told(changed(path, value))
    if wanted is None:
        assert found == set()
    else:
        assert wanted in found


def test_what_is_sound_has_no_findings():
    assert told(SOUND) == set() and told(SOUND, True) == set()
    for path in (TIDE, DUMMY, GREENHOUSE):
        assert check(path)[1] == []


def test_a_document_of_no_object_is_none():
    assert told([]) == {("FX001", "error", "")}


def test_mcpstub_files_may_have_members_that_are_not_known_here():
    document = dict(changed("tools/0/cases/0/then", 1), schema="mcpstub/v1", extra=1)
    wanted = {("FX016", "warning", "/extra"), ("FX016", "warning", "/tools/0/cases/0/then")}
    assert told(document) == wanted


def test_a_case_behind_one_that_ends_is_reached():
    document = changed("tools/0/cases/0", {"when": {}, "times": 1, "error": {"code": 1, "message": "m"}})
    assert told(document) == set()


FOR_A_DEVICE = (
    ("tools/0/inputSchema", DEEP, ("FX017", "error", "/tools/0/inputSchema/properties/p/pattern")),
    ("tools/0/name", "x" * 65, ("FX017", "warning", "/tools/0/name")),
    ("tools/0/description", "x" * 25000, ("FX017", "error", "/tools/0")),
    ("resources/0/text", "x" * 25000, ("FX017", "error", "/resources/0/text")),
    ("tools/0/cases/0/result/content/0", {"type": "text", "text": "x" * 25000}, ("FX017", "error", "/tools/0/cases/0")),
    ("tools/0/cases/0/when", {"n": 0.1234567}, ("FX017", "warning", "/tools/0/cases/0/when/n")),
    ("instructions", "x" * 70000, ("FX017", "warning", "")),
)  # fmt: skip


@pytest.mark.parametrize("path, value, wanted", FOR_A_DEVICE, ids=range(len(FOR_A_DEVICE)))
def test_what_a_robot_cannot_serve_is_found_if_asked_for(path, value, wanted):
    document = changed(path, value)
    assert wanted in told(document, True)
    assert wanted not in told(document)


def test_what_a_robot_would_not_check_in_full_is_found():
    document = changed("tools/0/inputSchema/properties/n", {"anyOf": [{"type": "integer"}]})
    document["tools"][0]["validate"] = True
    assert ("FX017", "warning", "/tools/0/inputSchema") in told(document, True)


# Errors that stop a server are those, less what only stands in the file.
def test_what_is_not_served_and_what_is():
    assert [f.code for f in problems(changed("tools/0/name", ""))] == ["FX003"]
    assert problems(changed("tools/0/description", "Authorization: Bearer abcdefghijklmnop")) == []
    assert problems(changed("tools/0/name", "a b")) == []


def test_findings_are_sorted_by_place():
    order = ["", "/server", "/tools/2", "/tools/10", "/tools/10/name"]
    found = [Finding("FX003", "error", path, "m") for path in order]
    assert sorted(reversed(found)) == found


# The published schema says what it can of the same: it takes what is sound, and no document with a broken structure.
STRUCTURE = ("FX004", "FX005", "FX012", "FX018")


def test_the_published_schema_takes_what_is_sound_and_refuses_what_is_broken():
    schema = json.loads(SCHEMA.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for path in (TIDE, DUMMY):
        validator.validate(json.loads(path.read_text("utf-8")))
    validator.validate(SOUND)
    refused = 0
    for path, value, wanted in WRONG:
        document = changed(path, value)
        if wanted is None or wanted[1] == "warning":
            assert wanted or validator.is_valid(document)
        elif wanted[0] not in STRUCTURE:
            # Inside an advertised schema the format says no more than that it is one.
            inside = "Schema" in wanted[2] and value not in (..., {"type": "string"}, {"type": "array"})
            assert validator.is_valid(document) == inside, (path, value)
            refused += not inside
    assert refused > 30


@pytest.fixture
def broken(tmp_path):
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(changed("tools/0/name", "")), "utf-8")
    return path


def test_the_command():
    status, out, err = run("check", TIDE)
    assert (status, out, err) == (0, "\u2713 valid mcpstub fixture: %s\n" % TIDE, "")
    assert run("check", DUMMY)[1] == "\u2713 valid tsumiki fixture: %s\n" % DUMMY
    assert run("check", GREENHOUSE)[1] == "\u2713 valid cassette: %s\n" % GREENHOUSE
    assert json.loads(run("check", "--json", TIDE)[1]) == {"ok": True, "findings": []}
    assert json.loads(run("check", "--schema")[1])["title"] == "A fixture of an MCP server"


def test_the_command_on_what_is_broken(broken, tmp_path):
    status, out, _ = run("check", broken)
    assert status == 1 and out.startswith("error FX003 /tools/0/name: ")
    status, out, _ = run("check", "--json", broken)
    found = json.loads(out)
    assert (status, found["ok"]) == (1, False)
    assert found["findings"] == [
        {
            "code": "FX003",
            "severity": "error",
            "path": "/tools/0/name",
            "message": "must be a string that is not empty",
        }
    ]
    path = tmp_path / "none.json"
    for text, code in (("{nonsense", "FX001"), ('{"a":NaN}', "FX001"), ("[]", "FX001")):
        path.write_text(text)
        status, out, _ = run("check", path)
        assert status == 1 and out.startswith("error %s /: " % code), out
    path.write_bytes(b'{"a":"\xff"}')
    assert run("check", path)[1].startswith("error FX001 /: is no UTF-8 at byte 6")
    status, out, err = run("check", tmp_path / "not-there.json")
    assert (status, out) == (2, "") and len(err.splitlines()) == 1


def test_warnings_are_errors_if_so_wished(tmp_path):
    path = tmp_path / "warned.json"
    path.write_text(json.dumps(changed("tools/0/name", "a b")), "utf-8")
    status, out, _ = run("check", path)
    assert status == 0 and out.endswith("(1 warning)\n")
    assert run("check", "--strict", path)[0] == 1


def test_the_articles_files():
    assert [f.code for f in check(original("weather.json"))[1]] == ["FX014"]
    assert check(original("cassette.ndjson"))[1] == []


CASSETTE = (
    (['{"direction":"c2s","raw":"hello"}'], ("CS002", "warning", "line 1")),
    (['{"direction":"c2s","raw":"5"}'], ("CS002", "warning", "line 1")),
    (['{"direction":"c2s","raw":"{\\"id\\":1,\\"method\\":\\"m\\"}"}'], ("CS003", "warning", "line 1")),
    (['{"direction":"s2c","raw":"{\\"id\\":1,\\"result\\":{}}"}'], ("CS004", "warning", "line 1")),
    (
        ['{"direction":"c2s","raw":"{\\"id\\":1,\\"method\\":\\"m\\"}"}']
        + ['{"direction":"s2c","raw":"{\\"id\\":1,\\"result\\":{}}"}'] * 2,
        ("CS005", "warning", "line 3"),
    ),
    (['{"cassette":"tsumiki/cassette-v1"}'], ("CS001", "error", "")),
    (
        ['{"direction":"c2s","raw":"{\\"method\\":\\"m\\",\\"params\\":{\\"token\\":\\"abcdefgh\\"}}"}'],
        ("FX018", "error", "line 1"),
    ),
    (['{"direction":"s2c","raw":"Bearer abcdefghijkl"}'], ("FX018", "error", "line 1")),
    (
        ['{"direction":"c2s","raw":"{}"}', "{nonsense", '{"direction":"c2s","raw":"{}"}'],
        ("CS001", "error", ""),
    ),
)


@pytest.mark.parametrize("rows, wanted", CASSETTE, ids=range(len(CASSETTE)))
def test_what_is_wrong_with_a_cassette_is_found(tmp_path, rows, wanted):
    path = tmp_path / "tape.ndjson"
    path.write_text("\n".join(rows) + "\n")
    kind, found = check(path)
    assert kind == "cassette" and wanted in {(f.code, f.severity, f.path) for f in found}, found
