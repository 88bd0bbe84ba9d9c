"""The type of lists."""

try:
    from micropython import const
except ImportError:
    const = int

from .errors import LocalError, Violation
from .kind import Kind

_UNBOUNDED = const(0x3FFFFFFF)


class Array(Kind):
    """A list; takes its JSON text too.

    items: the type of each item, or None for any.  min_items, max_items: int.
    """

    TYPE = "array"
    min_items = 0
    max_items = _UNBOUNDED

    def __init__(self, items=None, **options):
        if items is not None and not isinstance(items, Kind):
            raise LocalError("items: must be a type")
        self._items = items
        super().__init__(**options)

    def check(self, value, path="", coerce=True):
        """See `Kind`.  The number of items is checked before any item."""
        if not isinstance(value, (list, tuple)):
            if value is None and self.nullable:
                return None
            from .from_text import container

            value = container(value, path, coerce, list)
        if not self.min_items <= len(value) <= self.max_items:
            from .violations import length

            raise length(path, len(value), self.min_items, self.max_items, "item")
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
