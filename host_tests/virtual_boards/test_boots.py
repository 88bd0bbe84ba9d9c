"""How each board boots: the same as it was, in the right order, and without a register that must be left alone."""

import re

import pytest

import interpreter
import sim
from install import ROOT
from processes import run_limited
from virtual_boards.boots import GOLDEN, KINDS, golden, told

_WRITE = re.compile(r"i2c0 (\w\w) w (\w\w) (\w\w)$")
# Of each power chip: registers that no board of ours may write. Charging voltage and current of the AXP2101, and the
# processor's DCDC2-5; DCDC2, the clock's cell and the coulomb counter of the AXP192.
LEFT_ALONE = {
    "axp192": (0x23, 0x25, 0xB8),
    "axp2101": (0x61, 0x62, 0x63, 0x64, 0x81, 0x83, 0x85, 0x86),
    "cores3": (0x61, 0x62, 0x63, 0x64, 0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86),
}
_CODE = """
import network
from app import make_board
from board_pipe import call
from config import Preferences

board = make_board(Preferences("%s"))
call(0, "booted")
network.WLAN(network.STA_IF).active(True)
%s
print("servos" in board.found())
"""


@pytest.fixture(params=KINDS)
def booted(request, start):
    name, options, preferences = KINDS[request.param]
    return request.param, start(name, preferences, options=options)


def test_a_boot_is_as_it_was(booted):
    name, robot = booted
    assert told(robot.boot()) == golden(name), "see boots.py, which writes golden/%s.txt anew" % name
    assert robot.faults() == []


def test_each_golden_file_is_a_boots():
    assert sorted(path.stem for path in GOLDEN.iterdir()) == sorted(KINDS)


def order(name, *wanted):
    """The places of the first lines that begin so, which must be in this order."""
    lines = golden(name)
    places = [next(i for i, line in enumerate(lines) if re.match(one, line)) for one in wanted]
    assert places == sorted(places), places


def test_the_panel_has_power_before_it_is_told_anything():
    order(
        "m5stack_core2-axp192",
        "i2c0 34 w 03 r 03",
        "i2c0 34 w 12 15",
        "i2c0 34 w 96 02",
        "sleep 120",
        "spi2 command",
    )
    order(
        "m5stack_core2-axp2101", "i2c0 34 w 03 r 4a", "i2c0 34 w 90", "sleep 20", "sleep 120", "spi2 command"
    )
    for name in ("m5stack_cores3", "stackchan_kit"):
        order(
            name,
            "i2c0 34 w 90 3f",
            "i2c0 58 w 10 r 23",
            "i2c0 58 w 03 01",
            "sleep 20",
            "sleep 130",
            "spi1 command",
        )


@pytest.mark.parametrize("name", KINDS)
def test_the_light_comes_after_the_picture(name):
    lights = {"m5stack_core": "pwm32 44100 Hz 22", "m5stack_core2-axp192": "i2c0 34 w 27 67"}
    lights.update({"m5stack_core2-axp2101": "i2c0 34 w 96 1c", "m5stack_atoms3r": "i2c0 30 w 0e ff"})
    light = next((lights[one] for one in (name, name.rsplit("-", 1)[0]) if one in lights), "i2c0 34 w 99 1c")
    order(name, r"spi\d command 11", r"spi\d pixels", r"spi\d command 29", light)


@pytest.mark.parametrize("name", ["m5stack_cores3", "stackchan_kit", "stackchan_kit-servos"])
def test_the_dc_pin_of_a_cores3_is_made_after_its_spi(name):
    order(name, "spi1 sck=36 mosi=37 miso=None", "pin 35 out", "spi1 command")


@pytest.mark.parametrize("name", KINDS)
def test_every_pin_of_an_spi_is_given(name):
    lines = [line for line in golden(name) if re.match(r"spi\d sck", line)]
    assert len(lines) == 1
    assert re.match(r"spi\d sck=\d+ mosi=\d+ miso=(\d+|None) 40000000 Hz$", lines[0])


@pytest.mark.parametrize("name", KINDS)
def test_the_inner_bus_is_as_fast_as_its_slowest_chip_allows(name):
    line = next(line for line in golden(name) if line.startswith("i2c0 sda"))
    assert line.endswith(" %d Hz" % (100000 if name.startswith("stackchan_kit") else 400000))


@pytest.mark.parametrize(
    "name, chip",
    [
        ("m5stack_core2-axp192", "axp192"),
        ("m5stack_core2-axp2101", "axp2101"),
        ("m5stack_cores3", "cores3"),
        ("stackchan_kit-servos", "cores3"),
    ],
)
def test_no_forbidden_register(name, chip):
    writes = [found.groups() for found in map(_WRITE.match, golden(name)) if found]
    written = [(int(register, 16), int(value, 16)) for address, register, value in writes if address == "34"]
    assert len(written) > 10
    assert not [register for register, _ in written if register in LEFT_ALONE[chip]]
    if chip == "axp192":
        assert all(value & 0x01 for register, value in written if register == 0x12)
        assert all(value == 0xC0 for register, value in written if register == 0x33)  # 4.2 V, 100 mA
        assert all(not value & 0x80 for register, value in written if register == 0x32)
    else:
        assert all(value & 0x01 for register, value in written if register == 0x80)
        assert all(not value & 0x01 for register, value in written if register == 0x10)


@pytest.mark.parametrize("name", [name for name in KINDS if "servos" not in name])
def test_nothing_is_sent_to_servos_that_nobody_has_enabled(name):
    lines = golden(name)
    assert not [line for line in lines if line.startswith("uart")]
    assert "i2c0 6f w 05 01" not in lines


# (what went wrong, output, the processor) of a board that is made, and Wi-Fi after it.
def after_wifi(tmp_path, board, preferences, more=""):
    path = tmp_path / "config.json"
    path.write_text(preferences)
    servers = sim.board(board)
    env = sim.start(servers, sim.board_environment(board))
    try:
        done = run_limited([interpreter.need(), "-c", _CODE % (path, more)], env, ROOT)
        return (*done, servers["TSUMIKI_BOARD"].soc)
    finally:
        servers["TSUMIKI_BOARD"].shutdown()
        servers["TSUMIKI_BOARD"].server_close()


_XL330 = '{"servo.enabled":true,"servo.kind":"xl330"}'


def test_the_uart_is_made_before_wifi(tmp_path):
    status, output, soc = after_wifi(tmp_path, "m5stack_core2", _XL330)
    assert (status, output.strip(), soc.faults) == ("", "True", [])
    trace = list(soc.trace)
    assert trace.index("uart1 tx=14 rx=13 1000000 baud") < trace.index("booted") < trace.index("wifi on")


def test_a_board_that_is_made_after_wifi_is_found_out(tmp_path):
    again = 'from board import Board\nBoard(Preferences("%s"))' % (tmp_path / "config.json")
    _, _, soc = after_wifi(tmp_path, "m5stack_core2", _XL330, again)
    assert "uart1 is made while Wi-Fi is on, which ends in a crash with PSRAM" in soc.faults
