"""A virtual Si12T, the touch strip of the StackChan kit. Runs on CPython and on MicroPython."""

from .i2c import Registers

_CONTROL_2 = 0x09
_RESETS = 0x08
_OUTPUT = 0x10
_LAST = 0x1F
_ZONES = 3


class Si12T(Registers):
    """It feels nothing before it has been reset by its second control register, and let go again."""

    address = 0x68

    def __init__(self):
        Registers.__init__(self, {0x0C: 0xFF, 0x0D: 0x01})  # All channels are held.
        self._reset = self._ready = False

    def touch(self, zone, strength):
        """zone: 0-2, from the lowest bits up.  strength: 0 (let go) to 3.  Raises ValueError for others."""
        if not 0 <= zone < _ZONES or not 0 <= strength <= 3:
            raise ValueError("no such touch: %r, %r" % (zone, strength))
        self.values[_OUTPUT] = self.values[_OUTPUT] & ~(3 << 2 * zone) | strength << 2 * zone

    def wrote(self, register, value):
        if register < 0x02 or register >= _OUTPUT:
            self.faults.append("write to 0x%02x, where nothing is to be set" % register)
            return
        self.values[register] = value
        if register == _CONTROL_2:
            self._ready = self._reset and not value & _RESETS
            self._reset = bool(value & _RESETS)

    def reads(self, register):
        if register > _LAST:
            return 0xFF  # Nobody drives the line. What a real one says there is not known.
        if register != _OUTPUT:
            return self.values[register]
        if not self._ready:
            self.faults.append("read before it was set up")
            return 0
        held = self.values[0x0C]
        mask = 0
        for zone in range(_ZONES):
            mask |= 0 if held >> zone & 1 else 3 << 2 * zone
        return self.values[_OUTPUT] & mask
