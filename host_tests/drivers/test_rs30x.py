"""The RS30x driver: the published packets, what it takes for an answer, and how it moves virtual servos."""

from neck_moves import finish, most_in_a_second, moved, run
from scripted_uart import Clock, Uart

from drivers.rs30x import Axis, Bus, Servos, stack_chan
from harness import eq, raises
from robot.errors import ServoFault
from robot.head import Head
from tsumiki.chips.rs30x_bus import HOT, RS30xBus, checksum, packet

HEX = bytes.fromhex
# Examples of the maker's manual: ask servo 1 for two bytes from 42; go to 90 degrees; all feedback of a servo there.
ASK = HEX("faaf010f2a020026")
GO = HEX("faaf01001e02018403 9b".replace(" ", ""))
FEEDBACK = HEX("fddf01002a12018403000000000600000000000000000000 00b9".replace(" ", ""))


class Fault(Exception):
    pass


def made(*answers, **options):
    uart = Uart(*answers)
    clock = Clock(**options)
    return Bus(uart, clock, error=Fault), uart, clock


def at(id, tenths, flags=0):
    return packet(b"\xfd\xdf", id, flags, 42, bytes((tenths & 0xFF, tenths >> 8 & 0xFF)))


def ack(id, flags=0):
    return packet(b"\xfd\xdf", id, flags, 30, bytes(12))


def neck(positions=None, **options):
    """(servos, the virtual bus they are on)"""
    line = RS30xBus(positions, **options)
    return Servos(Bus(line, line.ticks_ms, error=ServoFault), stack_chan(), error=ServoFault), line


def test_the_maker_s_packets():
    bus, uart, _ = made(at(1, 900))
    eq(bus.position(1), 900)
    eq(uart.sent, [ASK])
    eq(at(1, 900), HEX("fddf01002a02018403af"))
    eq(checksum(GO[2:-1]), GO[-1])
    line = RS30xBus({1: 0})
    eq(line.feed(GO), b"")
    eq(line.servos[1].word(30), 900)
    line = RS30xBus({1: 900})
    line.servos[1].put(48, 6)
    eq(line.feed(HEX("faaf010f2a120036")), FEEDBACK)


def test_the_packets_of_a_neck():
    bus, uart, _ = made(ack(2), ack(2), ack(2), ack(2))
    bus.torque(2, True)
    bus.torque(2, False)
    bus.move(2, 1230, 600)
    bus.move(2, -1, 101)
    eq(
        uart.sent,
        [
            HEX("faaf020b240101012c"),
            HEX("faaf020b240101002d"),
            HEX("faaf020b1e0401ce043c00e4"),
            HEX("faaf020b1e0401ffff0b0019"),
        ],
    )


def test_an_answer_may_come_in_pieces_after_an_echo_or_noise():
    for echo in (False, True):
        for slow in (False, True):
            for noise in (b"", b"\0\xfd", b"\xfd\xdf\xfd", b"\xfd\xdf\2\0\x2a"):
                if echo and noise:
                    continue
                uart = Uart(noise + at(1, -700), noise + ack(1))
                bus = Bus(uart, Clock(), timeout_ms=60, error=Fault)
                uart.echo, uart.slow = echo, slow
                eq(bus.position(1), -700)
                bus.move(1, 1, 1)
                eq(len(uart.sent), 2)


def test_every_flipped_bit_of_an_answer_is_noticed():
    answer = at(1, 460)
    for bit in range(8 * len(answer)):
        wrong = bytearray(answer)
        wrong[bit // 8] ^= 1 << bit % 8
        bus, uart, _ = made(bytes(wrong), bytes(wrong))
        raises(Fault, bus.position, 1)
        eq(len(uart.sent), 2)


def test_silence_another_s_answer_and_an_echo_are_no_answers():
    for answer in (b"", ack(2), ack(1)[:-1], b"\x07"):
        bus, uart, clock = made(answer)
        uart.echo = True
        eq(str(raises(Fault, bus.move, 1, 1, 1)), "servo 1 does not answer")
        assert clock.looks < 40
        eq(len(uart.sent), 1)


def test_a_wrong_checksum_is_a_fault_that_says_so():
    bus, _, _ = made(ack(1)[:-1] + b"\x55")
    eq(str(raises(Fault, bus.torque, 1, False)), "servo 1 answers with a wrong checksum")


def test_a_servo_that_refuses_is_a_fault_unless_it_is_let_go():
    for flags in (0x02, 0x08, 0x80):
        bus, _, _ = made(ack(1, flags), ack(1, flags), ack(1, flags))
        text = "servo 1 refuses: flags 0x%02x" % flags
        eq(str(raises(Fault, bus.move, 1, 1, 1)), text)
        eq(str(raises(Fault, bus.torque, 1, True)), text)
        bus.torque(1, False)
    # A warning of its temperature is none.
    bus, _, _ = made(ack(1, 0x20))
    bus.move(1, 1, 1)


def test_what_is_out_of_range_is_not_sent():
    bus, uart, _ = made()
    for goal in ((-1501, 0), (1501, 0), (0, -1), (0, 163831)):
        raises(ValueError, bus.move, 1, *goal)
    for id in (-1, 0, 128, 255):
        raises(ValueError, bus.torque, id, True)
        raises(ValueError, bus.position, id)
    eq(uart.sent, [])


def test_a_position_that_cannot_be_is_a_fault():
    for tenths in (1501, -1501, 0x7FFF, -0x8000):
        bus, _, _ = made(at(1, tenths))
        eq(str(raises(Fault, bus.position, 1)), "servo 1 says that it is at %d" % tenths)


def test_the_head_moves_and_lets_go():
    for echo in (False, True):
        servos, line = neck()
        line.echo = echo
        head = moved(servos, line, 3000, 900, 800)
        # 30 degrees to its left are 300 down.
        eq((line.position(1), line.position(2)), (-300, 90))
        eq([servo.motor.on for servo in line.servos.values()], [False, False])
        eq(line.faults, [])
        eq(head.fault, None)
        assert line.servos[1].motor.most < 1.5, line.servos[1].motor.most
        writes = line.told("write")
        eq([entry[2:] for entry in writes[-2:]], [(1, 36, b"\0", 0), (2, 36, b"\0", 0)])
        assert most_in_a_second([entry[0] for entry in writes]) <= 20
        assert line.trace[0][1] == "read" and line.trace[1][1] == "read"


def test_what_a_hand_has_turned_does_not_leap_back():
    for keeps_goal in (False, True):
        servos, line = neck(keeps_goal=keeps_goal)
        moved(servos, line, 6000, 0, 1000)
        line.push(1, 480)
        moved(servos, line, -4700, 0, 500)
        eq(line.faults, [])
        assert line.servos[1].motor.most < 1.5, line.servos[1].motor.most
        eq(line.position(1), 470)


def test_from_beyond_the_range_it_comes_back_slowly():
    for keeps_goal in (False, True):
        servos, line = neck({1: 1300, 2: 0}, keeps_goal=keeps_goal)
        moved(servos, line, -9000, 0, 500)
        eq(line.position(1), 900)
        assert line.servos[1].motor.most < 2.2, line.servos[1].motor.most
        eq(line.faults, [])


def test_no_goal_is_beyond_the_profile():
    servos, line = neck()
    servos.torque(True)
    for pose in ((20000, 20000), (-20000, -20000)):
        servos.write(pose[0], pose[1], 100)
    eq([line.servos[id].motor.goal for id in (1, 2)], [900, -100])
    eq([entry[4][:2] for entry in line.told("write")[4:6]], [b"\x7c\xfc", b"\x64\0"])
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
        until_ms = line.now_ms + 3000
        while head.fault is None:
            assert line.now_ms < until_ms
            run(head, line, 20)
        eq(head.fault.code, "servo_fault")
        line.fail("")
        finish(head, line)
        eq([servo.motor.on for servo in line.servos.values()], [False, False])


def test_a_profile_has_limits_that_no_preference_widens():
    profile = stack_chan()
    eq(
        (profile.yaw_min_cd, profile.yaw_max_cd, profile.pitch_min_cd, profile.pitch_max_cd),
        (-9000, 9000, -1000, 1000),
    )
    eq(stack_chan(pitch_cd=(-1000, 2500)).pitch_max_cd, 2500)
    raises(ValueError, stack_chan, pitch_cd=(-1000, 2501))
    raises(ValueError, stack_chan, yaw_cd=(-9100, 9000))
    raises(ValueError, stack_chan, yaw_zero=1501)
    raises(ValueError, stack_chan, pitch_zero=None)
    raises(ValueError, Axis, 0)
    raises(ValueError, Axis, 128)


def test_reading_and_writing_allocate_nothing():
    from micropython import heap_lock, heap_unlock

    class Fixed:
        """Answers each packet in place."""

        def __init__(self):
            self.here = b""
            self.got = 0
            self.acks = {id: ack(id) for id in (1, 2)}
            self.positions = {id: at(id, 100) for id in (1, 2)}

        def write(self, buffer):
            self.here = (self.positions if buffer[3] == 0x0F else self.acks)[buffer[2]]
            self.got = 0

        def any(self):
            return len(self.here) - self.got

        def readinto(self, buffer, count):
            for i in range(count):
                buffer[i] = self.here[self.got + i]
            self.got += count
            return count

    servos = Servos(Bus(Fixed(), Clock(), error=Fault), stack_chan())
    heap_lock()
    try:
        servos.read()
        servos.torque(True)
        servos.write(100, 600, 100)
        servos.torque(False)
    finally:
        heap_unlock()


def test_the_virtual_bus_refuses_what_a_servo_would():
    line = RS30xBus()
    head = b"\xfa\xaf"
    wrong = bytearray(packet(head, 1, 0x0B, 36, b"\1"))
    wrong[-1] ^= 1
    eq(line.feed(bytes(wrong)), b"")
    eq(line.feed(packet(head, 9, 0x0B, 36, b"\1")), b"")
    eq(line.feed(packet(head, 1, 1, 30, b"\xdd\5")), b"\x08")
    eq(line.feed(packet(head, 1, 1, 42, b"\0\0")), b"\x08")
    eq(line.feed(packet(head, 1, 0x40, 0xFF, b"")), b"")
    eq(line.feed(packet(head, 1, 1, 30, b"\xf4\1")), b"\x07")
    eq(
        line.faults,
        [
            "servo 1: wrong checksum",
            "servo 1: goal 1501 is out of range",
            "servo 1: writes to 42",
            "servo 1: a reset, or its flash",
            "servo 1: a goal far away while the torque is off",
        ],
    )
    eq(line.position(1), 0)
    # It leaps to the goal that it was told while it was limp.
    line.feed(packet(head, 1, 1, 36, b"\1"))
    line.wait(1000)
    eq(line.position(1), 500)
    line.servos[1].flags = HOT
    eq(line.feed(packet(head, 1, 0x0B, 36, b"\1"))[3], HOT)
    eq(line.servos[1].motor.on, False)


def test_it_moves_in_the_time_that_it_is_given_and_no_faster_than_it_can():
    line = RS30xBus()
    bus = Bus(line, line.ticks_ms, error=Fault)
    bus.torque(1, True)
    start_ms = line.now_ms
    bus.move(1, 1000, 2000)
    line.wait(1000 - (line.now_ms - start_ms))
    assert abs(line.position(1) - 500) < 5, line.position(1)
    line.wait(1000)
    bus.move(1, 0, 0)
    line.wait(100)
    assert line.position(1) > 500, line.position(1)
