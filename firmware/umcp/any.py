"""The type of all values."""

from .kind import Kind


class Any(Kind):
    """Any JSON value, or with `enum` any of those scalars."""

    def check(self, value, path="", coerce=True):
        """See `Kind`."""
        if self.enum is None or (value is None and self.nullable):
            return value
        return self._member(value, path, coerce)
