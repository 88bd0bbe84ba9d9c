"""The amplifier of CoreS3: the order and values of hardware.md 1.4 and its appendix; and the virtual chip."""

from drivers.aw88298 import AW88298, rate_number
from harness import eq, raises
from tsumiki.chips.aw88298 import AW88298 as Chip
from tsumiki.chips.i2c import I2CBus
from tsumiki.chips.i2s_sink import I2SSink

RATES = (
    (8000, 0x14C0),
    (11025, 0x14C1),
    (12000, 0x14C1),
    (16000, 0x14C3),
    (22050, 0x14C4),
    (24000, 0x14C5),
    (32000, 0x14C6),
    (44100, 0x14C7),
    (48000, 0x14C8),
)


def made(reset=True):
    chip = Chip(held=reset)
    bus = I2CBus((chip,))
    return chip, bus, AW88298(bus, chip.reset if reset else None)


def test_on():
    for rate, word in RATES:
        chip, _, amplifier = made()
        amplifier.sound(rate)
        eq(chip.trace, [(0x61, 0x0673), (0x04, 0x4040), (0x05, 0x0008), (0x06, word), (0x0C, 0x0064)])
        eq((chip.on, chip.held, chip.faults), (True, False, []))


def test_off():
    chip, _, amplifier = made()
    amplifier.sound(16000)
    chip.trace.clear()
    amplifier.sound(0)
    eq((chip.trace, chip.on, chip.held), ([(0x04, 0x4000)], False, True))
    amplifier.sound(0)
    amplifier.sound(16000)
    eq(chip.on, True)


def test_without_a_reset_line():
    chip, bus, amplifier = made(reset=False)
    amplifier.sound(0)
    eq(chip.trace, [])
    amplifier.sound(16000)
    bus.stuck = True
    raises(OSError, amplifier.sound, 0)
    bus.stuck = False
    eq(chip.on, True)
    amplifier.sound(0)
    eq((chip.on, chip.trace[-1], chip.held), (False, (0x04, 0x4000), False))


def test_the_reset_line_turns_off_what_does_not_answer():
    chip, bus, amplifier = made()
    amplifier.sound(16000)
    bus.stuck = True
    amplifier.sound(0)
    eq((chip.on, chip.held), (False, True))


def test_off_after_a_failure_on_the_way():
    chip, bus, amplifier = made(reset=False)
    bus.stuck = True
    raises(OSError, amplifier.sound, 16000)
    bus.stuck = False
    amplifier.sound(0)
    eq(chip.trace, [(0x04, 0x4000)])


def test_rates():
    for rate, word in RATES:
        eq(rate_number(rate), word & 0x0F)
    for rate in (0, 7999, 48001, 96000):
        raises(ValueError, rate_number, rate)
    chip, _, amplifier = made()
    raises(ValueError, amplifier.sound, 4000)
    eq((chip.trace, chip.held), ([], True))


####################################################################################################
# The virtual chip


def test_registers_have_16_bits():
    chip, bus, amplifier = made()
    amplifier.sound(16000)
    eq(bus.readfrom_mem(0x36, 0x05, 4), b"\x00\x08\x14\xc3")
    bus.writeto_mem(0x36, 0x05, b"\x00\x09\x14\xc5")
    eq((chip.words[0x05], chip.words[0x06], chip.faults), (0x0009, 0x14C5, []))


def test_wrong_writes():
    chip, bus, _ = made(reset=False)
    bus.writeto_mem(0x36, 0x05, b"\x08")
    bus.writeto_mem(0x36, 0x07, b"\x00\x08")
    bus.writeto_mem(0x36, 0x04, b"\x40\x40")
    eq(chip.faults, ["half of a register of 16 bits", "register 0x07 is none to write", "on while it boosts"])


def test_it_does_not_answer_while_it_is_held():
    chip, bus, _ = made()
    raises(OSError, bus.writeto_mem, 0x36, 0x05, b"\x00\x08")
    raises(OSError, bus.readfrom_mem, 0x36, 0x05, 2)
    eq(chip.trace, [])


def sounds(chip, rate, data):
    sink = I2SSink(rate, amplifier=chip)
    sink.irq(lambda i2s: None)
    sink.write(data)
    sink.wait(10)
    return chip.faults


def test_sound_while_it_is_off():
    chip, _, amplifier = made()
    eq(sounds(chip, 16000, bytes(200)), [])
    eq(sounds(chip, 16000, b"\1" * 200), ["sound while the amplifier is off"])
    chip.faults.clear()
    amplifier.sound(16000)
    amplifier.sound(0)
    eq(sounds(chip, 16000, b"\1" * 200), ["sound while the amplifier is off"])


def test_sound_at_another_rate():
    chip, _, amplifier = made()
    amplifier.sound(16000)
    eq(sounds(chip, 16000, b"\1" * 200), [])
    eq(sounds(chip, 24000, b"\1" * 200), ["24000 samples a second, and register 0x06 is 0x14C3"])
