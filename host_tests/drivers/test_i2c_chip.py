"""Registers: read, write, change; and that it allocates nothing, for lights and backlights are written all the time."""

from i2c_made import Silent, bus
from micropython import heap_lock, heap_unlock

from drivers.i2c_chip import I2CChip
from drivers.pmic import which
from harness import eq, raises
from tsumiki.chips.i2c import Registers


class Chip(Registers):
    address = 0x34


def test_a_register_is_changed_by_what_is_kept_and_what_is_set():
    chip = Chip({5: 0b10101010})
    driver = I2CChip(bus(chip), 0x34)
    eq(driver.get(5), 0b10101010)
    driver.change(5, 0b11110000, 0b00000101)
    eq(chip.trace, [(5, 0b10100101)])
    driver.put(6, 7)
    eq(chip.values[6], 7)


def test_a_table_reads_only_where_something_is_kept():
    class Blind(Chip):
        def reads(self, register):
            assert register == 6, register
            return self.values[register]

    chip = Blind({5: 0xFF, 6: 0xF0})
    I2CChip(bus(chip), 0x34).put_all(b"\x05\x00\x12\x06\x80\x03")
    eq(chip.trace, [(5, 0x12), (6, 0x83)])


def test_a_bus_that_fails_is_the_callers():
    driver = I2CChip(bus(), 0x34)
    raises(OSError, driver.get, 1)
    raises(OSError, driver.put, 1, 2)
    raises(OSError, driver.change, 1, 2, 3)


def test_nothing_is_allocated():
    silent = Silent()
    driver = I2CChip(silent, 0x34)
    heap_lock()
    try:
        driver.change(0x90, 0xFE, 1)
    finally:
        heap_unlock()
    eq(silent.transfers, 2)


def test_which_power_chip_it_is():
    for id, name in ((0x03, "axp192"), (0x4A, "axp2101"), (0x00, None), (0xFF, None)):
        chip = Chip({3: id})
        eq(which(bus(chip)), name)
        eq(chip.trace, [])
    raises(OSError, which, bus())
