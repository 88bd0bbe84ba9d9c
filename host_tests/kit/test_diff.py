"""`tsumiki diff`: lists, error classes, sources of all kinds, exit statuses."""

import json

import pytest

from kit import mutable, playing, taping
from kit.commands import Command, written
from kit.playing import c2s, call, request, result, s2c

SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


@pytest.fixture
def tsumiki(capsys):
    return Command(capsys)


def surface_of(**more):
    return {"tools": [{"name": "echo", "description": "Echo.", "inputSchema": SCHEMA}], **more}


def tool(**changes):
    return {"tools": [{**surface_of()["tools"][0], **changes}]}


def prompt(*arguments, **more):
    listed = [{"name": name.strip("!"), "required": name.endswith("!")} for name in arguments]
    return surface_of(prompts=[{"name": "p", "arguments": listed, **more}])


def hints(**annotations):
    return tool(annotations=annotations)


READS = {"readOnlyHint": True}
OUTPUT = {"outputSchema": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}}
LOOSE = {"outputSchema": {"type": "object", "properties": {"a": {"type": "integer"}}}}
URI = [{"uri": "a:b", "name": "b", "mimeType": "text/plain"}]
TEMPLATE = [{"uriTemplate": "a:{b}", "name": "b"}]

LISTS = [
    ("tool gone", surface_of(), {"tools": []}, "breaking tool-removed"),
    ("tool new", {"tools": []}, surface_of(), "info tool-added"),
    ("description", surface_of(), tool(description="Say it."), "routing words"),
    ("title", surface_of(), tool(title="Say"), "routing words"),
    ("read-only gone", hints(**READS), hints(readOnlyHint=False), "breaking not-read-only"),
    ("read-only no more said", hints(**READS), surface_of(), "breaking not-read-only"),
    ("read-only now", surface_of(), hints(**READS), "info annotations"),
    ("destructive", hints(destructiveHint=False), hints(destructiveHint=True), "breaking destructive"),
    ("not destructive", hints(destructiveHint=True), hints(destructiveHint=False), "info annotations"),
    ("output gone", tool(**OUTPUT), surface_of(), "breaking output-removed"),
    ("output new", surface_of(), tool(**OUTPUT), "info output-added"),
    ("output no longer required", tool(**OUTPUT), tool(**LOOSE), "breaking required-lost"),
    ("prompt gone", prompt(), surface_of(prompts=[]), "breaking prompt-removed"),
    ("prompt's argument required", prompt("a"), prompt("a!"), "breaking required-gained"),
    ("prompt's argument gone", prompt("a"), prompt(), "breaking removed"),
    ("prompt's argument new", prompt(), prompt("a"), "info added"),
    ("prompt's argument new, required", prompt(), prompt("a!"), "breaking added-required"),
    ("prompt's argument optional", prompt("a!"), prompt("a"), "routing required-lost"),
    ("prompt's words", prompt(), prompt(description="x"), "routing words"),
    ("resource gone", surface_of(resources=URI), surface_of(resources=[]), "breaking resource-removed"),
    (
        "resource's type",
        surface_of(resources=URI),
        surface_of(resources=[dict(URI[0], mimeType="a/b")]),
        "info mime-type",
    ),
    ("template gone", surface_of(templates=TEMPLATE), surface_of(templates=[]), "breaking template-removed"),
    (
        "version",
        surface_of(server={"name": "s", "version": "1"}),
        surface_of(server={"name": "s", "version": "2"}),
        "info identity",
    ),
    (
        "instructions",
        dict(surface_of(server={"name": "s"}), instructions="a"),
        dict(surface_of(server={"name": "s"}), instructions="b"),
        "routing words",
    ),
]


@pytest.mark.parametrize("old, new, expected", [row[1:] for row in LISTS], ids=[row[0] for row in LISTS])
def test_a_change_of_the_lists(old, new, expected, tsumiki, tmp_path):
    paths = written(tmp_path / "old.json", old), written(tmp_path / "new.json", new)
    status = tsumiki("diff", *paths, "--json")
    assert [("%(level)s %(kind)s" % change) for change in tsumiki.json["changes"]] == [expected]
    assert status == (1 if expected.startswith("breaking") else 0)
    assert tsumiki("diff", paths[0], paths[0], "--fail-on", "any") == 0 and tsumiki.out == "no differences\n"


STATUSES = [
    ("breaking", {"tools": []}, (1, 1, 1)),
    ("routing", tool(title="x"), (0, 1, 1)),
    ("info", hints(a=1), (0, 0, 1)),
]


@pytest.mark.parametrize("level, new, statuses", STATUSES)
def test_what_fails_is_the_users_choice(level, new, statuses, tsumiki, tmp_path):
    paths = written(tmp_path / "old.json", surface_of()), written(tmp_path / "new.json", new)
    assert (
        tuple(tsumiki("diff", *paths, "--fail-on", what) for what in ("breaking", "routing", "any"))
        == statuses
    )
    assert tsumiki.out.startswith(level)
    assert tsumiki("diff", *paths) == statuses[0]


def asked(*exchanges):
    """Rows: (request without id, response without id or None)."""
    rows = []
    for id, (message, answer) in enumerate(exchanges):
        rows.append(c2s(dict(message, id=id)))
        if answer is not None:
            rows.append(s2c(dict(answer, id=id)))
    return rows


def say(text):
    return call(0, "echo", {"text": text})


OK = result(0, content=[])
REFUSED = result(0, content=[{"type": "text", "text": "too_long: /text"}], isError=True)
OTHER = result(0, content=[{"type": "text", "text": "busy"}], isError=True)
ERROR = {"jsonrpc": "2.0", "error": {"code": -32602, "message": "no"}}
WILD = request(0, "tools/call")

CLASSES = [
    ("the same", [(say("a"), OK)], [(say("a"), OK)], [], 0),
    ("another", [(say("a"), OK)], [(say("a"), REFUSED)], ["was ok, is tool_error:too_long"], 0),
    (
        "another code",
        [(say("a"), REFUSED)],
        [(say("a"), OTHER)],
        ["was tool_error:too_long, is tool_error:busy"],
        0,
    ),
    (
        "a protocol error",
        [(say("a"), REFUSED)],
        [(say("a"), ERROR)],
        ["was tool_error:too_long, is rpc_error:-32602"],
        0,
    ),
    ("not answered", [(say("a"), OK)], [(say("a"), None)], ["was ok, is unanswered"], 0),
    ("another order", [(say("a"), OK), (say("b"), ERROR)], [(say("b"), ERROR), (say("a"), OK)], [], 0),
    (
        "the same twice, in order",
        [(say("a"), OK), (say("a"), ERROR)],
        [(say("a"), ERROR), (say("a"), OK)],
        ["was ok, is rpc_error:-32602", "was rpc_error:-32602, is ok"],
        0,
    ),
    ("not asked again", [(say("a"), OK), (say("b"), OK)], [(say("a"), OK)], [], 1),
    (
        "without params, in order",
        [(WILD, OK), (WILD, ERROR)],
        [(say("a"), OK), (say("b"), OK)],
        ["was rpc_error:-32602, is ok"],
        0,
    ),
    (
        "1 is 1.0",
        [(call(0, "add", {"a": 1}), OK)],
        [(call(0, "add", {"a": 1.0}), ERROR)],
        ["was ok, is rpc_error:-32602"],
        0,
    ),
    ("but not true", [(call(0, "add", {"a": 1}), OK)], [(call(0, "add", {"a": True}), ERROR)], [], 1),
    (
        "_meta aside",
        [(request(0, "ping", {"_meta": {"a": 1}}), OK)],
        [(request(0, "ping"), ERROR)],
        ["was ok, is rpc_error:-32602"],
        0,
    ),
]


@pytest.mark.parametrize(
    "old, new, texts, notes", [row[1:] for row in CLASSES], ids=[row[0] for row in CLASSES]
)
def test_the_error_classes_of_two_cassettes(old, new, texts, notes, tsumiki, tmp_path):
    paths = written(tmp_path / "a.ndjson", asked(*old)), written(tmp_path / "b.ndjson", asked(*new))
    assert tsumiki("diff", *paths, "--json") == (1 if texts else 0)
    found = tsumiki.json
    assert [change["message"] for change in found["changes"]] == texts
    assert {change["level"] for change in found["changes"]} <= {"breaking"}
    assert len([note for note in found["notes"] if "does not have it" in note]) == notes


def test_an_id_of_another_type_or_direction_is_no_answer(tsumiki, tmp_path):
    good = written(tmp_path / "a.ndjson", [c2s(dict(say("a"), id=1)), s2c(dict(OK, id=1))])
    rows = [
        c2s(dict(say("a"), id=1)),
        s2c({"jsonrpc": "2.0", "id": 1, "method": "roots/list"}),
        s2c(dict(OK, id="1")),
    ]
    assert tsumiki("diff", good, written(tmp_path / "b.ndjson", rows)) == 1
    assert "was ok, is unanswered" in tsumiki.out


def test_what_was_not_answered_before_is_no_breakage(tsumiki, tmp_path):
    old = written(tmp_path / "a.ndjson", asked((say("a"), None)))
    new = written(tmp_path / "b.ndjson", asked((say("a"), OK)))
    assert tsumiki("diff", old, new) == 0 and tsumiki.out.startswith("info")


def test_a_status_of_http_is_a_class(tsumiki, tmp_path):
    def tape(name, raw, **http):
        return written(tmp_path / name, [c2s(say("a"), ex=1), s2c(raw, ex=1, http=http)])

    ok = tape("a.ndjson", dict(OK, id=0), status=200)
    assert tsumiki("diff", ok, tape("b.ndjson", "", status=503)) == 1 and "was ok, is http:503" in tsumiki.out
    assert tsumiki("diff", ok, tape("c.ndjson", "<html>", status=200)) == 1 and "is malformed" in tsumiki.out


def test_redacted_arguments_are_left_out_on_both_sides(tsumiki, tmp_path):
    def tape(name, token, answer, **more):
        rows = [c2s(call(0, "login", {"token": token, "user": "u"}), **more), s2c(dict(answer, id=0))]
        return written(tmp_path / name, rows)

    old = tape("a.ndjson", "***", OK, redacted=["/params/arguments/token"])
    assert tsumiki("diff", old, tape("b.ndjson", "other", ERROR)) == 1 and "was ok" in tsumiki.out
    assert tsumiki("diff", old, tape("c.ndjson", "other", OK)) == 0 and not tsumiki.err


FIXTURE = {
    "schema": "mcpstub/v1",
    "server": {"name": "w", "version": "1"},
    "tools": [
        {
            "name": "echo",
            "inputSchema": SCHEMA,
            "cases": [{"when": {"text": "bad"}, "error": {"code": -32004, "message": "x"}}],
        }
    ],
}


def test_the_cases_of_two_fixtures_are_compared(tsumiki, tmp_path):
    other = json.loads(json.dumps(FIXTURE))
    other["tools"][0]["cases"][0]["error"]["code"] = -32005
    other["tools"][0]["result"] = {"content": [], "isError": True}
    paths = written(tmp_path / "a.json", FIXTURE), written(tmp_path / "b.json", other)
    assert tsumiki("diff", *paths) == 1
    assert tsumiki.out.splitlines() == [
        'breaking  tools/call echo {"text":"bad"}: was rpc_error:-32004, is rpc_error:-32005',
        "breaking  tools/call echo {}: was ok, is tool_error",
    ]


def test_a_cassette_is_compared_with_a_fixture_both_ways(tsumiki, tmp_path):
    tape = written(tmp_path / "a.ndjson", asked((say("bad"), OK), (say("good"), OK)))
    fixture = written(tmp_path / "b.json", FIXTURE)
    assert (
        tsumiki("diff", tape, fixture) == 1
        and 'echo {"text":"bad"}: was ok, is rpc_error:-32004' in tsumiki.out
    )
    assert tsumiki("diff", fixture, tape) == 1 and "was rpc_error:-32004, is ok" in tsumiki.out


def test_a_live_server_is_compared_on_both_transports(tsumiki, tmp_path):
    base = taping.record(mutable.command(), tmp_path / "base.ndjson")
    assert tsumiki("diff", base, "--", *mutable.command("removed-tool")) == 1
    assert tsumiki.out == "breaking  tools/echo: the tool is gone\n"
    with mutable.listener("description", more=("--token", "t0k")) as server:
        assert tsumiki("diff", base, "--url", server.url, "--token-env", "NO_SUCH_X") == 2
        assert tsumiki("diff", base, "--url", server.url) == 5


def test_the_token_comes_from_the_environment(tsumiki, tmp_path, monkeypatch):
    base = taping.record(mutable.command(), tmp_path / "base.ndjson")
    monkeypatch.setenv("ROBOT_TOKEN", "t0k")
    with mutable.listener("description", more=("--token", "t0k")) as server:
        arguments = (
            "diff",
            base,
            "--url",
            server.url + "/mcp",
            "--token-env",
            "ROBOT_TOKEN",
            "--fail-on",
            "routing",
        )
        assert tsumiki(*arguments) == 1
        assert tsumiki.out == "routing   tools/echo/description: description has changed\n"


def test_repeated_cursors_end_the_comparison(tsumiki, tmp_path):
    base = taping.record(mutable.command(), tmp_path / "base.ndjson")
    assert tsumiki("diff", base, "--", *mutable.command("repeated-cursor")) == 1
    assert tsumiki.err == "tsumiki diff: tools/list: the cursor '2' comes twice, or is none\n"


def test_wrong_usage_is_told_in_one_line(tsumiki, tmp_path, free_port):
    old = written(tmp_path / "old.json", surface_of())
    cases = [
        (("diff", old), 2, "two to compare"),
        (("diff", old, old, "--url", "http://localhost"), 2, "one NEW, please"),
        (("diff", old, "--url", "http://localhost", "--", "x"), 2, "not both"),
        (("diff", old, tmp_path / "none.json"), 2, "none.json"),
        (("diff", old, "--url", "http://127.0.0.1:%d/" % free_port), 4, "nobody listens on 127.0.0.1"),
        (("diff", old, "--", "no-such-program-x"), 4, "no-such-program-x"),
        (("diff", old, "--timeout", "0", "--", "x"), 2, "--timeout"),
    ]
    for words, status, text in cases:
        assert tsumiki(*words) == status and text in tsumiki.err and not tsumiki.out
        assert len(tsumiki.err.splitlines()) == 1


def test_a_server_does_not_command_the_terminal(tsumiki, tmp_path):
    evil = "\x1b[2Jecho"
    old = written(tmp_path / "a.json", {"tools": [{"name": evil}]})
    assert tsumiki("diff", old, written(tmp_path / "b.json", {"tools": []})) == 1
    assert tsumiki.out == "breaking  tools/?[2Jecho: the tool is gone\n"


def test_the_originals(tsumiki):
    tape = playing.original("cassette.ndjson")
    assert tsumiki("diff", tape, tape, "--fail-on", "any") == 0
