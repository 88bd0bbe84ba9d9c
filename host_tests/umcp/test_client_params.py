"""Parameters in headers, and tools that ask for them wrongly (2026-07-28, transports: custom headers)."""

from scripted import lines_of, open_modern, result_of, run

from harness import eq
from umcp.client_params import mirrored


def _schema(**fields):
    return {"type": "object", "properties": fields}


def _marked(type, name="N", **more):
    return dict({"type": type, "x-mcp-header": name}, **more)


def _headers(schema, arguments):
    session = open_modern()
    tools, _, _ = run(session.list_tools(), result_of({"tools": [{"name": "t", "inputSchema": schema}]}))
    eq(len(tools), 1)
    _, sent, error = run(session.call_tool("t", arguments), result_of({}))
    eq(error, None)
    return sorted(lines_of(sent[0])[2:])


def test_values():
    schema = _schema(
        s=_marked("string", "S"), i=_marked("integer", "I"), b=_marked("boolean", "B"), o={"type": "string"}
    )
    for arguments, wanted in (
        (
            {"s": "eu", "i": 42, "b": True, "o": "x"},
            ["Mcp-Param-B: true", "Mcp-Param-I: 42", "Mcp-Param-S: eu"],
        ),
        ({"s": "", "i": -7, "b": False}, ["Mcp-Param-B: false", "Mcp-Param-I: -7", "Mcp-Param-S: "]),
        ({"s": None, "i": None}, []),
        ({}, []),
        ({"i": 3.0}, ["Mcp-Param-I: 3"]),
        ({"i": 2**53}, []),
        ({"i": 2**53 - 1}, ["Mcp-Param-I: 9007199254740991"]),
        ({"s": "a\r\nX: y"}, ["Mcp-Param-S: =?base64?YQ0KWDogeQ==?="]),
        ({"s": "Hello, \u4e16\u754c"}, ["Mcp-Param-S: =?base64?SGVsbG8sIOS4lueVjA==?="]),
        ({"s": ["x"], "i": {}}, []),
    ):
        eq(_headers(schema, arguments), wanted)


def test_a_place_further_in():
    inner = _schema(b=_marked("string", "Deep"))
    schema = _schema(a=inner)
    eq(_headers(schema, {"a": {"b": "x"}}), ["Mcp-Param-Deep: x"])
    for arguments in ({"a": {}}, {"a": "x"}, {"a": None}, {"b": "x"}, {"a": {"b": None}}):
        eq(_headers(schema, arguments), [])


def test_a_property_may_have_the_name_of_the_mark():
    eq(mirrored({"type": "object", "properties": {"x-mcp-header": {"type": "string"}}}), [])
    eq(
        mirrored(
            _schema(a={"type": "string", "enum": [{"x-mcp-header": "A"}], "default": {"x-mcp-header": ""}})
        ),
        [],
    )


def test_tools_that_are_marked_wrongly_are_left_out_and_the_others_stay():
    wrong = [
        _schema(a=_marked("string", "")),
        _schema(a=_marked("object")),
        _schema(a=_marked("array", items={"type": "string"})),
        _schema(a=_marked("null")),
        _schema(a=_marked("number")),
        _schema(a=_marked(["string", "null"])),
        _schema(a={"x-mcp-header": "N"}),
        _schema(a=_marked("string"), b=_marked("string")),
        _schema(a=_marked("string", "MyField"), b=_marked("string", "myfield")),
        _schema(a=_marked("string"), c=_schema(b=_marked("string"))),
        _schema(a=_marked("string", "My Region")),
        _schema(a=_marked("string", "Region:Primary")),
        _schema(a=_marked("string", "R\u00e9gion")),
        _schema(a=_marked("string", "Region\t1")),
        _schema(a=_marked("string", "R\r\nX")),
        _schema(a=_marked("string", 1)),
        _schema(a=_marked("string", None)),
        _schema(a={"type": "array", "items": _marked("string")}),
        _schema(a={"type": "object", "additionalProperties": _marked("string")}),
        dict(_schema(), allOf=[_schema(a=_marked("string"))]),
        dict(_schema(), **{"if": _schema(a=_marked("string"))}),
        dict(_schema(), **{"$defs": {"x": _marked("string")}}),
        dict(_schema(), **{"x-mcp-header": "N"}),
    ]
    tools = [{"name": "good", "inputSchema": _schema(a=_marked("string"))}, {"name": "plain"}]
    for i, schema in enumerate(wrong):
        tools.insert(1, {"name": "wrong%d" % i, "inputSchema": schema})
    kept, _, error = run(open_modern().list_tools(), result_of({"tools": tools}))
    eq((error, [tool["name"] for tool in kept]), (None, ["good", "plain"]))


def test_a_new_list_replaces_what_the_old_one_said():
    session = open_modern()
    marked = {"name": "t", "inputSchema": _schema(a=_marked("string"))}
    for tools, wanted in (([marked], ["Mcp-Param-N: x"]), ([{"name": "t"}], [])):
        run(session.list_tools(), result_of({"tools": tools}))
        _, sent, _ = run(session.call_tool("t", {"a": "x"}), result_of({}))
        eq(lines_of(sent[0])[2:], wanted)
