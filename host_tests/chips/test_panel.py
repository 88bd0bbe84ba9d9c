"""The virtual panel itself: what it shows, and what it tells of wrong use."""

import struct

import pytest

from chips.panels import HEIGHT, WIDTH, pixel
from tsumiki.chips.panel import Panel


class Wire:
    """A panel, and how to write to it."""

    def __init__(self, ready=True, **more):
        self.panel = Panel(**more)
        if ready:
            for code in (0x11, None, 0x29):
                self.panel.wait(120) if code is None else self(code)
            self(0x36, b"\x08")
            self(0x3A, b"\x55")
            self(0x21)

    def __call__(self, code, data=b""):
        self.panel.transfer(False, True, bytes((code,)))
        if data:
            self.panel.transfer(True, True, data)

    def window(self, x0, x1, y0, y1):
        self(0x2A, struct.pack(">HH", x0, x1))
        self(0x2B, struct.pack(">HH", y0, y1))

    @property
    def faults(self):
        return self.panel.faults


def test_right_use_has_no_faults():
    wire = Wire()
    wire.window(5, 6, 7, 8)
    wire(0x2C, b"\x12\x34" * 4)
    wire(0x29)
    assert wire.faults == []
    frame = wire.panel.frame()
    assert [pixel(frame, x, y) for x, y in ((5, 7), (6, 7), (5, 8), (6, 8))] == [0x1234] * 4
    assert pixel(frame, 7, 7) == 0x5AC3


def test_pixels_past_the_window():
    wire = Wire()
    wire.window(0, 1, 0, 0)
    wire(0x2C, bytes(10))
    assert wire.faults == ["3 pixels past the end of the window"]
    assert pixel(wire.panel.memory, 2, 0) == 0x5AC3 and pixel(wire.panel.memory, 0, 1) == 0x5AC3


def test_pixels_in_pieces():
    wire = Wire()
    wire.window(0, 1, 0, 1)
    wire(0x2C, b"\x01")
    for piece in (b"\x02\x03\x04\x05", b"\x06\x07", b"\x08"):
        wire.panel.transfer(True, True, piece)
    wire(0x29)
    assert wire.faults == []
    frame = wire.panel.frame()
    assert [pixel(frame, x, y) for x, y in ((0, 0), (1, 0), (0, 1), (1, 1))] == [0x102, 0x304, 0x506, 0x708]


def test_half_a_pixel():
    wire = Wire()
    wire.window(0, 1, 0, 0)
    wire(0x2C, b"\x01\x02\x03")
    wire(0x29)
    assert wire.faults == ["RAMWR ends within a pixel"]


@pytest.mark.parametrize(
    "code, data, fault",
    [
        (0x2A, b"\0\0\1\x40", "CASET 0-320 is outside the panel"),
        (0x2B, b"\0\0\0\xf0", "RASET 0-240 is outside the panel"),
        (0x2A, b"\0\2\0\1", "CASET 2-1 is outside the panel"),
        (0x2A, b"\0\2\0", "CASET with 3 parameters"),
        (0x36, b"", "MADCTL with 0 parameters"),
        (0x29, b"\0", "DISPON with 1 parameters"),
        (0x3A, b"\x66", "COLMOD 0x66: only 16 bits a pixel are known here"),
        (0xC0, b"\x12\x12", "0xC0 before SETEXTC"),
        (0xC8, b"\xff\x93\x41", "SETEXTC with ff9341"),
        (0xD3, b"", "0xD3 is no command"),
    ],
)
def test_a_wrong_command(code, data, fault):
    wire = Wire()
    wire(code, data)
    wire(0x29)
    assert wire.faults[0] == fault


def test_a_window_that_is_refused_leaves_the_old_one():
    wire = Wire()
    wire.window(3, 3, 0, 0)
    wire(0x2A, b"\0\0\1\x40")
    wire(0x2C, b"\x12\x34")
    assert pixel(wire.panel.memory, 3, 0) == 0x1234


def test_pixels_in_another_format_are_dropped():
    wire = Wire()
    wire(0x3A, b"\x66")
    wire(0x2C, b"\x12\x34")
    assert wire.faults[1] == "pixels are dropped: no 16-bit format set"
    assert pixel(wire.panel.memory, 0, 0) == 0x5AC3


def test_pixels_before_any_format():
    wire = Wire(ready=False)
    wire(0x11)
    wire.panel.wait(120)
    wire(0x2C, b"\x12\x34")
    assert wire.faults == ["pixels are dropped: no 16-bit format set"]


@pytest.mark.parametrize("code, name", [(0x29, "DISPON"), (0x2C, "RAMWR")])
def test_orders_that_need_it_awake(code, name):
    wire = Wire(ready=False)
    wire(code)
    wire(0x11)
    wire.panel.wait(119)
    wire(code)
    wire.panel.wait(1)
    wire(code)
    assert wire.faults == [name + " while asleep", name + " within 120 ms of SLPOUT"]


def test_times_after_a_reset():
    wire = Wire()
    wire(0x01)
    wire(0x20)
    wire.panel.wait(5)
    wire(0x11)
    wire.panel.wait(115)
    wire(0x11)
    assert wire.faults == ["0x20 within 5 ms of the reset", "SLPOUT within 120 ms of the reset"]


def test_a_reset_forgets():
    for how in ("pin", "command"):
        wire = Wire()
        if how == "pin":
            wire.panel.reset(0)
            wire.panel.wait(1)
            wire.panel.reset(1)
        else:
            wire(0x01)
        assert (wire.panel.asleep, wire.panel.on, wire.panel.inverted, wire.panel.madctl) == (
            True,
            False,
            False,
            0,
        )
        assert wire.faults == []


def test_a_bus_to_a_chip_that_is_held_or_not_selected():
    wire = Wire()
    wire.panel.transfer(False, False, b"\x20")
    wire.panel.reset(0)
    wire.panel.transfer(False, True, b"\x11")
    assert wire.faults == ["1 bytes while not selected", "1 bytes while in reset"]


def test_data_for_no_command():
    wire = Wire()
    wire(0xD3, b"\0")
    assert wire.faults == ["0xD3 is no command", "1 bytes of data for no command"]


def test_it_is_black_until_it_is_on():
    wire = Wire()
    assert any(wire.panel.frame())
    for code, back in ((0x28, 0x29), (0x10, 0x11)):
        wire(code)
        assert wire.panel.frame() == bytes(WIDTH * HEIGHT * 2)
        wire(back)
        assert any(wire.panel.frame())


def test_red_and_blue():
    wire = Wire()
    wire(0x2C, b"\xf8\x01")
    wire(0x36, b"\x00")
    assert pixel(wire.panel.frame(), 0, 0) == 0x081F
    assert wire.panel.row(0) == wire.panel.frame()[:640]


def test_columns_for_rows():
    wire = Wire()
    wire(0x36, b"\x28")
    wire.window(0, 0, 318, 319)
    wire(0x2C, b"\x12\x34\x56\x78")
    frame = wire.panel.frame()
    assert (pixel(frame, 318, 0), pixel(frame, 319, 0)) == (0x1234, 0x5678)
    assert wire.faults == []


def test_what_it_remembers_is_bounded():
    wire = Wire()
    for _ in range(5000):
        wire(0xD3)
        wire(0x38)
    assert len(wire.panel.trace) == 4096 and len(wire.faults) == 100
