"""The limits of numbers."""

from .describe import keywords
from .errors import LocalError
from .number import INF


def refusal(kind, value):
    """Why a number is refused, or None."""
    if kind.min is not None and value < kind.min:
        return "must be >= %s" % kind.min
    if kind.above is not None and value <= kind.above:
        return "must be > %s" % kind.above
    if kind.max is not None and value > kind.max:
        return "must be <= %s" % kind.max
    if kind.below is not None and value >= kind.below:
        return "must be < %s" % kind.below
    if kind.multiple_of is not None and value % kind.multiple_of != 0:
        return "must be a multiple of %s" % kind.multiple_of
    return None


_refusals = (refusal,)  # one for all


def verify(kind):
    """LocalError if the limits of a type are malformed, or nothing is between them."""
    for option, keyword in keywords(kind):
        limit = getattr(kind, option)
        if limit is not None and (type(limit) not in (int, float) or not -INF < limit < INF):
            raise LocalError("%s: must be a finite number" % keyword)
    if kind.multiple_of is not None and (type(kind.multiple_of) is not int or kind.multiple_of < 1):
        raise LocalError("multipleOf: must be an integer above 0")
    low, open_low = _tighter(kind.min, kind.above, False)
    high, open_high = _tighter(kind.max, kind.below, True)
    if low is not None and high is not None and (low > high or (low == high and (open_low or open_high))):
        raise LocalError("minimum: nothing is between the limits")


def _tighter(closed, open, upper):
    # The tighter of an inclusive and an exclusive limit, and whether it is the exclusive one.
    if closed is None or open is None:
        return (open, True) if closed is None else (closed, False)
    if open <= closed if upper else open >= closed:
        return open, True
    return closed, False
