"""Virtual hobby servos (SG90): pulses in, positions that change with time.

    servos = PwmServos({0: 1700, 1: 1450})
    pwm = servos.maker(0)(freq=50, duty_ns=1450000)      # as machine.PWM(Pin(19), freq=50, duty_ns=1450000)

Ranges and speed are those of the SG90's data sheet: 500-2400 us, 0.1 s for 60 degrees.
"""

from .servo_line import Motor

_FASTEST = 6.33  # us of width a millisecond
_LEAST_US, _MOST_US = 500, 2500
_APART_MS = 50


class Pwm:
    """What a driver of `machine.PWM` uses. Raises ValueError once it has been given back, as that one does."""

    def __init__(self, servos, id, freq, duty_ns):
        self._servos = servos
        self._id = id
        self._freq = freq
        self._over = False
        servos.signal(id, freq, duty_ns)

    def duty_ns(self, ns):
        if self._over:
            raise ValueError("PWM not started")
        self._servos.signal(self._id, self._freq, ns)

    def deinit(self):
        if not self._over:
            self._servos.signal(self._id, self._freq, 0)
        self._over = True


class PwmServos:
    """positions: {id: width in us at which it stands}, where nobody knows it to be.  stops: {id: (least, most)}, us.

    motors: {id: Motor}.  trace: list of (ms, id, hertz, ns).
    faults: another frequency than 50 Hz, a width outside 500-2500 us, a push against a stop, two that start at once.
    """

    def __init__(self, positions=None, stops=None):
        self.now_ms = 0
        self.motors = {id: Motor(at, _FASTEST) for id, at in (positions or {0: 1450, 1: 1450}).items()}
        self.trace = []
        self.faults = []
        self._stops = stops or {}
        self._on_ms = -_APART_MS

    def wait(self, ms):
        """Time goes by."""
        self.now_ms += ms

    sleep_ms = wait

    def maker(self, id):
        """A function that makes the PWM of that servo."""
        return lambda freq, duty_ns: Pwm(self, id, freq, duty_ns)

    def position(self, id):
        """Where a servo is now, us: int."""
        return self.motors[id].at(self.now_ms)

    def push(self, id, position):
        """A hand, or its weight, turns one, if it is limp."""
        self.motors[id].push(self.now_ms, position)

    def signal(self, id, hertz, ns):
        """The pulses of a servo become these; 0 ns: there are none any more."""
        self.trace.append((self.now_ms, id, hertz, ns))
        motor = self.motors[id]
        if not ns:
            motor.let_go(self.now_ms)
            return
        us = ns // 1000
        if hertz != 50:
            self.faults.append("servo %d: %d Hz" % (id, hertz))
        if not _LEAST_US <= us <= _MOST_US:
            self.faults.append("servo %d: a pulse of %d us" % (id, us))
            return
        least, most = self._stops.get(id, (us, us))
        if not least <= us <= most:
            self.faults.append("servo %d: pushes against its stop at %d us" % (id, us))
        if not motor.on:
            if self.now_ms - self._on_ms < _APART_MS:
                self.faults.append("servo %d: starts with another" % id)
            self._on_ms = self.now_ms
            motor.hold(self.now_ms)
        motor.go(self.now_ms, us, 0)
