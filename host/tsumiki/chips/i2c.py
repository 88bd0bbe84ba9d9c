"""A virtual I2C bus and the register chips on it. Runs on CPython and, beside a driver, on MicroPython.

    bus = I2CBus((AXP192(), FT6336U()))       # has the methods of `machine.I2C`
    bus.readfrom_mem(0x34, 0x03, 1)

A chip is a `Registers`, or anything with `address`, `write(data)` and `read(count)`; each raises `Nack` to refuse.
"""

_ABSENT = 19  # ENODEV, as machine.I2C of an ESP32 raises where nobody answers
_LATE = 116  # ETIMEDOUT there, for a bus that is held


class Nack(Exception):
    """A chip does not acknowledge what it was sent."""


class Registers:
    """A chip of 8-bit registers, whose number is the first byte of a write and goes up by one after each.

    address: int, 7 bits.  reset: dict of register to byte, the others are 0.
    values: bytearray(256).  trace: list of (register, byte), what was written.  faults: list of str, what a real chip
    would have suffered from.  A chip overrides `wrote` and `reads` for what a register does.
    """

    address = 0

    def __init__(self, reset=()):
        self.values = bytearray(256)
        for register, value in dict(reset).items():
            self.values[register] = value
        self.trace = []
        self.faults = []
        self._at = 0

    def write(self, data):
        """One transfer from the processor.  data: bytes."""
        if not data:
            return  # A probe.
        self._at = data[0]
        for byte in bytes(data[1:]):
            self.trace.append((self._at, byte))
            self.wrote(self._at, byte)
            self._at = self._at + 1 & 0xFF

    def read(self, count):
        """One transfer to the processor: bytes of that length."""
        found = bytearray(count)
        for i in range(count):
            found[i] = self.reads(self._at)
            self._at = self._at + 1 & 0xFF
        return bytes(found)

    def wrote(self, register, value):
        """A byte comes for a register."""
        self.values[register] = value

    def reads(self, register):
        """The byte that a register shows: int."""
        return self.values[register]


class I2CBus:
    """Chips on one pair of wires, with the methods of `machine.I2C` that drivers use, and its errors.

    chips: iterable.  A bus that is `stuck` answers to nobody, and each transfer takes its time-out.
    """

    def __init__(self, chips=()):
        self.chips = {chip.address: chip for chip in chips}
        self.stuck = False

    def scan(self):
        """list of int: the addresses that answer."""
        return [] if self.stuck else sorted(self.chips)

    def writeto(self, address, buf, stop=True):
        """Raises OSError where nobody acknowledges; returns how many bytes were."""
        try:
            self._chip(address).write(bytes(buf))
        except Nack:
            raise OSError(_ABSENT)
        return len(buf)

    def readfrom(self, address, count, stop=True):
        """bytes."""
        try:
            return self._chip(address).read(count)
        except Nack:
            raise OSError(_ABSENT)

    def readfrom_into(self, address, buf, stop=True):
        buf = _as_bytes(buf)
        buf[:] = self.readfrom(address, len(buf))

    def writeto_mem(self, address, register, buf):
        self.writeto(address, bytes((register,)) + bytes(buf))

    def readfrom_mem(self, address, register, count):
        """bytes."""
        self.writeto(address, bytes((register,)))
        return self.readfrom(address, count)

    def readfrom_mem_into(self, address, register, buf):
        buf = _as_bytes(buf)
        buf[:] = self.readfrom_mem(address, register, len(buf))

    def _chip(self, address):
        if self.stuck:
            raise OSError(_LATE)
        if address not in self.chips:
            raise OSError(_ABSENT)
        return self.chips[address]


# machine.I2C fills the bytes of a buffer, whatever its items are: a driver may read into an array("h").
def _as_bytes(buf):
    size = len(bytes(buf))
    if size == len(buf):
        return buf
    view = memoryview(buf)
    if hasattr(view, "cast"):
        return view.cast("B")
    import uctypes  # MicroPython's memoryview cannot be cast.

    return uctypes.bytearray_at(uctypes.addressof(buf), size)
