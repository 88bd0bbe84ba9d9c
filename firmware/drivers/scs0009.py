"""Feetech SCS0009 servos: the SCS packet protocol over a half-duplex UART, and two of them as a robot's neck.

A packet is FF FF ID LEN INST PARAMS CHK, LEN counts INST to CHK, CHK = ~(ID + LEN + INST + PARAMS) & 0xFF; values of
two bytes are big-endian; what is written is acknowledged (Feetech SCS series: communication protocol, memory table).
Only the torque switch and the goal can be written: never the EEPROM, where a wrong byte ruins a servo.
"""

from . import neck
from .half_duplex import HalfDuplex

try:
    from micropython import const
except ImportError:
    const = int

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


class Bus(HalfDuplex):
    """Servos on one UART of 1,000,000 baud, 8N1.

    uart: has `write(buffer)`, `readinto(buffer, n)`, `any()`, and does not wait; an echo of what is sent is skipped.
    ticks_ms: `ticks_ms()` -> int, may wrap at 2**30.  timeout_ms: int, the longest wait for an answer.
    gap_ms: int, silence between two packets, which the SCS0009 needs.  error: exception, raised with a text when a
    servo does not answer, or wrongly. Nothing is sent twice but a read.
    """

    longest_ms = _LONGEST_MS

    def __init__(self, uart, ticks_ms, timeout_ms=10, gap_ms=10, error=OSError):
        sizes = (6, 8, _LONGEST)
        super().__init__(uart, ticks_ms, timeout_ms, gap_ms, error, b"\xff\xff", sizes, 2 * _LONGEST + 6)

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
        return self._exchange(id, _HEAD + 1 + count, wanted)

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


class Axis(neck.Axis):
    """An SCS0009: `neck.Axis`.

    id: 0-253.  zero: each unit has its own, so there is no default.  counts, per_cd: as the kit's firmware has them, 16
    counts in 5 degrees.
    """

    IDS = (0, _LAST_ID)
    RAW = (0, _LAST_POSITION)

    def __init__(self, id, zero, min_cd, max_cd, sign=1, raw_min=0, raw_max=1000, counts=16, per_cd=500):
        super().__init__(id, zero, min_cd, max_cd, sign, raw_min, raw_max, counts, per_cd)


Profile = neck.Profile
Servos = neck.Servos


def kit(yaw_zero, pitch_zero, writes_per_s=20, yaw_cd=(-9000, 9000), pitch_cd=(500, 8500)):
    """The `Profile` of M5Stack's StackChan kit: servo 1 turns right, 2 up.

    yaw_zero, pitch_zero: int, see `drivers.kit_zero`.  yaw_cd, pitch_cd: (least, most); pitch 5-85 degrees, as its
    vendor asks, and never beyond 0-88: its stop is at -1, and at 89 it strains (users' reports).  Raises ValueError.
    """
    yaw = Axis(1, yaw_zero, *neck.within("yaw", yaw_cd, (-12800, 12800)), sign=-1)
    pitch = Axis(2, pitch_zero, *neck.within("pitch", pitch_cd, (0, 8800)))
    return Profile(yaw, pitch, writes_per_s, home_cd=(0, 2000))
