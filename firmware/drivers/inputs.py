"""Several sources of inputs as the one inputs port of a robot."""

try:
    from micropython import const
except ImportError:
    const = int

_TICKS = const(0x3FFFFFFF)
_AGAIN_MS = const(1000)


class Inputs:
    """sources: each has `poll(now_ms)` -> list of (kind, name, value), or ().

    failed: called with the index of a source and its exception, once until it works again. A source that fails is left
    alone for a second, and keeps no other from its turn: `poll` raises nothing.
    """

    def __init__(self, sources, failed=None):
        self._sources = tuple(sources)
        self._failed = failed
        self._since_ms = [None] * len(self._sources)  # when it last failed

    def poll(self, now_ms):
        """What any of them tells: list, or (). It allocates nothing while they do not."""
        events = ()
        for i in range(len(self._sources)):
            since_ms = self._since_ms[i]
            if since_ms is not None and (now_ms - since_ms) & _TICKS < _AGAIN_MS:
                continue
            try:
                found = self._sources[i].poll(now_ms)
                self._since_ms[i] = None
            except Exception as e:
                self._since_ms[i] = now_ms
                if since_ms is None and self._failed is not None:
                    self._failed(i, e)
                continue
            if found:
                events = list(events) + list(found)
        return events
