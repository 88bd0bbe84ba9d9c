"""A driver on a virtual chip whose time goes by while the driver sleeps; and a bus that only takes."""

from tsumiki.chips.i2c import I2CBus


class Slept:
    """sleep_ms for a driver: time of the chips, and a note in the trace of the first."""

    def __init__(self, *chips):
        self._chips = chips

    def __call__(self, ms):
        self._chips[0].trace.append(("ms", ms))
        for chip in self._chips:
            chip.wait(ms)


def written(chip):
    """What was written and slept since the last call: [(register, byte)], [("ms", time)]; no fault has happened."""
    assert chip.faults == [], chip.faults
    found = chip.trace[:]
    del chip.trace[:]
    return found


def bus(*chips):
    return I2CBus(chips)


class Silent:
    """A bus without chips, that allocates nothing: every register is 0."""

    def __init__(self):
        self.transfers = 0

    def readfrom_mem_into(self, address, register, buf):
        self.transfers += 1
        buf[0] = 0

    def writeto_mem(self, address, register, buf):
        self.transfers += 1


class Changed:
    """Keeps what a chip tells of itself: [(name, value)]."""

    def __init__(self, chip):
        self._found = []
        chip.on_change = self._told

    def _told(self, name, value):
        self._found.append((name, value))

    def take(self):
        found = self._found
        self._found = []
        return found
