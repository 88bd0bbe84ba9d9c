"""A tool by itself: what may be one, its entry in the list, and what becomes of a call."""

import gc
import json
import sys

from serving import Log, run

from harness import eq, raises
from umcp.errors import LocalError, ToolError
from umcp.tool import Tool
from umcp.types import Any, Array, Integer, Object, String


class Host:
    max_result = 300

    def __init__(self):
        self.log = Log()

    def bound(self, awaitable, ms):
        return awaitable


def tool(handler, input=None, **more):
    return Tool("t", "Test.", input, handler, **more)


def result(made, host=None, **arguments):
    raw = made.run(arguments, host or Host())
    return json.loads(b"{" + (raw if type(raw) is bytes else run(raw)) + b"}")


def text(made, host=None, **arguments):
    """The text of a result that is no error."""
    answer = result(made, host, **arguments)
    eq(set(answer), {"content"})
    return answer["content"][0]["text"]


def failure(made, host=None, **arguments):
    answer = result(made, host, **arguments)
    eq((set(answer), answer["isError"]), ({"content", "isError"}, True))
    return answer["content"][0]["text"]


def raiser(e):
    def handler():
        raise e

    return handler


def test_a_name_is_what_every_client_takes():
    for name in ("a", "A-z_09", "x" * 64):
        eq(Tool(name, "", None, int).name, name)
    for name in ("", "x" * 65, "a.b", "a b", "a/b", "é", "a\n", None, 1, b"a"):
        raises(LocalError, Tool, name, "", None, int)


def test_input_and_output_are_objects():
    for kind in (String(), Array(String()), {"type": "string"}, {"type": "array"}):
        raises(LocalError, Tool, "t", "", kind, int)
        raises(LocalError, Tool, "t", "", None, int, kind)


def test_a_tool_without_arguments_says_so():
    entry = json.loads(tool(int).listed())
    schema = entry["inputSchema"]
    eq((schema["type"], schema["properties"], schema["additionalProperties"]), ("object", {}, False))
    assert schema.get("required", []) == [] and set(entry) == {"name", "description", "inputSchema"}


def test_an_entry_has_what_was_given():
    made = tool(
        int,
        Object((("n", Integer(min=1)),)),
        output=Object((("ok", Any()),)),
        title="Title",
        annotations={"readOnlyHint": True},
    )
    entry = json.loads(made.listed())
    eq((entry["name"], entry["description"], entry["title"]), ("t", "Test.", "Title"))
    eq(entry["annotations"], {"readOnlyHint": True})
    eq(entry["inputSchema"]["properties"]["n"], {"type": "integer", "minimum": 1})
    eq(entry["outputSchema"]["required"], ["ok"])


def test_a_schema_may_come_as_a_dict():
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
        "additionalProperties": False,
    }
    made = Tool("t", "", schema, lambda n: n + 1)
    eq(text(made, n=1), "2")
    eq(json.loads(made.listed())["inputSchema"], schema)


def test_values_become_text():
    for value, wanted in (
        ("a é", "a é"),
        (None, ""),
        (1, "1"),
        (1.5, "1.5"),
        (True, "true"),
        ([1, "é"], '[1,"é"]'),
        ("", ""),
    ):
        eq(text(tool(lambda value=value: value)), wanted)
    eq(text(tool(lambda: {"a": [None]})), '{"a":[null]}')


def test_a_handler_gets_checked_values():
    made = tool(lambda n: [n], Object((("n", Integer(max=5)),)))
    eq(text(made, n="3"), "[3]")
    eq(failure(made, n=6), "invalid_arguments: /n: must be <= 5")
    eq(failure(made), "invalid_arguments: /n: is required")
    eq(failure(made, n=1, m=2), "invalid_arguments: /m: is not a known field")


def test_a_refusal_is_what_the_model_reads():
    host = Host()
    eq(
        failure(tool(raiser(ToolError("servo_off", "switch the torque on"))), host),
        "servo_off: switch the torque on",
    )
    eq(failure(tool(raiser(ToolError("busy"))), host), "busy")
    eq(host.log.lines, [])


def test_an_exception_is_reported_and_its_traceback_is_for_the_log():
    for e, wanted in (
        (RuntimeError("broken wire"), "broken wire"),
        (ValueError(), "ValueError"),
        (KeyError("k"), str(KeyError("k"))),
    ):
        host = Host()
        eq(failure(tool(raiser(e)), host), "Tool execution failed: " + wanted)
        eq(host.log.lines, [("error", "tool t failed", e)])


def test_a_long_reason_is_cut():
    eq(len(failure(tool(raiser(RuntimeError("é" * 5000))))), 500)


def test_what_cannot_be_sent_is_our_failure():
    host = Host()
    assert failure(tool(lambda: float("inf")), host).startswith("Tool execution failed: not a JSON value")
    assert failure(tool(object), host).startswith("Tool execution failed: not a JSON value")
    assert failure(tool(lambda: {"a": object()}), host).startswith("Tool execution failed: not a JSON value")
    eq(len(host.log.lines), 3)


def test_a_result_past_the_limit_is_refused():
    size = len(tool(lambda: "").run({}, Host()))
    eq(len(text(tool(lambda: "a" * (300 - size)))), 300 - size)
    eq(
        failure(tool(lambda: "a" * (301 - size))),
        "result_too_large: 301 bytes, the limit is 300; ask for less",
    )
    # Bytes count, not characters, and as they go out.
    assert failure(tool(lambda: "é" * (300 - size))).startswith("result_too_large: ")
    assert failure(tool(lambda: "\n" * (300 - size))).startswith("result_too_large: ")


def test_an_output_is_checked_and_sent_twice():
    made = tool(lambda: {"n": 3.0}, output=Object((("n", Integer()),)))
    answer = result(made)
    eq(answer, {"content": [{"type": "text", "text": '{"n":3}'}], "structuredContent": {"n": 3}})


def test_an_output_that_violates_its_schema_is_our_failure():
    for value in ({"n": "3"}, {"n": 1.5}, {}, {"n": 1, "m": 2}, None, "x", [1]):
        host = Host()
        told = failure(tool(lambda value=value: value, output=Object((("n", Integer()),))), host)
        assert told.startswith("Tool execution failed: the result does not fit its schema: /"), told
        eq(len(host.log.lines), 1)


def test_a_structured_result_has_the_same_limit():
    made = tool(lambda: {"s": "a" * 150}, output=Object((("s", String()),)))
    assert failure(made).startswith("result_too_large: ")


async def later(value):
    if isinstance(value, Exception):
        raise value
    return value


def test_a_coroutine_is_awaited():
    eq(text(tool(lambda: later("done"))), "done")
    eq(failure(tool(lambda: later(ToolError("no")))), "no")
    host = Host()
    eq(failure(tool(lambda: later(RuntimeError("bad"))), host), "Tool execution failed: bad")
    eq(len(host.log.lines), 1)
    assert failure(tool(lambda: later("a" * 300))).startswith("result_too_large: ")
    eq(
        result(tool(lambda: later({"n": 1}), output=Object((("n", Integer()),))))["structuredContent"],
        {"n": 1},
    )


def test_an_awaitable_is_bounded_by_its_host():
    class Slow(Host):
        def bound(self, awaitable, ms):
            awaitable.close()
            return later(ToolError("timeout", "too long"))

    eq(failure(tool(lambda: later("done")), Slow()), "timeout: too long")


def test_fields_that_are_not_declared_come_in_one_dict():
    made = tool(lambda n, **rest: [n, rest], Object((("n", Integer()),), extra=True))
    eq(text(made, n=1), "[1,{}]")
    eq(json.loads(text(made, n=1, other="a", more=[2])), [1, {"extra": {"other": "a", "more": [2]}}])
    raises(LocalError, Tool, "t", "", Object((("extra", Integer()),), extra=True), None)


def test_a_peer_s_names_are_not_kept_for_ever():
    # CPython keeps none; the WebAssembly build collects between runs only, so that nothing can be seen there.
    if sys.implementation.name != "micropython" or sys.platform == "webassembly":
        return
    made = tool(lambda extra=None: str(len(extra)), Object((), extra=True))
    names = ["n%d" % i for i in range(200)]

    def ask(few):
        raw = made.run({name: 1 for name in few}, Host())
        eq(raw, b'"content":[{"type":"text","text":"%d"}]' % len(few))

    ask(names[:1])
    gc.collect()
    before = gc.mem_alloc()
    ask(names)
    gc.collect()
    assert gc.mem_alloc() - before < 2000, gc.mem_alloc() - before
