"""The type of integers."""

from .errors import Violation
from .number import INF, Number


class Integer(Number):
    """An integer of any size; 3.0 is 3, as in JSON Schema.  The options are those of `Number`."""

    TYPE = "integer"

    def check(self, value, path="", coerce=True):
        """See `Kind`."""
        if type(value) is not int:
            if value is None and self.nullable:
                return None
            if type(value) is float and -INF < value < INF and value == int(value):
                value = int(value)
            else:
                from .from_text import integer

                value = integer(value, path, coerce)
        for refusal in self._refusals:
            reason = refusal(self, value)
            if reason:
                raise Violation(path, reason)
        if self.enum is not None:
            return self._member(value, path, coerce)
        return value
