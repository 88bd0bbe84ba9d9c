"""`tsumiki contract`: only what is written is pinned, whatever it is checked against."""

import json

import pytest

from kit import mutable, playing, taping
from kit.commands import Command, written
from kit.playing import c2s, call, request, result, s2c

MARK = "tsumiki/contract-v1"
TEXT = [{"type": "text", "text": "hello"}]
FIXTURE = {
    "schema": "mcpstub/v1",
    "server": {"name": "e", "version": "1"},
    "tools": [
        {
            "name": "echo",
            "description": "Echo.",
            "inputSchema": {
                "type": "object",
                "properties": {"text": {"type": "string"}},
                "required": ["text"],
            },
            "cases": [{"when": {"text": "bad"}, "error": {"code": -32004, "message": "no such text"}}],
            "result": {"content": TEXT, "structuredContent": {"a": 1, "b": 2}},
        }
    ],
    "prompts": [{"name": "greet", "arguments": [{"name": "who", "required": True}]}],
    "resources": [{"name": "log", "uri": "robot://log"}],
}


@pytest.fixture
def tsumiki(capsys):
    return Command(capsys)


@pytest.fixture
def check(tsumiki, tmp_path):
    """`check(source, **contract)` gives the findings, list of str, and checks the exit status."""

    def run(source, **contract):
        path = written(tmp_path / "contract.json", {"schema": MARK, **contract})
        source = written(tmp_path / "source", source) if isinstance(source, (dict, list)) else source
        status = tsumiki("contract", path, "--json", "--from", source)
        found = tsumiki.json
        assert status == (0 if found["ok"] else 1) and found["ok"] == (not found["findings"])
        return ["%(path)s: %(message)s" % one for one in found["findings"]]

    return run


def echo(**pinned):
    return {"tools": {"echo": pinned}}


HOLDS = [
    {},
    echo(),
    echo(required=["text"]),
    echo(args={"text": {"type": "string"}}),
    echo(args={"text": {}}),
    echo(output={}),
    echo(calls=[{"args": {"text": "x"}}]),
    echo(calls=[{"args": {"text": "x"}, "class": "ok", "content": TEXT, "structured": {"b": 2}}]),
    echo(calls=[{"args": {"text": "x"}, "content": [{"type": "text"}]}]),
    echo(calls=[{"args": {"text": "bad"}, "class": "rpc_error:-32004"}]),
    {"prompts": {"greet": {"required": ["who"]}}, "resources": ["robot://log"]},
    {"x-why": "for us"},
]
BREAKS = [
    ({"tools": {"other": {}}}, "/tools/other: the tool is gone"),
    (echo(required=[]), "/tools/echo/required: text is required now"),
    (echo(required=["text", "b"]), "/tools/echo/required: b is no longer required"),
    (echo(args={"text": {"type": "integer"}}), "/tools/echo/args/text/type: integer is no longer allowed"),
    (echo(args={"other": {}}), "/tools/echo/args/other: other is gone"),
    (echo(annotations={"readOnlyHint": True}), "/tools/echo/annotations: they are null"),
    (echo(output={"required": ["a"]}), "/tools/echo/output/required: a is no longer required"),
    (
        echo(calls=[{"args": {"text": "bad"}}]),
        "/tools/echo/calls/0/class: ok is wanted, it is rpc_error:-32004",
    ),
    (
        echo(calls=[{"args": {"text": "x"}, "class": "tool_error"}]),
        "/tools/echo/calls/0/class: tool_error is wanted, it is ok",
    ),
    (
        echo(calls=[{"args": {"text": "x"}, "content": [{"text": "bye"}]}]),
        '/tools/echo/calls/0/content: it is [{"type": "text", "text": "hello"}]',
    ),
    (
        echo(calls=[{"args": {"text": "x"}, "structured": {"a": True}}]),
        '/tools/echo/calls/0/structured: it is {"a": 1, "b": 2}',
    ),
    ({"prompts": {"other": {}}}, "/prompts/other: the prompt is gone"),
    ({"prompts": {"greet": {"required": []}}}, '/prompts/greet/required: it is ["who"]'),
    ({"resources": ["a:b"]}, "/resources/0: a:b is gone"),
    ({"templates": ["a:{b}"]}, "/templates/0: a:{b} is gone"),
]


@pytest.mark.parametrize("contract", HOLDS)
def test_a_contract_that_holds(contract, check):
    assert check(FIXTURE, **contract) == []


@pytest.mark.parametrize("contract, finding", BREAKS)
def test_a_contract_that_does_not(contract, finding, check):
    assert check(FIXTURE, **contract) == [finding]


def test_new_tools_optional_arguments_and_descriptions_pass(check):
    newer = json.loads(json.dumps(FIXTURE))
    newer["tools"].append({"name": "dance", "inputSchema": {"type": "object"}})
    newer["tools"][0]["description"] = "Say it back."
    newer["tools"][0]["inputSchema"]["properties"]["volume"] = {"type": "integer"}
    newer["tools"][0]["inputSchema"]["properties"]["text"]["description"] = "What to say."
    pinned = echo(required=["text"], args={"text": {"type": "string"}}, calls=[{"args": {"text": "x"}}])
    assert check(newer, **pinned) == []


def tape(*exchanges):
    rows = []
    for id, (message, answer) in enumerate(exchanges):
        rows += [c2s(dict(message, id=id)), s2c(dict(answer, id=id))]
    return rows


LISTED = (request(0, "tools/list"), result(0, tools=[{"name": "echo", "inputSchema": {"type": "object"}}]))
REFUSED = result(0, content=[{"type": "text", "text": "no_text: give one"}], isError=True)
UNKNOWN = {"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}}


def test_the_calls_of_a_cassette_are_looked_at_and_one_that_is_missing_is_a_finding(check):
    recorded = tape(
        LISTED, (call(0, "echo", {"text": "a"}), result(0, content=TEXT)), (request(0, "no/such"), UNKNOWN)
    )
    pinned = echo(calls=[{"args": {"text": "a"}, "content": TEXT}, {"args": {"text": "b"}}])
    asked = [
        {"method": "no/such", "class": "rpc_error:-32601"},
        {"method": "other", "class": "rpc_error:-32601"},
    ]
    assert check(recorded, **pinned, requests=asked) == [
        "/tools/echo/calls/1: not recorded",
        "/requests/1: not recorded",
    ]


def test_a_code_is_pinned_if_it_is_written(check):
    recorded = tape(LISTED, (call(0, "echo", {}), REFUSED))
    for wanted in ("tool_error", "tool_error:no_text"):
        assert check(recorded, **echo(calls=[{"class": wanted}])) == []
    assert len(check(recorded, **echo(calls=[{"class": "tool_error:other"}]))) == 1


def test_calls_that_were_recorded_without_params_stand_for_any_in_their_order(check):
    wild = request(0, "tools/call")
    recorded = tape(LISTED, (wild, result(0, content=TEXT)), (wild, REFUSED))
    pinned = [
        {"args": {"text": "hello"}, "class": "ok", "content": TEXT},
        {"args": {}, "class": "tool_error"},
    ]
    assert check(recorded, **echo(calls=pinned)) == []
    assert len(check(recorded, **echo(calls=pinned[::-1]))) == 2


def test_the_articles_contract_holds_for_its_cassette(check):
    pinned = echo(
        required=["text"],
        args={"text": {"type": "string"}},
        calls=[
            {"args": {"text": "hello"}, "class": "ok", "content": TEXT},
            {"args": {}, "class": "tool_error"},
        ],
    )
    assert check(playing.original("cassette.ndjson"), **pinned) == []


def test_a_cassette_without_a_list_is_a_finding(check):
    recorded = tape((call(0, "echo", {"text": "a"}), result(0, content=TEXT)))
    (finding,) = check(recorded, **echo())
    assert finding.startswith("/tools: ") and finding.endswith("has no list of tools")


def test_a_list_answers_nothing_and_says_so(tsumiki, tmp_path):
    contract = written(tmp_path / "c.json", {"schema": MARK, **echo(calls=[{}])})
    source = written(tmp_path / "s.json", {"tools": [{"name": "echo"}]})
    assert tsumiki("contract", contract, "--from", source) == 0
    assert "does not answer this" in tsumiki.err and "1 calls not made" in tsumiki.out


LIVE = {
    "schema": MARK,
    "tools": {
        "echo": {"required": ["text"], "calls": [{"args": {"text": "hello"}, "content": TEXT}]},
        "move": {"calls": [{"args": {"angle": 1}}]},
    },
    "requests": [
        {"method": "no/such", "class": "rpc_error:-32601"},
        {"method": "tools/call", "params": {"name": "none"}, "class": "rpc_error:-32602"},
    ],
}
GATES = [((), []), (("--allow-calls",), ["echo"]), (("--all-calls",), ["echo", "move", "none"])]


@pytest.mark.parametrize("http", [False, True], ids=["stdio", "http"])
@pytest.mark.parametrize("flags, called", GATES, ids=["none", "read-only", "all"])
def test_a_live_server_is_called_as_far_as_it_is_allowed(flags, called, http, tsumiki, tmp_path):
    contract = written(tmp_path / "c.json", LIVE)
    log = tmp_path / "calls"
    log.touch()
    words = ("contract", contract, "--json", *flags)
    if http:
        with mutable.listener(more=("--log", str(log))) as server:
            assert tsumiki(*words, "--url", server.url) == 0
    else:
        assert tsumiki(*words, "--", *mutable.command(more=("--log", str(log)))) == 0
    found = tsumiki.json
    assert log.read_text().split() == called
    assert len(found["skipped"]) == 3 - len(called) and found["made"] == 1 + len(called)
    assert ("move real hardware" in tsumiki.err) == bool(called)


BAD = [
    ("{", "no JSON"),
    ("[]", "/ must be an object"),
    ('{"schema":"other"}', "/schema must be"),
    ('{"schema":"%s","tool":{}}' % MARK, "/tool is not known"),
    ('{"schema":"%s","tools":{"a":{"arg":{}}}}' % MARK, "/tools/a/arg is not known"),
    ('{"schema":"%s","tools":{"a":{"required":"text"}}}' % MARK, "/tools/a/required is of the wrong type"),
    (
        '{"schema":"%s","tools":{"a":{"calls":[{"class":"oops"}]}}}' % MARK,
        "/tools/a/calls/0/class: no error class",
    ),
    (
        '{"schema":"%s","tools":{"a":{"calls":[{"arguments":{}}]}}}' % MARK,
        "/tools/a/calls/0/arguments is not known",
    ),
    ('{"schema":"%s","requests":[{}]}' % MARK, "/requests/0/method is missing"),
    ('{"schema":"%s","prompts":{"a":[]}}' % MARK, "/prompts/a must be an object"),
]


@pytest.mark.parametrize("text, words", BAD, ids=[words for _, words in BAD])
def test_a_contract_with_a_slip_is_refused(text, words, tsumiki, tmp_path):
    (tmp_path / "c.json").write_text(text)
    assert tsumiki("contract", tmp_path / "c.json", "--from", written(tmp_path / "f.json", FIXTURE)) == 2
    assert words in tsumiki.err and len(tsumiki.err.splitlines()) == 1


def test_it_needs_one_source(tsumiki, tmp_path):
    contract = written(tmp_path / "c.json", {"schema": MARK})
    for words in (
        (),
        ("--from", contract, "--url", "http://localhost"),
        ("--url", "http://localhost", "--", "x"),
    ):
        assert tsumiki("contract", contract, *words) == 2


def test_a_contract_to_begin_with_holds_where_it_is_from(tsumiki, tmp_path):
    base = taping.record(mutable.command(), tmp_path / "base.ndjson")
    contract = tmp_path / "c.json"
    assert tsumiki("contract", "--init", contract, "--from", base) == 0
    assert tsumiki.out == "tsumiki: wrote %s (3 tools)\n" % contract
    made = json.loads(contract.read_text())
    assert [one["class"] for one in made["tools"]["echo"]["calls"]] == [
        "ok",
        "ok",
        "tool_error:invalid_arguments",
    ]
    assert made["requests"] == [{"method": "no/such", "params": {}, "class": "rpc_error:-32601"}]
    assert tsumiki("contract", contract, "--from", base) == 0 and "(6 answers looked at)" in tsumiki.out
    assert tsumiki("contract", contract, "--all-calls", "--", *mutable.command()) == 0
    assert tsumiki("contract", contract, "--all-calls", "--", *mutable.command("lost-required")) == 1


def test_a_contract_to_begin_with_replaces_nothing_unasked(tsumiki, tmp_path):
    contract = tmp_path / "c.json"
    contract.write_text("mine")
    source = written(tmp_path / "f.json", FIXTURE)
    assert tsumiki("contract", "--init", contract, "--from", source) == 2 and contract.read_text() == "mine"
    assert tsumiki("contract", "--init", "--force", contract, "--from", source) == 0
    assert tsumiki("contract", contract, "--from", source) == 0


def test_what_was_redacted_does_not_become_a_contract(tsumiki, tmp_path):
    rows = tape(LISTED, (call(0, "echo", {"text": "***"}), result(0, content=TEXT)))
    rows[2]["redacted"] = ["/params/arguments/text"]
    contract = tmp_path / "c.json"
    assert tsumiki("contract", "--init", contract, "--from", written(tmp_path / "t.ndjson", rows)) == 0
    assert "calls" not in json.loads(contract.read_text())["tools"]["echo"]
