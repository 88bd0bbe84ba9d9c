"""Robotis Dynamixel XL330 servos: protocol 2.0 over a half-duplex UART, and two of them as a robot's neck.

A packet is FF FF FD 00 ID LEN_L LEN_H INST PARAMS CRC_L CRC_H; LEN counts INST to CRC; the CRC-16 (polynomial 0x8005,
from 0) is over all before it; FF FF FD from INST on gets another FD behind it. A status has INST 0x55, then an error
byte. Values are little-endian (Robotis e-Manual: DYNAMIXEL Protocol 2.0, XL330-M288 control table).
Not run on hardware.
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
_STATUS = const(0x55)
_MODES = const(10)  # EEPROM: drive mode, operating mode
_TIMED = const(0x0304)  # 4: the profile's velocity is a time in ms; 3: position, within one turn
_TORQUE = const(64)
_PROFILE = const(108)  # acceleration, velocity, goal position: four bytes each
_POSITION = const(132)
_LAST_ID = const(252)
_LAST_POSITION = const(4095)
_LONGEST_MS = const(32737)
_HEAD = const(8)  # bytes before the parameters
_LONGEST = const(28)  # 14 parameters, stuffed
_NUMBER = const(0x7F)  # of an error; the bit above is the alert of the hardware

# The CRC of four bits, at the top.
_CRC = (
    0x0000, 0x8005, 0x800F, 0x000A, 0x801B, 0x001E, 0x0014, 0x8011,
    0x8033, 0x0036, 0x003C, 0x8039, 0x0028, 0x802D, 0x8027, 0x0022,
)  # fmt: skip


class Bus(HalfDuplex):
    """Servos on one UART, 8N1, 1,000,000 baud as Stack-chan builds set them (new ones have 57,600).

    uart, ticks_ms, timeout_ms, error: see `HalfDuplex`. Nothing is sent twice but a question for the position.
    """

    longest_ms = _LONGEST_MS

    def __init__(self, uart, ticks_ms, timeout_ms=10, error=OSError):
        sizes = (10, 13, 14, 24, _LONGEST)
        super().__init__(uart, ticks_ms, timeout_ms, 0, error, b"\xff\xff\xfd\0", sizes, 2 * _LONGEST + 6)
        self._params = bytearray(14)

    def ping(self, id):
        """The model's number, int (1200: XL330-M288, 1190: -M077).  Raises the error if that servo does not answer."""
        at = self._ask(id, _PING, 0, 3)
        return self._in[at] | self._in[at + 1] << 8

    def read(self, id, address, count):
        """The value of so many bytes of the control table, int; of four it is signed."""
        params = self._params
        params[0] = address & 0xFF
        params[1] = address >> 8
        params[2] = count
        params[3] = 0
        at = self._ask(id, _READ, 4, count)
        self._check(id, at)
        value = 0
        for i in range(count):
            value |= self._in[at + i] << 8 * i
        return value - (1 << 32) if count == 4 and value >> 31 else value

    def write(self, id, address, value, count=1):
        """Put a value of so many bytes there.  Raises the error if the servo does not take it."""
        self._address(address)
        self._value(2, value, count)
        self._check(id, self._ask(id, _WRITE, 2 + count, 0))

    def prepare(self, id):
        """Have goals told with a time, and positions within one turn.

        That is kept in the EEPROM, so it is only written where it is otherwise, with the torque off: else it is locked.
        """
        if self.read(id, _MODES, 2) != _TIMED:
            self.torque(id, False)
            self.write(id, _MODES, _TIMED, 2)

    def position(self, id):
        """Where a servo is, int, 0-4095; asked twice, for the question moves nothing."""
        try:
            found = self.read(id, _POSITION, 4)
        except self._error:
            found = self.read(id, _POSITION, 4)
        if not 0 <= found <= _LAST_POSITION:
            raise self._error("servo %d says that it is at %d" % (id, found))
        return found

    def torque(self, id, on):
        """Switch a servo's force on or off. To let go, only that it answers counts: it may be in trouble."""
        self._address(_TORQUE)
        self._params[2] = 1 if on else 0
        at = self._ask(id, _WRITE, 3, 0)
        if on:
            self._check(id, at)

    def move(self, id, position, time_ms):
        """Go to a position, 0-4095, within a time, 0-32737 (0: as fast as it can).  Raises ValueError outside these.

        A servo whose torque is off takes the goal and does not go.
        """
        if not 0 <= position <= _LAST_POSITION or not 0 <= time_ms <= _LONGEST_MS:
            raise ValueError("no such goal: %d in %d ms" % (position, time_ms))
        self._address(_PROFILE)
        self._value(2, 0, 4)
        self._value(6, time_ms, 4)
        self._value(10, position, 4)
        self._check(id, self._ask(id, _WRITE, 14, 0))

    def _address(self, address):
        self._params[0] = address & 0xFF
        self._params[1] = address >> 8

    def _value(self, at, value, count):
        for i in range(count):
            self._params[at + i] = value >> 8 * i & 0xFF

    def _check(self, id, at):
        error = self._in[at - 1]
        if error:
            raise self._error("servo %d refuses: error 0x%02x" % (id, error))

    # Send the first `count` of self._params and wait for the answer; returns where its `wanted` bytes are in self._in.
    def _ask(self, id, instruction, count, wanted):
        if not 0 <= id <= _LAST_ID:
            raise ValueError("no such servo: %d" % id)
        out = self._out
        out[4] = id
        out[7] = instruction
        end = _HEAD
        for i in range(count):
            out[end] = self._params[i]
            end += 1
            if out[end - 1] == 0xFD and out[end - 2] == 0xFF and out[end - 3] == 0xFF:
                out[end] = 0xFD
                end += 1
        out[5] = end - 5
        crc = _crc(out, 0, end)
        out[end] = crc & 0xFF
        out[end + 1] = crc >> 8
        return self._exchange(id, end + 2, wanted)

    def _find(self, id, start, wanted):
        found = self._in
        result = 0
        for at in range(start, self._got - 10):
            if found[at] != 0xFF or found[at + 1] != 0xFF or found[at + 2] != 0xFD or found[at + 3]:
                continue
            end = at + 5 + found[at + 5]
            if found[at + 4] != id or found[at + 6] or found[at + 7] != _STATUS or end + 2 > self._got:
                continue
            if found[end] | found[end + 1] << 8 != _crc(found, at, end):
                result = -1
                continue
            count = _unstuffed(found, at + _HEAD, end) - 1
            # A servo that refuses to be read has nothing to say beside its error.
            if count == wanted or (count == 0 and found[at + _HEAD] & _NUMBER):
                return at + _HEAD + 1
        return result


# How many bytes there are between two places without the stuffing, which is taken out.
def _unstuffed(buffer, start, end):
    to = start
    stuffing = False
    for i in range(start, end):
        if stuffing:
            stuffing = False
            continue
        buffer[to] = buffer[i]
        to += 1
        if to - start > 2 and buffer[to - 1] == 0xFD:
            stuffing = buffer[to - 2] == 0xFF and buffer[to - 3] == 0xFF
    return to - start


def _crc(buffer, start, end):
    crc = 0
    for i in range(start, end):
        byte = buffer[i]
        crc = (crc << 4 & 0xFFFF) ^ _CRC[crc >> 12 ^ byte >> 4]
        crc = (crc << 4 & 0xFFFF) ^ _CRC[crc >> 12 ^ byte & 15]
    return crc


class Axis(neck.Axis):
    """An XL330: `neck.Axis`.  id: 0-252.  zero: its middle unless the horn sits otherwise.  4096 counts a turn."""

    IDS = (0, _LAST_ID)
    RAW = (0, _LAST_POSITION)

    def __init__(self, id, zero=2048, min_cd=-9000, max_cd=9000, sign=1, raw_min=0, raw_max=_LAST_POSITION):
        super().__init__(id, zero, min_cd, max_cd, sign, raw_min, raw_max, 4096, 36000)


def stack_chan(yaw_zero=2048, pitch_zero=2048, writes_per_s=40, yaw_cd=(-9000, 9000), pitch_cd=(-1000, 3000)):
    """The `Profile` of a Stack-chan with XL330s: servo 1 turns left, 2 down; from 30 degrees up to 10 down.

    yaw_zero, pitch_zero: int, 0-4095, where it looks straight ahead.  yaw_cd, pitch_cd: (least, most), to narrow them.
    Raises ValueError. The ranges are those of the builds' own programs (stack-chan, stackchan-arduino).
    """
    yaw = Axis(1, yaw_zero, *neck.within("yaw", yaw_cd, (-9000, 9000)))
    pitch = Axis(2, pitch_zero, *neck.within("pitch", pitch_cd, (-1000, 3000)), sign=-1)
    return neck.Profile(yaw, pitch, writes_per_s)


class Servos(neck.Servos):
    """`neck.Servos`, whose servos are prepared before they are first read or told something.

    sleep_ms: `sleep_ms(ms)`.  gap_ms: with less between the two, the second may stay limp (reports from its users).
    """

    HOLDS = True

    def __init__(self, bus, profile, sleep_ms, enabled=True, error=OSError, gap_ms=100):
        super().__init__(bus, profile, enabled, error, gap_ms, sleep_ms)
        self._prepared = 0

    def _allow(self):
        super()._allow()
        while self._prepared < 2:
            self._bus.prepare(self._axes[self._prepared].id)
            self._prepared += 1

    def read(self):
        """As `neck.Servos.read`. What another program counted in turns is no position before they are prepared."""
        if self._enabled:
            self._allow()
        return super().read()
