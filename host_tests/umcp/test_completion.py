"""Completion of arguments and variables: references, values, bounds (MCP: utilities, completion)."""

from featured import ERAS, FakeServer, ask, code, failing, giving, refused

from harness import eq
from umcp.completion import Completion
from umcp.prompts import Argument, Prompt, Prompts
from umcp.resources import Resource, Resources, ResourceTemplate

PROMPT = {"type": "ref/prompt", "name": "p"}
TEMPLATE = {"type": "ref/resource", "uri": "test://{x}/{y}"}


def make(complete=None, **options):
    """(server, Completion) with a prompt and a template that complete x, and not y."""
    server = FakeServer(**options)
    server.prompts = Prompts(server)
    server.prompts.add(Prompt("p", "", giving(""), (Argument("x", complete=complete), Argument("y"))))
    server.resources = Resources(server)
    server.resources.add(Resource("test://a", "a", str))
    server.resources.add_template(
        ResourceTemplate("test://{x}/{y}", "t", str, complete={"x": complete} if complete else None)
    )
    return server, Completion(server)


def params(ref, name="x", value="", **more):
    more.update({"ref": ref, "argument": {"name": name, "value": value}})
    return more


def complete(completion, *arguments, **more):
    result = ask(completion, "completion/complete", params(*arguments, **more))
    eq(set(result), {"completion"})
    return result["completion"]


def test_arguments_and_variables_are_completed():
    seen = []

    def fruit(*arguments):
        seen.append(arguments)
        return [name for name in ("apple", "avocado", 'ba"na\nna', "🍒é") if name.startswith(arguments[0])]

    completion = make(fruit)[1]
    for ref in (PROMPT, TEMPLATE):
        for value, values in (("a", ["apple", "avocado"]), ("ba", ['ba"na\nna']), ("🍒", ["🍒é"]), ("x", [])):
            eq(
                complete(completion, ref, "x", value),
                {"values": values, "total": len(values), "hasMore": False},
            )
        eq(seen.pop(), ("x", {}))


def test_an_argument_without_completion_completes_to_nothing():
    for ref in (PROMPT, TEMPLATE):
        for name in ("x", "y"):
            eq(complete(make()[1], ref, name), {"values": [], "total": 0, "hasMore": False})


def test_at_most_a_hundred_values_go_out():
    for count in (99, 100, 101, 5000):
        values = ["v%d" % i for i in range(count)]
        for given in (values, tuple(values)):
            found = complete(make(giving(given))[1], PROMPT)
            eq(found, {"values": values[:100], "total": count, "hasMore": count > 100})


def test_the_other_arguments_are_passed_on():
    seen = []

    def see(*arguments):
        seen.append(arguments)
        return []

    completion = make(see)[1]
    for context, others in (
        (None, {}),
        ({}, {}),
        ({"arguments": {}}, {}),
        ({"arguments": {"y": "1", "z": "é🤖"}, "more": 1}, {"y": "1", "z": "é🤖"}),
    ):
        complete(completion, TEMPLATE, "x", "v", context=context)
        eq(seen.pop(), ("v", others))
    complete(completion, PROMPT, "x", "v")
    eq(seen.pop(), ("v", {}))


def test_a_wrong_context_is_refused():
    completion = make(giving([]))[1]
    for context in (
        1,
        [],
        "x",
        {"arguments": None},
        {"arguments": []},
        {"arguments": {"y": 1}},
        {"arguments": {"y": None}},
    ):
        eq(code(completion, "completion/complete", params(PROMPT, context=context)), (-32602, None))


def test_a_bad_reference_is_refused():
    completion = make(giving([]))[1]
    for ref in (
        None,
        1,
        [],
        "ref/prompt",
        {},
        {"type": "ref/tool", "name": "p"},
        {"type": 1, "name": "p"},
        {"name": "p"},
        {"type": "ref/prompt"},
        {"type": "ref/prompt", "name": None},
        {"type": "ref/prompt", "name": 1},
        {"type": "ref/prompt", "name": ["p"]},
        {"type": "ref/prompt", "name": "q"},
        {"type": "ref/prompt", "uri": "test://{x}/{y}"},
        {"type": "ref/resource", "name": "p"},
        {"type": "ref/resource", "uri": "test://{x}"},
        {"type": "ref/resource", "uri": "test://1/2"},
        {"type": "ref/resource", "uri": "x" * 9000},
        # A resource without variables has nothing to complete.
        {"type": "ref/resource", "uri": "test://a"},
    ):
        for session in ERAS:
            eq(code(completion, "completion/complete", params(ref), session), (-32602, None))


def test_an_unknown_argument_is_refused():
    completion = make(giving([]))[1]
    for ref in (PROMPT, TEMPLATE):
        for name in ("z", "", "X", "x" * 9000, "é"):
            e = refused(completion, "completion/complete", params(ref, name))
            eq(e.code, -32602)
            assert len(e.message) <= 90


def test_a_malformed_request_is_refused():
    completion = make(giving([]))[1]
    for wrong in (
        None,
        {},
        {"ref": PROMPT},
        {"ref": PROMPT, "argument": None},
        {"ref": PROMPT, "argument": []},
        {"ref": PROMPT, "argument": "x"},
        {"ref": PROMPT, "argument": {}},
        {"ref": PROMPT, "argument": {"name": "x"}},
        {"ref": PROMPT, "argument": {"value": ""}},
        {"ref": PROMPT, "argument": {"name": "x", "value": 1}},
        {"ref": PROMPT, "argument": {"name": "x", "value": None}},
        {"ref": PROMPT, "argument": {"name": 1, "value": ""}},
        {"argument": {"name": "x", "value": ""}},
    ):
        eq(code(completion, "completion/complete", wrong), (-32602, None))


def test_a_server_may_lack_prompts_or_resources():
    server, completion = make(giving(["v"]))
    server.prompts = None
    eq(code(completion, "completion/complete", params(PROMPT))[0], -32602)
    eq(complete(completion, TEMPLATE)["values"], ["v"])
    server.resources = None
    eq(code(completion, "completion/complete", params(TEMPLATE))[0], -32602)


def test_a_coroutine_is_waited_for_within_its_time():
    async def slowly(value, others):
        return [value + "!"]

    server, completion = make(slowly)
    eq(complete(completion, PROMPT, "x", "v")["values"], ["v!"])
    eq(server.bounded, 1)


def test_a_failure_of_a_completion():
    server, completion = make()

    def handler_of(handler):
        server.prompts.add(Prompt("p", "", giving(""), (Argument("x", complete=handler),)))

    failing(handler_of, lambda _: complete(completion, PROMPT), server)


def test_what_a_completion_must_not_return_is_our_fault():
    for value in (None, 1, "text", {"a": 1}, [1], ["a", None], [b"a"]):
        server, completion = make(giving(value))
        e = refused(completion, "completion/complete", params(PROMPT))
        eq((e.code, e.message, len(server.log.lines)), (-32603, "Internal error", 1))


def test_a_result_past_the_limit_is_refused():
    server, completion = make(giving(["x" * 60] * 20), max_result=1000)
    e = refused(completion, "completion/complete", params(PROMPT))
    eq((e.code, e.message.split(":")[0], server.log.lines), (-32603, "result_too_large", []))
    server, completion = make(giving(["x" * 60] * 12), max_result=1000)
    eq(len(complete(completion, PROMPT)["values"]), 12)
