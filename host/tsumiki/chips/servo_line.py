"""What the virtual buses of serial servos share: a line that can break, simulated time, and motion.

Runs on CPython and, beside a driver, on MicroPython. A line has the methods of `machine.UART` that drivers use, and
`feed(data)` for whoever carries its bytes elsewhere.
"""

_TRACED = 10000
FAULTS = ("", "hang", "mute", "checksum")


class Motor:
    """Where a servo is, in its counts.

    position: at the start.  fastest: counts a millisecond that it can go.  on: bool, whether it has force.
    most: float, the fastest that it was asked to go, in counts a millisecond.
    """

    def __init__(self, position, fastest):
        self.on = False
        self.goal = position
        self.most = 0.0
        self._fastest = fastest
        self._at = self._from = float(position)
        self._since_ms = 0
        self._lasts_ms = 0.0

    def at(self, now_ms):
        """Where it is: int."""
        self._settle(now_ms)
        return round(self._at)

    def go(self, now_ms, goal, time_ms):
        """Be at a goal in that time, but no faster than it can. A limp one only remembers."""
        self._settle(now_ms)
        self.goal = goal
        self._from = self._at
        self._since_ms = now_ms
        way = abs(goal - self._at)
        self._lasts_ms = max(time_ms, way / self._fastest)
        if self.on and way:
            self.most = max(self.most, way / self._lasts_ms)

    def hold(self, now_ms):
        """Get force, and stay."""
        self._settle(now_ms)
        self.on = True
        self._from = self._at
        self.goal = round(self._at)
        self._lasts_ms = 0.0

    def let_go(self, now_ms):
        self._settle(now_ms)
        self.on = False

    def push(self, now_ms, position):
        """A hand turns it, if it lets that happen: with the force off."""
        self._settle(now_ms)
        if not self.on:
            self._at = float(position)

    def _settle(self, now_ms):
        if not self.on:
            return
        passed_ms = now_ms - self._since_ms
        if passed_ms >= self._lasts_ms:
            self._at = float(self.goal)
        else:
            self._at = self._from + (self.goal - self._from) * passed_ms / self._lasts_ms


class ServoLine:
    """A half-duplex line. A bus of servos overrides `packet` and `answer`.

    now_ms: int, simulated.  echo: bool, what is sent is heard back first.
    trace: list of (ms, what, id, ...), the last 10,000.  faults: list of str, what the servos suffered from.
    """

    def __init__(self):
        self.now_ms = 0
        self.echo = False
        self.trace = []
        self.faults = []
        self._fault = ""
        self._lasts = None
        self._rest = b""
        self._come = b""

    def wait(self, ms):
        """Time goes by."""
        self.now_ms += ms

    def ticks_ms(self):
        """For a driver that looks at the clock while it waits: each look is a millisecond later."""
        self.now_ms += 1
        return self.now_ms & 0x3FFFFFFF

    def sleep_ms(self, ms):
        self.now_ms += ms

    def fail(self, fault, packets=None):
        """Misbehave from now on.  packets: int, for so many packets only; None: until told otherwise.

        fault: `hang`: packets are neither done nor answered; `mute`: done and not answered; `checksum`: answered with a
        wrong checksum; "": come back.
        """
        if fault not in FAULTS:
            raise ValueError("no such fault: %r" % fault)
        self._fault = fault
        self._lasts = packets

    def feed(self, data):
        """What comes back for these bytes; part of a packet waits for the rest."""
        heard = bytes(data) if self.echo else b""
        self._rest += bytes(data)
        while True:
            packet, self._rest = self.packet(self._rest)
            if packet is None:
                return heard
            if packet:
                heard += self._answered(packet)

    def write(self, buffer):
        self._come += self.feed(buffer)
        return len(buffer)

    def any(self):
        return len(self._come)

    def readinto(self, buffer, count=None):
        count = min(len(buffer) if count is None else count, len(self._come))
        buffer[:count] = self._come[:count]
        self._come = self._come[count:]
        return count or None

    def packet(self, data):
        """(the first packet in data, what is behind it): b"" for noise, None where more must come."""
        raise NotImplementedError

    def answer(self, packet):
        """bytes, what the servos say; may be b"". A wrong answer's last byte is changed."""
        raise NotImplementedError

    def note(self, *what):
        """Trace something."""
        self.trace.append((self.now_ms,) + what)
        if len(self.trace) > _TRACED:
            self.trace.pop(0)

    def told(self, what):
        """The traces of one kind: list."""
        return [entry for entry in self.trace if entry[1] == what]

    def _answered(self, packet):
        fault = self._current_fault()
        if fault == "hang":
            self.note("hang", packet)
            return b""
        answer = self.answer(packet)
        if fault == "mute":
            return b""
        if fault == "checksum" and answer:
            return answer[:-1] + bytes((answer[-1] ^ 0x55,))
        return answer

    def _current_fault(self):
        if self._lasts is not None:
            if not self._lasts:
                self._fault = ""
            self._lasts = max(0, self._lasts - 1)
        return self._fault
