"""SK6812 and WS2812: lights in a chain, on one wire; the ten of the M5GO bottom and of Fire.  Green comes first.

Pins and count: hardware.md 1.2. The times are those of the SK6812's data sheet, within what a WS2812C takes as well.

    pin = Pin(15, Pin.OUT)
    chain = Chain(lambda buf: bitstream(pin, 0, TIMING_NS, buf), 10, limit=64)
    leds = {"left": chain.strip(0, 5), "right": chain.strip(5, 5)}
"""

# High and low of a 0, high and low of a 1, as `machine.bitstream` takes them.
TIMING_NS = (300, 900, 600, 600)


class Chain:
    """All lights on the wire.

    write: function of a buffer, 3 bytes a light; whoever calls again may have changed it.  count: int.
    limit: 0-255, which no channel exceeds, for what the supply can give: colours are scaled down to it.
    """

    def __init__(self, write, count, limit):
        self.count = count
        self._write = write
        self._limit = max(0, min(255, limit))
        self._channels = bytearray(3 * count)
        self._changed = True  # What they show at first is not known.

    def strip(self, first, count):
        """A `Strip` of `count` lights from number `first` on.  Raises ValueError if there are not so many."""
        if not 0 <= first < first + count <= self.count:
            raise ValueError("not within the chain")
        return Strip(self, first, count)

    def put(self, i, r, g, b):
        """Colour light i of the chain at the next `show`."""
        self._channel(3 * i, g)
        self._channel(3 * i + 1, r)
        self._channel(3 * i + 2, b)

    def show(self):
        """Send the colours, if any has changed since they were last sent.  What fails is sent the next time."""
        if self._changed:
            self._write(self._channels)
            self._changed = False

    # What is not dark does not become so.
    def _channel(self, at, value):
        value = (max(0, min(255, value)) * self._limit + 254) // 255
        if self._channels[at] != value:
            self._channels[at] = value
            self._changed = True


class Strip:
    """Part of a chain, a port of `leds`.  count: int."""

    def __init__(self, chain, first, count):
        self.count = count
        self._chain = chain
        self._first = first
        self.show = chain.show

    def fill(self, r, g, b):
        """Colour all of them at the next `show`.  r, g, b: 0-255."""
        for i in range(self.count):
            self._chain.put(self._first + i, r, g, b)

    def set(self, i, r, g, b):
        """Colour one of them at the next `show`.  i: from 0; IndexError beyond.  r, g, b: 0-255."""
        if not 0 <= i < self.count:
            raise IndexError("no such light")
        self._chain.put(self._first + i, r, g, b)
