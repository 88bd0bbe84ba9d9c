"""Feetech SCS0009 servos: the SCS packet protocol over a half-duplex UART, and two of them as a robot's neck.

A packet is FF FF ID LEN INST PARAMS CHK, LEN counts INST to CHK, CHK = ~(ID + LEN + INST + PARAMS) & 0xFF; values of
two bytes are big-endian; what is written is acknowledged (Feetech SCS series: communication protocol, memory table).
Only the torque switch and the goal can be written: never the EEPROM, where a wrong byte ruins a servo.
"""

try:
    from micropython import const
except ImportError:
    const = int

_TICKS = const(0x3FFFFFFF)
_PING = const(1)
_READ = const(2)
_WRITE = const(3)
_TORQUE = const(40)
_GOAL = const(42)  # position, time in ms, speed: two bytes each
_POSITION = const(56)
_LAST_ID = const(0xFD)  # 0xFE is all servos at once: nobody answers.
_LAST_POSITION = const(1023)
_LONGEST_MS = const(0x7FFF)
_HEAD = const(5)  # bytes before the parameters, or before the data of an answer
_LONGEST = const(13)
_DRAINED = const(16)  # At most so many chunks of old bytes are thrown away: a line may never stop.


class Bus:
    """Servos on one UART of 1,000,000 baud, 8N1.

    uart: has `write(buffer)`, `readinto(buffer, n)`, `any()`, and does not wait; an echo of what is sent is skipped.
    ticks_ms: `ticks_ms()` -> int, may wrap at 2**30.  timeout_ms: int, the longest wait for an answer.
    gap_ms: int, silence between two packets, which the SCS0009 needs.  error: exception, raised with a text when a
    servo does not answer, or wrongly. Nothing is sent twice but a read.
    """

    def __init__(self, uart, ticks_ms, timeout_ms=10, gap_ms=10, error=OSError):
        self._uart = uart
        self._ticks_ms = ticks_ms
        self._timeout_ms = timeout_ms
        self._gap_ms = gap_ms
        self._error = error
        self._over_ms = ticks_ms()  # The end of the last packet.
        self._out = bytearray(b"\xff\xff" + bytes(_LONGEST - 2))
        out = memoryview(self._out)
        self._outs = {size: out[:size] for size in (6, 8, _LONGEST)}
        self._in = bytearray(2 * _LONGEST + 6)
        self._chunk = bytearray(16)
        self._got = 0

    def ping(self, id):
        """Raises the error if that servo does not answer.  id: int, 0-253."""
        self._ask(id, _PING, 0, 0)

    def position(self, id):
        """Where a servo is, int, 0-1023; asked twice, for the question moves nothing."""
        self._out[_HEAD] = _POSITION
        self._out[_HEAD + 1] = 2
        try:
            at = self._ask(id, _READ, 2, 2)
        except self._error:
            at = self._ask(id, _READ, 2, 2)
        found = self._in[at] << 8 | self._in[at + 1]
        if found > _LAST_POSITION:
            raise self._error("servo %d says that it is at %d" % (id, found))
        return found

    def torque(self, id, on):
        """Switch a servo's force on or off. Only that it answers counts: a servo in trouble must be let go too."""
        self._out[_HEAD] = _TORQUE
        self._out[_HEAD + 1] = 1 if on else 0
        self._ask(id, _WRITE, 2, 0)

    def move(self, id, position, time_ms):
        """Go to a position, 0-1023, within a time, 0-32767 (0: as fast as it can).  Raises ValueError outside these."""
        if not 0 <= position <= _LAST_POSITION or not 0 <= time_ms <= _LONGEST_MS:
            raise ValueError("no such goal: %d in %d ms" % (position, time_ms))
        out = self._out
        out[_HEAD] = _GOAL
        out[_HEAD + 1] = position >> 8
        out[_HEAD + 2] = position & 0xFF
        out[_HEAD + 3] = time_ms >> 8
        out[_HEAD + 4] = time_ms & 0xFF
        out[_HEAD + 5] = out[_HEAD + 6] = 0
        error = self._in[self._ask(id, _WRITE, 7, 0) - 1]
        if error:
            raise self._error("servo %d refuses: error 0x%02x" % (id, error))

    # Send what is in self._out and wait for the answer; returns where its `wanted` bytes of data are in self._in.
    def _ask(self, id, instruction, count, wanted):
        if not 0 <= id <= _LAST_ID:
            raise ValueError("no such servo: %d" % id)
        out = self._out
        out[2] = id
        out[3] = count + 2
        out[4] = instruction
        out[_HEAD + count] = _checksum(out, 2, _HEAD + count)
        self._quiet()
        self._uart.write(self._outs[_HEAD + 1 + count])
        try:
            return self._answer(id, _HEAD + 1 + count, wanted)
        finally:
            self._over_ms = self._ticks_ms()

    # Wait for the gap, and forget what came meanwhile: a late answer, noise.
    def _quiet(self):
        while (self._ticks_ms() - self._over_ms) & _TICKS < self._gap_ms:
            pass
        self._got = 0
        for _ in range(_DRAINED):
            count = self._uart.any()
            if not count:
                return
            self._uart.readinto(self._chunk, min(count, len(self._chunk)))

    def _answer(self, id, sent, wanted):
        start_ms = self._ticks_ms()
        wrong = late = False
        while not late:
            # One more look when the time is over: it may have gone by elsewhere.
            late = (self._ticks_ms() - start_ms) & _TICKS > self._timeout_ms
            if self._more():
                at = self._find(id, self._echo(sent), wanted)
                if at > 0:
                    return at
                wrong = wrong or at < 0
        how = "answers with a wrong checksum" if wrong else "does not answer"
        raise self._error("servo %d %s" % (id, how))

    # Take what has come; False if nothing has. What does not fit is noise, and pushes the oldest out.
    def _more(self):
        count = min(self._uart.any(), len(self._chunk))
        if not count:
            return False
        count = self._uart.readinto(self._chunk, count) or 0
        for i in range(count):
            if self._got == len(self._in):
                self._shift()
            self._in[self._got] = self._chunk[i]
            self._got += 1
        return count > 0

    def _shift(self):
        for i in range(1, self._got):
            self._in[i - 1] = self._in[i]
        self._got -= 1

    # How many bytes at the start are our own packet, heard back.
    def _echo(self, sent):
        if self._got < sent:
            return 0
        for i in range(sent):
            if self._in[i] != self._out[i]:
                return 0
        return sent

    # Where the data of the answer is; 0 if it is not there yet, -1 if all there is has a wrong checksum.
    def _find(self, id, start, wanted):
        found = self._in
        result = 0
        for at in range(start, self._got - _HEAD - wanted):
            if found[at] != 0xFF or found[at + 1] != 0xFF:
                continue
            if found[at + 2] != id or found[at + 3] != wanted + 2:
                continue
            end = at + _HEAD + wanted
            if found[end] == _checksum(found, at + 2, end):
                return at + _HEAD
            result = -1
        return result


def _checksum(buffer, start, end):
    total = 0
    for i in range(start, end):
        total += buffer[i]
    return ~total & 0xFF


class Axis:
    """One servo: which it is, how far it may turn, and how its counts are angles.

    id: int, 0-253.  zero: int, its position at 0 degrees: each unit has its own, so there is no default.
    min_cd, max_cd: int, centidegrees, narrowed to what lies within raw_min to raw_max.  sign: 1 or -1.
    counts, per_cd: int, so many counts of the position are so many centidegrees (the kit's firmware: 16 in 5 degrees).
    Raises ValueError for what makes no sense.
    """

    def __init__(self, id, zero, min_cd, max_cd, sign=1, raw_min=0, raw_max=1000, counts=16, per_cd=500):
        if not 0 <= id <= _LAST_ID:
            raise ValueError("no such servo: %r" % id)
        if type(zero) is not int or not 0 <= raw_min <= zero <= raw_max <= _LAST_POSITION:
            raise ValueError("servo %d: the zero position must be known: %r" % (id, zero))
        if sign not in (1, -1) or counts < 1 or per_cd < 1:
            raise ValueError("servo %d: its counts are no angles" % id)
        self.id = id
        self.goal = -1  # What it was last told; -1 if that is not known.
        self._zero = zero
        self._sign = sign
        self._counts = counts
        self._per_cd = per_cd
        self._raw_min = raw_min
        self._raw_max = raw_max
        below_cd = (zero - raw_min) * per_cd // counts
        above_cd = (raw_max - zero) * per_cd // counts
        if sign < 0:
            below_cd, above_cd = above_cd, below_cd
        self.min_cd = max(min_cd, -below_cd)
        self.max_cd = min(max_cd, above_cd)
        if self.min_cd > self.max_cd:
            raise ValueError("servo %d: there is no angle that it may have" % id)

    def raw(self, cd):
        """The position of an angle, clamped: int."""
        cd = self._sign * max(self.min_cd, min(self.max_cd, cd))
        raw = self._zero + (2 * cd * self._counts + self._per_cd) // (2 * self._per_cd)
        return max(self._raw_min, min(self._raw_max, raw))

    def cd(self, raw):
        """The angle of a position, in centidegrees: int."""
        return self._sign * ((2 * (raw - self._zero) * self._per_cd + self._counts) // (2 * self._counts))


class Profile:
    """What a planner must know of the neck.  home_cd: (yaw, pitch) when it looks straight ahead."""

    def __init__(self, yaw, pitch, writes_per_s=20, max_cd_per_s=18000, home_cd=(0, 0)):
        self.yaw = yaw
        self.pitch = pitch
        self.yaw_min_cd = yaw.min_cd
        self.yaw_max_cd = yaw.max_cd
        self.pitch_min_cd = pitch.min_cd
        self.pitch_max_cd = pitch.max_cd
        self.writes_per_s = writes_per_s
        self.max_cd_per_s = max_cd_per_s
        self.home_cd = home_cd


def kit(yaw_zero, pitch_zero, writes_per_s=20):
    """The `Profile` of M5Stack's StackChan kit: servo 1 turns right, 2 up; pitch 5-85 degrees, as its vendor asks."""
    yaw = Axis(1, yaw_zero, -9000, 9000, sign=-1)
    pitch = Axis(2, pitch_zero, 500, 8500)
    return Profile(yaw, pitch, writes_per_s, home_cd=(0, 2000))


class Servos:
    """The `servos` port of a robot: see `robot.head`.  Each call raises the error of the bus."""

    def __init__(self, bus, profile):
        self._bus = bus
        self.profile = profile
        self._axes = (profile.yaw, profile.pitch)
        self._pose = [0, 0]

    def read(self):
        """[yaw, pitch] as measured, in centidegrees. The list is the same each time."""
        for i in range(2):
            axis = self._axes[i]
            self._pose[i] = axis.cd(self._bus.position(axis.id))
        return self._pose

    def write(self, yaw_cd, pitch_cd, time_ms):
        """Go there within a time, clamped to the profile. A servo whose goal stays what it was is not written to."""
        self._move(self._axes[0], yaw_cd, time_ms)
        self._move(self._axes[1], pitch_cd, time_ms)

    def _move(self, axis, cd, time_ms):
        raw = axis.raw(cd)
        if raw != axis.goal:
            axis.goal = -1
            self._bus.move(axis.id, raw, min(time_ms, _LONGEST_MS))
            axis.goal = raw

    def torque(self, on):
        """Switch both on or off. A servo that does not answer does not keep the other on."""
        wrong = None
        for axis in self._axes:
            if not on:
                axis.goal = -1  # Who lost its power has forgotten it.
            try:
                self._bus.torque(axis.id, on)
            except Exception as e:
                wrong = e
        if wrong is not None:
            raise wrong
