"""The virtual servo bus by itself: what it answers, what it refuses, how it moves, and how it breaks."""

import pytest

from tsumiki.chips.scs_bus import ScsBus


class Clock:
    now_ms = 0

    def __call__(self):
        return self.now_ms


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def bus(clock):
    return ScsBus({1: 460, 2: 684}, clock)


def packet(id, *rest):
    body = bytes((id, len(rest) + 1, *rest))
    return b"\xff\xff" + body + bytes((~sum(body) & 0xFF,))


def goal(id, position, time_ms=0):
    return packet(id, 3, 42, position >> 8, position & 255, time_ms >> 8, time_ms & 255, 0, 0)


def torque(id, on):
    return packet(id, 3, 40, on)


ACK = packet(1, 0)


def test_the_manual_s_packets(bus):
    assert bus.feed(bytes.fromhex("ffff010201fb")) == bytes.fromhex("ffff010200fc")
    assert bus.feed(bytes.fromhex("ffff0104023802be")) == bytes.fromhex("ffff01040001cc2d")
    assert bus.feed(bytes.fromhex("ffff0109032a01cc00140000e7")) == bytes.fromhex("ffff010200fc")
    assert [entry["do"] for entry in bus.trace] == ["ping", "read", "write"]
    assert bus.trace[-1]["address"] == 42 and bus.trace[-1]["data"] == "01cc00140000"


def test_a_packet_in_pieces_after_noise_and_with_another_behind(bus):
    data = b"\x00\xff\x01" + goal(1, 500) + b"\xff" + packet(2, 1)
    assert bus.feed(data) == ACK + packet(2, 0)
    heard = b"".join(bus.feed(data[i : i + 1]) for i in range(len(data)))
    assert heard == ACK + packet(2, 0)


def test_a_wrong_checksum_and_an_unknown_id_stay_without_an_answer(bus):
    wrong = bytearray(goal(1, 500))
    wrong[-1] ^= 1
    assert bus.feed(bytes(wrong)) == b""
    assert bus.feed(goal(3, 500)) == b""
    assert [entry["error"] for entry in bus.trace] == ["checksum", "no such servo"]
    assert bus.servos[1].goal == 460


@pytest.mark.parametrize(
    "wrong, error",
    [
        (goal(1, 1024), 0x08),
        (packet(1, 3, 40, 3), 0x08),
        (packet(1, 3, 56, 1, 0), 0x40),
        (packet(1, 3, 5, 9), 0x40),
        (packet(1, 3, 48, 0, 0), 0x40),
        (packet(1, 2, 70, 2), 0x40),
        (packet(1, 9), 0x40),
    ],
    ids=["goal", "torque", "feedback", "locked EEPROM", "past the end", "read past the end", "instruction"],
)
def test_what_a_servo_refuses(bus, wrong, error):
    before = bytes(bus.servos[1].registers)
    assert bus.feed(wrong) == packet(1, error)
    assert bytes(bus.servos[1].registers) == before
    assert bus.trace[-1]["error"]


def test_its_own_angle_limits(bus):
    assert bus.feed(packet(1, 3, 48, 0)) == ACK
    assert bus.feed(packet(1, 3, 9, 1, 0, 2, 0)) == ACK
    assert bus.feed(goal(1, 0x0FF)) == packet(1, 0x08)
    assert bus.feed(goal(1, 0x201)) == packet(1, 0x08)
    assert bus.feed(goal(1, 0x200)) == ACK


def test_a_limp_servo_stays_and_can_be_pushed(bus, clock):
    servo = bus.servos[1]
    bus.feed(goal(1, 600))
    clock.now_ms = 5000
    assert servo.position == 460
    servo.push(500)
    assert servo.position == 500
    # With the torque on it leaps to the goal that it was told long ago.
    bus.feed(torque(1, 1))
    servo.push(0)
    clock.now_ms += 1000
    assert servo.position == 600
    assert servo.fastest > 0.7


def test_it_moves_in_the_time_that_it_is_given(bus, clock):
    servo = bus.servos[1]
    bus.feed(torque(1, 1) + goal(1, 560, 1000))
    clock.now_ms = 250
    assert servo.position == 485
    assert bus.feed(packet(1, 2, 66, 1)) == packet(1, 0, 1)
    bus.feed(torque(1, 0))
    clock.now_ms = 900
    assert servo.position == 485
    bus.feed(goal(1, 560, 100) + torque(1, 1))
    clock.now_ms = 1000
    assert servo.position == 560
    assert bus.feed(packet(1, 2, 66, 1)) == packet(1, 0, 0)


def test_it_is_no_faster_than_it_can(bus, clock):
    bus.feed(torque(1, 1) + goal(1, 460 + 384, 1))
    clock.now_ms = 250
    assert bus.servos[1].position == 460 + 192


def test_all_at_once(bus):
    body = bytes((0xFE, 2 * 2 + 4, 0x83, 40, 1, 1, 1, 2, 1))
    assert bus.feed(b"\xff\xff" + body + bytes((~sum(body) & 0xFF,))) == b""
    assert [servo.torque for servo in bus.servos.values()] == [True, True]
    assert [entry["do"] for entry in bus.trace] == ["sync", "sync"]
    assert bus.feed(packet(0xFE, 1)) == b""


def test_faults(bus):
    bus.fail("hang")
    assert bus.feed(goal(1, 500)) == b"" and bus.servos[1].goal == 460
    bus.fail("mute")
    assert bus.feed(goal(1, 500)) == b"" and bus.servos[1].goal == 500
    bus.fail("checksum")
    answer = bus.feed(goal(1, 510))
    assert answer[:-1] == ACK[:-1] and answer[-1] != ACK[-1] and bus.servos[1].goal == 510
    bus.fail("hang", 2)
    assert [bus.feed(packet(1, 1)) for _ in range(3)] == [b"", b"", ACK]
    bus.fail("hang")
    bus.fail("")
    assert bus.feed(packet(1, 1)) == ACK
    with pytest.raises(ValueError, match="no such fault"):
        bus.fail("smoke")


def test_an_echo(bus):
    bus.echo = True
    assert bus.feed(packet(1, 1)) == packet(1, 1) + ACK


def test_losing_power_makes_it_limp_where_it_is(bus, clock):
    bus.feed(torque(1, 1) + goal(1, 560, 1000))
    clock.now_ms = 500
    bus.lose_power()
    clock.now_ms = 5000
    assert bus.state()[1] == {"position": 510, "goal": 510, "torque": False}


def test_a_trace_is_bounded(bus):
    for _ in range(10001):
        bus.feed(packet(1, 1))
    assert len(bus.trace) == 10000
