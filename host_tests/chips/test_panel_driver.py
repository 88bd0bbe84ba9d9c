"""The real driver against the virtual panel in its process: power-up, pixels, and what wrong use would show."""

import socket
import struct
import zlib

import pytest

from chips import panels
from chips.panels import HEIGHT, WIDTH, PanelProcess, pixel


@pytest.fixture
def start_panel():
    """`start_panel(*arguments)` -> a `PanelProcess`."""
    started = []

    def start(*arguments):
        started.append(PanelProcess(*arguments))
        return started[-1]

    yield start
    for one in started:
        one.close()


@pytest.fixture
def drive(tmp_path):
    return lambda panel, code: panels.drive(panel, code, tmp_path)


def unfiltered(png):
    """The rows of an 8-bit RGB PNG without filters: [bytes]."""
    start = png.index(b"IDAT") + 4
    (size,) = struct.unpack_from(">I", png, start - 8)
    raw = zlib.decompress(png[start : start + size])
    assert len(raw) == HEIGHT * (1 + 3 * WIDTH)
    return [raw[y * (1 + 3 * WIDTH) + 1 : (y + 1) * (1 + 3 * WIDTH)] for y in range(HEIGHT)]


def test_power_up(start_panel, drive):
    panel = start_panel()
    assert drive(panel, "made().start()") == ("", "")
    with panel.view() as seen:
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
    with panel.view() as seen:
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
    with panel.view() as seen:
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
        with panel.view() as seen:
            assert pixel(seen.frame(), 0, 0) == shown


def test_reset_by_command(start_panel, drive):
    panel = start_panel()
    code = """
ILI9342C(bus, bus.dc, bus.cs, sleep_ms=bus.sleep_ms).start()
"""
    assert drive(panel, code) == ("", "")
    with panel.view() as seen:
        assert seen.state()["faults"] == [] and seen.state()["on"]


def test_a_second_start_shows_the_same(start_panel, drive):
    panel = start_panel()
    assert drive(panel, 'made().start()\nmade().blit(0, 0, 1, 1, b"\\xff\\xff")') == ("", "")
    assert drive(panel, "made().start()") == ("", "")
    with panel.view() as seen:
        assert seen.frame() == bytes(WIDTH * HEIGHT * 2)
        assert seen.state()["faults"] == []


def test_use_before_start_is_seen(start_panel, drive):
    panel = start_panel()
    assert drive(panel, 'made().blit(0, 0, 1, 1, b"ab")') == ("", "")
    with panel.view() as seen:
        assert seen.state()["faults"] == ["RAMWR while asleep", "pixels are dropped: asleep"]


def test_no_waiting_is_seen(start_panel, drive):
    panel = start_panel()
    assert drive(panel, "bus.sleep_ms = lambda ms: None\nmade().start()") == ("", "")
    with panel.view() as seen:
        assert seen.state()["faults"][0] == "a reset pulse of no length"


def test_the_backlight(start_panel, drive):
    panel = start_panel()
    with panel.view() as seen:
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
    with panel.view() as seen:
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
    with panel.view() as seen:
        assert seen.state()["faults"] == []
