"""The touch panel: what is read and written, fingers as buttons and a touched screen, readings that are none."""

from quiet_i2c import QuietI2C, idle

from drivers.ft6336u import FT6336U
from harness import eq, raises
from tsumiki.chips.ft6336u import FT6336U as Panel
from tsumiki.chips.i2c import I2CBus

DOWN = ("touch", "screen", 1)
UP = ("touch", "screen", 0)


class Heard(I2CBus):
    """transfers: list of what a driver asks of the bus."""

    def __init__(self, chips):
        I2CBus.__init__(self, chips)
        self.transfers = []

    def writeto_mem(self, address, register, buf):
        self.transfers.append(("write", address, register, bytes(buf)))
        I2CBus.writeto_mem(self, address, register, buf)

    def readfrom_mem_into(self, address, register, buf):
        self.transfers.append(("read", address, register, len(buf)))
        buf[:] = I2CBus.readfrom_mem(self, address, register, len(buf))


def made(circles=False):
    panel = Panel()
    return panel, FT6336U(I2CBus((panel,)), circles)


def test_it_is_set_to_be_polled_and_read_twice():
    panel = Panel()
    bus = Heard((panel,))
    touch = FT6336U(bus)
    touch.poll(0)
    eq(bus.transfers, [("write", 0x38, 0xA4, b"\0")] + 2 * [("read", 0x38, 0x02, 5)])
    eq(panel.faults, [])


def test_a_finger_on_the_screen():
    panel, touch = made()
    eq(touch.poll(0), ())
    panel.press(319, 239)
    eq(touch.poll(25), [DOWN])
    eq((touch.x, touch.y), (319, 239))
    panel.press(1, 2)
    eq(touch.poll(50), ())
    eq((touch.x, touch.y), (1, 2))
    panel.lift()
    eq(touch.poll(75), [UP])
    eq(touch.poll(100), ())
    eq((touch.x, touch.y), (1, 2))


def test_the_flag_bits_and_the_second_finger_are_not_the_place():
    touch = FT6336U(QuietI2C())
    touch._i2c.values[2:7] = b"\x12\xc1\x05\xf0\x07"
    eq(touch.poll(0), [DOWN])
    eq((touch.x, touch.y), (0x105, 7))


def test_the_circles():
    for x, name in ((0, "a"), (106, "a"), (107, "b"), (213, "b"), (214, "c"), (319, "c")):
        for y in (240, 279):
            panel, touch = made(circles=True)
            panel.press(x, y)
            eq(touch.poll(0), [("button", name, 1)])
            panel.lift()
            eq(touch.poll(25), [("button", name, 0)])
    panel, touch = made(circles=True)
    panel.press(10, 239)
    eq(touch.poll(0), [DOWN])


def test_a_finger_that_slides_stays_what_it_came_down_on():
    panel, touch = made(circles=True)
    panel.press(10, 250)
    eq(touch.poll(0), [("button", "a", 1)])
    for x, y in ((310, 250), (100, 100)):
        panel.press(x, y)
        eq(touch.poll(100), ())
    panel.lift()
    eq(touch.poll(200), [("button", "a", 0)])


def test_no_circles_no_buttons():
    panel, touch = made()
    panel.press(10, 240)
    eq(touch.poll(0), ())


def test_readings_that_are_none_change_nothing():
    for wrong in (
        b"\x03\x00\x05\x00\x05",
        b"\x0f\xff\xff\xff\xff",
        b"\x01\x01\x40\x00\x05",
        b"\x01\x00\x05\x01\x18",
    ):
        bus = QuietI2C()
        touch = FT6336U(bus, circles=True)
        bus.values[2:7] = wrong
        eq(touch.poll(0), ())
        bus.values[2:7] = b"\x01\x00\x05\x00\x06"
        eq(touch.poll(25), [DOWN])
        bus.values[2:7] = wrong
        eq(touch.poll(50), ())
        eq((touch.x, touch.y), (5, 6))
        bus.values[2] = 0
        eq(touch.poll(75), [UP])


def test_a_torn_reading_is_read_again_until_two_agree():
    panel, touch = made()
    panel.press(160, 120)
    panel.torn = 3
    eq(touch.poll(0), [DOWN])
    eq((touch.x, touch.y), (160, 120))


def test_readings_that_never_agree_are_no_touch():
    panel, touch = made()
    panel.press(160, 120)
    panel.torn = 100
    eq(touch.poll(0), ())
    eq(panel.torn, 95)
    panel.torn = 0
    eq(touch.poll(1), [DOWN])


def test_it_is_not_looked_at_too_often():
    panel, touch = made()
    touch.poll(0)
    panel.press(1, 1)
    eq(touch.poll(24), ())
    eq(touch.poll(25), [DOWN])


def test_time_may_wrap():
    panel, touch = made()
    touch.poll(0x3FFFFFF8)
    panel.press(1, 1)
    eq(touch.poll(0x10), ())
    eq(touch.poll(0x11), [DOWN])


def test_no_panel_and_one_that_goes():
    raises(OSError, FT6336U, I2CBus(()))
    panel, touch = made()
    panel.press(1, 1)
    touch.poll(0)
    panel.powered = False
    raises(OSError, touch.poll, 50)
    panel.powered = True
    panel.lift()
    eq(touch.poll(75), [UP])


def test_nothing_is_allocated_while_nothing_changes():
    bus = QuietI2C()
    touch = FT6336U(bus, circles=True)
    eq(idle(touch), False)
    bus.values[2] = 1
    touch.poll(5000)
    eq(idle(touch), False)
    bus.values[2] = 0xFF
    eq(idle(touch), False)
    bus.values[2] = 0
    raises(MemoryError, idle, touch)  # It can fail.


def test_the_virtual_panel_refuses():
    panel = Panel()
    raises(ValueError, panel.press, 320, 0)
    raises(ValueError, panel.press, 0, 280)
    bus = I2CBus((panel,))
    bus.writeto_mem(0x38, 0x02, b"\1")
    eq(panel.faults, ["write to 0x02, where nothing is to be set"])
    eq(bus.readfrom_mem(0x38, 0x02, 1), b"\0")
    panel.powered = False
    raises(OSError, bus.readfrom_mem, 0x38, 0x02, 1)
    raises(OSError, bus.readfrom, 0x38, 1)
