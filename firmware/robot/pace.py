"""How often something may be done: at most so many times in any second."""

try:
    from micropython import const
except ImportError:
    const = int

_TICKS = const(0x3FFFFFFF)
_SECOND_MS = const(1000)


class Pace:
    """At most `per_s` deeds in any second, remembered in a ring.  Allocates nothing after its making."""

    def __init__(self, per_s):
        self._when_ms = [0] * per_s
        self._known = 0
        self._next = 0

    def fits(self, now_ms, count):
        """True if `count` more now are within the limit.  now_ms: int, ticks."""
        for i in range(self._known):
            if (now_ms - self._when_ms[i]) & _TICKS < _SECOND_MS:
                count += 1
        return count <= len(self._when_ms)

    def note(self, now_ms, count):
        """So many were done now."""
        for _ in range(count):
            self._when_ms[self._next] = now_ms
            self._next = (self._next + 1) % len(self._when_ms)
        self._known = min(self._known + count, len(self._when_ms))
