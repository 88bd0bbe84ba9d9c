"""Types against random schemas and values: only the promised exceptions, and the verdicts of `jsonschema`."""

import copy
import re

import jsonschema
from hypothesis import given, settings
from hypothesis import strategies as st

from umcp.errors import LocalError, Violation
from umcp.schema import load

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-20, 20),
    st.integers(),
    st.floats(),
    st.sampled_from((0.0, -0.0, 3.0, 1e300, 2.5)),
    st.sampled_from(
        ("", "a", "ab", "B", "12", "-3", "1.5", "1e999", "true", "null", "[1]", '{"a":1}', "\ud800", "\u7a4d")
    ),
    st.text(max_size=6),
)
names = st.sampled_from(("a", "b", "c", "a/b", "~"))
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.one_of(names, st.text(max_size=3)), inner, max_size=4)
    ),
    max_leaves=12,
)


@st.composite
def bounds(draw, low, high, numbers):
    """Some of the keywords `low` and `high`, never contradictory."""
    a, b = sorted((draw(numbers), draw(numbers)))
    out = {}
    if draw(st.booleans()):
        out[low] = a
    if draw(st.booleans()) and (b > a or not low.startswith("excl")):
        out[high] = b
    return out


def lengths(low, high):
    return bounds(low, high, st.integers(0, 4))


@st.composite
def typed(draw, name, keywords):
    schema = {"type": name, **draw(keywords)}
    if draw(st.integers(0, 4)) == 0:
        schema["type"] = [name, "null"]
    return schema


limits = st.one_of(
    bounds("minimum", "maximum", st.integers(-5, 5)),
    bounds("minimum", "maximum", st.sampled_from((-2.5, 0.5, 1.0, 3.25))),
    bounds("exclusiveMinimum", "exclusiveMaximum", st.integers(-5, 5)),
    st.integers(1, 4).map(lambda n: {"multipleOf": n}),
)
patterns = st.sampled_from(("^a", "b$", "^[a-z]+$", r"^\d{1,2}$", "a|b", "^$", r"[^\x00-\x7f]")).map(
    lambda p: {"pattern": p}
)
leaves = st.one_of(
    st.just({}),
    st.just(True),
    typed("string", st.one_of(lengths("minLength", "maxLength"), patterns)),
    typed("integer", limits),
    typed("number", limits),
    typed("boolean", st.just({})),
    st.just({"type": "null"}),
    st.lists(
        st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from(("a", "ab", 1.0, 2.5))),
        min_size=1,
        max_size=4,
    ).map(lambda members: {"enum": members}),
    st.sampled_from(
        (
            {"const": "a"},
            {"type": "string", "enum": ["a", "B"]},
            {"type": ["string", "null"], "enum": ["a", None]},
        )
    ),
)


@st.composite
def objects(draw, inner):
    properties = draw(st.dictionaries(names, inner, max_size=3))
    schema = {"properties": properties}
    required = draw(st.lists(st.sampled_from(sorted(properties)), unique=True)) if properties else []
    if required:
        schema["required"] = required
    extra = draw(st.sampled_from((None, True, False)))
    if extra is not None:
        schema["additionalProperties"] = extra
    return draw(typed("object", st.just(schema)))


@st.composite
def arrays(draw, inner):
    keywords = draw(lengths("minItems", "maxItems"))
    if draw(st.booleans()):
        keywords["items"] = draw(inner)
    return draw(typed("array", st.just(keywords)))


schemas = st.recursive(leaves, lambda inner: st.one_of(objects(inner), arrays(inner)), max_leaves=6).filter(
    lambda s: s is not True
)


def sample(schema):
    """Values near the schema, so that not all are refused at the first level."""
    if schema is True or "type" not in schema:
        return (
            st.one_of(values, st.sampled_from(schema["enum"]))
            if schema is not True and "enum" in schema
            else values
        )
    name = schema["type"] if isinstance(schema["type"], str) else schema["type"][0]
    near = values
    if name == "object":
        fields = schema["properties"]
        near = st.fixed_dictionaries({}, optional={key: sample(inner) for key, inner in fields.items()})
    elif name == "array":
        near = st.lists(sample(schema.get("items", True)), max_size=4)
    elif name == "integer":
        near = st.one_of(st.integers(-7, 7), st.integers(-7, 7).map(float))
    elif name == "number":
        near = st.one_of(st.integers(-7, 7), st.floats(-7, 7))
    elif name == "string":
        near = st.one_of(st.text("abz1", max_size=5), st.sampled_from(("12", "\u7a4d", "a\n")))
    return st.one_of(near, near, near, values)


schema_and_value = schemas.flatmap(lambda s: st.tuples(st.just(s), sample(s)))


def finite(value):
    if isinstance(value, float):
        return value - value == 0
    if isinstance(value, dict):
        return all(map(finite, value.values()))
    return all(map(finite, value)) if isinstance(value, list) else True


def passes(kind, value, coerce):
    try:
        return True, kind.check(value, "", coerce)
    except Violation as e:
        assert len(e.reason) < 300
        assert e.path == "" or e.path[0] == "/"
        return False, None


@given(schema_and_value)
@settings(max_examples=400, deadline=None)
def test_random_values_raise_nothing_but_violations(case):
    schema, value = case
    kind = load(schema)
    before = copy.deepcopy(value)
    coerced, seen = passes(kind, value, True)
    assert repr(value) == repr(before)
    strict, exact = passes(kind, value, False)
    if strict:
        assert coerced
        assert repr(seen) == repr(exact) or not finite(value)
    if coerced:
        assert passes(kind, seen, False)[0]


def search(validator, pattern, instance, schema):
    # `jsonschema` searches with `re`, whose $ also matches before a last newline.
    if validator.is_type(instance, "string") and not re.search(pattern.replace("$", r"\Z"), instance):
        yield jsonschema.ValidationError("no match")


Oracle = jsonschema.validators.extend(jsonschema.Draft202012Validator, {"pattern": search})


@given(schema_and_value)
@settings(max_examples=500, deadline=None)
def test_strict_checks_agree_with_jsonschema(case):
    schema, value = case
    if not finite(value):
        return
    wanted = Oracle(schema).is_valid(value)
    strict, exact = passes(load(schema), value, False)
    assert strict == wanted
    if strict:
        assert exact == value


@given(schemas)
@settings(max_examples=200, deadline=None)
def test_a_loaded_schema_is_listed_verbatim(schema):
    assert load(schema).schema() is schema


keywords = st.sampled_from(
    "type enum const properties required additionalProperties items minItems maxItems minLength maxLength pattern "
    "format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf default title anyOf $ref uniqueItems x".split()
)
words = st.sampled_from("string integer number boolean array object null uuid ^a [ (?=a)".split())
wild = st.recursive(
    st.one_of(scalars, words, st.lists(words, max_size=2)),
    lambda inner: st.one_of(st.dictionaries(keywords, inner, max_size=5), st.lists(inner, max_size=3)),
    max_leaves=15,
)


@st.composite
def mutated(draw):
    """A good schema, with a few keywords of it, at any depth, replaced by anything."""
    schema = copy.deepcopy(draw(schemas))
    for _ in range(draw(st.integers(1, 3))):
        at = schema
        while True:
            inner = [v for v in at.values() if isinstance(v, dict)]
            if not inner or draw(st.booleans()):
                break
            at = draw(st.sampled_from(inner))
        at[draw(keywords)] = draw(wild)
    return schema


@given(st.one_of(wild, mutated()), values, st.booleans())
@settings(max_examples=500, deadline=None)
def test_random_schemas_raise_nothing_but_local_errors(schema, value, lenient):
    try:
        kind = load(schema, lenient)
    except LocalError:
        return
    passes(kind, value, True)
    passes(kind, value, False)
