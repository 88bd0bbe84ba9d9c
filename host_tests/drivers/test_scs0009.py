"""The servo driver: the exact bytes of each packet, what it takes for an answer, and what it refuses."""

from scripted_uart import Clock, Uart, packet

from drivers.scs0009 import Axis, Bus, Profile, Servos, kit
from harness import eq, raises


class Fault(Exception):
    pass


ACK_1 = packet(1, 0)
ACK_2 = packet(2, 0)


def made(*answers, **options):
    uart = Uart(*answers)
    clock = Clock(**options)
    return Bus(uart, clock, error=Fault), uart, clock


def neck(*answers):
    uart = Uart(*answers)
    return Servos(Bus(uart, Clock(), error=Fault), kit(460, 620)), uart


def at(id, position):
    return packet(id, 0, position >> 8, position & 255)


def test_the_packets():
    bus, uart, _ = made(ACK_1, at(1, 460), ACK_1, ACK_1, ACK_1)
    bus.ping(1)
    eq(bus.position(1), 460)
    bus.torque(1, True)
    bus.torque(1, False)
    bus.move(1, 460, 20)
    eq(
        uart.sent,
        [
            b"\xff\xff\x01\x02\x01\xfb",
            b"\xff\xff\x01\x04\x02\x38\x02\xbe",
            b"\xff\xff\x01\x04\x03\x28\x01\xce",
            b"\xff\xff\x01\x04\x03\x28\x00\xcf",
            b"\xff\xff\x01\x09\x03\x2a\x01\xcc\x00\x14\x00\x00\xe7",
        ],
    )


def test_values_have_their_high_byte_first():
    bus, uart, _ = made(at(7, 0x0302), packet(7, 0))
    eq(bus.position(7), 0x0302)
    bus.move(7, 1023, 0x0102)
    eq(uart.sent[1][6:12], b"\x03\xff\x01\x02\x00\x00")


def test_an_answer_may_come_in_pieces_after_an_echo_or_noise():
    for echo in (False, True):
        for slow in (False, True):
            for noise in (b"", b"\x00\xff", b"\xff\xff\xff", b"\xff\xff\x02\x04\x00"):
                if echo and noise:
                    continue
                uart = Uart(noise + at(1, 700), noise + ACK_1, noise + ACK_1)
                bus = Bus(uart, Clock(), timeout_ms=40, error=Fault)
                uart.echo, uart.slow = echo, slow
                eq(bus.position(1), 700)
                bus.move(1, 1, 1)
                bus.ping(1)
                eq(len(uart.sent), 3)


def test_an_echo_alone_is_no_answer():
    for call in (lambda bus: bus.ping(1), lambda bus: bus.position(1), lambda bus: bus.torque(1, False)):
        bus, uart, _ = made()
        uart.echo = True
        eq(str(raises(Fault, call, bus)), "servo 1 does not answer")


def test_silence_is_a_fault_after_a_bounded_wait():
    bus, uart, clock = made()
    for call in (lambda: bus.ping(1), lambda: bus.torque(1, True), lambda: bus.move(1, 1, 1)):
        looks = clock.looks
        del uart.sent[:]
        eq(str(raises(Fault, call)), "servo 1 does not answer")
        assert clock.looks - looks < 30
        eq(len(uart.sent), 1)


def test_a_clock_that_wraps_waits_no_longer():
    bus, _, clock = made(now_ms=0x3FFFFFFF - 5)
    raises(Fault, bus.ping, 1)
    assert clock.looks < 30


def test_a_line_that_never_stops_is_a_fault():
    class Babble(Uart):
        def any(self):
            return 16

        def readinto(self, buffer, count):
            buffer[:count] = b"\xff" * count
            return count

    clock = Clock()
    bus = Bus(Babble(), clock, error=Fault)
    raises(Fault, bus.ping, 1)
    assert clock.looks < 30


def test_a_wrong_checksum_is_a_fault_that_says_so():
    wrong = bytearray(ACK_1)
    wrong[-1] ^= 1
    for call in (lambda bus: bus.ping(1), lambda bus: bus.move(1, 1, 1), lambda bus: bus.torque(1, False)):
        bus, _, _ = made(bytes(wrong))
        eq(str(raises(Fault, call, bus)), "servo 1 answers with a wrong checksum")


def test_every_flipped_bit_of_an_answer_is_noticed():
    answer = at(1, 460)
    for bit in range(8 * len(answer)):
        wrong = bytearray(answer)
        wrong[bit // 8] ^= 1 << bit % 8
        bus, uart, _ = made(bytes(wrong), bytes(wrong))
        raises(Fault, bus.position, 1)
        eq(len(uart.sent), 2)


def test_a_position_is_asked_for_twice_a_write_is_sent_once():
    bus, uart, _ = made(b"", at(1, 460))
    eq(bus.position(1), 460)
    eq(len(uart.sent), 2)
    bus, uart, _ = made(b"", ACK_1)
    raises(Fault, bus.move, 1, 460, 20)
    eq(len(uart.sent), 1)


def test_the_answer_of_another_servo_is_none():
    bus, _, _ = made(ACK_2)
    raises(Fault, bus.ping, 1)


def test_a_late_answer_is_not_taken_for_the_next():
    bus, uart, _ = made()
    raises(Fault, bus.torque, 1, True)
    uart.coming = ACK_1
    raises(Fault, bus.ping, 1)


def test_there_is_silence_between_packets():
    bus, _, clock = made(ACK_1, ACK_1)
    bus.ping(1)
    over_ms = clock.now_ms
    bus.ping(1)
    assert clock.now_ms - over_ms >= 10


def test_an_answer_counts_that_came_while_nobody_looked():
    # A collection of garbage between sending and looking takes longer than the wait.
    bus, _, _ = made(ACK_1, at(1, 460), step_ms=50)
    bus.ping(1)
    eq(bus.position(1), 460)


def test_an_error_of_the_servo_refuses_a_goal_but_no_release():
    bus, _, _ = made(packet(1, 0x22), packet(1, 0x20))
    eq(str(raises(Fault, bus.move, 1, 1, 1)), "servo 1 refuses: error 0x22")
    bus.torque(1, False)


def test_a_position_that_cannot_be_is_a_fault():
    bus, _, _ = made(at(1, 1024), at(1, 1023))
    eq(str(raises(Fault, bus.position, 1)), "servo 1 says that it is at 1024")
    eq(bus.position(1), 1023)


def test_what_is_out_of_range_is_not_sent():
    bus, uart, _ = made()
    for goal in ((-1, 0), (1024, 0), (0, -1), (0, 0x8000)):
        raises(ValueError, bus.move, 1, *goal)
    for id in (-1, 254, 255, 256):
        raises(ValueError, bus.ping, id)
        raises(ValueError, bus.move, id, 500, 20)
        raises(ValueError, bus.position, id)
    eq(uart.sent, [])


def test_angles_of_the_kit():
    yaw, pitch = kit(460, 620).yaw, kit(460, 620).pitch
    # Its vendor's firmware: raw = zero + degrees * 16 / 5, yaw below 0 is its left.
    eq([yaw.raw(cd) for cd in (0, 500, -500, 9000)], [460, 444, 476, 172])
    eq([pitch.raw(cd) for cd in (500, 4500, 8500)], [636, 764, 892])
    for axis in (yaw, pitch):
        for cd in range(axis.min_cd, axis.max_cd, 7):
            assert abs(axis.cd(axis.raw(cd)) - cd) <= 16, cd


def test_every_write_is_clamped():
    servos, uart = neck(ACK_1, ACK_2, ACK_1, ACK_2)
    servos.write(20000, 20000, 100)
    servos.write(-20000, -20000, 1 << 20)
    goals = [(sent[2], sent[6] << 8 | sent[7], sent[8] << 8 | sent[9]) for sent in uart.sent]
    eq(goals, [(1, 172, 100), (2, 892, 100), (1, 748, 32767), (2, 636, 32767)])


def test_the_limits_are_those_that_the_servo_can_reach():
    # A zero far from the middle leaves less to one side; the profile tells the truth.
    axis = Axis(1, 125, -9000, 9000)
    eq((axis.min_cd, axis.max_cd), (-3906, 9000))
    eq([axis.raw(cd) for cd in (-9000, 9000)], [0, 413])
    other = Axis(1, 125, -9000, 9000, sign=-1)
    eq((other.min_cd, other.max_cd), (-9000, 3906))
    eq([other.raw(cd) for cd in (-9000, 9000)], [413, 0])


def test_a_profile_that_makes_no_sense_is_refused():
    for wrong in (
        lambda: Axis(254, 460, -9000, 9000),
        lambda: Axis(-1, 460, -9000, 9000),
        lambda: Axis(1, None, -9000, 9000),
        lambda: Axis(1, -1, -9000, 9000),
        lambda: Axis(1, 1001, -9000, 9000),
        lambda: Axis(1, 460, 100, -100),
        lambda: Axis(1, 0, -9000, -100),
        lambda: Axis(1, 460, -9000, 9000, raw_max=1024),
        lambda: Axis(1, 460, -9000, 9000, sign=0),
        lambda: Axis(1, 460, -9000, 9000, counts=0),
        lambda: kit(None, 620),
    ):
        raises(ValueError, wrong)


def test_the_port_reads_and_writes_both():
    servos, uart = neck(at(1, 444), at(2, 764), ACK_1, ACK_2, ACK_1)
    eq(list(servos.read()), [500, 4500])
    servos.write(500, 4500, 100)
    # Only the one that has a new goal is told.
    servos.write(1000, 4500, 100)
    eq([(sent[2], sent[4]) for sent in uart.sent], [(1, 2), (2, 2), (1, 3), (2, 3), (1, 3)])


def test_a_goal_that_was_not_acknowledged_is_sent_again():
    servos, uart = neck(b"", ACK_1, ACK_2)
    raises(Fault, servos.write, 500, 4500, 100)
    servos.write(500, 4500, 100)
    eq([sent[2] for sent in uart.sent], [1, 1, 2])


def test_after_a_release_both_goals_are_unknown():
    servos, uart = neck(*[ACK_1, ACK_2] * 3)
    servos.write(500, 4500, 100)
    servos.torque(False)
    servos.write(500, 4500, 100)
    eq(len(uart.sent), 6)


def test_a_servo_that_is_gone_does_not_keep_the_other_on():
    servos, uart = neck(b"", ACK_2)
    eq(str(raises(Fault, servos.torque, False)), "servo 1 does not answer")
    eq([sent[2:7] for sent in uart.sent], [b"\x01\x04\x03\x28\x00", b"\x02\x04\x03\x28\x00"])


def test_a_profile_is_what_a_planner_needs():
    profile = Profile(Axis(3, 500, -6000, 6000), Axis(4, 500, -2500, 1000), 30, 9000, (0, 100))
    eq((profile.yaw_min_cd, profile.yaw_max_cd), (-6000, 6000))
    eq((profile.pitch_min_cd, profile.pitch_max_cd), (-2500, 1000))
    eq((profile.writes_per_s, profile.max_cd_per_s, profile.home_cd), (30, 9000, (0, 100)))


def test_reading_and_writing_allocate_nothing():
    from micropython import heap_lock, heap_unlock

    class Fixed:
        """Answers each packet in place."""

        def __init__(self):
            self.acks = {1: ACK_1, 2: ACK_2}
            self.positions = {1: at(1, 460), 2: at(2, 700)}
            self.here = b""
            self.got = 0

        def write(self, buffer):
            self.here = self.positions[buffer[2]] if buffer[4] == 2 else self.acks[buffer[2]]
            self.got = 0

        def any(self):
            return len(self.here) - self.got

        def readinto(self, buffer, count):
            for i in range(count):
                buffer[i] = self.here[self.got + i]
            self.got += count
            return count

    servos = Servos(Bus(Fixed(), Clock(), error=Fault), kit(460, 620))
    heap_lock()
    try:
        servos.read()
        servos.torque(True)
        servos.write(100, 600, 100)
        servos.torque(False)
    finally:
        heap_unlock()
