"""The virtual panel: what it shows, what it refuses; and the real driver against it, in a process of its own."""

import os
import socket
import struct
import sys
import zlib

import pytest

import interpreter
from install import ROOT
from processes import Listener, run_limited
from tsumiki.chips.panel import HEIGHT, WIDTH, Panel
from tsumiki.chips.panel_server import View

PRELUDE = """
import sys
from boards.unix.pipe_bus import PanelBus, connect
from drivers.ili9342c import ILI9342C

bus = PanelBus(connect(sys.argv[1]))

def made(**more):
    return ILI9342C(bus, bus.dc, bus.cs, bus.reset, bus.backlight, sleep_ms=bus.sleep_ms, **more)
"""


@pytest.fixture
def start_panel():
    """`start_panel(*arguments)` -> a `Listener` of the panel's process."""
    started = []

    def start(*arguments):
        env = dict(os.environ, PYTHONPATH=str(ROOT / "host"))
        command = [sys.executable, "-m", "tsumiki.chips.panel_server", *arguments]
        started.append(Listener(command, env, name="panel"))
        return started[-1]

    yield start
    for one in started:
        one.close()


@pytest.fixture
def drive(tmp_path):
    """`drive(panel, code)` runs MicroPython code after PRELUDE; returns (what went wrong or "", output)."""

    def run(panel, code):
        script = tmp_path / "drive.py"
        script.write_text(PRELUDE + code + "\nbus.sync()\n")
        command = [interpreter.need(), script, "%s:%d" % (panel.host, panel.port)]
        return run_limited(command, interpreter.environment(), ROOT)

    return run


def view(panel):
    return View(panel.port, panel.host)


def pixel(frame, x, y):
    return struct.unpack_from(">H", frame, 2 * (y * WIDTH + x))[0]


def unfiltered(png):
    """The rows of an 8-bit RGB PNG without filters: [bytes]."""
    start = png.index(b"IDAT") + 4
    (size,) = struct.unpack_from(">I", png, start - 8)
    raw = zlib.decompress(png[start : start + size])
    assert len(raw) == HEIGHT * (1 + 3 * WIDTH)
    return [raw[y * (1 + 3 * WIDTH) + 1 : (y + 1) * (1 + 3 * WIDTH)] for y in range(HEIGHT)]


# ---- the driver, over the pipe


def test_power_up(start_panel, drive):
    panel = start_panel()
    assert drive(panel, "made().start()") == ("", "")
    with view(panel) as seen:
        state = seen.state()
        assert seen.frame() == bytes(WIDTH * HEIGHT * 2)
    assert state["faults"] == []
    assert (state["asleep"], state["on"], state["inverted"], state["madctl"]) == (False, True, True, 0x08)
    codes = [code for code, _, _ in state["trace"]]
    assert codes[0] == 0x11 and codes[-1] == 0x29
    assert sum(pixels for _, _, pixels in state["trace"]) == WIDTH * HEIGHT


def test_pixels_are_exact(start_panel, drive):
    panel = start_panel()
    code = """
panel = made()
panel.start()
panel.blit(0, 0, 320, 13, bytes((i * 7 ^ i >> 8) & 0xFF for i in range(320 * 13 * 2)))
panel.blit(317, 236, 3, 4, bytes(range(24)))
"""
    assert drive(panel, code) == ("", "")
    with view(panel) as seen:
        frame = seen.frame()
        assert seen.state()["faults"] == []
    top = bytes((i * 7 ^ i >> 8) & 0xFF for i in range(320 * 13 * 2))
    wanted = bytearray(top + bytes(WIDTH * HEIGHT * 2 - len(top)))
    for y in range(4):
        start = 2 * ((236 + y) * WIDTH + 317)
        wanted[start : start + 6] = bytes(range(6 * y, 6 * y + 6))
    assert frame == wanted


def test_upside_down(start_panel, drive):
    panel = start_panel()
    code = 'panel = made(upside_down=True)\npanel.start()\npanel.blit(0, 0, 2, 1, b"\\x12\\x34\\x56\\x78")'
    assert drive(panel, code) == ("", "")
    with view(panel) as seen:
        frame = seen.frame()
        assert seen.state()["faults"] == []
    assert (pixel(frame, 319, 239), pixel(frame, 318, 239)) == (0x1234, 0x5678)


def test_each_glass_needs_its_own_inversion(start_panel, drive):
    white = 'panel.start()\npanel.blit(0, 0, 1, 1, b"\\xff\\xff")'
    for arguments, inverted, shown in (
        ((), "True", 0xFFFF),
        ((), "False", 0),
        (("--old",), "False", 0xFFFF),
        (("--old",), "True", 0),
    ):
        panel = start_panel(*arguments)
        assert drive(panel, "panel = made(inverted=%s)\n%s" % (inverted, white)) == ("", "")
        with view(panel) as seen:
            assert pixel(seen.frame(), 0, 0) == shown


def test_reset_by_command(start_panel, drive):
    panel = start_panel()
    code = """
ILI9342C(bus, bus.dc, bus.cs, sleep_ms=bus.sleep_ms).start()
"""
    assert drive(panel, code) == ("", "")
    with view(panel) as seen:
        assert seen.state()["faults"] == [] and seen.state()["on"]


def test_a_second_start_shows_the_same(start_panel, drive):
    panel = start_panel()
    assert drive(panel, 'made().start()\nmade().blit(0, 0, 1, 1, b"\\xff\\xff")') == ("", "")
    assert drive(panel, "made().start()") == ("", "")
    with view(panel) as seen:
        assert seen.frame() == bytes(WIDTH * HEIGHT * 2)
        assert seen.state()["faults"] == []


def test_use_before_start_is_seen(start_panel, drive):
    panel = start_panel()
    assert drive(panel, 'made().blit(0, 0, 1, 1, b"ab")') == ("", "")
    with view(panel) as seen:
        assert seen.state()["faults"] == ["RAMWR while asleep", "pixels are dropped: asleep"]


def test_no_waiting_is_seen(start_panel, drive):
    panel = start_panel()
    assert drive(panel, "bus.sleep_ms = lambda ms: None\nmade().start()") == ("", "")
    with view(panel) as seen:
        assert seen.state()["faults"][0] == "a reset pulse of no length"


def test_the_backlight(start_panel, drive):
    panel = start_panel()
    with view(panel) as seen:
        assert seen.state()["backlight"] is None
        assert drive(panel, "made().brightness(37)") == ("", "")
        assert seen.state()["backlight"] == 37


def test_rows_are_read_back(start_panel, drive):
    panel = start_panel()
    code = """
panel = made()
panel.start()
panel.blit(2, 100, 2, 1, b"\\x12\\x34\\x56\\x78")
row = bytearray(640)
bus.row(100, row)
print(row[:10].hex(), any(row[10:]))
try:
    bus.row(240, row)
except OSError as e:
    print(e)
try:
    bus.sync()
except OSError:
    print("closed")
sys.exit()
"""
    status, output = drive(panel, code)
    assert (status, output.splitlines()) == (
        "",
        ["00000000123456780000 False", "the panel answers with another length", "closed"],
    )


def test_a_pipe_that_breaks(start_panel, drive):
    panel = start_panel()
    code = """
panel = made()
panel.start()
bus._send(ord("X"), b"")
for call in (bus.sync, lambda: panel.blit(0, 0, 1, 1, b"ab"), lambda: bus.row(0, bytearray(640))):
    try:
        call()
    except OSError as e:
        print("OSError")
bus = PanelBus(connect(sys.argv[1]))
"""
    assert drive(panel, code) == ("", "OSError\n" * 3)
    panel.close()
    status, output = drive(panel, "")
    assert status and "OSError" in output


def test_it_pictures_what_it_shows(start_panel, drive):
    panel = start_panel()
    code = """
panel = made()
panel.start()
panel.blit(10, 20, 3, 1, b"\\xf8\\x00\\x07\\xe0\\x00\\x1f")
"""
    assert drive(panel, code) == ("", "")
    with view(panel) as seen:
        rows = unfiltered(seen.png())
    assert rows[20][27:42] == b"\0\0\0\xff\0\0\0\xff\0\0\0\xff\0\0\0"
    assert not any(rows[19]) and not any(rows[21])


@pytest.mark.parametrize("sent", [b"X\0\0", b"F\0\1a", b"R\0\2ab", b"\4\0\0", b"\0\0\5a"])
def test_what_is_no_message_ends_its_connection_only(start_panel, sent):
    panel = start_panel()
    with socket.create_connection((panel.host, panel.port), 10) as s:
        s.sendall(sent)
        s.shutdown(socket.SHUT_WR)
        assert s.recv(1) == b""
    with view(panel) as seen:
        assert seen.state()["faults"] == []


# ---- wrong use, told to the chip itself


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
