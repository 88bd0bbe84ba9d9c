"""Values made for schemas: each is taken by the schema it is for."""

from harness import eq, raises
from stub.generate import example
from stub.texts import text
from umcp.errors import LocalError
from umcp.pattern import compile
from umcp.schema import load

# schema of a property -> what is made for it
MADE = (
    ({"type": "string"}, "stub"),
    ({"type": "string", "minLength": 6}, "stub--"),
    ({"type": "string", "maxLength": 2}, "st"),
    ({"type": "string", "format": "uuid"}, "00000000-0000-4000-8000-000000000000"),
    ({"type": "string", "pattern": "^[A-Z]{3}-\\d{4}$"}, "AAA-0000"),
    ({"enum": ["eur", "usd"]}, "eur"),
    ({"const": 7}, 7),
    ({"type": "integer", "default": 5}, 5),
    ({"type": "integer", "examples": [9, 10]}, 9),
    ({"type": "integer"}, 0),
    ({"type": "integer", "minimum": 3}, 3),
    ({"type": "integer", "exclusiveMinimum": 3}, 4),
    ({"type": "integer", "minimum": -9, "maximum": -5}, -9),
    ({"type": "integer", "maximum": -5, "multipleOf": 4}, -8),
    ({"type": "integer", "exclusiveMaximum": -5}, -6),
    ({"type": "integer", "minimum": 5, "multipleOf": 4}, 8),
    ({"type": "integer", "minimum": 2.5}, 3),
    ({"type": "number", "minimum": -90, "maximum": 90}, 0),
    ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, 0.5),
    ({"type": "boolean"}, False),
    ({"type": "null"}, None),
    ({"type": ["null", "boolean"]}, False),
    ({"type": "array", "items": {"type": "string"}}, []),
    ({"type": "array", "minItems": 2, "items": {"type": "integer", "minimum": 1}}, [1, 1]),
    ({"type": "object", "properties": {"a": {"type": "string"}, "b": {}}, "required": ["a"]}, {"a": "stub"}),
    ({"type": "object", "required": ["q"]}, {"q": "stub"}),
    ({}, "stub"),
)


def test_what_is_made_is_what_the_schema_takes():
    for schema, wanted in MADE:
        eq((schema, example(schema)), (schema, wanted))
        kind = load({"type": "object", "properties": {"x": schema}}, True)
        eq(kind.check({"x": wanted}, "", False), {"x": wanted})


def test_references_and_combinations_are_followed():
    root = {
        "type": "object",
        "properties": {
            "a": {"$ref": "#/$defs/a~1b"},
            "b": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            "c": {
                "allOf": [{"properties": {"x": {"const": 1}}, "required": ["x"]}, {"$ref": "#/$defs/more"}]
            },
            "d": {"$ref": "#/$defs/none"},
            "e": {"$ref": "https://example.com/"},
        },
        "required": ["a", "b", "c", "d", "e"],
        "$defs": {
            "a/b": {"oneOf": [{"type": "boolean"}]},
            "more": {"properties": {"y": {"const": 2}}, "required": ["y"], "type": "object"},
        },
    }
    eq(example(root), {"a": False, "b": 0, "c": {"x": 1, "y": 2}, "d": "stub", "e": "stub"})


def test_a_schema_that_needs_itself_comes_to_an_end():
    schema = {"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]}
    value = example(schema)
    depth = 0
    while value:
        value = value["next"]
        depth += 1
    eq(depth, 13)
    eq(example({"$ref": "#"}), "stub")


def test_items_that_must_differ_do():
    item = {"type": "string"}
    eq(
        example({"type": "array", "minItems": 3, "uniqueItems": True, "items": item}),
        ["stub", "stub1", "stub2"],
    )
    item = {"enum": ["x", "y"]}
    eq(example({"type": "array", "minItems": 2, "uniqueItems": True, "items": item}), ["x", "y"])
    item = {"type": "integer", "minimum": 4}
    eq(example({"type": "array", "minItems": 2, "uniqueItems": True, "items": item}), [4, 5])
    eq(example({"type": "array", "minItems": 2, "prefixItems": [{"const": 1}], "items": True}), [1, "stub"])


def test_a_text_matches_its_pattern_and_is_long_enough():
    for pattern in (
        "abc", "^a*$", "(x|yy)+$", "^(foo|ba[rz])\\.(js|ts)$", "^[^a-zA-Z0-9 \\-_]{5}$", "^\\w+@\\w+\\.\\w{2,}$",
        "\\d+", "^[\\u3040-\\u309f]{2}$", "^.*$", "^$",
    ):  # fmt: skip
        for least in (0, 8):
            made = text({"pattern": pattern}, least, 100, 0)
            assert compile(pattern).matches(made), (pattern, made)
            assert len(made) >= least or pattern in (
                "^$",
                "^(foo|ba[rz])\\.(js|ts)$",
                "^[^a-zA-Z0-9 \\-_]{5}$",
                "^[\\u3040-\\u309f]{2}$",
            )


def test_a_pattern_that_is_not_supported_gives_a_plain_text():
    raises(LocalError, text, {"pattern": "(?=a)"}, 0, 9, 0)
    eq(example({"type": "string", "pattern": "(?=a)"}), "stub")
