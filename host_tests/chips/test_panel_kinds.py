"""The small panels: their real drivers against the virtual glass, and what a wrong driver would show."""

import struct

import pytest

from chips import panels
from chips.panels import PanelProcess, pixel
from tsumiki.chips.panel import Panel
from tsumiki.chips.panel_kinds import GC9107, KINDS, ST7735S

SMALL = (("gc9107", "GC9107"), ("st7735s", "ST7735S"))
CORNERS = (
    "panel.blit(0, 0, 2, 1, b'\\x12\\x34\\x56\\x78')\npanel.blit(126, 127, 2, 1, b'\\x9a\\xbc\\xde\\xf0')"
)


@pytest.fixture
def shown(tmp_path):
    """`shown(kind, code)` -> (frame, state) after MicroPython code has run against a glass of a kind."""
    started = []

    def run(kind, code):
        started.append(PanelProcess(kind))
        assert panels.drive(started[-1], code, tmp_path) == ("", "")
        with started[-1].view() as seen:
            return seen.frame(), seen.state()

    yield run
    for one in started:
        one.close()


def corners(frame):
    return [pixel(frame, x, y, 128) for x, y in ((0, 0), (1, 0), (126, 127), (127, 127))]


@pytest.mark.parametrize("kind, driver", SMALL)
def test_power_up(shown, kind, driver):
    frame, state = shown(kind, "made(%s).start()" % driver)
    assert frame == bytes(128 * 128 * 2)
    assert state["faults"] == [] and state["on"]
    assert sum(pixels for _, _, pixels in state["trace"]) == 128 * 128


@pytest.mark.parametrize("kind, driver", SMALL)
def test_pixels_are_where_they_belong(shown, kind, driver):
    frame, state = shown(kind, "panel = made(%s)\npanel.start()\n%s" % (driver, CORNERS))
    assert corners(frame) == [0x1234, 0x5678, 0x9ABC, 0xDEF0]
    assert state["faults"] == [] and sum(map(bool, struct.unpack(">16384H", frame))) == 4


@pytest.mark.parametrize("kind, driver", SMALL)
def test_upside_down(shown, kind, driver):
    frame, state = shown(kind, "panel = made(%s, upside_down=True)\npanel.start()\n%s" % (driver, CORNERS))
    assert corners(frame) == [0xDEF0, 0x9ABC, 0x5678, 0x1234]
    assert state["faults"] == []


@pytest.mark.parametrize("kind, driver", SMALL)
def test_the_wrong_inversion_shows(shown, kind, driver):
    code = "panel = made(%s, inverted=not %s.inverted)\npanel.start()\n%s" % (driver, driver, CORNERS)
    assert pixel(shown(kind, code)[0], 0, 0, 128) == 0x1234 ^ 0xFFFF


@pytest.mark.parametrize(
    "kind, driver", [("st7735s", "GC9107"), ("gc9107", "ST7735S"), ("gc9107", "ILI9342C")]
)
def test_the_driver_of_another_panel_shows(shown, kind, driver):
    frame, state = shown(kind, "panel = made(%s)\npanel.start()\n%s" % (driver, CORNERS))
    assert state["faults"]
    assert corners(frame) != [0x1234, 0x5678, 0x9ABC, 0xDEF0]


def send(panel, *commands):
    for code, data in commands:
        panel.transfer(False, True, bytes((code,)))
        if data:
            panel.transfer(True, True, data)


def awake(kind):
    panel = Panel(kind=kind)
    send(panel, (0x11, b""))
    panel.wait(120)
    return panel


def test_a_gc9107_is_unlocked_in_order():
    panel = awake(GC9107)
    send(panel, (0xB0, b"\xc0"), (0xEF, b""), (0xFE, b""), (0xB0, b"\xc0"), (0xEF, b""), (0xB0, b"\xc0"))
    lost = ["0xB0 before IRE2", "1 bytes of data for no command"]
    assert panel.faults == [*lost, "IRE2 with nothing before it", *lost]


def test_parameters_are_counted():
    panel = awake(ST7735S)
    send(panel, (0xB1, b"\1\2"), (0xE0, bytes(15)), (0x13, b""))
    assert panel.faults == ["FRMCTR1 with 2 parameters", "GMCTRP1 with 15 parameters"]


@pytest.mark.parametrize(
    "kind, madctl, columns, rows, hidden",
    [
        (GC9107, 0x08, (0, 127), (32, 159), False),
        (GC9107, 0x08, (0, 127), (31, 158), True),
        (GC9107, 0xC8, (0, 127), (0, 127), False),
        (GC9107, 0xC8, (0, 127), (1, 128), True),
        (ST7735S, 0xC8, (2, 129), (3, 130), False),
        (ST7735S, 0xC8, (2, 129), (1, 128), True),
        (ST7735S, 0xC8, (1, 128), (3, 130), True),
        (ST7735S, 0x08, (2, 129), (1, 128), False),
        (ST7735S, 0x28, (1, 128), (2, 129), False),
    ],
)
def test_a_window_beside_the_glass_is_a_fault(kind, madctl, columns, rows, hidden):
    panel = awake(kind)
    send(
        panel,
        (0x36, bytes((madctl,))),
        (0x2A, struct.pack(">HH", *columns)),
        (0x2B, struct.pack(">HH", *rows)),
    )
    send(panel, (0x2C, b""))
    wanted = "a window %d-%d, %d-%d that the glass does not show" % (columns + rows)
    assert panel.faults == ([wanted] if hidden else [])


def test_the_memory_ends():
    for kind, columns, rows in ((GC9107, 128, 160), (ST7735S, 132, 132)):
        panel = awake(kind)
        send(panel, (0x2A, struct.pack(">HH", 0, columns)), (0x2B, struct.pack(">HH", 0, rows)))
        assert panel.faults == [
            "CASET 0-%d is outside the panel" % columns,
            "RASET 0-%d is outside the panel" % rows,
        ]


def test_a_row_is_that_of_the_frame():
    for kind in KINDS.values():
        panel = awake(kind)
        panel.memory[:] = bytes(i * 31 >> 3 & 0xFF for i in range(len(panel.memory)))
        panel.on = True
        frame = panel.frame()
        assert len(frame) == 2 * kind.width * kind.height
        assert b"".join(panel.row(y) for y in range(kind.height)) == frame
