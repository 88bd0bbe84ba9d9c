"""The power of a Core2 v1.0: the exact writes (hardware.md 1.4), and what the virtual chip makes of them."""

from i2c_made import Changed, Silent, Slept, bus, written
from micropython import heap_lock, heap_unlock

from drivers.axp192 import AXP192
from harness import eq, raises
from tsumiki.chips.axp192 import AXP192 as Chip

PULSE = [(0x96, 0x00), ("ms", 20), (0x96, 0x02), ("ms", 120)]


def made(**values):
    chip = Chip()
    for name, value in values.items():
        setattr(chip, name, value)
    return chip, AXP192(bus(chip), sleep_ms=Slept(chip))


def test_the_order_of_power_up():
    chip, pmic = made()
    pmic.start()
    panel = [(0x28, 0xF0), (0x12, 0x15), (0x95, 0x84), (0x92, 0x00)]
    rest = [(0x26, 0x6A), (0x30, 0x02), (0x31, 0x04), (0x32, 0x42), (0x33, 0xC0), (0x35, 0xA2), (0x36, 0x0C)]
    rest += [(0x82, 0xFF), (0x83, 0x80), (0x84, 0x32), (0x90, 0x07), (0x91, 0xA0), (0x12, 0x15)]
    eq(written(chip), panel + rest + PULSE)
    eq((chip.cpu_powered, chip.lcd_powered, chip.lcd_reset, chip.boost_on), (True, True, 1, False))


def test_power_up_keeps_what_is_not_its_own():
    chip, pmic = made()
    for register, value in ((0x28, 0x0A), (0x12, 0x5B), (0x95, 0xFF), (0x92, 0xFF), (0x96, 0xFD)):
        chip.values[register] = value
    pmic.start()
    values = chip.values
    eq((values[0x28], values[0x95], values[0x92], values[0x96]), (0xFA, 0xF6, 0xF8, 0xFF))
    # All but 5 V out: DCDC1, DCDC2, LDO3 and the light stay as they were.
    eq(values[0x12], 0x1F)
    eq(chip.faults, [])


def test_the_panel_is_told_of_its_power_and_its_reset_in_order():
    chip, pmic = made()
    changed = Changed(chip)
    pmic.start()
    # Whatever the level was: once the pin is an output it is low.
    eq(changed.take(), [("lcd_powered", True), ("lcd_reset", 0), ("lcd_reset", 1)])


def test_the_backlight():
    chip, pmic = made()
    changed = Changed(chip)
    for level, steps in ((100, 103), (50, 87), (1, 72), (1000, 103)):
        pmic.backlight(level)
        eq(written(chip), [(0x27, steps), (0x12, 0x13)])
        assert chip.backlight > 0
    eq(chip.backlight, 100)
    pmic.backlight(0)
    eq(written(chip), [(0x12, 0x11)])
    pmic.backlight(-5)
    eq(written(chip), [(0x12, 0x11)])
    eq((chip.backlight, chip.cpu_powered), (0, True))
    eq(changed.take()[-1], ("backlight", 0))


def test_the_speaker():
    chip, pmic = made()
    pmic.speaker(True)
    eq((written(chip), chip.speaker_on), ([(0x93, 0x06)], True))
    pmic.speaker(False)
    eq((written(chip), chip.speaker_on), ([(0x93, 0x05)], False))


def test_the_battery():
    # M5Unified: counts of 1.1 mV; above 3150 of them 0.16 % each from 3075 on, below it 0.027 % from 2690 on.
    for mv, percent in (
        (4200, 100),
        (4060, 98),
        (3900, 75),
        (3700, 46),
        (3500, 16),
        (3400, 10),
        (3050, 2),
        (2900, 0),
    ):
        _, pmic = made(battery_mv=mv, charging=mv > 4000, vbus=mv > 3800)
        pmic.start()
        told = pmic.read()
        eq((told["battery_percent"], told["charging"], told["usb"]), (percent, mv > 4000, mv > 3800))
        assert abs(told["battery_mv"] - mv) <= 2, told
    assert pmic.read() is told


def test_each_flag_is_one_bit():
    for register, bit, name in ((0x00, 0x04, "charging"), (0x00, 0x20, "usb"), (0x01, 0x20, "battery_mv")):
        for value, is_set in ((bit, True), (0xFF, True), (0xFF & ~bit, False), (0x00, False)):
            chip, pmic = made()
            chip.reads = lambda at, register=register, value=value: value if at == register else 0x20
            told = pmic.read()[name]
            eq(told is not None if name == "battery_mv" else told, is_set)
    for value, refused in ((0x80, True), (0xFF, True), (0x7F, False), (0x00, False)):
        chip, pmic = made(vbus=False)
        chip.reads = lambda at, value=value: (
            value if at == 0x00 else 0xAF if at == 0x01 else 0xC8 if at == 0x78 else 0
        )
        try:
            pmic.boost(True)
            eq(refused, False)
        except OSError:
            eq(refused, True)


def test_the_virtual_battery_is_measured_only_if_asked_to():
    _, pmic = made()
    eq(pmic.read()["battery_mv"], 0)


def test_the_virtual_panel_has_power_with_the_rail_on_and_high_enough():
    for switches, volts, powered in (
        (0x15, 0xF0, 1),
        (0x11, 0xF0, 0),
        (0x15, 0xC0, 1),
        (0x15, 0xBF, 0),
        (0xFB, 0xFF, 0),
    ):
        chip, _ = made()
        chip.values[0x12] = switches
        chip.values[0x28] = volts
        eq(chip.lcd_powered, bool(powered))


def test_no_battery():
    _, pmic = made(has_battery=False)
    eq(pmic.read(), {"battery_percent": None, "battery_mv": None, "charging": False, "usb": True})


def test_5_v_out_and_in():
    chip, pmic = made()
    pmic.start()
    written(chip)
    pmic.boost(True)
    eq(written(chip), [(0x90, 0x02), (0x12, 0x55)])
    eq(chip.boost_on, True)
    chip.acin = True  # Its own 5 V.
    pmic.boost(True)
    eq(written(chip), [])
    pmic.boost(False)
    eq(written(chip), [(0x12, 0x15), (0x90, 0x07)])
    eq((chip.boost_on, chip.cpu_powered), (False, True))


def test_5_v_out_are_refused_where_they_do_harm():
    for values in (
        {"acin": True},
        {"acin": True, "vbus": False},
        {"battery_mv": 3320},  # 8 %
        {"has_battery": False},
    ):
        chip, pmic = made(**values)
        pmic.start()
        written(chip)
        raises(OSError, pmic.boost, True)
        eq((written(chip), chip.boost_on), ([], False))
    for values in ({"battery_mv": 3330}, {"battery_mv": 3280, "vbus": False}):
        chip, pmic = made(**values)
        pmic.start()
        pmic.boost(True)
        eq((chip.faults, chip.boost_on), ([], True))


def test_the_light_allocates_nothing():
    silent = Silent()
    pmic = AXP192(silent)
    heap_lock()
    try:
        pmic.backlight(60)
        pmic.backlight(0)
    finally:
        heap_unlock()
    eq(silent.transfers, 5)


def poked(register, value, read=True, **values):
    """What a chip says of a write by a driver that does not know better."""
    chip, _ = made(**values)
    if read:
        bus(chip).readfrom_mem(0x34, register, 1)
    bus(chip).writeto_mem(0x34, register, bytes((value,)))
    return chip.faults


def test_what_does_harm_is_noticed():
    eq(poked(0x12, 0x10), ["0x12: DCDC1 is off, which feeds the ESP32"])
    eq(poked(0x12, 0x11, read=False), ["0x12: written without having been read"])
    eq(poked(0x26, 0x6B), ["0x26: the ESP32 at 3375 mV"])
    eq(poked(0x26, 0x5B), ["0x26: the ESP32 at 2975 mV"])
    eq(poked(0x27, 104), ["0x27: the backlight at 3300 mV"])
    eq(poked(0x32, 0xC2), ["0x32: the board is off"])
    eq(poked(0x33, 0xE0), ["0x33: the battery is charged to 4360 mV"])
    eq(poked(0x12, 0x51, acin=True), ["0x12: 5 V out against 5 V in"])
    eq(poked(0x12, 0x51, has_battery=False), ["0x12: 5 V out beside USB without a battery"])
    for register, value in ((0x12, 0x51), (0x26, 0x6A), (0x27, 103), (0x32, 0x42), (0x33, 0xC0)):
        eq(poked(register, value), [])


def test_a_second_write_needs_a_second_look():
    chip, pmic = made()
    pmic.backlight(50)
    eq(chip.faults, [])
    bus(chip).writeto_mem(0x34, 0x12, b"\x13")
    eq(chip.faults, ["0x12: written without having been read"])


def test_a_reset_of_no_length_is_noticed():
    chip = Chip()
    AXP192(bus(chip), sleep_ms=lambda ms: None).start()
    eq(chip.faults, ["0x96: a reset pulse of no length"])
