"""A virtual bus of Futaba RS304MD servos: command packets in, return packets out, angles that change with time.

    bus = RS30xBus({1: 0, 2: 0})
    bus.feed(b"\\xfa\\xaf\\x01\\x0f\\x2a\\x02\\x00\\x26")     # where is servo 1?

Packets, flags and the memory map are those of Futaba's manual for the RS304MD; which memory an answer shows is by FLG.
"""

from .servo_line import Motor, ServoLine

REBOOT, INITIALISE, TO_FLASH = 0x20, 0x10, 0x40
ID, RIGHT_LIMIT, LEFT_LIMIT, GOAL, TIME, TORQUE, POSITION = 4, 8, 10, 30, 32, 36, 42
REFUSED, ALARM, HOT = 0x02, 0x20, 0x80
ACK, NACK = 0x07, 0x08
# FLG, its low four bits: (first, last) of the memory that comes back.
SHOWN = {0x03: (0, 29), 0x05: (30, 59), 0x07: (20, 29), 0x09: (42, 59), 0x0B: (30, 41), 0x0D: (60, 127)}
_ACKNOWLEDGED, _AS_ASKED = 0x01, 0x0F
_SIZE = 128
_WRITABLE = range(30, 42)
_FASTEST = 3.75  # tenths of a degree a millisecond: 0.16 s for 60 degrees
_NEAR = 35  # tenths of a degree: a goal this near is no leap


def packet(head, id, flags, address, data, count=1):
    """The bytes of a packet, of one servo's data."""
    body = bytes((id, flags, address, len(data), count)) + bytes(data)
    return head + body + bytes((checksum(body),))


def checksum(body):
    total = 0
    for byte in body:
        total ^= byte
    return total


class Servo:
    """memory: bytearray.  motor: `Motor`.  flags: int, those of its answers: HOT, ALARM."""

    def __init__(self, id, position):
        self.memory = bytearray(_SIZE)
        self.memory[ID] = id
        self.motor = Motor(position, _FASTEST)
        self.flags = 0
        self.put(RIGHT_LIMIT, 1500)
        self.put(LEFT_LIMIT, -1500)
        self.put(GOAL, position)

    def word(self, address):
        value = self.memory[address] | self.memory[address + 1] << 8
        return value - 0x10000 if value & 0x8000 else value

    def put(self, address, value):
        self.memory[address] = value & 0xFF
        self.memory[address + 1] = value >> 8 & 0xFF


class RS30xBus(ServoLine):
    """positions: {id: tenths of a degree at the start}.  servos: {id: Servo}.

    keeps_goal: bool, a servo that is switched on goes to the goal that it was told while it was limp; else it stays.
    The manual does not say which.

    trace: (ms, `read`, id, address, count), (ms, `write`, id, address, data, flags of the answer).
    faults: a wrong checksum, a goal out of range, a goal far away while the torque is off, the flash, a reset, a write
    to what can only be read or belongs to the flash.
    """

    def __init__(self, positions=None, keeps_goal=True):
        super().__init__()
        self.keeps_goal = keeps_goal
        self.servos = {id: Servo(id, at) for id, at in (positions or {1: 0, 2: 0}).items()}

    def position(self, id):
        """Where a servo is now: int."""
        return self.servos[id].motor.at(self.now_ms)

    def push(self, id, position):
        """A hand turns one, if it is limp."""
        self.servos[id].motor.push(self.now_ms, position)

    def packet(self, data):
        start = data.find(b"\xfa\xaf")
        if start < 0:
            return None, data[-1:]
        data = data[start:]
        if len(data) < 7:
            return None, data
        end = 8 + data[5] * data[6]
        if end > 64:
            return b"", data[2:]
        if len(data) < end:
            return None, data
        return data[:end], data[end:]

    def answer(self, packet):
        id, flags, address, size = packet[2:6]
        if id not in self.servos:
            self.note("nobody", id)
            return b""
        if checksum(packet[2:-1]) != packet[-1]:
            self.faults.append("servo %d: wrong checksum" % id)
            return b""
        servo = self.servos[id]
        refused = self._do(servo, flags, address, packet[7:-1])
        if flags & 15 == _ACKNOWLEDGED:
            return bytes((NACK if refused else ACK,))
        shown = (address, address + size - 1) if flags & 15 == _AS_ASKED else SHOWN.get(flags & 15)
        return self._memory(servo, shown, refused) if shown else b""

    def _memory(self, servo, shown, refused):
        servo.put(POSITION, servo.motor.at(self.now_ms))
        first, last = shown
        if last >= POSITION:
            self.note("read", servo.memory[ID], first, last + 1 - first)
        return packet(
            b"\xfd\xdf", servo.memory[ID], servo.flags | refused, first, servo.memory[first : last + 1]
        )

    # REFUSED, or 0
    def _do(self, servo, flags, address, data):
        id = servo.memory[ID]
        if flags & (REBOOT | INITIALISE | TO_FLASH):
            self.faults.append("servo %d: a reset, or its flash" % id)
            return REFUSED
        if not data:
            return 0
        refused = self._write(servo, address, data)
        self.note("write", id, address, bytes(data), refused)
        return refused

    def _write(self, servo, address, data):
        id = servo.memory[ID]
        if address not in _WRITABLE or address + len(data) - 1 not in _WRITABLE:
            self.faults.append("servo %d: writes to %d" % (id, address))
            return REFUSED
        before = bytes(servo.memory)
        servo.memory[address : address + len(data)] = data
        goal = servo.word(GOAL)
        if not servo.word(LEFT_LIMIT) <= goal <= servo.word(RIGHT_LIMIT) or servo.memory[TORQUE] > 2:
            servo.memory[:] = before
            self.faults.append("servo %d: goal %d is out of range" % (id, goal))
            return REFUSED
        touched = range(address, address + len(data))
        if TORQUE in touched:
            self._switch(servo)
        if GOAL in touched:
            self._go(servo)
        return 0

    def _switch(self, servo):
        motor = servo.motor
        if servo.memory[TORQUE] != 1 or servo.flags & HOT:
            motor.let_go(self.now_ms)
        elif not motor.on:
            motor.hold(self.now_ms)
            if not self.keeps_goal:
                servo.put(GOAL, motor.goal)
            motor.go(self.now_ms, servo.word(GOAL), 0)

    def _go(self, servo):
        goal = servo.word(GOAL)
        if servo.motor.on:
            servo.motor.go(self.now_ms, goal, 10 * servo.word(TIME))
        elif abs(goal - servo.motor.at(self.now_ms)) > _NEAR:
            self.faults.append("servo %d: a goal far away while the torque is off" % servo.memory[ID])
