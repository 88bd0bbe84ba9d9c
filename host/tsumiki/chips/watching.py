"""What virtual power chips share: who is told of a change, and how a reset line is pulsed. CPython and MicroPython."""


class Changes:
    """Calls `chip.on_change(name, value)` for each state of a chip that has become another.

    chip: has an attribute for each name, and `on_change`, a function or None.  names: tuple of str.
    """

    def __init__(self, chip, names):
        self._chip = chip
        self._names = names
        self._seen = [getattr(chip, name) for name in names]

    def look(self):
        """To be called after whatever may have changed one."""
        for i in range(len(self._names)):
            value = getattr(self._chip, self._names[i])
            if value != self._seen[i]:
                self._seen[i] = value
                if self._chip.on_change is not None:
                    self._chip.on_change(self._names[i], value)


class ResetLine:
    """A line whose low level resets another chip, which has to be low for a millisecond at least."""

    def __init__(self, level):
        self._level = level
        self._fell_ms = None

    def follow(self, level, now_ms):
        """True if that ends a pulse of no length."""
        if level == self._level:
            return False
        self._level = level
        if not level:
            self._fell_ms = now_ms
            return False
        return self._fell_ms is not None and now_ms <= self._fell_ms
