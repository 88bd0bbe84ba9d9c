"""The virtual I2C bus, on MicroPython as drivers meet it."""

from harness import eq, raises
from tsumiki.chips.i2c import I2CBus, Nack, Registers


class Chip(Registers):
    address = 0x34


class Refusing(Registers):
    address = 0x35

    def wrote(self, register, value):
        raise Nack


def test_a_register_is_written_and_read_and_the_number_goes_up():
    chip = Chip({3: 0x4A})
    bus = I2CBus((chip,))
    eq(bus.scan(), [0x34])
    eq(bus.readfrom_mem(0x34, 3, 2), b"\x4a\0")
    bus.writeto_mem(0x34, 0x10, b"\1\2")
    two = bytearray(2)
    bus.readfrom_mem_into(0x34, 0x10, two)
    eq(two, b"\1\2")
    eq(chip.trace, [(0x10, 1), (0x11, 2)])


def test_nobody_a_refusal_and_a_held_bus_are_errors():
    bus = I2CBus((Refusing(),))
    eq(raises(OSError, bus.readfrom_mem, 0x10, 0, 1).args[0], 19)
    eq(raises(OSError, bus.writeto_mem, 0x35, 0, b"\0").args[0], 19)
    bus.stuck = True
    eq(bus.scan(), [])
    eq(raises(OSError, bus.readfrom_mem, 0x35, 0, 1).args[0], 116)


def test_an_array_is_filled_byte_by_byte():
    from array import array

    chip = Chip({3: 1, 4: 2, 5: 3, 6: 4})
    bus = I2CBus((chip,))
    two = memoryview(array("h", (0, 0)))
    bus.readfrom_mem_into(0x34, 3, two)
    eq(list(two), [0x0201, 0x0403])
    bus.writeto(0x34, b"\4")
    bus.readfrom_into(0x34, two)
    eq(list(two), [0x0302, 0x0004])
