"""What is in a board's folder besides its code: the page, and what an out-of-tree build of MicroPython takes."""

import ast
import json
import re

import pytest

from install import ROOT
from tsumiki.board_table import BOARDS
from tsumiki.chips import boards, soc
from virtual_boards.robots import ALL

FILES = {
    "README.md",
    "board.json",
    "board.py",
    "manifest.py",
    "mpconfigboard.cmake",
    "mpconfigboard.h",
    "pins.csv",
    "sdkconfig.board",
}
# A constant of the code, and what pins.csv calls it.
NAMES = {
    "_SDA": "I2C_SDA",
    "_SCL": "I2C_SCL",
    "_SCK": "LCD_SCK",
    "_MOSI": "LCD_MOSI",
    "_MISO": "LCD_MISO",
    "_CS": "LCD_CS",
    "_DC": "LCD_DC",
    "_RESET": "LCD_RST",
    "_BACKLIGHT": "LCD_BL",
    "_I2S_BCK": "I2S_BCK",
    "_I2S_WS": "I2S_WS",
    "_I2S_DATA": "I2S_DOUT",
    "_SPEAKER": "SPEAKER",
    "_LEDS": "LEDS",
    "_BUTTON": "BUTTON",
    "_SERVO_TX": "SERVO_TX",
    "_SERVO_RX": "SERVO_RX",
    "_YAW": "SERVO_YAW",
    "_PITCH": "SERVO_PITCH",
}
NO_PINS = {"_BACKLIGHT_HZ", "_FIRE_LEDS", "_HZ", "_AMPLIFIER", "_AMPLIFIER_MS"}


def folder(name):
    return ROOT / "boards" / name


def constants(name):
    """{constant: number} of a board's code, the CoreS3's for those that have one inside."""
    paths = [folder(name) / "board.py"]
    if name in ("m5stack_cores3", "stackchan_kit"):
        paths.append(ROOT / "firmware" / "m5stack" / "cores3.py")
    found = {}
    for path in paths:
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                found[node.targets[0].id] = ast.literal_eval(node.value.args[0])
            elif isinstance(node, ast.Assign) and node.targets[0].id == "_BUTTONS":
                found.update(("BUTTON_" + one.upper(), pin) for one, pin in ast.literal_eval(node.value))
    return found


def pins(name):
    """{name: number} of pins.csv."""
    rows = [line.split(",") for line in (folder(name) / "pins.csv").read_text("utf-8").splitlines()]
    assert all(len(row) == 2 and re.match(r"GPIO\d+$", row[1]) for row in rows), rows
    assert len({row[0] for row in rows}) == len(rows)
    return {row[0]: int(row[1][4:]) for row in rows}


def test_there_is_a_folder_for_each_board_and_chips_for_each_folder():
    folders = {
        path.name for path in (ROOT / "boards").iterdir() if path.is_dir() and path.name != "__pycache__"
    }
    assert folders == {*ALL, "unix"}
    assert set(boards.BOARDS) == set(ALL)
    assert {board.folder for board in BOARDS.values()} == set(ALL)


@pytest.mark.parametrize("name", ALL)
def test_every_file_is_there(name):
    assert {path.name for path in folder(name).iterdir() if path.is_file()} >= FILES


@pytest.mark.parametrize("name", ALL)
def test_the_pins_are_those_of_the_code(name):
    known = constants(name)
    named = {NAMES.get(one, one): pin for one, pin in known.items() if one not in NO_PINS}
    assert named.items() <= pins(name).items()
    assert len(named) > 7


@pytest.mark.parametrize("name", ALL)
def test_the_pins_exist_on_the_processor(name):
    exists, inputs, taken = soc._PINS[boards.BOARDS[name].soc]
    for one, pin in pins(name).items():
        assert pin in exists and pin not in taken, one
        assert pin not in inputs or one.startswith(("BUTTON", "TOUCH", "LCD_MISO")), one


@pytest.mark.parametrize("name", ALL)
def test_the_description(name):
    told = json.loads((folder(name) / "board.json").read_text("utf-8"))
    mine = BOARDS[name]
    assert told["mcu"] == mine.chip == boards.BOARDS[name].soc
    assert int(told["deploy_options"]["flash_offset"], 0) == mine.offset
    assert told["vendor"] == "M5Stack" and told["product"] and told["url"].startswith("https://")
    assert all((folder(name) / one).is_file() for one in told["deploy"])
    for variant in told.get("variants", {}):
        assert (folder(name) / ("mpconfigvariant_%s.cmake" % variant)).is_file()


@pytest.mark.parametrize("name", ALL)
def test_the_configuration_is_that_of_the_image(name):
    """Processor, PSRAM and flash; files of the port are named as seen from it, our own by their folder."""
    mine = BOARDS[name]
    cmake = (folder(name) / "mpconfigboard.cmake").read_text("utf-8")
    generic = {"esp32": "ESP32_GENERIC", "esp32s3": "ESP32_GENERIC_S3"}[mine.chip]
    assert cmake.startswith("include(boards/%s/mpconfigboard.cmake)\n" % generic)
    assert mine.image.split("-")[0] == generic
    spiram = {"": None, "quad": "spiram" if mine.chip == "esp32" else None, "octal": "spiram_oct"}[mine.psram]
    assert set(re.findall(r"boards/sdkconfig\.(spiram\w*)", cmake)) == ({spiram} if spiram else set())
    assert "set(MICROPY_FROZEN_MANIFEST ${MICROPY_BOARD_DIR}/manifest.py)" in cmake
    for own in re.findall(r"\$\{MICROPY_BOARD_DIR\}/(\S+?)[)\s]", cmake):
        assert (folder(name) / own).is_file()
    settings = dict(
        line.split("=", 1) for line in (folder(name) / "sdkconfig.board").read_text("utf-8").split()
    )
    sizes = [key for key, value in settings.items() if "FLASHSIZE" in key and value == "y"]
    assert sizes == ["CONFIG_ESPTOOLPY_FLASHSIZE_%dMB" % (mine.flash >> 20)]


@pytest.mark.parametrize("name", ALL)
def test_the_header(name):
    text = (folder(name) / "mpconfigboard.h").read_text("utf-8")
    defined = dict(re.findall(r"^#define (\w+) +(.+)$", text, re.M))
    assert defined["MICROPY_HW_BOARD_NAME"].startswith('"M5Stack ')
    known = pins(name)
    assert defined["MICROPY_HW_I2C0_SCL"] == "(%d)" % known["I2C_SCL"]
    assert defined["MICROPY_HW_I2C0_SDA"] == "(%d)" % known["I2C_SDA"]


@pytest.mark.parametrize("name", ALL)
def test_the_page_says_how_to_flash_and_what_has_not_been_tried(name):
    text = (folder(name) / "README.md").read_text("utf-8")
    assert "**Not yet run on hardware.**" in text
    for board in BOARDS.values():
        if board.folder == name:
            assert "`%s`" % board.image in text and "BOARD=%s" % board.name in text
            offset = "0x%x" % board.offset if board.offset else "0"
            assert re.search(r"(at|\|) %s\b" % offset, text)


# The keys of the preferences that a page names.
@pytest.mark.parametrize("name", ALL)
def test_the_page_names_preferences_that_there_are(name):
    config = (ROOT / "firmware" / "config.py").read_text("utf-8")
    named = set(re.findall(r"\b((?:servo|board)\.[a-z_]+)", (folder(name) / "README.md").read_text("utf-8")))
    named -= {"board.json", "board.py"}
    assert named
    assert [key for key in sorted(named) if '"%s":' % key not in config] == []
