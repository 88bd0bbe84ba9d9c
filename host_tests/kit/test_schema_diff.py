"""What a change of a schema is worth, in arguments and in results."""

import pytest

from tsumiki.schema_diff import compare
from tsumiki.schema_fit import misfits

B, R, I = "breaking", "routing", "info"  # noqa: E741
S = {"type": "string"}


def of(**properties):
    return {"type": "object", "properties": properties}


def closed(**properties):
    return dict(of(**properties), additionalProperties=False)


def needs(*names, **properties):
    return dict(of(**properties), required=list(names))


def any_of(*schemas):
    return {"anyOf": list(schemas)}


def enum(*values):
    return {"enum": list(values)}


# what, old, new, (kind, level) in arguments, level in a result
CHANGES = [
    ("type", {"type": "string"}, {"type": "integer"}, ("type-changed", B), B),
    ("type narrowed", {"type": ["string", "null"]}, {"type": "string"}, ("type-narrowed", B), I),
    ("type widened", {"type": "integer"}, {"type": "number"}, ("type-widened", I), B),
    ("type told", {}, {"type": "string"}, ("type-narrowed", B), I),
    ("type no more told", {"type": "string"}, {}, ("type-widened", I), B),
    ("enum narrowed", enum("a", "b"), enum("a"), ("enum-narrowed", B), I),
    ("enum widened", enum("a"), enum("a", "b"), ("enum-widened", I), B),
    ("enum new", {}, enum("a"), ("enum-narrowed", B), I),
    ("enum gone", enum("a"), {}, ("enum-widened", I), B),
    ("const", {"const": 1}, {"const": True}, ("enum-narrowed", B), I),
    ("maximum", {"maximum": 9}, {"maximum": 8}, ("limit-tightened", B), I),
    ("maximum new", {}, {"maximum": 8}, ("limit-tightened", B), I),
    ("maximum gone", {"maximum": 8}, {}, ("limit-loosened", I), I),
    ("minimum", {"minimum": 1}, {"minimum": 2}, ("limit-tightened", B), I),
    ("minimum loosened", {"minimum": 2}, {"minimum": 1}, ("limit-loosened", I), I),
    ("maxItems", {"maxItems": 200}, {"maxItems": 100}, ("limit-tightened", B), I),
    ("minLength", {"minLength": 0}, {"minLength": 1}, ("limit-tightened", B), I),
    ("pattern new", {}, {"pattern": "^a"}, ("limit-tightened", B), I),
    ("pattern", {"pattern": "^a"}, {"pattern": "^b"}, ("limit-changed", B), B),
    ("pattern gone", {"pattern": "^a"}, {}, ("limit-loosened", I), I),
    ("format new", {}, {"format": "uuid"}, ("limit-tightened", B), I),
    ("uniqueItems", {"uniqueItems": False}, {"uniqueItems": True}, ("limit-tightened", B), I),
    ("words", {"description": "a"}, {"description": "b"}, ("words", R), I),
    ("default", {"default": 1}, {"default": 2}, ("hint", I), I),
    ("optional new", of(), of(a=S), ("added", I), I),
    ("required new", of(), needs("a", a=S), ("added-required", B), I),
    ("required gained", of(a=S), needs("a", a=S), ("required-gained", B), I),
    ("required lost", needs("a", a=S), of(a=S), ("required-lost", R), B),
    ("removed", of(a=S), of(), ("removed", I), B),
    ("removed, refused", closed(a=S), closed(), ("removed-refused", B), B),
    ("closed", of(a=S), closed(a=S), ("closed", B), I),
    ("opened", closed(a=S), of(a=S), ("opened", I), I),
    ("items", {"items": S}, {"items": {"type": "integer"}}, ("type-changed", B), B),
    ("items told", {"type": "array"}, {"type": "array", "items": S}, ("limit-tightened", B), I),
    ("inside", of(a=of(b=enum(1, 2))), of(a=of(b=enum(1))), ("enum-narrowed", B), I),
    ("alternative gone", any_of(S, {"type": "null"}), S, ("alternative-lost", B), I),
    ("alternative new", S, any_of(S, {"type": "null"}), ("alternative-gained", I), B),
    ("not", {"not": {"const": 1}}, {"not": {"const": 2}}, ("incomparable", B), B),
    ("allOf new", {}, {"allOf": [S]}, ("incomparable", B), B),
    ("impossible", of(a=S), of(a=False), ("incomparable", B), B),
]  # fmt: skip


@pytest.mark.parametrize(
    "old, new, found, result", [row[1:] for row in CHANGES], ids=[row[0] for row in CHANGES]
)
def test_a_change_has_its_level_in_arguments_and_in_results(old, new, found, result):
    changes = compare(old, new, "x")
    assert found in [(change.kind, change.level) for change in changes]
    worst = (B, R, I)
    assert min((change.level for change in changes), key=worst.index) == found[1]
    assert result in [change.level for change in compare(old, new, "x", "result") if change.kind == found[0]]


SAME = [
    (needs("a", "b", a=S, b=S), needs("b", "a", b=S, a=S)),
    ({"maximum": 1}, {"maximum": 1.0}),
    (enum("a", "b"), enum("b", "a")),
    (any_of(S, {"type": "null"}), {"oneOf": [{"type": "null"}, S]}),
    ({"type": "string"}, {"type": ["string"]}),
    ({"const": "a"}, enum("a")),
    (
        {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": S}},
        {"properties": {"a": {"$ref": "#/definitions/B"}}, "definitions": {"B": S}},
    ),
]


@pytest.mark.parametrize("old, new", SAME)
def test_what_means_the_same_is_no_change(old, new):
    assert compare(old, new, "x") == compare(new, old, "x") == []


def test_a_change_behind_a_reference_is_found_and_a_circle_ends():
    def tree(value):
        node = {"type": "object", "properties": {"v": value, "next": {"$ref": "#/$defs/Node"}}}
        return {"$ref": "#/$defs/Node", "$defs": {"Node": node}}

    found = compare(tree(S), tree({"type": "integer"}), "x")
    assert [(change.kind, change.path) for change in found] == [("type-changed", "x/properties/v/type")]
    assert compare(tree(S), tree(S), "x") == []


def test_alternatives_without_end_are_no_end_of_work():
    loop = {"anyOf": [{"$ref": "#"}, {"type": "object", "properties": {"a": {"$ref": "#"}}}]}
    wide = {"anyOf": [{"type": "string", "maxLength": i} for i in range(200)]}
    deep = {"anyOf": [dict(loop, maxLength=i) for i in range(40)]}
    for schema in (loop, wide, deep, {"anyOf": []}):
        assert compare(schema, schema, "x") == []
        assert compare(schema, {"type": "integer"}, "x") and misfits({"type": "integer"}, schema) is not None


def test_one_path_a_change():
    old = of(a=of(b={"type": "string", "maxLength": 5}))
    new = of(a=of(b={"type": "string", "maxLength": 4}))
    (change,) = compare(old, new, "tools/t/inputSchema")
    assert change.path == "tools/t/inputSchema/properties/a/properties/b/maxLength"
    assert change.text == "maxLength was 5, is 4"
    assert change.as_dict()["level"] == B


FITS = [
    ({"type": "string"}, {"type": ["string", "null"], "description": "new"}),
    ({"type": "string"}, {"anyOf": [{"type": "null"}, {"type": "string"}]}),
    ({"type": "integer"}, {"type": "number"}),
    ({"type": "string"}, {}),
    (enum("a"), enum("a", "b")),
    (enum("a"), {"type": "string"}),
    ({"properties": {"a": S}}, of(a=S, b=S)),
    ({"required": ["a", "b"]}, needs("b", "a", a=S, b=S)),
    ({"items": {"type": "string"}}, {"items": {"type": "string", "maxLength": 3}}),
    ({"maximum": 90}, {"maximum": 90.0}),
    ({"properties": {"a": S}}, {"$ref": "#/$defs/X", "$defs": {"X": of(a=S)}}),
]
MISFITS = [
    ({"type": "string"}, {"type": "integer"}, "/type"),
    ({"type": ["string", "null"]}, {"type": "string"}, "/type"),
    (enum("a", "b"), enum("a"), "/enum"),
    (enum("a"), {"const": "b"}, "/enum"),
    ({"properties": {"a": S}}, of(b=S), "/properties/a"),
    ({"properties": {"a": of(b=S)}}, of(a=of(b={"type": "null"})), None),
    ({"required": ["a"]}, of(a=S), "/required"),
    ({"required": ["a"]}, needs("a", "b", a=S, b=S), "/required"),
    ({"maximum": 90}, {"maximum": 45}, "/maximum"),
    ({"maximum": 90}, {}, "/maximum"),
    ({"items": S}, {"items": {"type": "integer"}}, "/items/type"),
    ({"items": S}, {}, "/items"),
    ({"type": "string"}, {"anyOf": [{"type": "null"}, {"type": "integer"}]}, "/type"),
]


@pytest.mark.parametrize("pinned, schema", FITS)
def test_what_is_pinned_is_still_there(pinned, schema):
    assert misfits(pinned, schema) == []


@pytest.mark.parametrize("pinned, schema, path", MISFITS)
def test_what_is_pinned_has_changed(pinned, schema, path):
    found = misfits(pinned, schema)
    assert len(found) == 1 and (path is None or found[0][0] == path)
