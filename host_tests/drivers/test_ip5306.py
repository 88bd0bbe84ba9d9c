"""The power bank chip of Basic, Gray and Fire: the exact writes (hardware.md 1.2), and what they do."""

from i2c_made import bus, written

from drivers.ip5306 import IP5306
from harness import eq, raises
from tsumiki.chips.ip5306 import IP5306 as Chip


def made(**values):
    chip = Chip()
    for name, value in values.items():
        setattr(chip, name, value)
    return chip, IP5306(bus(chip))


def test_it_stays_on():
    chip, pmic = made()
    pmic.start()
    eq((written(chip), chip.keeps_on), ([(0x00, 0x37)], True))
    pmic.keep_on(False)
    eq((written(chip), chip.keeps_on), ([(0x00, 0x35)], False))
    pmic.keep_on(True)
    eq((written(chip), chip.keeps_on), ([(0x00, 0x37)], True))


def test_it_keeps_what_is_not_its_own():
    for before, after in ((0x00, 0x33), (0xFF, 0xFF)):
        chip, pmic = made()
        chip.values[0x00] = before
        pmic.start()
        eq(chip.values[0x00], after)
    pmic.keep_on(False)
    eq(written(chip)[-1], (0x00, 0xFD))


def test_the_battery():
    for level, percent in ((0x0, 100), (0x8, 75), (0xC, 50), (0xE, 25), (0xF, 0), (0x3, 0)):
        chip, pmic = made()
        chip.reads = lambda register, level=level: level << 4 | 5 if register == 0x78 else 0
        eq(pmic.read()["battery_percent"], percent)
    for percent in (0, 25, 50, 75, 100):
        eq(made(battery_percent=percent)[1].read()["battery_percent"], percent)


def test_charging():
    for usb, full, charging in ((0, 0, False), (0, 1, False), (1, 0, True), (1, 1, False)):
        _, pmic = made(usb=usb, full=full)
        eq(pmic.read(), {"battery_percent": 75, "usb": bool(usb), "charging": charging})


def test_a_board_whose_chip_is_not_on_the_bus():
    pmic = IP5306(bus())
    raises(OSError, pmic.start)
    raises(OSError, pmic.read)


def test_what_does_harm_is_noticed():
    for value, faults in (
        (0x15, ["0x00: the boost is off, which feeds the board"]),
        (0x25, ["0x00: the battery is not charged"]),
        (0x31, []),
    ):
        chip, pmic = made()
        pmic.put(0x00, value)
        eq(chip.faults, faults)
