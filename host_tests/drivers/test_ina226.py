"""The battery monitor: one voltage, and no other chip's."""

from quiet_i2c import QuietI2C

from drivers.ina226 import INA226
from harness import eq, raises
from tsumiki.chips.i2c import I2CBus
from tsumiki.chips.ina226 import INA226 as Chip
from tsumiki.chips.mpu6886 import MPU6886


class Elsewhere(MPU6886):
    address = 0x41


def made():
    chip = Chip()
    bus = I2CBus((chip,))
    return chip, bus, INA226(bus)


def test_the_set_up_and_the_voltage():
    chip, _, monitor = made()
    eq(chip.trace, [(0x00, 0x4526)])
    for mv in (0, 3700, 4200, 36000):
        chip.battery(mv)
        eq(monitor.battery_mv(), mv)
    for mv in (3701, 3702, 3703, 3704):
        chip.battery(mv)
        assert abs(monitor.battery_mv() - mv) <= 1
    eq(chip.faults, [])


def test_a_count_is_one_and_a_quarter_mv_the_high_byte_first():
    bus = QuietI2C()
    bus.values[0xFE:] = b"TI"
    monitor = INA226(bus)
    bus.values[2:4] = b"\x0b\xb9"
    eq(monitor.battery_mv(), 3751)
    bus.values[2:4] = b"\x7f\xff"
    eq(monitor.battery_mv(), 40959)


def test_another_chip_is_not_written_to():
    chip = Elsewhere()
    eq(str(raises(OSError, INA226, I2CBus((chip,)))), "no INA226 at 0x41")
    eq(chip.trace, [])
    raises(OSError, INA226, I2CBus(()))


def test_a_bus_that_is_held():
    _, bus, monitor = made()
    bus.stuck = True
    raises(OSError, monitor.battery_mv)


def test_reading_allocates_nothing():
    from micropython import heap_lock, heap_unlock

    bus = QuietI2C()
    bus.values[0xFE:] = b"TI"
    monitor = INA226(bus)
    bus.values[2:4] = b"\x0b\xb8"
    heap_lock()
    try:
        seen = monitor.battery_mv()
    finally:
        heap_unlock()
    eq(seen, 3750)


def test_the_virtual_chip_refuses():
    chip, bus, monitor = made()
    raises(ValueError, chip.battery, 36001)
    raises(OSError, bus.writeto_mem, 0x41, 0x00, b"\x45")
    raises(OSError, bus.readfrom_mem, 0x41, 0x08, 2)
    bus.writeto_mem(0x41, 0xFE, b"\0\0")
    bus.writeto_mem(0x41, 0x05, b"\x0a\x00")
    bus.writeto_mem(0x41, 0x00, b"\x41\x20")
    chip.battery(3700)
    eq(monitor.battery_mv(), 0)
    eq(
        chip.faults,
        [
            "a register has 2 bytes, not 1",
            "there is no register 0x08",
            "write to 0xfe, which is to be read",
            "calibrated for a resistor that is not known",
            "asked for a voltage that it does not measure",
        ],
    )
    bus.writeto_mem(0x41, 0x00, b"\x80\0")
    eq(bus.readfrom_mem(0x41, 0x00, 2), b"\x41\x27")
    eq(monitor.battery_mv(), 3700)
