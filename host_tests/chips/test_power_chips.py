"""The virtual power chips on CPython, where they serve a board behind a byte pipe: what they tell of themselves.

What each makes of its driver, and of a wrong one, is in host_tests/drivers, on MicroPython.
"""

import pytest

from tsumiki.chips.aw9523b import AW9523B
from tsumiki.chips.axp192 import AXP192
from tsumiki.chips.axp2101 import AXP2101
from tsumiki.chips.i2c import I2CBus
from tsumiki.chips.ip5306 import IP5306
from tsumiki.chips.lp5562 import LP5562
from tsumiki.chips.py32 import PY32


class Wired:
    """A chip on a bus: `chip[register] = value` writes as a careful driver does, having read."""

    def __init__(self, chip):
        self.chip = chip
        self.changes = []
        self._bus = I2CBus((chip,))
        chip.on_change = lambda name, value: self.changes.append((name, value))

    def __getitem__(self, register):
        return self._bus.readfrom_mem(self.chip.address, register, 1)[0]

    def __setitem__(self, register, value):
        assert self[register] is not None
        self._bus.writeto_mem(self.chip.address, register, bytes((value,)))


@pytest.mark.parametrize(
    "chip, writes, changes",
    [
        (AXP192(), [(0x28, 0xF0), (0x12, 0x17)], [("lcd_powered", True), ("backlight", 100)]),
        (AXP192(), [(0x95, 0x84), ("ms", 1), (0x96, 2)], [("lcd_reset", 0), ("lcd_reset", 1)]),
        (AXP192(), [(0x93, 6), (0x12, 0x51)], [("speaker_on", True), ("boost_on", True)]),
        (AXP2101("core2"), [(0x90, 0x0A), (0x90, 0x0E)], [("lcd_powered", True), ("speaker_on", True)]),
        (AXP2101("core2"), [(0x90, 0x22)], [("boost_on", True)]),
        (AXP2101("core2"), [(0x90, 0), ("ms", 1), (0x90, 2)], [("lcd_reset", 0), ("lcd_reset", 1)]),
        (AXP2101("cores3"), [(0x99, 24), (0x90, 0xBF)], [("backlight", 50)]),
        (AW9523B(), [(0x03, 2), (0x11, 16), (0x02, 5)], [("lcd_reset", 1), ("touch_reset", 1), ("speaker_on", True)]),
        (IP5306(), [(0x00, 0x37)], []),
        (LP5562(), [(0x00, 0x40), ("ms", 1), (0x08, 1), (0x70, 0), (0x0E, 255)], [("backlight", 100)]),
        (PY32(), [(0x03, 1), (0x05, 1)], [("servo_power", True)]),
        (PY32(), [(0x04, 0x20), (0x31, 8), (0x24, 0x41)], [("leds", [(8, 0, 0)] + [(0, 0, 0)] * 11)]),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "trace") else "",
)  # fmt: skip
def test_what_changes_is_told(chip, writes, changes):
    wired = Wired(chip)
    for register, value in writes:
        if register == "ms":
            chip.wait(value)
        else:
            wired[register] = value
    assert (wired.changes, chip.faults) == (changes, [])


def test_power_that_the_processor_loses_is_told():
    for chip, register in ((AXP192(), 0x12), (AXP2101("core2"), 0x80)):
        wired = Wired(chip)
        wired[register] = 0
        assert wired.changes == [("cpu_powered", False)]
        assert len(chip.faults) == 1


def test_an_expander_that_boots():
    chip = PY32(nack_ms=100, boot_ms=200)
    wired = Wired(chip)
    with pytest.raises(OSError):
        assert wired[0x02]
    chip.wait(101)
    assert wired[0x02] == 0xFF
    chip.wait(99)
    assert wired[0x02] == 1
