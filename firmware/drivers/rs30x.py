"""Futaba RS30x servos (RS303MR, RS304MD): command packets over a half-duplex UART, and two of them as a robot's neck.

A packet is FA AF ID FLG ADR LEN CNT DATA SUM, SUM = the exclusive or of ID to DATA; an answer starts FD DF. Values are
little-endian; an angle is in tenths of a degree, a time in hundredths of a second. FLG says what comes back: 0x0F what
was asked for, 0x0B the memory 30-41, goal and torque among it, so that a write is acknowledged with a checksum (Futaba:
RS304MD manual, packets and memory map). Only the torque switch and the goal are written: never the flash.
Not run on hardware.
"""

from . import neck
from .half_duplex import HalfDuplex

try:
    from micropython import const
except ImportError:
    const = int

_WHAT_IS_ASKED = const(0x0F)
_GOALS = const(0x0B)  # memory 30-41
_GOALS_COUNT = const(12)
_GOAL = const(30)  # angle, time: two bytes each
_TORQUE = const(36)
_POSITION = const(42)
_REFUSED = const(0x8A)  # flags of an answer: too hot and let go, flash not written, packet not understood
_FIRST_ID = const(1)
_LAST_ID = const(127)
_LAST_POSITION = const(1500)
_LONGEST_MS = const(163830)
_HEAD = const(7)  # bytes before the data


class Bus(HalfDuplex):
    """Servos on one UART of 115,200 baud, 8N1.

    uart, ticks_ms, timeout_ms, error: see `HalfDuplex`. Nothing is sent twice but a question for the position.
    """

    longest_ms = _LONGEST_MS

    def __init__(self, uart, ticks_ms, timeout_ms=20, error=OSError):
        super().__init__(uart, ticks_ms, timeout_ms, 0, error, b"\xfa\xaf", (8, 9, 12), 52)

    def position(self, id):
        """Where a servo is, int, tenths of a degree, -1500 to 1500; asked twice, for the question moves nothing."""
        try:
            at = self._ask(id, _WHAT_IS_ASKED, _POSITION, 2, 0, 2)
        except self._error:
            at = self._ask(id, _WHAT_IS_ASKED, _POSITION, 2, 0, 2)
        found = self._in[at] | self._in[at + 1] << 8
        if found & 0x8000:
            found -= 0x10000
        if not -_LAST_POSITION <= found <= _LAST_POSITION:
            raise self._error("servo %d says that it is at %d" % (id, found))
        return found

    def torque(self, id, on):
        """Switch a servo's force on or off. To let go, only that it answers counts: it may be in trouble."""
        self._out[_HEAD] = 1 if on else 0
        at = self._ask(id, _GOALS, _TORQUE, 1, 1, _GOALS_COUNT)
        if on:
            self._check(id, at)

    def move(self, id, position, time_ms):
        """Go to an angle, -1500 to 1500 tenths of a degree, within 0-163830 ms (0: as fast as it can).

        Raises ValueError outside these.
        """
        if not -_LAST_POSITION <= position <= _LAST_POSITION or not 0 <= time_ms <= _LONGEST_MS:
            raise ValueError("no such goal: %d in %d ms" % (position, time_ms))
        time = (time_ms + 9) // 10  # No faster than asked.
        out = self._out
        out[_HEAD] = position & 0xFF
        out[_HEAD + 1] = position >> 8 & 0xFF
        out[_HEAD + 2] = time & 0xFF
        out[_HEAD + 3] = time >> 8
        self._check(id, self._ask(id, _GOALS, _GOAL, 4, 1, _GOALS_COUNT))

    def _check(self, id, at):
        flags = self._in[at - 4]
        if flags & _REFUSED:
            raise self._error("servo %d refuses: flags 0x%02x" % (id, flags))

    # Send what is in self._out and wait for the answer; returns where its `wanted` bytes of data are in self._in.
    def _ask(self, id, flags, address, size, count, wanted):
        if not _FIRST_ID <= id <= _LAST_ID:
            raise ValueError("no such servo: %d" % id)
        out = self._out
        out[2] = id
        out[3] = flags
        out[4] = address
        out[5] = size
        out[6] = count
        end = _HEAD + size * count
        out[end] = _sum(out, 2, end)
        return self._exchange(id, end + 1, wanted)

    def _find(self, id, start, wanted):
        found = self._in
        result = 0
        for at in range(start, self._got - _HEAD - wanted):
            if found[at] != 0xFD or found[at + 1] != 0xDF:
                continue
            if found[at + 2] != id or found[at + 5] != wanted or found[at + 6] != 1:
                continue
            end = at + _HEAD + wanted
            if found[end] == _sum(found, at + 2, end):
                return at + _HEAD
            result = -1
        return result


def _sum(buffer, start, end):
    total = 0
    for i in range(start, end):
        total ^= buffer[i]
    return total


class Axis(neck.Axis):
    """An RS30x: `neck.Axis`.  id: 1-127.  zero: tenths of a degree, 0 unless the horn sits otherwise."""

    IDS = (_FIRST_ID, _LAST_ID)
    RAW = (-_LAST_POSITION, _LAST_POSITION)

    def __init__(self, id, zero=0, min_cd=-9000, max_cd=9000, sign=1):
        super().__init__(id, zero, min_cd, max_cd, sign, -_LAST_POSITION, _LAST_POSITION, 1, 10)


def stack_chan(yaw_zero=0, pitch_zero=0, writes_per_s=20, yaw_cd=(-9000, 9000), pitch_cd=(-1000, 1000)):
    """The `Profile` of a Stack-chan with RS30x: servo 1 turns right, 2 up.

    yaw_zero, pitch_zero: int, tenths of a degree, where it looks straight ahead.  yaw_cd, pitch_cd: (least, most). The
    one program that there is (stack-chan) lets the tilt go 25 degrees one way and 10 the other, and its other servos'
    drivers contradict it as to which: so 10 both ways, and at most 25 for an owner who has looked.  Raises ValueError.
    """
    yaw = Axis(1, yaw_zero, *neck.within("yaw", yaw_cd, (-9000, 9000)), sign=-1)
    pitch = Axis(2, pitch_zero, *neck.within("pitch", pitch_cd, (-2500, 2500)))
    return neck.Profile(yaw, pitch, writes_per_s)


class Servos(neck.Servos):
    """`neck.Servos`."""

    HOLDS = True
