"""What the types of a small server leave out: a module that it does not need takes no RAM."""

import sys

from harness import eq, raises
from umcp.errors import Violation
from umcp.types import Number, Object, String

COLD = (
    "array characters charset describe from_text integer options pattern range regex schema simple uuid violations"
).split()


def cold():
    return [name for name in COLD if "umcp." + name in sys.modules]


def test_a_module_is_imported_when_it_is_needed():
    kinds = (
        Object((("text", String(max_length=2000, description="Any text.")),)),
        Object((("a", Number()), ("b", Number(optional=True, nullable=True)))),
        Object(()),
    )
    eq(kinds[0].check({"text": "x"}), {"text": "x"})
    eq(kinds[1].check({"a": 1, "b": 2.5}), {"a": 1, "b": 2.5})
    eq(kinds[1].check({"a": 1}), {"a": 1})
    eq(kinds[2].check({}), {})
    eq(cold(), [])
    raises(Violation, kinds[2].check, {"x": 1})
    eq(cold(), ["characters", "violations"])
    eq(kinds[1].check({"a": "1"}), {"a": 1})
    eq(cold(), ["characters", "from_text", "violations"])
    kinds[1].schema()
    eq(cold(), ["characters", "describe", "from_text", "violations"])
    Number(min=1)
    eq(cold(), ["characters", "describe", "from_text", "options", "range", "violations"])


def test_all_types_come_from_one_module():
    from umcp import types

    for name in ("Any", "Array", "Boolean", "Integer", "Number", "Object", "String"):
        eq(getattr(types, name).__name__, name)
        assert getattr(types, name) is getattr(types, name)
    raises(AttributeError, lambda: types.Text)
