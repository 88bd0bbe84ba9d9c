"""The expander of a CoreS3: the exact writes (hardware.md 1.4), and what the virtual chip makes of them."""

from i2c_made import Changed, Slept, bus, written

from drivers.aw9523b import AW9523B
from drivers.axp2101 import AXP2101, CORES3
from harness import eq, raises
from tsumiki.chips.aw9523b import AW9523B as Chip
from tsumiki.chips.axp2101 import AXP2101 as PowerChip

START = [(0x02, 0x05), (0x03, 0x03), (0x04, 0x18), (0x05, 0x0C), (0x11, 0x10), (0x12, 0xFF), (0x13, 0xFF)]
PULSE = [(0x03, 0x01), (0x02, 0x04), ("ms", 20), (0x02, 0x05), (0x03, 0x03), ("ms", 130)]


def made(**values):
    power = PowerChip("cores3")
    for name, value in values.items():
        setattr(power, name, value)
    chip = Chip(power)
    wires = bus(chip, power)
    pmic = AXP2101(wires, CORES3, sleep_ms=power.wait)
    return chip, AW9523B(wires, pmic.can_boost, sleep_ms=Slept(chip))


def started(**values):
    chip, expander = made(**values)
    expander.start()
    written(chip)
    return chip, expander


def test_the_order_of_power_up():
    chip, expander = made()
    expander.start()
    eq(written(chip), START + PULSE)
    eq((chip.lcd_reset, chip.touch_reset, chip.speaker_on), (1, 1, True))
    eq((chip.bus_out, chip.boost_on), (False, False))


def test_another_chip_is_not_written_to():
    chip, expander = made()
    chip.values[0x10] = 0x22
    raises(OSError, expander.start)
    eq(written(chip), [])


def test_panel_and_touch_are_told_of_their_reset():
    chip, expander = made()
    expander.start()
    changed = Changed(chip)
    expander.start()
    resets = [one for one in changed.take() if one[0].endswith("reset")]
    eq(resets, [("lcd_reset", 0), ("touch_reset", 0), ("touch_reset", 1), ("lcd_reset", 1)])


def test_the_reset_of_the_panel_leaves_the_other_pins():
    chip, expander = started()
    chip.values[0x03] = 0xFF
    expander.lcd_reset(0)
    eq((written(chip), chip.lcd_reset), ([(0x03, 0xFD)], 0))
    chip.wait(1)
    expander.lcd_reset(1)
    eq((written(chip), chip.lcd_reset), ([(0x03, 0xFF)], 1))


def test_the_amplifier():
    chip, expander = started()
    expander.speaker(False)
    eq((written(chip), chip.speaker_on), ([(0x02, 0x01)], False))
    expander.speaker(True)
    eq((written(chip), chip.speaker_on), ([(0x02, 0x05)], True))


def test_5_v_out():
    chip, expander = started()
    changed = Changed(chip)
    expander.boost(True)
    eq(written(chip), [(0x03, 0x83), (0x02, 0x07)])
    expander.boost(False)
    eq(written(chip), [(0x02, 0x05), (0x03, 0x03)])
    eq(changed.take(), [("boost_on", True), ("bus_out", True), ("bus_out", False), ("boost_on", False)])


def test_5_v_out_are_refused_without_a_battery_beside_usb():
    chip, expander = started(has_battery=False)
    raises(OSError, expander.boost, True)
    eq((written(chip), chip.boost_on, chip.bus_out), ([], False, False))
    expander.boost(False)
    chip.power.vbus = False
    expander.boost(True)
    eq(chip.faults, [])


def test_what_does_harm_is_noticed():
    def poked(register, value, **values):
        chip, _ = started(**values)
        bus(chip).writeto_mem(0x58, register, bytes((value,)))
        return chip.faults

    eq(poked(0x04, 0x10), ["0x04: the interrupt line of ES7210 is driven"])
    for value in (0x04, 0x08, 0x00):
        eq(poked(0x05, value), ["0x05: the interrupt line of touch or amplifier is driven"])
    eq(poked(0x02, 0x25), ["0x02: 5 V into the USB plug"])
    for register, value in ((0x02, 0x07), (0x03, 0x83)):
        eq(
            poked(register, value, has_battery=False),
            ["0x%02x: 5 V out beside USB without a battery" % register],
        )
        eq(poked(register, value), [])


def test_a_driver_without_the_guard_is_caught():
    power = PowerChip("cores3")
    power.has_battery = False
    chip = Chip(power)
    expander = AW9523B(bus(chip), lambda: True, sleep_ms=chip.wait)
    expander.start()
    expander.boost(True)
    eq(chip.faults, ["0x03: 5 V out beside USB without a battery"])


def test_a_reset_of_no_length_is_noticed():
    chip = Chip()
    AW9523B(bus(chip), lambda: True, sleep_ms=lambda ms: None).start()
    eq(
        chip.faults,
        ["0x02: touch_reset: a reset pulse of no length", "0x03: lcd_reset: a reset pulse of no length"],
    )


def test_port_0_drives_high_only_when_told_to():
    chip, _ = started()
    bus(chip).writeto_mem(0x58, 0x11, b"\0")
    eq((chip.touch_reset, chip.lcd_reset), (0, 1))
    bus(chip).writeto_mem(0x58, 0x10, b"\0")
    eq(chip.values[0x10], 0x23)
