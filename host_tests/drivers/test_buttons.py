"""Buttons on pins: a change counts when it has lasted."""

from quiet_i2c import idle

from drivers.buttons import Buttons
from harness import eq, raises


class Pin:
    def __init__(self, level=1):
        self.level = level

    def value(self):
        return self.level


def made(*levels, **options):
    pins = [Pin(level) for level in levels or (1, 1)]
    return pins, Buttons(tuple(zip(("a", "b", "c"), pins)), **options)


def test_a_press_counts_after_20_ms():
    (a, b), buttons = made()
    eq(buttons.poll(0), ())
    a.level = 0
    eq([buttons.poll(t) for t in (10, 29)], [(), ()])
    eq(buttons.poll(30), [("button", "a", 1)])
    eq(buttons.poll(60), ())
    a.level = 1
    b.level = 0
    eq(buttons.poll(100), ())
    eq(buttons.poll(120), [("button", "a", 0), ("button", "b", 1)])


def test_a_glitch_and_bouncing_do_not_count():
    (a, _), buttons = made()
    for now_ms in range(0, 600, 15):
        a.level = 0 if now_ms % 30 else 1
        eq(buttons.poll(now_ms), ())
    a.level = 0
    eq(buttons.poll(600), ())
    eq(buttons.poll(620), [("button", "a", 1)])
    for now_ms in range(630, 1200, 15):  # And none while it is held.
        a.level ^= 1
        eq(buttons.poll(now_ms), ())


def test_it_may_take_longer():
    (a, _), buttons = made(steady_ms=50)
    a.level = 0
    eq([buttons.poll(t) for t in (0, 49)], [(), ()])
    eq(buttons.poll(50), [("button", "a", 1)])
    raises(ValueError, Buttons, (), 19)


def test_time_may_wrap():
    (a, _), buttons = made()
    a.level = 0
    eq(buttons.poll(0x3FFFFFFA), ())
    eq(buttons.poll(0x0D), ())
    eq(buttons.poll(0x0E), [("button", "a", 1)])


def test_what_is_held_at_the_start_is_told():
    _, buttons = made(0, 1)
    eq(buttons.poll(0), ())
    eq(buttons.poll(20), [("button", "a", 1)])


def test_nothing_is_allocated_while_nothing_changes():
    (a, _), buttons = made()
    eq(idle(buttons), False)
    a.level = 0
    eq(idle(buttons, times=1), False)
    raises(MemoryError, idle, buttons)  # It can fail.
