"""What the driver of the panel puts on its bus: pins, order, lengths; and what it refuses."""

from micropython import heap_lock, heap_unlock
from spi_recorder import Bus

from drivers.ili9342c import ILI9342C
from harness import eq, raises


def made(**more):
    bus = Bus()
    if "reset" in more:
        more["reset"] = bus.reset
    return bus, ILI9342C(bus, bus.dc, bus.cs, sleep_ms=bus.sleep_ms, **more)


def started(**more):
    bus, panel = made(**more)
    panel.start()
    return bus.commands()


def test_power_up():
    seen = started(reset=True)
    eq(seen[:4], [("reset", 0), ("sleep", 10), ("reset", 1), ("sleep", 120)])
    eq(seen[4:6], [(0x11, b""), ("sleep", 120)])
    eq(seen[6], (0xC8, b"\xff\x93\x42"))
    eq([len(data) for _, data in seen[7:17]], [2, 1, 1, 1, 3, 15, 15, 4, 0, 1])
    eq(seen[15:19], [(0x38, b""), (0x3A, b"\x55"), (0x36, b"\x08"), (0x21, b"")])
    eq(seen[19], (0x2A, b"\0\0\x01\x3f"))
    eq(seen[20:-1:2], [(0x2B, bytes((0, y, 0, y + 3))) for y in range(0, 240, 4)])
    eq(seen[21:-1:2], [(0x2C, bytes(2560))] * 60)
    eq(seen[-1], (0x29, b""))


def test_without_a_reset_pin_it_is_reset_by_command():
    eq(started()[:3], [(0x01, b""), ("sleep", 120), (0x11, b"")])


def test_an_old_panel():
    seen = started(inverted=False)
    assert (0x20, b"") in seen and (0x21, b"") not in seen


def test_upside_down():
    assert (0x36, b"\xc8") in started(upside_down=True)


def test_a_blit():
    bus, panel = made()
    panel.blit(300, 20, 3, 2, b"abcdefghijkl")
    eq(bus.commands(), [(0x2A, b"\x01\x2c\x01\x2e"), (0x2B, b"\0\x14\0\x15"), (0x2C, b"abcdefghijkl")])


def test_the_pins_of_a_blit():
    bus, panel = made()
    panel.blit(0, 0, 1, 1, b"ab")
    one = [("cs", 0), ("dc", 0), ("spi",), ("dc", 1), ("spi",), ("cs", 1)]
    eq([e[:1] if e[0] == "spi" else e for e in bus.seen], one * 3)


def test_pins_of_the_port():
    class Pin:
        def __init__(self):
            self.levels = []

        def value(self, level):
            self.levels.append(level)

    bus, dc, cs, reset = Bus(), Pin(), Pin(), Pin()
    panel = ILI9342C(bus, dc, cs, reset, sleep_ms=bus.sleep_ms)
    panel.start()
    eq((dc.levels[:2], cs.levels[:3], reset.levels), ([0, 1], [1, 0, 1], [0, 1]))


def test_no_select_pin():
    bus = Bus()
    ILI9342C(bus, bus.dc).blit(0, 0, 1, 1, b"ab")
    eq(bus.seen[-2:], [("dc", 1), ("spi", b"ab")])


def test_long_data_goes_in_pieces():
    bus, panel = made()
    data = bytes(i & 0xFF for i in range(2 * 320 * 13))
    panel.blit(0, 227, 320, 13, data)
    pieces = [value for what, value in bus.seen if what == "spi"][5:]
    eq([len(p) for p in pieces], [4092, 4092, 136])
    eq(b"".join(pieces), data)


def test_every_corner_is_within():
    _, panel = made()
    for x, y in ((0, 0), (319, 0), (0, 239), (319, 239)):
        panel.blit(x, y, 1, 1, b"ab")


def test_what_leaves_the_panel_is_refused():
    bus, panel = made()
    for x, y, w, h in (
        (-1, 0, 2, 1),
        (0, -1, 1, 2),
        (319, 0, 2, 1),
        (0, 239, 1, 2),
        (320, 0, 1, 1),
        (0, 240, 1, 1),
        (0, 0, 0, 1),
        (0, 0, 1, 0),
        (5, 5, -1, -1),
    ):
        raises(ValueError, panel.blit, x, y, w, h, bytes(max(0, w * h * 2)))
    eq(bus.seen, [])


def test_pixels_of_another_count_are_refused():
    bus, panel = made()
    for size in (0, 6, 7, 9, 10):
        raises(ValueError, panel.blit, 0, 0, 2, 2, bytes(size))
    eq(bus.seen, [])


def test_a_bus_that_fails_leaves_the_panel_free():
    bus, panel = made()
    bus.broken = True
    raises(OSError, panel.blit, 0, 0, 1, 1, b"ab")
    eq(bus.seen[-1], ("cs", 1))
    bus.broken = False
    bus.seen = []
    panel.blit(0, 0, 1, 1, b"ab")
    eq(len(bus.commands()), 3)


def test_brightness():
    levels = []
    _, panel = made(backlight=levels.append)
    for level in (0, 55, 100, -1, 101):
        panel.brightness(level)
    eq(levels, [0, 55, 100, 0, 100])
    made()[1].brightness(50)


class Silent:
    def __init__(self):
        self.count = 0

    def write(self, buf):
        self.count += 1


def test_a_blit_allocates_nothing():
    bus = Silent()
    panel = ILI9342C(bus, bus.write, bus.write)
    band = bytearray(320 * 6 * 2)
    heap_lock()
    try:
        panel.blit(0, 234, 320, 6, band)
    finally:
        heap_unlock()
    eq(bus.count, 6 + 3 * 4)
