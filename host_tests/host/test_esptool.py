"""`make flash` and `make image` with the real esptool, on virtual chips behind a serial port that is a socket."""

import fcntl
import os
import subprocess
import sys

import pytest

from host.images import APP, NVS, firmware, stock_table
from host.rom_chip import RomChip
from install import ROOT
from tsumiki import filesystem
from tsumiki.board_table import TABLE_OFFSET
from tsumiki.chip import Chip
from tsumiki.errors import Failed

SIZE = 1 << 20


@pytest.fixture
def rom():
    """`rom(chip, size)` is a `RomChip`, closed when the test is over."""
    chips = []

    def make(chip, size=4 << 20):
        chips.append(RomChip(chip, size))
        return chips[-1]

    yield make
    for chip in chips:
        chip.close()


def tsumiki(folder, *words):
    """(status, what it said) of the host command."""
    env = dict(os.environ, PYTHONPATH=str(ROOT / "host"))
    done = subprocess.run(
        [sys.executable, "-m", "tsumiki", *words],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("kind, size", [("esp32", 4 << 20), ("esp32s3", 16 << 20)])
def test_a_chip_is_known(rom, kind, size):
    assert Chip(rom(kind, size).url).identify() == (kind, size)


def test_flash_a_kit_and_put_the_robot_on_it(rom, tmp_path):
    chip = rom("esp32s3", 16 << 20)
    chip.flash[NVS : NVS + 6] = b"\0zero\0"
    image = firmware("stackchan_kit")
    (tmp_path / "m.bin").write_bytes(image)
    on_it = ["--board", "stackchan_kit", "--port", chip.url]
    status, said = tsumiki(tmp_path, "flash", *on_it, "--firmware", "m.bin")
    assert status == 0, said
    assert "NVS saved: nvs-stackchan_kit.bin" in said and "100.0%" in said
    assert (tmp_path / "nvs-stackchan_kit.bin").read_bytes() == bytes(chip.flash[NVS : NVS + 0x6000])
    assert bytes(chip.flash[NVS : NVS + 6]) == b"\0zero\0"
    assert bytes(chip.flash[:NVS]) == image[:NVS] and bytes(chip.flash[APP : len(image)]) == image[APP:]

    status, said = tsumiki(tmp_path, "image", *on_it)
    assert status == 0, said
    files = filesystem.read(
        lambda at, count: bytes(chip.flash[0x200000 + at :][:count]), 14 << 20, ["main.py"]
    )
    assert files == {"main.py": (ROOT / "firmware" / "main.py").read_bytes()}
    assert chip.faults == []


def test_a_board_that_is_full_of_something_else(rom, tmp_path):
    chip = rom("esp32")
    chip.flash[:] = b"\x5a" * len(chip.flash)
    (tmp_path / "m.bin").write_bytes(firmware("m5stack_core"))
    words = ["flash", "--board", "m5stack_core", "--port", chip.url, "--firmware", "m.bin"]
    status, said = tsumiki(tmp_path, *words)
    assert status == 0, said
    assert chip.flash[NVS] == 0x5A and chip.faults == []
    status, said = tsumiki(tmp_path, *words, "--erase")
    assert status == 0, said
    assert chip.flash[NVS] == 0xFF and chip.flash[0x200000] == 0xFF and chip.faults == []


def test_preferences_on_a_real_file_system_are_seen(rom, tmp_path):
    chip = rom("esp32")
    chip.flash[TABLE_OFFSET : TABLE_OFFSET + 0xC00] = stock_table()
    data = filesystem.make({"config.json": b"{}", "a": bytes(90000)}, 2 << 20)
    chip.flash[0x200000 : 0x200000 + len(data)] = data
    before = bytes(chip.flash)
    status, said = tsumiki(tmp_path, "image", "--board", "m5stack_core", "--port", chip.url)
    assert status == 1 and "the board has preferences" in said
    assert bytes(chip.flash) == before


def test_the_wrong_chip_is_not_written(rom, tmp_path):
    chip = rom("esp32s3")
    (tmp_path / "m.bin").write_bytes(firmware("m5stack_core"))
    status, said = tsumiki(
        tmp_path, "flash", "--board", "m5stack_core", "--port", chip.url, "--firmware", "m.bin"
    )
    assert status == 1 and "is an ESP32-S3, but m5stack_core has an ESP32" in said
    assert set(chip.flash) == {0xFF}


def test_a_chip_that_does_not_answer(rom):
    chip = rom("esp32")
    chip.deaf = True
    with pytest.raises(Failed, match="does not answer: put the board into download mode"):
        Chip(chip.url).identify()


def test_a_flash_that_keeps_something_else(rom):
    chip = rom("esp32")
    chip.flips = 1
    with pytest.raises(Failed, match=r"the connection to .* is bad: another cable"):
        Chip(chip.url).write([(0x1000, b"tsumiki" * 1000)])


def test_nobody_is_on_the_line(free_port):
    with pytest.raises(Failed, match=r"the port socket:.* cannot be opened"):
        Chip("socket://127.0.0.1:%d" % free_port).identify()


def test_a_port_that_another_program_has():
    ours, theirs = os.openpty()
    try:
        fcntl.flock(theirs, fcntl.LOCK_EX)
        with pytest.raises(Failed, match="is busy: close the program"):
            Chip(os.ttyname(theirs)).identify()
    finally:
        os.close(ours)
        os.close(theirs)


def test_the_virtual_flash_is_one():
    chip = RomChip("esp32", SIZE)
    try:
        chip.program(0, b"\x0f")
        chip.program(0, b"\xf0")
        chip.erase(5, 1)
        chip.program(SIZE, b"x")
        assert [fault.split(" at ")[0] for fault in chip.faults] == [
            "write over what is not erased", "erase", "write beyond the end",
        ]  # fmt: skip
    finally:
        chip.close()
