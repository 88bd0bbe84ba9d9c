"""The types that need few lines: truth values, and all values."""

from .errors import Violation
from .kind import Kind


class Boolean(Kind):
    """true or false; takes "true" and "false"."""

    TYPE = "boolean"

    def check(self, value, path="", coerce=True):
        """See `Kind`."""
        if type(value) is not bool:
            if value is None and self.nullable:
                return None
            if not coerce or type(value) is not str or value not in ("true", "false"):
                raise Violation(path, "must be true or false")
            value = value == "true"
        return value if self.enum is None else self._member(value, path, coerce)


class Any(Kind):
    """Any JSON value, or with `enum` any of those scalars."""

    def check(self, value, path="", coerce=True):
        """See `Kind`."""
        if self.enum is None or (value is None and self.nullable):
            return value
        return self._member(value, path, coerce)
