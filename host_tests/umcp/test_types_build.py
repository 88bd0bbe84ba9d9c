"""Building types: the JSON Schema that they emit, and the options that are refused."""

from quotes import QUOTE

from harness import eq, raises
from umcp.codec import dumps, loads
from umcp.errors import LocalError
from umcp.types import Any, Array, Boolean, Integer, Number, Object, String


def plain(schema):
    return loads(dumps(schema))  # an OrderedDict of MicroPython equals no dict


def test_schemas():
    for kind, schema in (
        (Object(), {"type": "object", "properties": {}, "additionalProperties": False}),
        (Any(), {}),
        (Any(enum=(1, "a")), {"enum": [1, "a"]}),
        (String(nullable=True, enum=("a",)), {"type": ["string", "null"], "enum": ["a", None]}),
        (Array(), {"type": "array"}),
        (Array(Boolean(), max_items=2), {"type": "array", "items": {"type": "boolean"}, "maxItems": 2}),
        (Integer(min=1, max=9, default=4), {"type": "integer", "minimum": 1, "maximum": 9, "default": 4}),
        (Integer(multiple_of=2, title="T"), {"type": "integer", "multipleOf": 2, "title": "T"}),
        (Number(above=0, below=1), {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}),
        (
            Object((("a", Integer(optional=True)),), extra=True),
            {"type": "object", "properties": {"a": {"type": "integer"}}},
        ),
        (String(min_length=0, description="D"), {"type": "string", "minLength": 0, "description": "D"}),
    ):
        eq(plain(kind.schema()), schema)


def test_the_quote_schema_is_the_sample():
    with open(__file__.rsplit("/", 2)[0] + "/samples/quote_schema.json", "rb") as f:
        sample = loads(f.read())["request"]
    fields = sample["properties"]
    for field in (fields["accountId"], fields["lines"]["items"]["properties"]["unitPriceMinor"]):
        del field["description"]
    eq(loads(dumps(QUOTE.schema())), sample)


def test_a_schema_keeps_the_declared_order():
    text = dumps(QUOTE.schema()).decode()
    names = ("accountId", "currency", "lines", "sku", "quantity", "unitPriceMinor")
    places = [text.find('"%s":{' % name) for name in names]
    eq(places, sorted(places))
    eq(QUOTE.schema()["required"], ["accountId", "currency", "lines"])


def test_wrong_options_fail_when_the_type_is_built():
    for reason, build in (
        ("nothing is between", lambda: Integer(min=2, max=1)),
        ("nothing is between", lambda: Number(above=1, max=1)),
        ("nothing is between", lambda: Number(min=0, above=2, below=2)),
        ("minimum: must be a finite number", lambda: Integer(min="1")),
        ("maximum: must be a finite number", lambda: Number(max=float("inf"))),
        ("minimum: must be a finite number", lambda: Number(min=True)),
        ("multipleOf", lambda: Integer(multiple_of=0)),
        ("minLength: is more than maxLength", lambda: String(min_length=2, max_length=1)),
        ("maxLength: must be an integer from 0", lambda: String(max_length=-1)),
        ("minItems: must be an integer from 0", lambda: Array(min_items=1.5)),
        ("lookaround", lambda: String(pattern="(?=a)")),
        ("only uuid", lambda: String(format="date")),
        ("enum: must not be empty", lambda: String(enum=())),
        ("enum: must be a list", lambda: String(enum="abc")),
        ("enum: must be a string", lambda: String(enum=("a", 1))),
        ("enum: must be an integer", lambda: Integer(enum=(True,))),
        ("enum: must be <= 3", lambda: Integer(enum=(1, 4), max=3)),
        ("enum: takes", lambda: Any(enum=([],))),
        ("enum: takes", lambda: Array(enum=([],))),
        ("default: must be an integer", lambda: Integer(default="1")),
        ("default: must be >= 0", lambda: Integer(default=-1, min=0)),
        ("default: must be one of", lambda: String(default="A", enum=("a",))),
        ("default: /0: must be", lambda: Array(Integer(), default=["x"])),
        ("has no option minimum", lambda: Integer(minimum=1)),
        ("has no option pattern", lambda: Integer(pattern="a")),
        ("title, description", lambda: Integer(title=5)),
        ("items: must be a type", lambda: Array(Integer)),
        ("properties: must be (name, type)", lambda: Object((("a", Integer),))),
        ("properties: must be (name, type)", lambda: Object(("a", "b"))),
        ("properties: must be (name, type)", lambda: Object(((1, Integer()),))),
        ("a name comes twice", lambda: Object((("a", Integer()), ("a", Integer())))),
    ):
        text = str(raises(LocalError, build))
        assert reason in text, (reason, text)
