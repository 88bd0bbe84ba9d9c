"""What the drivers of the 128x128 panels put on their bus, against hardware.md 1.2 and 1.5."""

from micropython import heap_lock, heap_unlock
from spi_recorder import Bus

from drivers.gc9107 import GC9107
from drivers.st7735s import ST7735S
from harness import eq, raises

GC9107_SETUP = """fe,ef,b0 c0,b2 2f,b3 03,b6 19,b7 01,ac cb,ab 0e,b4 04,a8 19,b8 08,e8 24,e9 48,ea 22,c6 30,c7 18,
f0 01 2b 23 3c b7 12 17 60 00 06 0c 17 12 1f,f1 05 2e 2d 44 d6 15 17 a0 02 0d 0d 1a 18 1f,3a 55"""
ST7735S_SETUP = """b1 01 2c 2d,b2 01 2c 2d,b3 01 2c 2d 01 2c 2d,b4 07,c0 a2 02 84,c1 c5,
c2 0a 00,c3 8a 2a,c4 8a ee,c5 0e,
e0 02 1c 07 12 37 32 29 2d 29 25 2b 39 00 01 03 10,e1 03 1d 07 06 2e 2c 29 2d 2e 2e 37 3f 00 00 02 10,3a 05,13"""


def listed(text):
    """[(command, parameters)] of a table above."""
    rows = [bytes.fromhex(row.replace(" ", "").replace("\n", "")) for row in text.split(",")]
    return [(row[0], row[1:]) for row in rows]


def made(kind, **more):
    bus = Bus()
    return bus, kind(bus, bus.dc, bus.cs, bus.reset, sleep_ms=bus.sleep_ms, **more)


def started(kind, **more):
    bus, panel = made(kind, **more)
    panel.start()
    return bus.commands()


def powers_up(kind, setup, madctl, inversion, column, row):
    seen = started(kind)
    eq(seen[:6], [("reset", 0), ("sleep", 10), ("reset", 1), ("sleep", 120), (0x11, b""), ("sleep", 120)])
    end = 6 + len(setup)
    eq(seen[6:end], setup)
    eq(seen[end : end + 2], [(0x36, madctl), (inversion, b"")])
    eq(seen[end + 2], (0x2A, bytes((0, column, 0, column + 127))))
    eq(seen[end + 3 : -1 : 2], [(0x2B, bytes((0, y, 0, y + 3))) for y in range(row, row + 128, 4)])
    eq(seen[end + 4 : -1 : 2], [(0x2C, bytes(1024))] * 32)
    eq(seen[-1], (0x29, b""))


def test_power_up_of_a_gc9107():
    powers_up(GC9107, listed(GC9107_SETUP), b"\x08", 0x20, 0, 32)


def test_power_up_of_an_st7735s():
    powers_up(ST7735S, listed(ST7735S_SETUP), b"\xc8", 0x21, 2, 3)


def test_where_a_pixel_goes():
    for kind, upside_down, column, row in (
        (GC9107, False, 0, 32),
        (GC9107, True, 0, 0),
        (ST7735S, False, 2, 3),
        (ST7735S, True, 2, 1),
    ):
        bus, panel = made(kind, upside_down=upside_down)
        panel.blit(127, 126, 1, 2, b"abcd")
        wanted = [
            (0x2A, bytes((0, column + 127) * 2)),
            (0x2B, bytes((0, row + 126, 0, row + 127))),
            (0x2C, b"abcd"),
        ]
        eq(bus.commands(), wanted)


def test_upside_down():
    assert (0x36, b"\xc8") in started(GC9107, upside_down=True)
    assert (0x36, b"\x08") in started(ST7735S, upside_down=True)


def test_a_board_may_say_how_its_glass_is():
    assert (0x21, b"") in started(GC9107, inverted=True)
    assert (0x20, b"") in started(ST7735S, inverted=False)


def test_what_leaves_the_glass_is_refused_though_the_memory_has_it():
    for kind in (GC9107, ST7735S):
        bus, panel = made(kind)
        for x, y, w, h in ((-1, 0, 1, 1), (0, -1, 1, 1), (127, 0, 2, 1), (0, 127, 1, 2), (0, 0, 129, 1)):
            raises(ValueError, panel.blit, x, y, w, h, bytes(w * h * 2))
        eq(bus.seen, [])


class Silent:
    def write(self, buf):
        pass


def test_a_blit_allocates_nothing():
    panel = ST7735S(Silent(), Silent().write, Silent().write)
    band = bytearray(128 * 15 * 2)
    heap_lock()
    try:
        panel.blit(0, 113, 128, 15, band)
    finally:
        heap_unlock()
