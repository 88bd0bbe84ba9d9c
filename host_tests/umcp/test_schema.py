"""Types loaded from JSON Schema: the same checks, verbatim listing, and what is refused, with its place."""

from harness import eq, raises
from umcp.codec import loads
from umcp.errors import LocalError, Violation
from umcp.schema import load


def sample():
    with open(__file__.rsplit("/", 2)[0] + "/samples/quote_schema.json", "rb") as f:
        return loads(f.read())


def refused(schema, value, coerce=True):
    e = raises(Violation, load(schema).check, value, "", coerce)
    return (e.path, e.reason)


def test_the_quote_sample():
    schema = sample()["request"]
    kind = load(schema)
    assert kind.schema() is schema
    line = {"sku": "ABC-1234", "quantity": "3", "unitPriceMinor": 100}
    value = {"accountId": "3fa85f64-5717-4562-b3fc-2c963f66afa6", "currency": "cny", "lines": [line]}
    checked = kind.check(value, "")
    eq((checked["currency"], checked["lines"][0]["quantity"]), ("CNY", 3))
    line["sku"] = "ABC-12345"
    eq(refused(schema, value), ("/lines/0/sku", r"does not match ^[A-Z]{3}-\d{4}$"))
    line["sku"] = "ABC-1234"
    line["more"] = 1
    eq(refused(schema, value), ("/lines/0/more", "is not a known field"))


def test_the_quote_result_is_strict():
    kind = load(sample()["result"])
    value = {"quoteId": "3fa85f64-5717-4562-b3fc-2c963f66afa6", "totalMinor": 5, "flags": ["credit_hold"]}
    eq(kind.check(value, "", False), value)
    value["flags"] = ["CREDIT_HOLD"]
    e = raises(Violation, kind.check, value, "", False)
    eq(str(e), "/flags/0: must be one of credit_hold, below_floor, manual_review")


def test_plain_schema_defaults():
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer", "default": 3}, "b": {}},
        "required": ["b", "c"],
    }
    kind = load(schema)
    eq(kind.check({"b": 1, "c": 2, "other": 5}), {"a": 3, "b": 1, "c": 2, "other": 5})
    eq(kind.check({"b": 1, "c": 2}, "", False), {"b": 1, "c": 2})
    eq(refused(schema, {"b": 1}), ("/c", "is required"))
    schema = {"type": "object", "properties": {"a": {"type": "integer", "default": 3}}, "required": ["a"]}
    eq(refused(schema, {}), ("/a", "is required"))


def test_keywords():
    eq(refused({"type": "string", "minLength": 1}, ""), ("", "must have at least 1 character"))
    eq(refused({"type": "string", "maxLength": 1}, "ab"), ("", "must have at most 1 character"))
    eq(refused({"type": "number", "exclusiveMaximum": 1}, 1.0), ("", "must be < 1"))
    eq(refused({"type": "integer", "multipleOf": 4}, 6), ("", "must be a multiple of 4"))
    eq(
        refused({"type": "array", "items": {"type": "boolean"}, "maxItems": 2}, [1]),
        ("/0", "must be true or false"),
    )
    eq(refused({"type": "string", "const": "a"}, "b"), ("", "must be one of a"))
    eq(refused({"enum": ["a", 1, None]}, True), ("", "must be one of a, 1, null"))
    eq(refused({"const": 1}, True), ("", "must be one of 1"))
    eq(refused({"type": "null"}, 0), ("", "must be one of null"))
    assert load({"type": "null"}).check(None) is None
    assert load({"const": None}).check(None) is None
    for good in (None, 5, "a", [{}]):
        eq(load({}).check(good), good)
    eq(load({"type": "array", "items": True}).check([1, "a"]), [1, "a"])


def test_null_in_types_and_enums():
    kind = load({"type": ["null", "integer"], "minimum": 1})
    eq((kind.check(None), kind.check("2")), (None, 2))
    raises(Violation, kind.check, 0)
    raises(Violation, load({"type": ["string", "null"], "enum": ["a"]}).check, None)
    assert load({"type": ["string", "null"], "enum": ["a", None]}).check(None) is None
    assert load({"type": ["string", "null"], "enum": [None]}).check(None) is None
    raises(Violation, load({"type": ["string", "null"], "enum": [None]}).check, "a")
    eq(load({"type": ["integer"]}).check(1), 1)


def test_annotations_are_ignored():
    kind = load(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": "x",
            "$comment": "x",
            "$defs": {"unused": {"anyOf": []}},
            "title": "t",
            "description": "d",
            "examples": [1],
            "deprecated": True,
            "readOnly": True,
            "x-vendor": {"anyOf": []},
            "type": "string",
            "format": "date-time",
            "uniqueItems": False,
            "minimum": 5,
        }
    )
    eq(kind.check("not a date"), "not a date")


UNCHECKED = (
    ({"anyOf": [{"type": "string"}]}, "/anyOf: anyOf is not supported"),
    ({"$ref": "#/$defs/a"}, "/$ref: $ref is not supported"),
    (
        {"type": "object", "properties": {"a/b": {"oneOf": []}}},
        "/properties/a~1b/oneOf: oneOf is not supported",
    ),
    ({"type": "array", "items": {"if": {}}}, "/items/if: if is not supported"),
    ({"type": "array", "uniqueItems": True}, "/uniqueItems: uniqueItems is not supported"),
    ({"type": "array", "items": [{"type": "string"}]}, "/items: a list as items is not supported"),
    (
        {"type": "object", "unevaluatedProperties": False},
        "/unevaluatedProperties: unevaluatedProperties is not supported",
    ),
    ({"type": "object", "patternProperties": {}}, "/patternProperties: patternProperties is not supported"),
    (
        {"type": "object", "additionalProperties": {"type": "string"}},
        "/additionalProperties: a schema as additionalProperties is not supported",
    ),
    ({"type": ["string", "integer"]}, "/type: more than one type is not supported"),
    ({"minimum": 3}, "/minimum: minimum without a type is not supported"),
    ({"properties": {}}, "/properties: properties without a type is not supported"),
    ({"enum": [[1]]}, "/: an array or object in enum or const is not supported"),
    ({"type": "array", "const": [1]}, "/: an array or object in enum or const is not supported"),
    ({"type": "number", "multipleOf": 0.1}, "/multipleOf: multipleOf with a fraction is not supported"),
    ({"type": "array", "items": False}, "/items: false as a schema is not supported"),
    ({"type": "string", "pattern": "(?=a)"}, "/: pattern (?=a): lookaround is not supported"),
)


def test_what_is_not_checked_is_refused_with_its_place():
    for schema, text in UNCHECKED:
        eq(str(raises(LocalError, load, schema)), text)


def test_lenient_keeps_it_for_listing():
    for schema, _ in UNCHECKED:
        assert load(schema, lenient=True).schema() is schema
    kind = load(
        {"type": "object", "anyOf": [{"required": ["b"]}], "properties": {"a": {"type": "integer"}}}, True
    )
    eq(kind.check({"a": "1"}), {"a": 1})
    raises(Violation, kind.check, {"a": "x"})


def test_malformed_schemas():
    for schema, text in (
        (5, "/: a schema must be an object"),
        (None, "/: a schema must be an object"),
        ({"type": "text"}, "/type: must be a type or a list of types"),
        ({"type": []}, "/type: must be a type or a list of types"),
        ({"type": None}, "/type: must be a type or a list of types"),
        ({"type": [["string"]]}, "/type: must be a type or a list of types"),
        ({"type": "array", "items": 5}, "/items: a schema must be an object"),
        (
            {"type": "array", "items": {"type": "integer", "minimum": 2, "maximum": 1}},
            "/items: minimum: nothing is between the limits",
        ),
        ({"type": "integer", "minimum": "1"}, "/: minimum: must be a finite number"),
        ({"type": "integer", "minimum": None}, "/minimum: must not be null"),
        ({"type": "integer", "exclusiveMinimum": True}, "/: exclusiveMinimum: must be a finite number"),
        ({"type": "integer", "multipleOf": 0}, "/: multipleOf: must be an integer above 0"),
        ({"type": "string", "minLength": -1}, "/: minLength: must be an integer from 0"),
        ({"type": "string", "minLength": 2, "maxLength": 1}, "/: minLength: is more than maxLength"),
        ({"type": "string", "pattern": "[a"}, "/: pattern [a: has a [ without a ]"),
        ({"type": "string", "pattern": 5}, "/: pattern: must be a string"),
        ({"type": "string", "enum": []}, "/enum: must not be empty"),
        ({"enum": "a"}, "/enum: must be a list"),
        ({"type": "string", "enum": [1]}, "/: enum: must be a string"),
        ({"type": "string", "const": None}, "/: enum: must be a string"),
        ({"enum": [1], "const": 2}, "/enum: must not be empty"),
        ({"type": "integer", "default": "1"}, "/: default: must be an integer"),
        ({"type": "object", "properties": []}, "/properties: must be an object"),
        ({"type": "object", "properties": {"a": 1}}, "/properties/a: a schema must be an object"),
        ({"type": "object", "required": "a"}, "/required: must be a list of names"),
        ({"type": "object", "required": [1]}, "/required: must be a list of names"),
        (
            {"type": "object", "required": ["a"], "additionalProperties": False},
            "/required: names a field that is not in properties: a",
        ),
        (
            {"type": "object", "additionalProperties": 1},
            "/additionalProperties: must be a boolean or a schema",
        ),
    ):
        eq(str(raises(LocalError, load, schema)), text)


def test_depth_is_bounded():
    schema = {"type": "integer"}
    for _ in range(200):
        schema = {"type": "array", "items": schema}
    assert "nested more than 24 deep" in str(raises(LocalError, load, schema))
    round_ = {"type": "array"}
    round_["items"] = round_
    assert "nested more than 24 deep" in str(raises(LocalError, load, round_, True))
