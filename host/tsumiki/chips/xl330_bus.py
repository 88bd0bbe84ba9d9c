"""A virtual bus of Dynamixel XL330 servos: packets of protocol 2.0 in, statuses out, positions that change with time.

    bus = XL330Bus({1: 2048, 2: 2048})
    bus.feed(b"\\xff\\xff\\xfd\\x00\\x01\\x03\\x00\\x01\\x19\\x4e")     # a ping

Packets, addresses, ranges and error numbers are those of the Robotis e-Manual (Protocol 2.0; XL330-M288). What it does
with a goal while its torque is off is modelled both ways (`keeps_goal`), for the manual does not say.
"""

from .servo_line import Motor, ServoLine

PING, READ, WRITE, REBOOT, FACTORY_RESET = 1, 2, 3, 8, 6
STATUS = 0x55
MODEL, ID, DRIVE, MODE, MOST, LEAST, TORQUE = 0, 7, 10, 11, 48, 52, 64
ACCELERATION, VELOCITY, GOAL, POSITION = 108, 112, 116, 132
FAILED, INSTRUCTION, CRC, RANGE, LENGTH, LIMIT, ACCESS = 1, 2, 3, 4, 5, 6, 7
ALERT = 0x80
_SIZE = 147
_TIMED = 4
_LONGEST_MS = 32737
_FASTEST = 7.03  # counts a millisecond: 103 turns a minute at 5 V
_UNIT = 0.229 * 4096 / 60000  # counts a millisecond of one unit of velocity
_APART_MS = 100
_NEAR = 40  # counts, 3.5 degrees: a goal this near is no leap
_READ_ONLY = (range(0, 7), range(120, _SIZE))


def crc16(data):
    """The CRC of protocol 2.0, int."""
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x8005 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


def packet(id, instruction, params=b""):
    """The bytes of a packet."""
    body = stuff(bytes((instruction,)) + bytes(params))
    size = len(body) + 2
    data = b"\xff\xff\xfd\x00" + bytes((id, size & 255, size >> 8)) + body
    crc = crc16(data)
    return data + bytes((crc & 255, crc >> 8))


def stuff(data):
    return data.replace(b"\xff\xff\xfd", b"\xff\xff\xfd\xfd")


def unstuff(data):
    return data.replace(b"\xff\xff\xfd\xfd", b"\xff\xff\xfd")


class Servo:
    """registers: bytearray, the control table.  motor: `Motor`.  alert: bool, it has shut itself down."""

    def __init__(self, id, position):
        self.registers = bytearray(_SIZE)
        self.motor = Motor(position, _FASTEST)
        self.alert = False
        for address, value in ((MODEL, 1200), (MOST, 4095), (GOAL, position)):
            self.put(address, value)
        self.registers[ID] = id
        self.registers[MODE] = 3

    def word(self, address):
        """Four bytes as a signed int."""
        value = int.from_bytes(self.registers[address : address + 4], "little")
        return value - (1 << 32) if value >> 31 else value

    def put(self, address, value):
        for i in range(4):
            self.registers[address + i] = value >> 8 * i & 0xFF

    def time_ms(self):
        """How long its profile lets it take: with a drive mode by velocity the same number means something else."""
        velocity = self.word(VELOCITY)
        if self.registers[DRIVE] & _TIMED or not velocity:
            return velocity
        return abs(self.word(GOAL) - self.motor.goal) / (velocity * _UNIT)


class XL330Bus(ServoLine):
    """positions: {id: counts at the start}.  servos: {id: Servo}.

    keeps_goal: bool, a servo that is switched on goes to the goal that it was told while it was limp; else it stays.
    trace: (ms, `ping`, id), (ms, `read`, id, address, count), (ms, `write`, id, address, data, error).
    faults: a wrong CRC, a goal out of range, a goal far away while it is limp, the EEPROM while it is locked, a write
    to what can only be read, two servos switched on at once (the second stays limp), a reset.
    """

    def __init__(self, positions=None, keeps_goal=True):
        super().__init__()
        self.servos = {id: Servo(id, at) for id, at in (positions or {1: 2048, 2: 2048}).items()}
        self.keeps_goal = keeps_goal
        self._on_ms = -_APART_MS

    def position(self, id):
        """Where a servo is now: int."""
        return self.servos[id].motor.at(self.now_ms)

    def push(self, id, position):
        """A hand turns one, if it is limp."""
        self.servos[id].motor.push(self.now_ms, position)

    def packet(self, data):
        start = data.find(b"\xff\xff\xfd")
        if start < 0:
            return None, data[-2:]
        data = data[start:]
        if len(data) < 7:
            return None, data
        end = 7 + (data[5] | data[6] << 8)
        if data[3] or not 10 <= end <= 64:
            return b"", data[3:]
        if len(data) < end:
            return None, data
        return data[:end], data[end:]

    def answer(self, packet):
        id, body = packet[4], packet[:-2]
        if id not in self.servos:
            self.note("nobody", id)
            return b""
        servo = self.servos[id]
        if crc16(body) != packet[-2] | packet[-1] << 8:
            self.faults.append("servo %d: wrong CRC" % id)
            return self._status(servo, CRC)
        return self._status(servo, *self._do(servo, packet[7], unstuff(packet[8:-2])))

    def _status(self, servo, error, data=b""):
        error |= ALERT if servo.alert else 0
        return packet(servo.registers[ID], STATUS, bytes((error,)) + data)

    # (error number, data)
    def _do(self, servo, instruction, params):
        id = servo.registers[ID]
        if instruction == PING:
            self.note("ping", id)
            return 0, bytes(servo.registers[MODEL : MODEL + 2]) + b"\x2e"
        if instruction == READ and len(params) == 4:
            return self._read(servo, params[0] | params[1] << 8, params[2] | params[3] << 8)
        if instruction == WRITE and len(params) > 2:
            address = params[0] | params[1] << 8
            error = self._write(servo, address, params[2:])
            self.note("write", id, address, params[2:], error)
            return error, b""
        if instruction in (REBOOT, FACTORY_RESET):
            self.faults.append("servo %d: reset" % id)
        return INSTRUCTION, b""

    def _read(self, servo, address, count):
        self.note("read", servo.registers[ID], address, count)
        if not count or address + count > _SIZE:
            return RANGE, b""
        servo.put(POSITION, servo.motor.at(self.now_ms))
        return 0, bytes(servo.registers[address : address + count])

    def _write(self, servo, address, data):
        error = self._refusal(servo, address, data)
        if error:
            return error
        was_on = servo.registers[TORQUE]
        servo.registers[address : address + len(data)] = data
        touched = range(address, address + len(data))
        if TORQUE in touched and servo.registers[TORQUE] != was_on:
            self._switch(servo)
        if GOAL in touched:
            self._go(servo)
        return 0

    def _refusal(self, servo, address, data):
        id = servo.registers[ID]
        touched = range(address, address + len(data))
        if address + len(data) > _SIZE:
            return RANGE
        if any(first in area for area in _READ_ONLY for first in (touched[0], touched[-1])):
            self.faults.append("servo %d: writes to %d, which can only be read" % (id, address))
            return ACCESS
        if address < TORQUE and servo.registers[TORQUE]:
            self.faults.append("servo %d: writes the EEPROM while the torque is on" % id)
            return ACCESS
        changed = Servo(id, 0)
        changed.registers = bytearray(servo.registers)
        changed.registers[address : address + len(data)] = data
        if GOAL in touched and not changed.word(LEAST) <= changed.word(GOAL) <= changed.word(MOST):
            self.faults.append("servo %d: goal %d is out of range" % (id, changed.word(GOAL)))
            return LIMIT
        if changed.registers[TORQUE] > 1 or not 0 <= changed.word(VELOCITY) <= _LONGEST_MS:
            return RANGE
        return FAILED if servo.alert and changed.registers[TORQUE] else 0

    def _switch(self, servo):
        motor = servo.motor
        if not servo.registers[TORQUE]:
            motor.let_go(self.now_ms)
            return
        if self.now_ms - self._on_ms < _APART_MS:
            self.faults.append(
                "servo %d: switched on %d ms after another" % (servo.registers[ID], self.now_ms - self._on_ms)
            )
            return
        self._on_ms = self.now_ms
        motor.hold(self.now_ms)
        if not self.keeps_goal:
            servo.put(GOAL, motor.goal)
        motor.go(self.now_ms, servo.word(GOAL), 0)

    def _go(self, servo):
        if servo.motor.on:
            servo.motor.go(self.now_ms, servo.word(GOAL), servo.time_ms())
        elif abs(servo.word(GOAL) - servo.motor.at(self.now_ms)) > _NEAR:
            self.faults.append("servo %d: a goal far away while the torque is off" % servo.registers[ID])
