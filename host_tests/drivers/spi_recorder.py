"""An SPI bus and the pins of a panel, which record what a driver does with them."""

from harness import eq


class Bus:
    """An SPI bus and its pins that record: [(what, value)]."""

    def __init__(self):
        self.seen = []
        self.broken = False

    def write(self, buf):
        if self.broken:
            raise OSError(5)
        self.seen.append(("spi", bytes(buf)))

    def dc(self, level):
        self.seen.append(("dc", level))

    def cs(self, level):
        self.seen.append(("cs", level))

    def reset(self, level):
        self.seen.append(("reset", level))

    def sleep_ms(self, ms):
        self.seen.append(("sleep", ms))

    def commands(self):
        """[(command, parameters)] since the last call, and the waits in between: ("sleep", ms)."""
        found = []
        level = selected = None
        for what, value in self.seen:
            if what == "dc":
                level = value
            elif what == "cs":
                selected = value == 0
            elif what == "spi":
                assert selected, "written to while not selected"
                if level == 0:
                    eq(len(value), 1)
                    found.append((value[0], b""))
                else:
                    command, data = found.pop()
                    found.append((command, data + value))
            else:
                found.append((what, value))
        eq(selected, False)
        self.seen = []
        return found
