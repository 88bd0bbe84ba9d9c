"""The type of numbers."""

from .errors import Violation
from .kind import Kind

INF = float("inf")


class Number(Kind):
    """A number, int or float, finite.  Takes "1.5" for 1.5 from a client that sends everything as text.

    min, max: numbers, inclusive.  above, below: numbers, exclusive.  multiple_of: int above 0.
    """

    TYPE = "number"
    min = above = max = below = multiple_of = None

    def check(self, value, path="", coerce=True):
        """See `Kind`."""
        # An int is finite, though a large one equals infinity on MicroPython.
        if type(value) is not int:
            if type(value) is not float:
                if value is None and self.nullable:
                    return None
                from .from_text import number

                value = number(value, path, coerce)
            if type(value) is float and not -INF < value < INF:
                raise Violation(path, "must be a finite number")
        for refusal in self._refusals:
            reason = refusal(self, value)
            if reason:
                raise Violation(path, reason)
        if self.enum is not None:
            return self._member(value, path, coerce)
        return value
