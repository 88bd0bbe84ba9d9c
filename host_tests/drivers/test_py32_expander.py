"""The expander in the kit's body: the exact writes (hardware.md 1.2), its slow boot, its lights."""

from i2c_made import Changed, Silent, Slept, bus, written
from micropython import heap_lock, heap_unlock

from drivers.py32_expander import PY32
from harness import eq, raises
from tsumiki.chips.py32 import PY32 as Chip

DARK = (0, 0, 0)


def made(**options):
    chip = Chip(**options)
    return chip, PY32(bus(chip), sleep_ms=Slept(chip))


def started():
    chip, body = made()
    eq(body.start(), 1)
    written(chip)
    return chip, body


def colours(*values):
    """What a burst writes from register 0x30 on."""
    return [(0x30 + i, value) for i, value in enumerate(values)]


def test_the_order_of_power_up():
    chip, body = made()
    body.start()
    seen = written(chip)
    eq(seen[:5], [(0x04, 0x20), (0x0A, 0x20), (0x14, 0x00), (0x24, 12), ("ms", 200)])
    eq(seen[5:], colours(*bytes(24)) + [(0x24, 0x4C), (0x24, 0x4C)])
    eq((chip.leds, chip.servo_power), ([DARK] * 12, False))


def test_power_up_keeps_the_other_pins():
    chip, body = made()
    for register in (0x04, 0x0A):
        chip.values[register] = 0xDF
    chip.values[0x14] = 0xFF
    body.start()
    eq([chip.values[register] for register in (0x04, 0x0A, 0x14)], [0xFF, 0xFF, 0xDF])


def test_it_is_waited_for():
    for options, waited in (
        ({}, 0),
        ({"nack_ms": 30}, 50),
        ({"nack_ms": 400, "boot_ms": 800}, 800),
        ({"boot_ms": 1200}, 1200),
        ({"nacks": 3}, 150),
    ):
        chip, body = made(**options)
        eq(body.start(), 1)
        eq(sum(one[1] for one in written(chip) if one[0] == "ms"), waited + 200)


def test_it_is_not_waited_for_longer_than_1200_ms():
    for options in ({"nack_ms": 1201}, {"boot_ms": 1201}, {"nacks": 25}):
        chip, body = made(**options)
        eq(str(raises(OSError, body.start)), "the body's expander does not answer")
        eq(written(chip), [("ms", 50)] * 24)
    raises(OSError, PY32(bus(), sleep_ms=lambda ms: None).start)


def test_a_version_of_ones_is_none():
    chip, body = made(boot_ms=60)
    chip.wait(1)  # At odd times it reads as 0xFF, at even ones as 0.
    body.start()
    eq(written(chip)[:2], [("ms", 50), ("ms", 50)])


def test_the_power_of_the_servos():
    chip, body = started()
    chip.values[0x03] = chip.values[0x09] = chip.values[0x05] = 0xFE
    changed = Changed(chip)
    body.power(True)
    eq(written(chip), [(0x03, 0xFF), (0x09, 0xFF), (0x05, 0xFF), ("ms", 500)])
    body.power(False)
    eq(written(chip), [(0x05, 0xFE)])
    eq(changed.take(), [("servo_power", True), ("servo_power", False)])


def test_a_strip_is_one_burst_low_byte_first():
    chip, body = started()
    left = body.leds["left"]
    left.set(0, 255, 0, 0)
    left.set(1, 0, 255, 0)
    left.set(5, 0, 0, 255)
    left.show()
    # 168 of 255: 21 of 31, 42 of 63.
    eq(written(chip), colours(0, 21 << 3, 0x40, 0x05, 0, 0, 0, 0, 0, 0, 21, 0) + [(0x24, 0x4C)])
    eq(chip.leds, [(168, 0, 0), (0, 168, 0), DARK, DARK, DARK, (0, 0, 168)] + [DARK] * 6)


def test_the_right_strip_is_mounted_the_other_way_round():
    chip, body = started()
    right = body.leds["right"]
    right.set(0, 255, 255, 255)
    right.show()
    seen = written(chip)
    eq((seen[0][0], len(seen)), (0x3C, 13))
    eq(chip.leds, [DARK] * 11 + [(168, 168, 168)])
    right.set(5, 0, 0, 255)
    right.show()
    eq((chip.leds[6], chip.leds[11]), ((0, 0, 168), (168, 168, 168)))


def test_strips_do_not_disturb_each_other():
    chip, body = started()
    for name, colour in (("left", (255, 0, 0)), ("right", (0, 0, 255)), ("left", (0, 255, 0))):
        body.leds[name].fill(*colour)
        body.leds[name].show()
    eq(chip.leds, [(0, 168, 0)] * 6 + [(0, 0, 168)] * 6)
    eq(chip.faults, [])


def test_the_bits_of_a_colour():
    chip, body = started()
    for (r, g, b), shown in (
        ((0x11, 0x22, 0x33), (8, 20, 32)),
        ((200, 100, 50), (128, 64, 32)),
        ((255, 7, 13), (168, 4, 8)),
        ((12, 255, 12), (0, 168, 0)),
    ):
        body.leds["left"].fill(r, g, b)
        body.leds["left"].show()
        eq(chip.leds[:6], [shown] * 6)


def test_no_channel_is_brighter_than_168_and_none_goes_back():
    chip, body = started()
    left = body.leds["left"]
    before = DARK
    for value in range(256):
        left.fill(value, value, value)
        left.show()
        now = chip.leds[0]
        assert max(now) <= 168 and all(a <= b for a, b in zip(before, now)), (value, now)
        before = now
    eq((before, chip.faults), ((168, 168, 168), []))


def test_lights_and_colours_that_there_are_not():
    chip, body = started()
    left = body.leds["left"]
    eq(left.count, 6)
    for i in (-1, 6):
        raises(IndexError, left.set, i, 0, 0, 0)
    for colour in ((256, 0, 0), (0, 256, 0), (0, 0, 256), (-1, 0, 0), (0, -1, 0), (0, 0, -1)):
        raises(ValueError, left.set, 0, *colour)
        raises(ValueError, left.fill, *colour)
    left.show()
    eq(chip.leds, [DARK] * 12)


def test_the_lights_allocate_nothing():
    silent = Silent()
    strip = PY32(silent).leds["right"]
    heap_lock()
    try:
        strip.fill(200, 100, 50)
        strip.set(3, 1, 2, 3)
        strip.show()
    finally:
        heap_unlock()
    eq(silent.transfers, 2)


def poked(register, *values, **options):
    """What a chip says of a write by a driver that does not know better."""
    chip = Chip(**options)
    chip.values[0x04] = 0x20
    bus(chip).writeto_mem(0x6F, register, bytes(values))
    return chip.faults


def test_what_does_harm_is_noticed():
    eq(poked(0x24, 12, boot_ms=1), ["0x24: written before it has booted"])
    eq(poked(0x30, *bytes(25)), ["0x30: 25 bytes of colours at once"])
    eq(poked(0x30, *bytes(24)), [])
    eq(poked(0x6E, 0, 0, 0)[:1], ["0x70: past the last colour"])
    eq(poked(0x24, 33), ["0x24: 33 lights"])
    eq(poked(0x24, 13), ["0x24: 13 lights of 12"])
    eq(poked(0x24, 0x4C), [])
    eq(poked(0x05, 0x01), ["0x05: servos are fed through a pin that is no output"])


def test_what_was_dropped_is_not_there():
    chip = Chip(boot_ms=10)
    bus(chip).writeto_mem(0x6F, 0x03, b"\1")
    bus(chip).writeto_mem(0x6F, 0x05, b"\1")
    chip.wait(10)
    eq((chip.servo_power, len(chip.faults)), (False, 2))


def test_lights_too_bright_or_through_a_pin_that_is_no_output():
    for value, expected in ((22 << 3, "176, 0, 0"), (0x06, "0, 192, 0")):
        chip, body = started()
        body.show(2, bytes((0, value)))
        eq(chip.faults, ["light 2 is too bright: " + expected])
    for register, value in ((0x04, 0x00), (0x14, 0x20)):
        chip, body = started()
        body.put(register, value)
        body.show(0, b"\0\x08")
        eq(chip.faults, ["0x24: the pin of the lights is no output"])
        eq(chip.leds, [DARK] * 12)


def test_the_other_address():
    chip = Chip(address=0x71)
    eq(PY32(bus(chip), address=0x71, sleep_ms=Slept(chip)).start(), 1)
    raises(OSError, PY32(bus(chip), sleep_ms=Slept(chip)).start)
