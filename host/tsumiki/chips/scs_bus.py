"""A virtual bus of Feetech SCS0009 servos: bytes of packets in, bytes of answers out, positions that change with time.

    bus = ScsBus()
    bus.feed(b"\\xff\\xff\\x01\\x02\\x01\\xfb")     # b"\\xff\\xff\\x01\\x02\\x00\\xfc"

Packets, registers and ranges are those of the SCS series' protocol and memory table. What a servo would not do it does
not do here: a wrong checksum or an unknown id stays without an answer; a goal outside the angle limits, a register that
cannot be written, or the EEPROM while it is locked are answered with an error (bits as in Dynamixel's protocol 1.0, of
which this one is a relative: unproven on hardware).
"""

import time
from collections import deque

PING, READ, WRITE, SYNC_WRITE = 1, 2, 3, 0x83
BROADCAST = 0xFE
TORQUE, GOAL, TIME, SPEED, LOCK, POSITION, VOLTAGE, TEMPERATURE, MOVING = 40, 42, 44, 46, 48, 56, 62, 63, 66
_SIZE = 71
_RANGE, _INSTRUCTION = 0x08, 0x40
_EEPROM = range(5, 40)
_SRAM = range(40, 49)
# 240 degrees a second, the datasheet's, at the kit's 16 counts in 5 degrees.
_FASTEST = 0.768  # counts a millisecond
_LONGEST = 64
_TRACED = 10000
FAULTS = ("", "hang", "mute", "checksum")


def _clock_ms():
    return time.monotonic() * 1000


class Servo:
    """One servo: its registers, and where it is.

    registers: bytearray.  fastest: float, the most counts a millisecond that it has been asked to go.
    """

    def __init__(self, id, position, clock_ms=_clock_ms):
        self.registers = bytearray(_SIZE)
        self.id = self.registers[5] = id
        self._clock_ms = clock_ms
        self._at = self._from = float(position)
        self._since_ms = 0.0
        self._lasts_ms = 0.0
        self._put(11, 1023)
        self._put(26, 2)
        self._put(GOAL, position)
        self.registers[LOCK] = 1
        self.registers[VOLTAGE] = 50
        self.registers[TEMPERATURE] = 30
        self.fastest = 0.0

    @property
    def torque(self):
        return self.registers[TORQUE] == 1

    @property
    def goal(self):
        return self._word(GOAL)

    @property
    def position(self):
        """Where it is now, int."""
        self._settle()
        return round(self._at)

    def push(self, position):
        """A hand turns it, if it lets that happen: with the torque off."""
        self._settle()
        if not self.torque:
            self._at = float(position)

    def lose_power(self):
        """Off and on again: it is limp, and wants to be where it is."""
        self._settle()
        self.registers[TORQUE] = 0
        self._put(GOAL, round(self._at))
        self._put(TIME, 0)

    def read(self, address, count):
        """bytes of registers, or None if there are none such."""
        if address + count > _SIZE or not count:
            return None
        self._put(POSITION, self.position)
        self.registers[MOVING] = int(self.torque and round(self._at) != self.goal)
        return bytes(self.registers[address : address + count])

    def write(self, address, data):
        """Write registers; returns the error byte, 0 if all is well."""
        error = self._refusal(address, data)
        if error:
            return error
        self._settle()
        self.registers[address : address + len(data)] = data
        touched = range(address, address + len(data))
        if TORQUE in touched or GOAL in touched:
            self._start()
        return 0

    def _refusal(self, address, data):
        last = address + len(data) - 1
        if not data or not (
            (address in _SRAM and last in _SRAM)
            or (address in _EEPROM and last in _EEPROM and not self.registers[LOCK])
        ):
            return _INSTRUCTION
        changed = bytearray(self.registers)
        changed[address : last + 1] = data
        goal = changed[GOAL] << 8 | changed[GOAL + 1]
        if not self._word(9) <= goal <= self._word(11) or changed[TORQUE] > 2:
            return _RANGE
        return 0

    # From where it is to its goal, in the time that it is given but no faster than it can.
    def _start(self):
        self._from = self._at
        self._since_ms = self._clock_ms()
        way = abs(self.goal - self._at)
        self._lasts_ms = max(self._word(TIME), way / _FASTEST)
        if self.torque and way:
            self.fastest = max(self.fastest, way / self._lasts_ms)

    def _settle(self):
        if not self.torque:
            return
        passed_ms = self._clock_ms() - self._since_ms
        if passed_ms >= self._lasts_ms:
            self._at = float(self.goal)
        else:
            self._at = self._from + (self.goal - self._from) * passed_ms / self._lasts_ms

    def _word(self, address):
        return self.registers[address] << 8 | self.registers[address + 1]

    def _put(self, address, value):
        self.registers[address : address + 2] = value.to_bytes(2, "big")


class ScsBus:
    """Servos on one line.

    positions: {id: position at the start}.  clock_ms: `clock_ms()` -> number, the time by which they move.
    servos: {id: Servo}.  echo: bool, what is sent is heard back first.
    trace: deque of dict: ms, do (`ping`, `read`, `write`, `sync`; `hang` if it fell on deaf ears; `wrong` with a
    reason), id, address, data (hex), error; the last 10,000 packets.
    """

    def __init__(self, positions=None, clock_ms=_clock_ms):
        self._clock_ms = clock_ms
        self.servos = {id: Servo(id, at, clock_ms) for id, at in (positions or {1: 460, 2: 684}).items()}
        self.trace = deque(maxlen=_TRACED)
        self.echo = False
        self._fault = ""
        self._lasts = None
        self._rest = b""

    def fail(self, fault, packets=None):
        """Misbehave from now on.  packets: int, for so many packets only; None: until told otherwise.

        fault: `hang`: packets are neither done nor answered; `mute`: done and not answered; `checksum`: answered with a
        wrong checksum; "": come back.
        """
        if fault not in FAULTS:
            raise ValueError("no such fault: %r" % fault)
        self._fault = fault
        self._lasts = packets

    def lose_power(self):
        """All servos go off and on again."""
        for servo in self.servos.values():
            servo.lose_power()

    def feed(self, data):
        """What comes back for these bytes; part of a packet waits for the rest."""
        heard = bytes(data) if self.echo else b""
        self._rest += data
        while True:
            packet = self._packet()
            if packet is None:
                return heard
            heard += self._answer(packet)

    # The next packet with its head, b"" where there was noise, None where more must come.
    def _packet(self):
        start = self._rest.find(b"\xff\xff")
        if start < 0:
            self._rest = self._rest[-1:] if self._rest.endswith(b"\xff") else b""
            return None
        self._rest = self._rest[start:]
        while self._rest[2:3] == b"\xff":
            self._rest = self._rest[1:]
        if len(self._rest) < 4:
            return None
        length = self._rest[3]
        if not 2 <= length <= _LONGEST:
            self._rest = self._rest[2:]
            return b""
        if len(self._rest) < 4 + length:
            return None
        packet, self._rest = self._rest[: 4 + length], self._rest[4 + length :]
        return packet

    def _answer(self, packet):
        if not packet:
            return b""
        fault = self._current_fault()
        id, instruction, params = packet[2], packet[4], packet[5:-1]
        if ~sum(packet[2:-1]) & 0xFF != packet[-1]:
            return self._note("wrong", id, data=packet, error="checksum")
        if fault == "hang":
            return self._note("hang", id, data=packet)
        if id == BROADCAST:
            return self._for_all(instruction, params)
        if id not in self.servos:
            return self._note("wrong", id, data=packet, error="no such servo")
        error, data = self._do(self.servos[id], instruction, params)
        if fault == "mute":
            return b""
        body = bytes((id, len(data) + 2, error)) + data
        check = ~sum(body) & 0xFF
        return b"\xff\xff" + body + bytes((check ^ 0x55 if fault == "checksum" else check,))

    def _current_fault(self):
        if self._lasts is not None:
            if not self._lasts:
                self._fault = ""
            self._lasts = max(0, self._lasts - 1)
        return self._fault

    # (error byte, data)
    def _do(self, servo, instruction, params):
        error, data = _INSTRUCTION, b""
        if instruction == PING:
            error = 0
            self._note("ping", servo.id)
        elif instruction == READ and len(params) == 2:
            found = servo.read(*params)
            if found is not None:
                error, data = 0, found
            self._note("read", servo.id, params[0], data, error)
        elif instruction == WRITE and len(params) > 1:
            error = servo.write(params[0], params[1:])
            self._note("write", servo.id, params[0], params[1:], error)
        else:
            self._note("wrong", servo.id, data=params, error="instruction %d" % instruction)
        return error, data

    def _for_all(self, instruction, params):
        if instruction != SYNC_WRITE or len(params) < 2 or (len(params) - 2) % (params[1] + 1):
            return self._note("wrong", BROADCAST, data=params, error="instruction %d" % instruction)
        address, count = params[:2]
        for at in range(2, len(params), count + 1):
            id, data = params[at], params[at + 1 : at + 1 + count]
            if id in self.servos:
                self._note("sync", id, address, data, self.servos[id].write(address, data))
        return b""

    def _note(self, do, id, address=None, data=b"", error=0):
        entry = {"ms": self._clock_ms(), "do": do, "id": id, "address": address}
        self.trace.append(dict(entry, data=bytes(data).hex(), error=error))
        return b""

    def state(self):
        """{id: {position, goal, torque}} of all servos."""
        return {
            id: {"position": servo.position, "goal": servo.goal, "torque": servo.torque}
            for id, servo in self.servos.items()
        }
