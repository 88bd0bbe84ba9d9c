"""A virtual PY32, the expander in the body of the StackChan kit: hardware.md 1.2.

It boots slowly: it acknowledges nothing, then answers without a version, then works. It keeps in `faults` what a real
one would drop or suffer from: a write before it has booted; more than 24 bytes of colours at once, or past the last of
them; a count above 32, or of lights that there are not; a channel brighter than 168; servos fed through a pin that is
no output.
"""

from .i2c import Nack, Registers
from .watching import Changes

_COLOURS = 0x30
_BURST = 24
_LIGHTS = 12
_MOST = 168


class PY32(Registers):
    """nack_ms, boot_ms: int, from when on it acknowledges, and works, by `wait`.  nacks: int, so many it refuses, too.

    on_change: function of (name, value), or None; the names: servo_power, and leds, the list of what is shown, of
    (r, g, b), each 0-255, in the order of the wires: the last six are mounted the other way round.
    """

    address = 0x6F

    def __init__(self, nack_ms=0, boot_ms=0, nacks=0, address=0x6F):
        Registers.__init__(self)
        self.address = address
        self.leds = [(0, 0, 0)] * _LIGHTS
        self.on_change = None
        self._nack_ms = nack_ms
        self._boot_ms = max(nack_ms, boot_ms)
        self._nacks = nacks
        self._clock_ms = 0
        self._changes = Changes(self, ("servo_power", "leds"))

    def wait(self, ms):
        """That much time passes."""
        self._clock_ms += ms

    @property
    def ready(self):
        return self._clock_ms >= self._boot_ms

    @property
    def servo_power(self):
        return bool(self.values[0x03] & self.values[0x05] & 0x01)

    def write(self, data):
        if self._clock_ms < self._nack_ms:
            raise Nack
        if self._nacks:
            self._nacks -= 1
            raise Nack
        if len(data) > 1 and _COLOURS <= data[0] < _COLOURS + 64 and len(data) > 1 + _BURST:
            self.faults.append("0x%02x: %d bytes of colours at once" % (data[0], len(data) - 1))
            return
        Registers.write(self, data)

    def reads(self, register):
        if register == 0x02:
            return 0x01 if self.ready else 0xFF if self._clock_ms % 2 else 0x00
        return self.values[register] if self.ready else 0xFF

    def wrote(self, register, value):
        if not self.ready:
            self.faults.append("0x%02x: written before it has booted" % register)
            return
        if register >= _COLOURS + 64:
            self.faults.append("0x%02x: past the last colour" % register)
            return
        if register == 0x24:
            self._lights(value)
            value &= 0x3F  # The bit that refreshes does not stay.
        if register == 0x05 and value & 0x01 and not self.values[0x03] & 0x01:
            self.faults.append("0x05: servos are fed through a pin that is no output")
        self.values[register] = value
        self._changes.look()

    def _lights(self, value):
        count = value & 0x3F
        if count > 32:
            self.faults.append("0x24: %d lights" % count)
        elif count > _LIGHTS:
            self.faults.append("0x24: %d lights of %d" % (count, _LIGHTS))
        elif value & 0x40:
            self._refresh(count)

    def _refresh(self, count):
        values = self.values
        # Pin 13: an output that drives both ways.
        if not values[0x04] & 0x20 or values[0x14] & 0x20:
            self.faults.append("0x24: the pin of the lights is no output")
            return
        shown = list(self.leds)
        for i in range(count):
            colour = values[_COLOURS + 2 * i] | values[_COLOURS + 1 + 2 * i] << 8
            shown[i] = (colour >> 8 & 0xF8, colour >> 3 & 0xFC, colour << 3 & 0xF8)
            if max(shown[i]) > _MOST:
                self.faults.append("light %d is too bright: %d, %d, %d" % ((i,) + shown[i]))
        self.leds = shown
