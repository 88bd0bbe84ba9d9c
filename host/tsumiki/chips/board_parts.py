"""Parts of virtual boards that are no chip by themselves, or have another chip's power: see `boards`."""

from .panel import Panel
from .scs_bus import ScsBus

_SERVO_MS = 350  # An SCS0009 answers so long after it has got its power, at the latest (hardware.md 1.2).


class Screen(Panel):
    """A panel whose rail a power chip switches: what comes without power is lost, and a fault."""

    powered = True

    def power(self, on):
        if on and not self.powered:
            self.__init__(self._inverts, self.kind)
        self.powered = on

    def transfer(self, is_data, selected, data):
        if self.powered:
            super().transfer(is_data, selected, data)
        else:
            self._fault("bytes while its rail is off")

    def frame(self):
        return super().frame() if self.powered else bytes(2 * self.kind.width * self.kind.height)


class Servos(ScsBus):
    """Servos that have power, or get it later: they answer 350 ms after that."""

    def __init__(self, wiring, powered=True):
        super().__init__(clock_ms=lambda: wiring.clock_ms)
        self._wiring = wiring
        self._since_ms = -_SERVO_MS if powered else None
        self.faults = []

    def power(self, on):
        self._since_ms = self._wiring.clock_ms if on else None
        if not on:
            self.lose_power()

    def feed(self, data):
        if self._since_ms is None:
            self.faults.append("packets without power")
        elif self._wiring.clock_ms - self._since_ms >= _SERVO_MS:
            return super().feed(data)
        return b""


class Sound:
    """A speaker.  on: function -> bool, the amplifier is switched on; None: it always is.

    samples: int, how many came that were not zero.  hz: of the last tone, by pulses.
    """

    def __init__(self, on=None):
        self._on = on
        self.samples = self.hz = 0
        self.faults = []

    def hears(self, rate, loud):
        if loud and self._on is not None and not self._on() and not self.faults:
            self.faults.append("sound while the amplifier is off")

    def stream(self, data, rate):
        """What comes over I2S."""
        self.samples += sum(1 for at in range(0, len(data), 2) if data[at : at + 2] != b"\0\0")
        self.hears(rate, any(data))

    def pulses(self, hz, duty_ns):
        """What comes by pulses."""
        self.hz = hz if duty_ns else 0
        if duty_ns * hz > 100000000 and not self.faults:
            self.faults.append("more than 10 % of the time: it is too loud")


class Chain:
    """Lights in a chain.  colours: list of `rrggbb`, of those that were told any."""

    def __init__(self, count):
        self._count = count
        self.colours = []
        self.faults = []

    def shine(self, data):
        if len(data) > 3 * self._count:
            self.faults.append("%d bytes for %d lights" % (len(data), self._count))
        self.colours = [
            "%02x%02x%02x" % (data[at + 1], data[at], data[at + 2]) for at in range(0, len(data), 3)
        ]
