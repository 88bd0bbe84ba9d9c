"""Typed values, written once: `schema()` lists them, `check()` checks and coerces arguments and results.

    LINE = Object((("sku", String(pattern=r"^[A-Z]{3}-\\d{4}$")), ("quantity", Integer(above=0))))
    QUOTE = Object((("currency", String(enum=("USD", "EUR"))), ("lines", Array(LINE, max_items=200))))
    QUOTE.check({"currency": "usd", "lines": []})  # {"currency": "USD", "lines": []}

A field is required unless its type has `default=` or `optional=True`. A wrong option is a LocalError at once.
"""

from .errors import LocalError, RemoteError, Violation
from .kind import ABSENT, Kind, counted, is_length, ordered, pointer
from .number import Boolean, Integer, Number

__all__ = ("Any", "Array", "Boolean", "Integer", "Number", "Object", "String")


class Any(Kind):
    """Any JSON value, or with `enum` any of those scalars."""


class String(Kind):
    """Text.

    min_length, max_length: int, in code points.  format: "uuid" (RFC 9562, either case) or None.
    pattern: str, see `pattern.py`; a text of more than 1,024 characters does not match.
    With `enum`, a text that differs only in ASCII case from exactly one member becomes that member.
    """

    TYPE = "string"
    KEYWORDS = (
        ("min_length", "minLength"),
        ("max_length", "maxLength"),
        ("pattern", "pattern"),
        ("format", "format"),
    )
    min_length = max_length = pattern = format = None
    _compiled = None

    def check(self, value, path="", coerce=True):
        """See `Kind.check`."""
        if not isinstance(value, str):
            if value is None and self.nullable:
                return None
            raise Violation(path, "must be a string")
        if self.enum is not None:
            return self._member(value, path, coerce)
        if self.min_length is not None and len(value) < self.min_length:
            raise Violation(path, "must have at least " + counted(self.min_length, "character"))
        if self.max_length is not None and len(value) > self.max_length:
            raise Violation(path, "must have at most " + counted(self.max_length, "character"))
        if self._compiled is not None:
            reason = self._compiled.refusal(value)
            if reason:
                raise Violation(path, reason)
        if self.format is not None and not _is_uuid(value):
            raise Violation(path, "must be a UUID")
        return value

    def _verify(self):
        low, high = self.min_length, self.max_length
        _verify_lengths("minLength", low, "maxLength", high)
        if self.format not in (None, "uuid"):
            raise LocalError("format: only uuid is checked")
        if self.pattern is not None:
            from .pattern import compile

            self._compiled = compile(self.pattern)


class Array(Kind):
    """A list; takes its JSON text too.

    items: the type of each item, or None for any.  min_items, max_items: int.
    """

    TYPE = "array"
    KEYWORDS = (("min_items", "minItems"), ("max_items", "maxItems"))
    min_items = max_items = None

    def __init__(self, items=None, **options):
        if items is not None and not isinstance(items, Kind):
            raise LocalError("items: must be a type")
        self._items = items
        super().__init__(**options)

    def check(self, value, path="", coerce=True):
        """See `Kind.check`.  The number of items is checked before any item."""
        if not isinstance(value, (list, tuple)):
            if value is None and self.nullable:
                return None
            value = _parsed(value, "[") if coerce else None
            if not isinstance(value, list):
                raise Violation(path, "must be an array")
        if self.min_items is not None and len(value) < self.min_items:
            raise Violation(path, "must have at least " + counted(self.min_items, "item"))
        if self.max_items is not None and len(value) > self.max_items:
            raise Violation(path, "must have at most " + counted(self.max_items, "item"))
        if self._items is None:
            return list(value)
        check = self._items.check
        out = []
        try:
            for item in value:
                out.append(check(item, "", coerce))
        except Violation as e:
            raise Violation("%s/%d%s" % (path, len(out), e.path), e.reason)
        return out

    def _describe(self, out):
        if self._items is not None:
            out["items"] = self._items.schema()
        super()._describe(out)

    def _members(self, enum):
        raise LocalError("enum: takes strings, numbers, booleans and null only")

    def _verify(self):
        _verify_lengths("minItems", self.min_items, "maxItems", self.max_items)


class Object(Kind):
    """A dict; takes its JSON text too.

    fields: tuple of (name, type).  extra: bool, whether fields of other names pass, as they are.
    """

    TYPE = "object"
    KEYWORDS = (("extra", "additionalProperties"),)
    extra = False

    def __init__(self, fields=(), **options):
        self._fields = tuple([_field(f) for f in fields])
        names = [name for name, _ in self._fields]
        if len(set(names)) < len(names):
            raise LocalError("properties: a name comes twice")
        super().__init__(**options)

    def check(self, value, path="", coerce=True):
        """See `Kind.check`."""
        if not isinstance(value, dict):
            if value is None and self.nullable:
                return None
            value = _parsed(value, "{") if coerce else None
            if not isinstance(value, dict):
                raise Violation(path, "must be an object")
        fields = self._fields
        if len(value) > len(fields) and not self.extra:
            self._refuse_unknown(value, path)
        out = value.copy()
        known = 0
        for name, kind in fields:
            given = value.get(name, ABSENT)
            if given is not ABSENT:
                known += 1
                try:
                    out[name] = kind.check(given, "", coerce)
                except Violation as e:
                    raise Violation(path + pointer(name) + e.path, e.reason)
            elif not kind.optional:
                raise Violation(path + pointer(name), "is required")
            elif coerce and kind.default is not ABSENT:
                out[name] = kind.fresh_default()
        if known != len(value) and not self.extra:
            self._refuse_unknown(value, path)
        return out

    def _refuse_unknown(self, value, path):
        for name in value:
            if not any(name == known for known, _ in self._fields):
                raise Violation(
                    path + (pointer(name) if isinstance(name, str) else ""), "is not a known field"
                )

    def _describe(self, out):
        out["properties"] = ordered()
        required = []
        for name, kind in self._fields:
            out["properties"][name] = kind.schema()
            if not kind.optional:
                required.append(name)
        if required:
            out["required"] = required
        # Allowed is JSON Schema's own default.
        if not self.extra:
            out["additionalProperties"] = False

    def _members(self, enum):
        raise LocalError("enum: takes strings, numbers, booleans and null only")


def _field(pair):
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise LocalError("properties: must be (name, type) pairs")
    name, kind = pair
    if not isinstance(name, str) or not isinstance(kind, Kind):
        raise LocalError("properties: must be (name, type) pairs")
    return name, kind


def _parsed(value, opening):
    # Some clients send an inner array or object as its JSON text.
    if type(value) is not str or value[:1] != opening:
        return None
    from .codec import loads

    try:
        return loads(value.encode())
    except (RemoteError, ValueError):
        return None


def _verify_lengths(low_name, low, high_name, high):
    if not is_length(low) or not is_length(high):
        raise LocalError("%s: must be an integer from 0" % (high_name if is_length(low) else low_name))
    if low is not None and high is not None and low > high:
        raise LocalError("%s: is more than %s" % (low_name, high_name))


def _is_uuid(text):
    if len(text) != 36 or not text[8] == text[13] == text[18] == text[23] == "-":
        return False
    digits = text.replace("-", "")
    try:
        return len(digits) == 32 and len(bytes.fromhex(digits)) == 16
    except ValueError:
        return False
