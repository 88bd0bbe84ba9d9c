"""The lights on one wire: their bytes, the limit, and when they are sent."""

from micropython import heap_lock, heap_unlock

from drivers.sk6812 import TIMING_NS, Chain
from harness import eq, raises


class Wire:
    """sent: list of bytes."""

    def __init__(self):
        self.sent = []
        self.broken = False

    def write(self, buf):
        if self.broken:
            raise OSError(5)
        self.sent.append(bytes(buf))


def made(count=10, limit=255):
    wire = Wire()
    return wire, Chain(wire.write, count, limit)


def test_green_comes_first():
    wire, chain = made(2)
    strip = chain.strip(0, 2)
    strip.set(0, 1, 2, 3)
    strip.set(1, 4, 5, 6)
    strip.show()
    eq(wire.sent, [bytes((2, 1, 3, 5, 4, 6))])


def test_two_strips_of_one_chain():
    wire, chain = made()
    left, right = chain.strip(0, 5), chain.strip(5, 5)
    eq((left.count, right.count), (5, 5))
    left.fill(9, 0, 0)
    right.set(0, 0, 0, 7)
    right.set(4, 0, 8, 0)
    left.show()
    eq(wire.sent, [bytes((0, 9, 0)) * 5 + bytes((0, 0, 7)) + bytes(9) + bytes((8, 0, 0))])
    right.show()
    eq(len(wire.sent), 1)


def test_only_a_change_is_sent_and_the_first_show():
    wire, chain = made()
    strip = chain.strip(0, 10)
    strip.fill(0, 0, 0)
    strip.show()
    eq(wire.sent, [bytes(30)])
    strip.fill(0, 0, 0)
    strip.show()
    eq(len(wire.sent), 1)
    strip.set(3, 0, 1, 0)
    strip.show()
    strip.set(3, 0, 1, 0)
    strip.show()
    eq(len(wire.sent), 2)


def test_what_fails_is_sent_the_next_time():
    wire, chain = made()
    strip = chain.strip(0, 10)
    wire.broken = True
    raises(OSError, strip.show)
    wire.broken = False
    strip.show()
    strip.show()
    eq(len(wire.sent), 1)


def test_no_channel_exceeds_the_limit():
    for limit in (0, 1, 32, 64, 168, 255):
        wire, chain = made(1, limit)
        strip = chain.strip(0, 1)
        for value in (0, 1, 2, 100, 254, 255, 256, 1000, -1):
            strip.fill(value, 0, value)
            strip.show()
            assert max(wire.sent[-1]) <= limit, (limit, value)
            eq(wire.sent[-1][0], 0)
            eq(bool(wire.sent[-1][1]), value > 0 and limit > 0)
        strip.fill(255, 255, 255)
        strip.show()
        eq(wire.sent[-1], bytes((limit,) * 3))
    eq(Chain(print, 1, 999)._limit, 255)


def test_the_limit_keeps_the_hue():
    wire, chain = made(1, 64)
    strip = chain.strip(0, 1)
    strip.fill(255, 128, 64)
    strip.show()
    eq(wire.sent[-1], bytes((33, 64, 17)))


def test_what_is_beyond_is_refused():
    _, chain = made()
    for first, count in ((-1, 2), (0, 0), (0, 11), (9, 2), (10, 1)):
        raises(ValueError, chain.strip, first, count)
    strip = chain.strip(2, 3)
    for i in (-1, 3):
        raises(IndexError, strip.set, i, 1, 1, 1)


def test_times_are_within_those_of_both_chips():
    zero_high, zero_low, one_high, one_low = TIMING_NS
    eq((zero_high, zero_low, one_high, one_low), (300, 900, 600, 600))


def test_nothing_is_allocated():
    _, chain = made()
    left = chain.strip(0, 5)
    chain._write = lambda buf: None
    heap_lock()
    try:
        left.fill(1, 2, 3)
        left.set(1, 200, 100, 50)
        left.show()
    finally:
        heap_unlock()
