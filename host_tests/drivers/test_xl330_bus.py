"""The virtual XL330s by themselves: what they refuse, and how they move."""

from drivers.xl330 import Bus
from harness import eq, raises
from tsumiki.chips.xl330_bus import GOAL, VELOCITY, XL330Bus, packet

PING = bytes.fromhex("fffffd0001030001194e")


class Fault(Exception):
    pass


def status(id, error, *data):
    return packet(id, 0x55, bytes((error,) + data))


def test_the_virtual_bus_refuses_what_a_servo_would():
    line = XL330Bus()
    bus = Bus(line, line.ticks_ms, error=Fault)
    wrong = bytearray(packet(1, 3, b"\x40\0\1"))
    wrong[-1] ^= 1
    eq(line.feed(bytes(wrong)), status(1, 3))
    eq(line.feed(packet(9, 1)), b"")
    line.echo = True
    eq(line.feed(PING), PING + status(1, 0, 0xB0, 4, 0x2E))
    line.echo = False
    eq(line.feed(packet(1, 0x83, b"\0\0\0")), status(1, 2))
    raises(Fault, bus.write, 1, GOAL, 4096, 4)
    raises(Fault, bus.write, 1, 132, 0, 4)
    raises(Fault, bus.write, 1, VELOCITY, 32738, 4)
    bus.write(1, GOAL, 3000, 4)
    bus.torque(1, True)
    line.wait(90 - (line.now_ms % 10))
    bus.torque(2, True)
    line.feed(packet(1, 6, b"\xff"))
    eq(line.position(2), 2048)
    faults = line.faults
    eq(faults[:4], ["servo 1: wrong CRC", "servo 1: goal 4096 is out of range"] + faults[2:4])
    assert "132" in faults[2] and "far away" in faults[3], faults
    assert "after another" in faults[4] and not line.servos[2].motor.on, faults
    eq(faults[5:], ["servo 1: reset"])
    # It leaps to the goal that it was told while it was limp.
    line.wait(1000)
    eq(line.position(1), 3000)


def test_a_time_is_a_time_only_in_the_mode_for_it():
    line = XL330Bus()
    bus = Bus(line, line.ticks_ms, error=Fault)
    bus.torque(1, True)
    bus.move(1, 3048, 1000)
    line.wait(500)
    # Without the drive mode 1000 is a speed, and a fast one.
    eq(line.position(1), 3048)
    bus.torque(1, False)
    bus.prepare(1)
    line.wait(100)
    bus.torque(1, True)
    bus.move(1, 2048, 1000)
    line.wait(500)
    assert abs(line.position(1) - 2548) < 10, line.position(1)
    line.servos[1].alert = True
    raises(Fault, bus.torque, 1, True)
    bus.torque(1, False)
