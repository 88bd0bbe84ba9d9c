"""Typed values, written once: `schema()` lists them, `check()` checks and coerces arguments and results.

    LINE = Object((("sku", String(pattern=r"^[A-Z]{3}-\\d{4}$")), ("quantity", Integer(above=0))))
    QUOTE = Object((("currency", String(enum=("USD", "EUR"))), ("lines", Array(LINE, max_items=200))))
    QUOTE.check({"currency": "usd", "lines": []})  # {"currency": "USD", "lines": []}

A field is required unless its type has `default=` or `optional=True`. A wrong option is a LocalError at once.
Any, Array, Boolean, Integer and Number take RAM only in a program that imports them.
"""

try:
    from micropython import const
except ImportError:
    const = int

from .errors import Violation
from .kind import ABSENT, Kind

_UNBOUNDED = const(0x3FFFFFFF)


def __getattr__(name):
    if name == "Number":
        from .number import Number as kind
    elif name == "Integer":
        from .integer import Integer as kind
    elif name == "Array":
        from .array import Array as kind
    elif name == "Boolean":
        from .simple import Boolean as kind
    elif name == "Any":
        from .simple import Any as kind
    else:
        raise AttributeError(name)
    return kind


class String(Kind):
    """Text.

    min_length, max_length: int, in code points.  format: "uuid" (RFC 9562, either case) or None.
    pattern: str, see `pattern.py`; a text of more than 1,024 characters does not match.
    With `enum`, a text that differs only in ASCII case from exactly one member becomes that member.
    """

    TYPE = "string"
    min_length = 0
    max_length = _UNBOUNDED
    pattern = format = None

    def check(self, value, path="", coerce=True):
        """See `Kind`."""
        if not isinstance(value, str):
            if value is None and self.nullable:
                return None
            raise Violation(path, "must be a string")
        if self.enum is not None:
            return self._member(value, path, coerce)
        if not self.min_length <= len(value) <= self.max_length:
            from .violations import length

            raise length(path, len(value), self.min_length, self.max_length, "character")
        for refusal in self._refusals:
            reason = refusal(self, value)
            if reason:
                raise Violation(path, reason)
        return value


class Object(Kind):
    """A dict; takes its JSON text too.

    fields: tuple of (name, type).  extra: bool, whether fields of other names pass, as they are.
    """

    TYPE = "object"
    extra = False

    def __init__(self, fields=(), **options):
        names = set()
        for pair in fields:
            if (
                not isinstance(pair, (tuple, list))
                or len(pair) != 2
                or not isinstance(pair[0], str)
                or not isinstance(pair[1], Kind)
                or pair[0] in names
            ):
                from .options import refuse_field

                refuse_field(pair, names)
            names.add(pair[0])
        self.fields = tuple([tuple(pair) for pair in fields])
        super().__init__(**options)

    def check(self, value, path="", coerce=True):
        """See `Kind`."""
        if not isinstance(value, dict):
            if value is None and self.nullable:
                return None
            from .from_text import container

            value = container(value, path, coerce, dict)
        fields = self.fields
        # Before anything is copied: the peer says how many there are.
        if len(value) > len(fields) and not self.extra:
            from .violations import unknown

            raise unknown(path, value, fields)
        out = value.copy()
        known = 0
        try:
            for name, kind in fields:
                given = value.get(name, ABSENT)
                if given is not ABSENT:
                    known += 1
                    out[name] = kind.check(given, "", coerce)
                elif not kind.optional:
                    raise Violation("", "is required")
                elif coerce and kind.default is not ABSENT:
                    given = kind.default
                    if isinstance(given, (dict, list, tuple)):
                        from .options import fresh

                        given = fresh(kind)
                    out[name] = given
        except Violation as e:
            from .violations import within

            raise within(path, name, e)
        if known != len(value) and not self.extra:
            from .violations import unknown

            raise unknown(path, value, fields)
        return out
