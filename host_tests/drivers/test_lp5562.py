"""The backlight of an AtomS3R: the exact writes (hardware.md 1.2), and what the virtual chip makes of them."""

from i2c_made import Changed, Slept, bus, written

from drivers.lp5562 import LP5562
from harness import eq
from tsumiki.chips.lp5562 import LP5562 as Chip


def made():
    chip = Chip()
    return chip, LP5562(bus(chip), sleep_ms=Slept(chip))


def test_the_order_of_power_up():
    chip, light = made()
    light.start()
    eq(written(chip), [(0x00, 0x40), ("ms", 1), (0x08, 0x01), (0x70, 0x00)])
    eq(chip.backlight, 0)


def test_the_backlight():
    chip, light = made()
    light.start()
    written(chip)
    changed = Changed(chip)
    for level, value in ((100, 255), (50, 127), (1, 2), (0, 0), (1000, 255), (-1, 0)):
        light.backlight(level)
        eq(written(chip), [(0x0E, value)])
        eq(chip.backlight, max(0, min(100, level)))
    eq([value for _, value in changed.take()], [100, 50, 1, 0, 100, 0])


def test_what_comes_before_it_is_on_is_dropped():
    chip, light = made()
    light.backlight(100)
    eq((chip.backlight, chip.faults), (0, ["0x0e: written before the chip is on"]))
    chip = Chip()
    LP5562(bus(chip), sleep_ms=lambda ms: None).start()
    eq(chip.faults, ["0x08: written before the chip is on", "0x70: written before the chip is on"])


def test_an_output_that_a_program_drives_is_no_backlight():
    chip, light = made()
    light.start()
    light.backlight(100)
    for register, value in ((0x70, 0x40), (0x08, 0x00), (0x00, 0x00)):
        before = chip.values[register]
        light.put(register, value)
        eq(chip.backlight, 0)
        light.put(register, before)
        chip.wait(1)
        eq(chip.backlight, 100)
    eq(chip.faults, [])
