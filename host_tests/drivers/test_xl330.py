"""The XL330 driver: the published packets, what it takes for an answer, and how it moves virtual servos."""

from neck_moves import finish, most_in_a_second, moved, run
from scripted_uart import Clock, Uart

from drivers.xl330 import Axis, Bus, Servos, stack_chan
from harness import eq, raises
from robot.errors import ServoFault
from robot.head import Head
from tsumiki.chips.xl330_bus import DRIVE, MODE, XL330Bus, crc16, packet

HEX = bytes.fromhex
# Examples of the maker's manual (e-Manual, Protocol 2.0).
PING = HEX("fffffd000103000119 4e".replace(" ", ""))
PONG = HEX("fffffd0001070055000604 26655d".replace(" ", ""))
READ = HEX("fffffd00010700028400 04001d15".replace(" ", ""))
FOUND = HEX("fffffd000108005500a60000008cc0")
WRITE = HEX("fffffd00010900037400000200 00ca89".replace(" ", ""))
DONE = HEX("fffffd000104005500a10c")


class Fault(Exception):
    pass


def made(*answers, **options):
    uart = Uart(*answers)
    clock = Clock(**options)
    return Bus(uart, clock, error=Fault), uart, clock


def status(id, error, *data):
    return packet(id, 0x55, bytes((error,) + data))


def neck(positions=None, **options):
    """(servos, the virtual bus they are on)"""
    line = XL330Bus(positions or {1: 2048, 2: 2048}, **options)
    bus = Bus(line, line.ticks_ms, error=ServoFault)
    return Servos(bus, stack_chan(), line.sleep_ms, error=ServoFault), line


def test_the_maker_s_packets():
    bus, uart, _ = made(PONG, FOUND, DONE)
    eq(bus.ping(1), 0x0406)
    eq(bus.position(1), 166)
    bus.write(1, 116, 512, 4)
    eq(uart.sent, [PING, READ, WRITE])


def test_the_packets_of_a_neck():
    bus, uart, _ = made(*[status(2, 0)] * 3)
    bus.torque(2, True)
    bus.torque(2, False)
    bus.move(2, 2048, 300)
    # The virtual servo's CRC is bitwise, and written after another text.
    eq(
        uart.sent,
        [
            packet(2, 3, b"\x40\0\1"),
            packet(2, 3, b"\x40\0\0"),
            packet(2, 3, b"\x6c\0" + b"\0\0\0\0" + b"\x2c\1\0\0" + b"\0\x08\0\0"),
        ],
    )
    eq(crc16(PING[:-2]), 0x4E19)


def test_ff_ff_fd_is_stuffed_both_ways():
    for value in (0x00FDFFFF, 0xFDFFFF00 - (1 << 32), 0x11FDFFFF):
        data = bytes(value >> 8 * i & 0xFF for i in range(4))
        bus, uart, _ = made(DONE, status(1, 0, *data))
        bus.write(1, 20, value, 4)
        eq(uart.sent[0], packet(1, 3, b"\x14\0" + data))
        eq((len(uart.sent[0]), uart.sent[0][5]), (17, 10))
        eq(bus.read(1, 20, 4), value)
    # What follows the stuffing is not taken for more of it.
    bus, _, _ = made(packet(1, 0x55, b"\0\xff\xff\xfd\xfd"))
    eq(bus.read(1, 20, 4), 0xFDFDFFFF - (1 << 32))


def test_an_answer_may_come_in_pieces_after_an_echo_or_noise():
    for echo in (False, True):
        for slow in (False, True):
            for noise in (b"", b"\0\xff", b"\xff\xff\xfd", b"\xff\xff\xfd\0\2\4\0\x55"):
                if echo and noise:
                    continue
                uart = Uart(noise + FOUND, noise + DONE)
                bus = Bus(uart, Clock(), timeout_ms=60, error=Fault)
                uart.echo, uart.slow = echo, slow
                eq(bus.position(1), 166)
                bus.move(1, 1, 1)
                eq(len(uart.sent), 2)


def test_every_flipped_bit_of_an_answer_is_noticed():
    for bit in range(8 * len(FOUND)):
        wrong = bytearray(FOUND)
        wrong[bit // 8] ^= 1 << bit % 8
        bus, uart, _ = made(bytes(wrong), bytes(wrong))
        raises(Fault, bus.position, 1)
        eq(len(uart.sent), 2)


def test_silence_another_s_answer_and_an_echo_are_no_answers():
    for answer in (b"", status(2, 0), status(1, 0, 5), DONE[:-1]):
        bus, uart, clock = made(answer)
        uart.echo = True
        eq(str(raises(Fault, bus.move, 1, 1, 1)), "servo 1 does not answer")
        assert clock.looks < 30
        eq(len(uart.sent), 1)


def test_a_wrong_crc_is_a_fault_that_says_so():
    bus, _, _ = made(DONE[:-1] + b"\0")
    eq(str(raises(Fault, bus.torque, 1, False)), "servo 1 answers with a wrong checksum")


def test_a_servo_that_refuses_is_a_fault_unless_it_is_let_go():
    for error in (0x01, 0x06, 0x07, 0x80, 0x87):
        bus, _, _ = made(status(1, error), status(1, error), status(1, error), status(1, error))
        text = "servo 1 refuses: error 0x%02x" % error
        eq(str(raises(Fault, bus.move, 1, 1, 1)), text)
        eq(str(raises(Fault, bus.torque, 1, True)), text)
        eq(str(raises(Fault, bus.write, 1, 11, 3)), text)
        bus.torque(1, False)
    bus, _, _ = made(status(1, 7), status(1, 7))
    eq(str(raises(Fault, bus.position, 1)), "servo 1 refuses: error 0x07")


def test_what_is_out_of_range_is_not_sent():
    bus, uart, _ = made()
    for goal in ((-1, 0), (4096, 0), (0, -1), (0, 32738)):
        raises(ValueError, bus.move, 1, *goal)
    for id in (-1, 253, 254, 255):
        raises(ValueError, bus.ping, id)
        raises(ValueError, bus.move, id, 2048, 20)
    eq(uart.sent, [])


def test_a_position_beyond_its_turn_is_none():
    for wrong in (b"\xff\xff\xff\xff", b"\0\x10\0\0"):
        bus, _, _ = made(status(1, 0, *wrong))
        assert "says that it is at" in str(raises(Fault, bus.position, 1))


def test_modes_are_written_once_and_only_if_they_must():
    servos, line = neck()
    servos.read()
    writes = line.told("write")
    eq([entry[2:] for entry in writes if entry[3] == 10], [(1, 10, b"\4\3", 0), (2, 10, b"\4\3", 0)])
    eq([line.servos[1].registers[at] for at in (DRIVE, MODE)], [4, 3])
    servos.read()
    servos.torque(True)
    again = Servos(Bus(line, line.ticks_ms, error=ServoFault), stack_chan(), line.sleep_ms)
    again.read()
    eq(len([entry for entry in line.told("write") if entry[3] == 10]), 2)
    eq(line.faults, [])


def test_modes_are_changed_with_the_torque_off():
    servos, line = neck()
    for servo in line.servos.values():
        servo.registers[64] = 1
        servo.motor.on = True
    servos.read()
    eq(line.faults, [])
    eq([servo.registers[64] for servo in line.servos.values()], [0, 0])
    bus = Bus(line, line.ticks_ms, error=ServoFault)
    line.wait(100)
    bus.torque(1, True)
    raises(ServoFault, bus.write, 1, DRIVE, 0)
    eq(line.faults, ["servo 1: writes the EEPROM while the torque is on"])


def test_without_the_owner_s_leave_nothing_is_written():
    line = XL330Bus()
    servos = Servos(
        Bus(line, line.ticks_ms, error=ServoFault), stack_chan(), line.sleep_ms, False, ServoFault
    )
    eq(servos.read(), [0, 0])
    raises(ServoFault, servos.write, 0, 0, 100)
    raises(ServoFault, servos.torque, True)
    eq(line.told("write"), [])


def test_the_head_moves_and_lets_go():
    for echo in (False, True):
        for keeps_goal in (False, True):
            servos, line = neck(keeps_goal=keeps_goal)
            line.echo = echo
            head = moved(servos, line, 3000, 2000, 800)
            # 30 degrees to its left are 341 counts up; 20 up are 228 down.
            eq((line.position(1), line.position(2)), (2048 + 341, 2048 - 228))
            eq([servo.motor.on for servo in line.servos.values()], [False, False])
            eq(line.faults, [])
            eq(head.fault, None)
            assert max(servo.motor.most for servo in line.servos.values()) < 1.5
            writes = line.told("write")
            eq([entry[2:] for entry in writes[-2:]], [(1, 64, b"\0", 0), (2, 64, b"\0", 0)])
            on = [entry for entry in writes if entry[3:5] == (64, b"\1")]
            eq([entry[2] for entry in on], [1, 2])
            assert on[1][0] - on[0][0] >= 100
            assert most_in_a_second([entry[0] for entry in writes]) <= 46


def test_what_a_hand_has_turned_does_not_leap_back():
    for keeps_goal in (False, True):
        servos, line = neck(keeps_goal=keeps_goal)
        moved(servos, line, 6000, 0, 1000)
        line.push(1, 1500)
        moved(servos, line, -4800, 0, 500)
        eq(line.faults, [])
        assert line.servos[1].motor.most < 3, line.servos[1].motor.most
        eq(line.position(1), 2048 - 546)


def test_from_beyond_the_range_it_comes_back_slowly():
    for keeps_goal in (False, True):
        servos, line = neck({1: 2048 + 1500, 2: 2048}, keeps_goal=keeps_goal)
        moved(servos, line, 9000, 0, 500)
        eq(line.position(1), 3072)
        assert line.servos[1].motor.most < 2.2, line.servos[1].motor.most
        eq(line.faults, [])


def test_a_limp_servo_is_told_nothing_but_where_it_is():
    servos, line = neck({1: 2100, 2: 2000})
    servos.read()
    del line.trace[:]
    servos.write(3000, 2000, 300)
    servos.write(2000, 1000, 300)
    eq(line.trace, [])
    servos.torque(True)
    goals = [
        (entry[2], int.from_bytes(entry[4][8:], "little")) for entry in line.told("write") if entry[3] == 108
    ]
    eq(goals, [(1, 2100), (2, 2000), (1, 2276), (2, 1934)])
    # What was told before they were let go does not wait any longer.
    servos.torque(False)
    del line.trace[:]
    line.wait(100)
    servos.torque(True)
    eq(len([entry for entry in line.told("write") if entry[3] == 108]), 2)
    eq(line.faults, [])


def test_one_that_does_not_come_on_is_a_fault_and_tried_anew():
    servos, line = neck()
    servos.read()
    servos.write(1000, 0, 100)
    line.servos[2].alert = True
    raises(ServoFault, servos.torque, True)
    line.servos[2].alert = False
    servos.write(1000, 0, 100)
    line.wait(100)
    servos.torque(True)
    line.wait(200)
    eq((line.position(1), line.servos[2].motor.on), (2162, True))


def test_no_goal_is_beyond_the_profile():
    servos, line = neck()
    servos.read()
    servos.torque(True)
    for pose in ((20000, 20000), (-20000, -20000)):
        servos.write(pose[0], pose[1], 100)
    goals = [int.from_bytes(entry[4][8:], "little") for entry in line.told("write") if entry[3] == 108]
    eq(goals[2:], [3072, 1707, 1024, 2162])
    eq(line.faults, [])


def test_a_bus_that_breaks_in_a_motion_is_a_fault_and_is_let_go_when_it_comes_back():
    for fault in ("hang", "mute", "checksum"):
        servos, line = neck()
        head = Head(servos)
        run(head, line, 20)
        head.move(6000, 0, 2000)
        run(head, line, 600)
        assert line.servos[1].motor.on
        line.fail(fault)
        finish_by_ms = line.now_ms + 3000
        while head.fault is None:
            assert line.now_ms < finish_by_ms
            run(head, line, 20)
        eq(head.fault.code, "servo_fault")
        eq(raises(ServoFault, head.move, 0, 0).code, "servo_fault")
        line.fail("")
        finish(head, line)
        eq([servo.motor.on for servo in line.servos.values()], [False, False])


def test_a_lost_answer_to_a_goal_is_not_sent_again_by_the_driver():
    servos, line = neck()
    servos.torque(True)
    line.fail("hang", 1)
    raises(ServoFault, servos.write, 100, 0, 100)
    eq(len(line.told("hang")), 1)


def test_a_profile_has_limits_that_no_preference_widens():
    profile = stack_chan()
    eq(
        (profile.yaw_min_cd, profile.yaw_max_cd, profile.pitch_min_cd, profile.pitch_max_cd),
        (-9000, 9000, -1000, 3000),
    )
    narrow = stack_chan(pitch_cd=(-500, 1500))
    eq((narrow.pitch_min_cd, narrow.pitch_max_cd), (-500, 1500))
    raises(ValueError, stack_chan, pitch_cd=(-1100, 3000))
    raises(ValueError, stack_chan, yaw_cd=(-9000, 9100))
    raises(ValueError, stack_chan, yaw_zero=4096)
    raises(ValueError, stack_chan, pitch_zero=None)
    raises(ValueError, Axis, 253)


def test_reading_and_writing_allocate_nothing():
    from micropython import heap_lock, heap_unlock

    class Fixed:
        """Answers each packet in place."""

        def __init__(self):
            self.acks = {id: status(id, 0) for id in (1, 2)}
            self.positions = {id: status(id, 0, 0, 8, 0, 0) for id in (1, 2)}
            self.modes = {id: status(id, 0, 4, 3) for id in (1, 2)}
            self.got = 0

        def write(self, buffer):
            answers = self.acks
            if buffer[7] == 2:
                answers = self.modes if buffer[10] == 2 else self.positions
            self.here = answers[buffer[4]]
            self.got = 0

        def any(self):
            return len(self.here) - self.got

        def readinto(self, buffer, count):
            for i in range(count):
                buffer[i] = self.here[self.got + i]
            self.got += count
            return count

    bus = Bus(Fixed(), Clock(), error=Fault)
    bus._uart.here = b""
    servos = Servos(bus, stack_chan(), lambda ms: None)
    heap_lock()
    try:
        servos.read()
        servos.write(100, 600, 100)
        servos.torque(True)
        servos.write(200, 700, 100)
        servos.torque(False)
    finally:
        heap_unlock()
