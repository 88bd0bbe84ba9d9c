"""`make firmware`: what is frozen, and what make is told. The build itself is a stand-in's."""

import argparse
import collections
import sys

import pytest

from host.images import firmware as an_image
from host.manifests import Recorder
from install import ROOT
from tsumiki import firmware
from tsumiki.board_table import BOARDS
from tsumiki.errors import Failed

HEADER = "#define MICROPY_VERSION_MAJOR (%d)\n#define MICROPY_VERSION_MINOR (%d)\n#define MICROPY_VERSION_MICRO (0)\n"
# Writes what it is told into the file `told`, and a finished image where the real one would.
PORT = """
submodules:
\t@echo submodules $(BOARD) >>$(CURDIR)/told
all:
\t@echo all $(BOARD)$(notdir $(BOARD_DIR)) $(BOARD_VARIANT) >>$(CURDIR)/told
\t@mkdir -p $(BUILD) && cp $(CURDIR)/image $(BUILD)/firmware.bin
.DEFAULT_GOAL := all
"""


def options(*words):
    parser = argparse.ArgumentParser()
    firmware.add_arguments(parser)
    return parser.parse_args(words)


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A checkout of MicroPython that is a stand-in, with idf.py on the path."""
    monkeypatch.delenv("MICROPYTHON_DIR", raising=False)
    folder = tmp_path / "micropython"
    for name, text in {
        "py/mpconfig.h": HEADER % (1, 28),
        "mpy-cross/Makefile": "all:\n",
        "ports/esp32/Makefile": PORT,
        "ports/esp32/boards/manifest.py": "module('_boot.py')\nrequire('mip')\n",
        "ports/esp32/boards/_boot.py": "",
        "bin/idf.py": "",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "bin" / "idf.py").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder / "bin"), prepend=":")
    monkeypatch.setattr(firmware, "ROOT", _root(tmp_path))
    return folder


# What is built goes into a folder of the test's; the rest is the repository.
def _root(tmp_path):
    root = tmp_path / "clone"
    root.mkdir()
    for name in ("boards", "firmware", "manifest.py"):
        (root / name).symlink_to(ROOT / name)
    return root


def frozen(name, source):
    """Counter of (name in the image, Path) of what a board's image freezes."""
    out = source.parent / "out"
    out.mkdir(exist_ok=True)
    variables = {
        "PORT_DIR": source / "ports" / "esp32",
        "MPY_DIR": source,
        "BOARD_DIR": ROOT / "boards" / name,
    }
    recorder = Recorder(variables).run(firmware.manifest(BOARDS[name], out))
    return collections.Counter(recorder.frozen), recorder


@pytest.mark.parametrize(
    "name", [n for n, b in BOARDS.items() if (ROOT / "boards" / b.folder / "board.py").exists()]
)
def test_every_module_is_frozen_once_and_nothing_else(source, name):
    found, recorder = frozen(name, source)
    here = {path: names for path, names in found.items() if path[1].is_relative_to(ROOT)}
    board = ROOT / "boards" / BOARDS[name].folder
    wanted = {(p.relative_to(ROOT / "firmware").as_posix(), p) for p in (ROOT / "firmware").rglob("*.py")}
    wanted |= {(p.relative_to(board).as_posix(), p) for p in board.rglob("*.py") if p.name != "manifest.py"}
    assert set(here) == wanted
    assert set(found.values()) == {1}
    names = [name for name, _ in found.elements()]
    assert len(names) == len(set(names)), "two modules of one name"
    assert "board.py" in names and "main.py" in names and "_boot.py" in names
    # No Core has a BMI270.
    assert recorder.required == ["mip"] + ["bmi270"] * (BOARDS[name].folder != "m5stack_core")


@pytest.mark.parametrize(
    "text, wrong",
    [
        ("module('app.py', base_path='nowhere')", "is missing"),
        ("package('nothing')", "is missing"),
        ("include('$(NO_DIR)/manifest.py')", "no such variable"),
    ],
)
def test_the_stand_in_refuses_what_makemanifest_would(tmp_path, text, wrong):
    path = tmp_path / "manifest.py"
    path.write_text(text)
    with pytest.raises(AssertionError, match=wrong):
        Recorder().run(path)


def test_the_stand_in_follows_what_a_manifest_names(tmp_path):
    (tmp_path / "a" / "p").mkdir(parents=True)
    for name in ("a/p/__init__.py", "a/m.py", "a/x.py"):
        (tmp_path / name).touch()
    (tmp_path / "a" / "manifest.py").write_text("package('p')\nmodule('m.py')\nfreeze('.', 'x.py')\n")
    (tmp_path / "manifest.py").write_text("include('$(A)')\ninclude('a/manifest.py')\n")
    found = Recorder({"A": tmp_path / "a"}).run(tmp_path / "manifest.py").frozen
    assert [name for name, _ in found] == ["p/__init__.py", "m.py", "x.py"] * 2


def empty_board(name, *files):
    """The folder of a board, with nothing in its modules."""
    (firmware.ROOT / "boards").unlink()
    folder = firmware.ROOT / "boards" / name
    folder.mkdir(parents=True)
    for file in ("board.py", *files):
        (folder / file).touch()
    return folder


@pytest.mark.parametrize(
    "name, told",
    [
        ("m5stack_core", "ESP32_GENERIC"),
        ("m5stack_core2", "ESP32_GENERIC SPIRAM"),
        ("m5stack_cores3", "ESP32_GENERIC_S3"),
        ("m5stack_atoms3r", "ESP32_GENERIC_S3 SPIRAM_OCT"),
    ],
)
def test_the_stock_definition_of_the_image(source, capsys, name, told):
    empty_board(name)
    (source / "ports" / "esp32" / "image").write_bytes(an_image(name))
    assert firmware.run(options("--board", name, "--micropython", str(source))) == 0
    said = (source / "ports" / "esp32" / "told").read_text().splitlines()
    assert said == ["submodules " + told.split(" ")[0], "all " + told]
    assert "make flash BOARD=%s FIRMWARE=" % name in capsys.readouterr().out


def test_a_board_with_a_definition_and_a_manifest_of_its_own(source):
    folder = empty_board("m5stack_core", "mpconfigboard.cmake", "manifest.py")
    assert firmware.definition(BOARDS["m5stack_core"]) == ["BOARD_DIR=%s" % folder]
    assert firmware.manifest(BOARDS["m5stack_core"], source) == folder / "manifest.py"
    # It is the folder's own board that the definition is of, not a relative that shares its modules.
    assert firmware.definition(BOARDS["m5stack_fire"]) == ["BOARD=ESP32_GENERIC", "BOARD_VARIANT=SPIRAM"]


def test_what_was_said_to_our_make_is_not_said_to_theirs(source, monkeypatch):
    empty_board("m5stack_core", "mpconfigboard.cmake", "manifest.py")
    monkeypatch.setenv("MAKEFLAGS", " -- BOARD=m5stack_core BOARD_VARIANT=wrong")
    monkeypatch.setenv("BOARD", "m5stack_core")
    (source / "ports" / "esp32" / "image").write_bytes(an_image("m5stack_core"))
    assert firmware.run(options("--board", "m5stack_core", "--micropython", str(source))) == 0
    assert (source / "ports" / "esp32" / "told").read_text() == "submodules\nall m5stack_core\n"


# --- mistakes


@pytest.mark.parametrize(
    "change, text",
    [
        ({"py/mpconfig.h": HEADER % (1, 23)}, "has MicroPython 1.23; 1.24 or newer is needed: git checkout"),
        ({"py/mpconfig.h": ""}, "has MicroPython before 1.19"),
        ({"py/mpconfig.h": None}, "has MicroPython before 1.19"),
        ({"ports/esp32/Makefile": None}, "no source of MicroPython is there"),
        ({"ports/esp32/Makefile": "all submodules:\n\tfalse\n"}, "the build failed in .*ports/esp32"),
        ({"mpy-cross/Makefile": "all:\n\tfalse\n"}, "the build failed in .*mpy-cross"),
        ({"ports/esp32/Makefile": "all submodules:\n"}, "the build left no "),
        ({"ports/esp32/image": "short"}, "bootloader cannot be read"),
        ({"bin/idf.py": None}, r"ESP-IDF is missing: \. esp-idf/export.sh"),
    ],
)
def test_what_is_wrong_with_the_source(source, change, text):
    for name, content in change.items():
        (source / name).unlink(missing_ok=True)
        if content is not None:
            (source / name).write_text(content)
    with pytest.raises(Failed, match=text):
        firmware.run(options("--board", "m5stack_core2", "--micropython", str(source)))


def test_no_source_is_named(source):
    with pytest.raises(Failed, match=r"git clone .* then MICROPYTHON_DIR="):
        firmware.run(options("--board", "m5stack_core2"))


def test_only_a_clone_can_be_built(source, monkeypatch):
    empty_board("m5stack_core2")
    monkeypatch.setitem(sys.modules, "package", None)
    with pytest.raises(Failed, match="only a clone"):
        firmware.manifest(BOARDS["m5stack_core2"], source)


def test_a_board_that_is_not_in_this_clone(source):
    with pytest.raises(Failed, match=r"boards/nowhere/board.py is missing"):
        firmware.manifest(BOARDS["m5stack_core2"]._replace(folder="nowhere"), source)
