"""The types of numbers and booleans."""

from .errors import LocalError, Violation
from .kind import Kind

_INF = float("inf")
_MINUS_INF = -_INF
_MAX_TEXT = 32


class Number(Kind):
    """A number, int or float, finite.  Takes "1.5" for 1.5 from a client that sends everything as text.

    min, max: numbers, inclusive.  above, below: numbers, exclusive.  multiple_of: int above 0.
    """

    TYPE = "number"
    KEYWORDS = (
        ("min", "minimum"),
        ("above", "exclusiveMinimum"),
        ("max", "maximum"),
        ("below", "exclusiveMaximum"),
        ("multiple_of", "multipleOf"),
    )
    min = above = max = below = multiple_of = None
    _bounded = False

    def check(self, value, path="", coerce=True):
        """See `Kind.check`."""
        # An int is finite, though a large one equals infinity on MicroPython.
        if type(value) is not int:
            if type(value) is not float:
                if value is None and self.nullable:
                    return None
                value = self._from_text(value, coerce)
                if value is None:
                    raise Violation(path, "must be a number")
            if type(value) is float and not _MINUS_INF < value < _INF:
                raise Violation(path, "must be a finite number")
        if self._bounded:
            self._check_range(value, path)
        if self.enum is not None:
            return self._member(value, path, coerce)
        return value

    def _from_text(self, value, coerce):
        return number(value) if coerce and type(value) is str else None

    def _check_range(self, value, path):
        if self.min is not None and value < self.min:
            raise Violation(path, "must be >= %s" % self.min)
        if self.above is not None and value <= self.above:
            raise Violation(path, "must be > %s" % self.above)
        if self.max is not None and value > self.max:
            raise Violation(path, "must be <= %s" % self.max)
        if self.below is not None and value >= self.below:
            raise Violation(path, "must be < %s" % self.below)
        if self.multiple_of is not None and value % self.multiple_of != 0:
            raise Violation(path, "must be a multiple of %s" % self.multiple_of)

    def _verify(self):
        for option, keyword in self.KEYWORDS:
            limit = getattr(self, option)
            if limit is not None:
                self._bounded = True
                if type(limit) not in (int, float) or not _MINUS_INF < limit < _INF:
                    raise LocalError("%s: must be a finite number" % keyword)
        if self.multiple_of is not None and (type(self.multiple_of) is not int or self.multiple_of < 1):
            raise LocalError("multipleOf: must be an integer above 0")
        low, open_low = _tighter(self.min, self.above, False)
        high, open_high = _tighter(self.max, self.below, True)
        if low is not None and high is not None and (low > high or (low == high and (open_low or open_high))):
            raise LocalError("minimum: nothing is between the limits")


class Integer(Number):
    """An integer of any size; 3.0 is 3, as in JSON Schema.  The options are those of `Number`."""

    TYPE = "integer"

    def check(self, value, path="", coerce=True):
        """See `Kind.check`."""
        if type(value) is not int:
            if value is None and self.nullable:
                return None
            value = self._from_text(value, coerce)
            if value is None:
                raise Violation(path, "must be an integer")
        if self._bounded:
            self._check_range(value, path)
        if self.enum is not None:
            return self._member(value, path, coerce)
        return value

    def _from_text(self, value, coerce):
        if coerce and type(value) is str:
            value = number(value)
            return value if type(value) is int else None
        if type(value) is not float or not _MINUS_INF < value < _INF or value != int(value):
            return None
        return int(value)


class Boolean(Kind):
    """true or false; takes "true" and "false"."""

    TYPE = "boolean"

    def check(self, value, path="", coerce=True):
        """See `Kind.check`."""
        if type(value) is bool:
            return super().check(value, path, coerce)
        if value is None and self.nullable:
            return None
        if coerce and type(value) is str and value in ("true", "false"):
            return super().check(value == "true", path, coerce)
        raise Violation(path, "must be true or false")


def number(text):
    """The int or float that `text`, of at most 32 characters, is in JSON (RFC 8259 section 6), else None.

    Stricter than int() and float(), which take spaces, underscores and other scripts' digits on CPython.
    """
    if len(text) > _MAX_TEXT:
        return None
    mantissa, e, exponent = text.replace("E", "e").partition("e")
    whole, dot, part = mantissa.partition(".")
    if whole[:1] == "-":
        whole = whole[1:]
    if exponent[:1] in ("+", "-"):
        exponent = exponent[1:]
    if not _digits(whole) or (whole[0] == "0" and whole != "0"):
        return None
    if (dot and not _digits(part)) or (e and not _digits(exponent)):
        return None
    return float(text) if dot or e else int(text)


def _digits(text):
    return text != "" and all(c in "0123456789" for c in text)


def _tighter(closed, open, upper):
    # The tighter of an inclusive and an exclusive limit, and whether it is the exclusive one.
    if closed is None or open is None:
        return (open, True) if closed is None else (closed, False)
    if open <= closed if upper else open >= closed:
        return open, True
    return closed, False
