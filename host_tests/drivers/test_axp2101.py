"""The power of a Core2 v1.1 and of a CoreS3: the exact writes (hardware.md 1.4), and what they do."""

from i2c_made import Changed, Silent, Slept, bus, written
from micropython import heap_lock, heap_unlock

from drivers.axp2101 import AXP2101, CORE2, CORES3
from harness import eq, raises
from tsumiki.chips.axp2101 import AXP2101 as Chip

BOARDS = {"core2": CORE2, "cores3": CORES3}


def made(board, **values):
    chip = Chip(board)
    for name, value in values.items():
        setattr(chip, name, value)
    return chip, AXP2101(bus(chip), BOARDS[board], sleep_ms=Slept(chip))


def test_the_order_of_power_up_of_a_core2():
    chip, pmic = made("core2")
    pmic.start()
    seen = written(chip)
    eq(seen[:4], [(0x90, 0x0A), (0x80, 0x05), (0x82, 0x12), (0x84, 0x6A)])
    eq(seen[4:10], [(0x27, 0x00), (0x10, 0x30), (0x12, 0x00), (0x68, 0x01), (0x69, 0x13), (0x30, 0x0F)])
    eq(seen[10:], [(0x90, 0x08), ("ms", 20), (0x90, 0x0A), ("ms", 120)])
    eq((chip.cpu_powered, chip.lcd_powered, chip.lcd_reset), (True, True, 1))


def test_the_order_of_power_up_of_a_cores3():
    chip, pmic = made("cores3")
    pmic.start()
    seen = written(chip)
    # 0xBF without DLDO1, the backlight.
    eq(seen[:5], [(0x90, 0x3F), (0x92, 13), (0x93, 28), (0x94, 28), (0x95, 28)])
    eq(seen[5:], [(0x27, 0x00), (0x69, 0x11), (0x10, 0x30), (0x30, 0x0F)])
    eq((chip.cpu_powered, chip.lcd_reset, chip.lcd_powered), (True, None, None))
    pmic.backlight(100)
    eq(chip.values[0x90], 0xBF)


def test_power_up_keeps_what_is_not_its_own():
    for board, kept in (("core2", 0x7B), ("cores3", 0xFF)):
        chip, pmic = made(board)
        chip.values[0x90] = 0xFF
        chip.values[0x80] = 0x1B
        pmic.start()
        eq(chip.values[0x90], kept)
        eq(chip.values[0x80], 0x1F if board == "core2" else 0x1B)
        eq(chip.faults, [])


def test_the_panel_of_a_core2_is_told_of_its_reset():
    chip, pmic = made("core2")
    changed = Changed(chip)
    pmic.start()
    eq(changed.take(), [("lcd_powered", True), ("lcd_reset", 0), ("lcd_reset", 1)])


def test_the_backlight():
    for board, volts, bit in (("core2", 0x96, 0x10), ("cores3", 0x99, 0x80)):
        chip, pmic = made(board)
        changed = Changed(chip)
        for level, steps in ((100, 28), (50, 24), (1, 20), (1000, 28)):
            pmic.backlight(level)
            eq(written(chip), [(volts, steps), (0x90, 0x02 | bit)])
            assert chip.backlight > 0
        eq(chip.backlight, 100)
        for level in (0, -5):
            pmic.backlight(level)
            eq(written(chip), [(0x90, 0x02)])
        eq(chip.backlight, 0)
        eq(changed.take()[-1], ("backlight", 0))


def test_speaker_and_5_v_of_a_core2():
    chip, pmic = made("core2")
    pmic.speaker(True)
    eq((written(chip), chip.speaker_on), ([(0x94, 28), (0x90, 0x06)], True))
    pmic.speaker(False)
    eq((written(chip), chip.speaker_on), ([(0x90, 0x02)], False))
    pmic.boost(True)
    eq((written(chip), chip.boost_on), ([(0x97, 28), (0x90, 0x22)], True))
    pmic.boost(False)
    eq((written(chip), chip.boost_on), ([(0x90, 0x02)], False))


def test_what_is_the_expanders_on_a_cores3():
    chip, pmic = made("cores3")
    for call in (pmic.speaker, pmic.boost, pmic.lcd_reset):
        for on in (0, 1):
            raises(ValueError, call, on)
    eq(written(chip), [])


def test_5_v_out_need_a_battery_beside_usb():
    for has_battery, vbus, may in ((1, 1, True), (1, 0, True), (0, 0, True), (0, 1, False)):
        chip, pmic = made("core2", has_battery=has_battery, vbus=vbus)
        eq(pmic.can_boost(), may)
        if may:
            pmic.boost(True)
            eq((chip.boost_on, chip.faults), (True, []))
        else:
            raises(OSError, pmic.boost, True)
            eq((chip.boost_on, written(chip)), (False, []))
            pmic.boost(False)


def test_the_battery():
    for board in BOARDS:
        chip, pmic = made(board, battery_percent=42, battery_mv=3712, vbus=False)
        pmic.start()
        told = {"battery_percent": 42, "battery_mv": 3712, "charging": False, "usb": False}
        eq(pmic.read(), told)
        chip.charging = chip.vbus = True
        chip.battery_percent = 130
        eq(pmic.read(), {"battery_percent": 100, "battery_mv": 3712, "charging": True, "usb": True})
        chip.has_battery = False
        eq((pmic.read()["battery_percent"], pmic.read()["battery_mv"]), (None, None))


def test_each_flag_is_one_bit():
    for bit, name in ((0x20, "usb"), (0x08, "battery_percent")):
        for value, is_set in ((bit, True), (0xFF, True), (0xFF & ~bit, False), (0x00, False)):
            chip, pmic = made("core2")
            chip.reads = lambda at, value=value: value if at == 0x00 else 0x55
            told = pmic.read()[name]
            eq(told is not None if name == "battery_percent" else told, is_set)
    chip.reads = lambda at: 0xFF
    eq(pmic.read()["battery_mv"], 0x3FFF)
    for value, charging in ((0xBF, True), (0xFF, False), (0x9F, False), (0x20, True)):
        chip.reads = lambda at, value=value: value
        eq(pmic.read()["charging"], charging)


def test_the_virtual_battery_is_measured_only_if_asked_to():
    _, pmic = made("core2")
    eq(pmic.read()["battery_mv"], 0)


def test_only_one_direction_of_the_current_is_charging():
    chip, pmic = made("core2")
    for direction, charging in ((0, False), (1, True), (2, False), (3, False)):
        chip.charging = direction
        eq(pmic.read()["charging"], charging)


def test_the_light_allocates_nothing():
    silent = Silent()
    pmic = AXP2101(silent, CORES3)
    heap_lock()
    try:
        pmic.backlight(60)
        pmic.backlight(0)
    finally:
        heap_unlock()
    eq(silent.transfers, 5)


def poked(board, register, value, read=True, **values):
    """What a chip says of a write by a driver that does not know better."""
    chip, _ = made(board, **values)
    if read:
        bus(chip).readfrom_mem(0x34, register, 1)
    bus(chip).writeto_mem(0x34, register, bytes((value,)))
    return chip.faults


def test_what_does_harm_is_noticed():
    for board in BOARDS:
        eq(poked(board, 0x80, 0x04), ["0x80: DCDC1 is off, which feeds the processor"])
        eq(poked(board, 0x80, 0x05, read=False), ["0x80: written without having been read"])
        eq(poked(board, 0x90, 0x02, read=False), ["0x90: written without having been read"])
        eq(poked(board, 0x82, 0x13), ["0x82: the processor at 3400 mV"])
        eq(poked(board, 0x10, 0x31), ["0x10: the board is off"])
        for register in range(0x93, 0x9A):
            eq(poked(board, register, 29), ["0x%02x: a rail at 3400 mV" % register])
            eq(poked(board, register, 28), [])
        for register, value in ((0x80, 0x05), (0x90, 0x02), (0x82, 0x12), (0x10, 0x30), (0x92, 13)):
            eq(poked(board, register, value), [])
    eq(poked("cores3", 0x92, 14), ["0x92: a rail at 1900 mV"])
    eq(poked("core2", 0x92, 14), [])
    eq(poked("core2", 0x90, 0x22, has_battery=False), ["0x90: 5 V out beside USB without a battery"])
    eq(poked("core2", 0x90, 0x22, has_battery=False, vbus=False), [])


def test_a_reset_of_no_length_is_noticed():
    chip = Chip("core2")
    AXP2101(bus(chip), CORE2, sleep_ms=lambda ms: None).start()
    eq(chip.faults, ["0x90: a reset pulse of no length"])
