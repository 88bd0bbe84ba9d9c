"""Fixtures: what answers a call, and what cannot be served."""

import json

import stubbed
from stubbed import PORT, call, document, server, text

from harness import eq, raises
from stub.answers import FixtureError
from stub.fixture import Fixture, load
from umcp.errors import RemoteError


def tool(**more):
    return dict({"name": "t", "inputSchema": {"type": "object"}}, **more)


def said(word):
    return {"content": [{"type": "text", "text": word}]}


def test_a_case_its_error_the_result_for_others():
    stub = server()
    eq(text(call(stub, "tide", {"port": "Brest", "unit": "m"})), "Brest: 4.2 m, rising")
    eq(stub.fixture.origin, 0)
    eq(call(stub, "tide", {"port": "Ys"})["error"], {"code": -32004, "message": "Sunk"})
    eq(stub.fixture.origin, 1)
    eq(text(call(stub, "tide", {"port": "Dover"})), "No table for that port")
    eq(stub.fixture.origin, "default")


def test_without_case_and_result_the_answer_tells_name_and_arguments():
    stub = server([{"name": "tide", "inputSchema": {"type": "object"}}])
    eq(text(call(stub, "tide", {"port": "Ys", "at": 1.0})), 'stub tide {"at":1,"port":"Ys"}')
    eq(stub.fixture.origin, "generated")
    eq(call(stub, "tide", {"port": "Ys", "at": 1.0}), call(stub, "tide", {"at": 1, "port": "Ys"}))


def test_a_generated_answer_conforms_to_the_output_schema():
    schema = {
        "type": "object",
        "properties": {
            "sku": {"type": "string", "pattern": "^[A-Z]{3}-\\d{2}$"},
            "n": {"type": "integer", "minimum": 3},
        },
        "required": ["sku", "n"],
    }
    result = call(server([tool(outputSchema=schema)]), "t")["result"]
    eq(result["structuredContent"], {"sku": "AAA-00", "n": 3})


def test_the_first_case_that_matches_answers():
    cases = [{"when": {"a": 1}, "result": said("one")}, {"when": {}, "result": said("any")}]
    stub = server([tool(cases=cases)])
    eq(
        [text(call(stub, "t", a)) for a in ({"a": 1}, {"a": True}, {"a": 1.0}, {})],
        ["one", "any", "one", "any"],
    )


def test_a_case_may_answer_a_few_times_only():
    cases = [{"when": {}, "times": 2, "error": {"code": 7, "message": "busy"}}]
    stub = server([tool(cases=cases, result=said("done"))])
    eq(["error" in call(stub, "t") for _ in range(4)], [True, True, False, False])


def test_a_case_that_answers_no_time_is_passed_over():
    stub = server([tool(cases=[{"when": {}, "times": 0, "result": said("never")}], result=said("done"))])
    eq(text(call(stub, "t")), "done")


def test_a_sequence_gives_one_after_the_other_and_then_the_last():
    sequence = [
        {"result": said("a")},
        {"error": {"code": 7, "message": "b", "data": {"c": 1}}},
        {"result": said("d")},
    ]
    stub = server([tool(cases=[{"when": {}, "sequence": sequence}])])
    eq(text(call(stub, "t")), "a")
    eq(call(stub, "t")["error"], {"code": 7, "message": "b", "data": {"c": 1}})
    eq([text(call(stub, "t")) for _ in range(2)], ["d", "d"])


def test_an_unknown_tool_is_a_protocol_error():
    eq(call(server(), "tides")["error"], {"code": -32602, "message": "Unknown tool: tides"})


def test_arguments_are_looked_at_only_if_asked_to():
    eq(text(call(server(), "tide", {"port": 5})), "No table for that port")
    stub = server(validate=True)
    result = call(stub, "tide", {"port": 5})["result"]
    eq(result["content"][0]["text"], "invalid_arguments: /port: must be a string")
    eq(result["isError"], True)
    eq(stub.fixture.origin, "invalid")
    eq(text(call(stub, "tide", {"port": "Brest"})), "Brest: 4.2 m, rising")


def test_a_tool_says_itself_whether_its_arguments_are_looked_at():
    stub = server([dict(PORT, validate=True), dict(PORT, name="b")])
    eq(call(stub, "tide")["result"]["isError"], True)
    assert "isError" not in call(stub, "b")["result"]
    assert "isError" not in call(server([dict(PORT, validate=False)], validate=True), "tide")["result"]


def test_what_clients_cannot_do_without_is_added():
    result = {"structuredContent": {"a": 1}, "resultType": "complete", "_meta": {"x/y": 1}}
    stub = server([tool(result=result)])
    eq(call(stub, "t")["result"], {"structuredContent": {"a": 1}, "_meta": {"x/y": 1}, "content": []})


def test_a_delayed_answer_waits():
    waited = []

    class Sleep:
        def __init__(self, ms):
            waited.append(ms)

        def __await__(self):
            return iter(())

        __iter__ = __await__

    cases = [{"when": {"a": 1}, "error": {"code": 7, "message": "late"}, "delayMs": 5}]
    fixture = Fixture(document([tool(cases=cases, result=said("done"), delayMs=9)]), sleep_ms=Sleep)
    outcome = []
    for arguments in ({}, {"a": 1}):
        try:
            fixture.tools[0].run(arguments, None).send(None)
        except StopIteration as e:
            outcome.append(json.loads(b"{%s}" % e.value))
        except RemoteError as e:
            outcome.append(e.code)
    eq(outcome, [said("done"), 7])
    eq(waited, [9, 5])


def test_what_cannot_be_served_is_refused_with_its_place():
    ok = {"when": {}, "result": {}}
    for change, path in (
        ({"schema": "mcpstub/v2"}, "/schema"),
        ({"tools": {}}, "/tools"),
        ({"tools": [5]}, "/tools/0"),
        ({"tools": [{"name": ""}]}, "/tools/0"),
        ({"tools": [tool(), tool()]}, "/tools/1"),
        ({"tools": [tool(cases={})]}, "/tools/0/cases"),
        ({"tools": [tool(cases=[ok, {"result": {}}])]}, "/tools/0/cases/1"),
        ({"tools": [tool(cases=[{"when": [], "result": {}}])]}, "/tools/0/cases/0"),
        ({"tools": [tool(cases=[{"when": {}}])]}, "/tools/0/cases/0"),
        ({"tools": [tool(cases=[dict(ok, error={"code": 1, "message": ""})])]}, "/tools/0/cases/0"),
        ({"tools": [tool(cases=[dict(ok, result=5)])]}, "/tools/0/cases/0/result"),
        (
            {"tools": [tool(cases=[{"when": {}, "error": {"code": "1", "message": ""}}])]},
            "/tools/0/cases/0/error",
        ),
        ({"tools": [tool(cases=[dict(ok, times=-1)])]}, "/tools/0/cases/0/times"),
        ({"tools": [tool(cases=[dict(ok, delayMs=True)])]}, "/tools/0/cases/0/delayMs"),
        ({"tools": [tool(cases=[{"when": {}, "sequence": []}])]}, "/tools/0/cases/0"),
        ({"server": []}, "/server"),
        ({"server": {"name": 5}}, "/server"),
        ({"resources": [{"name": "x"}]}, "/resources/0"),
        ({"prompts": [{}]}, "/prompts/0"),
    ):
        eq((change, raises(FixtureError, Fixture, document(**change)).path), (change, path))
    raises(FixtureError, Fixture, [])


def test_a_document_is_read_strictly():
    eq(load(b'{"a":[1]}'), {"a": [1]})
    eq(raises(RemoteError, load, b'{"a" 1}').code, -32700)
    eq(raises(RemoteError, load, b"[" * 99 + b"]" * 99).code, -32600)


def test_both_markers_are_taken():
    for marker in ("mcpstub/v1", "tsumiki/fixture-v1"):
        eq(Fixture(document(schema=marker)).name, "harbour")
    assert stubbed.document()["schema"] == "mcpstub/v1"
