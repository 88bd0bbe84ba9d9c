"""Whatever two servers list: the comparison ends, says nothing of what is the same, and crashes on nothing."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tsumiki import contract_file, surface
from tsumiki.budget import budget, counter
from tsumiki.contract import Check
from tsumiki.diff import compare
from tsumiki.exchanges import classify
from tsumiki.pointers import first_difference, steps, without

NAMES = st.sampled_from(["a", "b", "c~/d"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-2, 2) | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
TYPES = st.sampled_from(["string", "integer", "number", "null", "object", "array", "boolean"])
KEYWORDS = {
    "type": TYPES | st.lists(TYPES, min_size=1, max_size=3),
    "enum": st.lists(VALUES, min_size=1, max_size=3),
    "const": VALUES,
    "minimum": st.integers(0, 3),
    "maxLength": st.integers(0, 3),
    "pattern": NAMES,
    "description": NAMES,
    "required": st.lists(NAMES, max_size=3, unique=True),
    "additionalProperties": st.booleans(),
    "$ref": st.sampled_from(["#", "#/properties/a", "#/nothing"]),
    "not": VALUES,
}


def _schemas(inner):
    return st.fixed_dictionaries(
        {},
        optional={
            **KEYWORDS,
            "properties": st.dictionaries(NAMES, inner, max_size=3),
            "items": inner,
            "anyOf": st.lists(inner, min_size=1, max_size=3),
        },
    )


SCHEMAS = st.recursive(st.fixed_dictionaries({}, optional=KEYWORDS), _schemas, max_leaves=6)
# What nobody should list, and somebody will.
ODD = SCHEMAS | VALUES | st.dictionaries(st.sampled_from([*KEYWORDS, "properties", "items", "anyOf"]), VALUES)
ENTRIES = st.fixed_dictionaries(
    {"name": NAMES},
    optional={"inputSchema": ODD, "outputSchema": ODD, "annotations": VALUES, "description": VALUES},
)
PROMPTS = st.fixed_dictionaries(
    {"name": NAMES}, optional={"arguments": VALUES | st.lists(st.dictionaries(NAMES, VALUES))}
)
SERVERS = st.fixed_dictionaries(
    {"tools": st.lists(ENTRIES, max_size=3, unique_by=lambda one: one["name"])},
    optional={"prompts": st.lists(PROMPTS, max_size=2, unique_by=lambda one: one["name"]), "server": VALUES},
)


@given(SERVERS, SERVERS)
@settings(deadline=None, max_examples=50)
def test_any_two_servers_can_be_compared(old, new):
    old, new = surface.of_value(old, "old"), surface.of_value(new, "new")
    assert compare(old, old)[0] == compare(new, new)[0] == []
    changes, _ = compare(old, new)
    assert all(change.path and change.text for change in changes)


@given(SERVERS)
@settings(deadline=None, max_examples=50)
def test_the_contract_to_begin_with_holds_where_it_is_from(server):
    there = surface.of_value(server, "it")
    check = Check("it")
    check.lists(contract_file.starting(there), there)
    assert check.findings == []


@given(SERVERS)
@settings(deadline=None, max_examples=50)
def test_the_budget_of_any_server_adds_up(server):
    found = budget(surface.of_value(server, "it").tools.values(), counter(), 3, 2.0)
    assert found["tokens_per_request"] == sum(row["tokens"] for row in found["tools"])


@given(VALUES | st.dictionaries(st.sampled_from(["jsonrpc", "id", "result", "error", "isError"]), VALUES))
def test_any_message_has_a_class(message):
    assert isinstance(classify(message), str)


@given(VALUES, VALUES)
def test_a_difference_is_gone_once_it_is_left_out(a, b):
    assert first_difference(a, a) is None
    place = first_difference(a, b)
    if place is not None and place != "/" and steps(place)[-1] and not steps(place)[-1].isdigit():
        assert first_difference(without(a, [place]), without(b, [place])) != place
