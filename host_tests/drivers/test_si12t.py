"""The head's touch strip: its set-up, presses that last, strokes; and that it is never mistaken for an IMU."""

from quiet_i2c import QuietI2C, idle

from drivers.si12t import Si12T
from harness import eq, raises
from tsumiki.chips.bmi270 import BMI270
from tsumiki.chips.i2c import I2CBus
from tsumiki.chips.mpu6886 import MPU6886
from tsumiki.chips.si12t import Si12T as Strip

FORWARD = ("touch", "swipe_forward", 1)
BACK = ("touch", "swipe_back", 1)
SET_UP = [
    (0x0A, 0),
    (0x0B, 0),
    (0x0C, 0),
    (0x0D, 0),
    (0x0E, 0),
    (0x0F, 0),
    (0x09, 0x0F),
    (0x09, 0x07),
    (0x08, 0x22),
]


class Head:
    """A strip and its driver, polled each 50 ms, the first 200 ms over."""

    def __init__(self, **options):
        self.strip = Strip()
        self.driver = Si12T(I2CBus((self.strip,)), **options)
        self.driver.poll(0)
        self._now_ms = 200

    def feel(self, *samples):
        """Each sample: the strengths of zones 0 to 2.  Returns what is told, a list a sample."""
        told = []
        for sample in samples:
            for zone in range(3):
                self.strip.touch(zone, sample[zone])
            told.append(list(self.driver.poll(self._now_ms)))
            self._now_ms += 50
        return told


def strokes(told):
    return [event for events in told for event in events if event[1].startswith("swipe")]


def test_the_set_up():
    head = Head()
    eq(head.strip.trace, SET_UP + [(register, 0x33) for register in range(2, 7)])
    eq(head.strip.faults, [])


def test_a_press_lasts_two_samples_and_ends_after_four():
    for zone, name in ((0, "back"), (1, "middle"), (2, "front")):
        head = Head()
        on = [0, 0, 0]
        on[zone] = 1
        off = (0, 0, 0)
        eq(head.feel(off, on, off, on), [[], [], [], []])
        eq(head.feel(on, on), [[("touch", name, 1)], []])
        eq(head.feel(off, off, off, on, off, off, off), 7 * [[]])
        eq(head.feel(off, off), [[("touch", name, 0)], []])


def test_zones_are_told_apart_and_may_be_named():
    head = Head(names=("p", "q", "r"))
    both = (2, 0, 3)
    eq(head.feel(both, both), [[], [("touch", "p", 1), ("touch", "r", 1)]])


def test_a_strength_that_counts():
    head = Head(strength=2)
    weak, firm = (0, 1, 0), (0, 2, 0)
    eq(head.feel(weak, weak, weak), 3 * [[]])
    eq(head.feel(firm, firm), [[], [("touch", "middle", 1)]])
    eq(head.feel(weak, weak, weak, weak), [[], [], [], [("touch", "middle", 0)]])
    eq(head.feel((1, 0, 0), (0, 1, 0), (0, 0, 1)), [[], [], []])


def test_strokes():
    for samples, stroke in (
        (((3, 0, 0), (0, 3, 0), (0, 0, 3)), FORWARD),
        (((0, 0, 3), (0, 3, 0), (3, 0, 0)), BACK),
        (((1, 1, 0), (0, 1, 1)), FORWARD),
    ):
        eq(strokes(Head().feel(*samples)), [stroke])


def test_a_stroke_is_told_once_a_touch():
    head = Head()
    there = ((3, 0, 0), (0, 3, 0), (0, 0, 3))
    back = ((0, 3, 0), (3, 0, 0))
    away = 4 * ((0, 0, 0),)
    eq(strokes(head.feel(*(there + back + there))), [FORWARD])
    head.feel(*away)
    eq(strokes(head.feel(*(back + away[:2]))), [BACK])


def test_how_far_is_a_stroke():
    # From -100 by 33 and by 50: 40 is not more than 40.
    for sample, told in (((2, 1, 0), []), ((1, 1, 0), [FORWARD])):
        eq(strokes(Head().feel((3, 0, 0), sample)), told)
    eq(Head().feel((3, 0, 0), (3, 2, 0)), [[], [("touch", "back", 1)]])
    head = Head()  # 0 to 40, just.
    eq(head.feel((0, 3, 0), (0, 3, 2))[1], [("touch", "middle", 1)])


def test_two_clicks_of_noise_are_no_stroke():
    head = Head()
    eq(head.feel((3, 0, 0), (0, 0, 0), (0, 0, 3), (0, 0, 0)), 4 * [[]])


def test_it_settles_first_and_is_not_looked_at_too_often():
    strip = Strip()
    driver = Si12T(I2CBus((strip,)))
    strip.touch(1, 3)
    for now_ms in (1000, 1199, 1200, 1249):
        eq(driver.poll(now_ms), ())
    eq(driver.poll(1250), [("touch", "middle", 1)])


def test_an_imu_at_its_address_is_not_written_to():
    for chip in (MPU6886(), BMI270(0x68)):
        eq(str(raises(OSError, Si12T, I2CBus((chip,)))), "at 0x68 is an IMU")
        eq(chip.trace, [])


def test_nobody_there_and_one_that_goes():
    raises(OSError, Si12T, I2CBus(()))
    head = Head()
    bus = head.driver._i2c
    head.feel((3, 0, 0), (3, 0, 0))
    bus.stuck = True
    raises(OSError, head.driver.poll, 1000)
    bus.stuck = False
    eq(head.feel(*(5 * ((0, 0, 0),)))[3], [("touch", "back", 0)])


def test_what_makes_no_sense():
    for options in ({"names": ("a", "b")}, {"strength": 0}, {"strength": 4}):
        raises(ValueError, Si12T, I2CBus((Strip(),)), **options)


def test_nothing_is_allocated_while_nothing_changes():
    bus = QuietI2C()
    driver = Si12T(bus)
    eq(idle(driver), False)
    bus.values[0x10] = 0x15
    driver.poll(10000)
    driver.poll(11000)
    eq(idle(driver), False)
    bus.values[0x10] = 0
    raises(MemoryError, idle, driver)  # It can fail.


def test_the_virtual_strip_refuses():
    strip = Strip()
    raises(ValueError, strip.touch, 3, 1)
    raises(ValueError, strip.touch, 0, 4)
    bus = I2CBus((strip,))
    strip.touch(0, 3)
    eq(bus.readfrom_mem(0x68, 0x10, 1), b"\0")
    bus.writeto_mem(0x68, 0x10, b"\1")
    bus.writeto_mem(0x68, 0x00, b"\1")
    eq(
        strip.faults,
        ["read before it was set up"]
        + ["write to 0x%02x, where nothing is to be set" % r for r in (0x10, 0)],
    )
    # Let go without a reset, held in a reset, and its channels held: it feels nothing.
    for control in (b"\x07", b"\x0f"):
        bus.writeto_mem(0x68, 0x09, control)
        eq(bus.readfrom_mem(0x68, 0x10, 1), b"\0")
    bus.writeto_mem(0x68, 0x09, b"\x07")
    eq(bus.readfrom_mem(0x68, 0x10, 1), b"\0")
    bus.writeto_mem(0x68, 0x0C, b"\0")
    eq(bus.readfrom_mem(0x68, 0x10, 1), b"\3")
    eq(bus.readfrom_mem(0x68, 0x75, 1), b"\xff")
