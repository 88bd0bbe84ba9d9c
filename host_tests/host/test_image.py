"""`make image`: all of the robot in one file system, which MicroPython mounts, and what it may not replace."""

import argparse
import json
import sys

import pytest

import install
import interpreter
import mpy
from host.images import MemoryChip, firmware, stock_table
from install import ROOT
from processes import run_limited
from tsumiki import filesystem, image
from tsumiki.board_table import BOARDS, TABLE_OFFSET, VFS_OFFSET
from tsumiki.errors import Failed

PREFERENCES = b'{"robot.volume_cap": 42}'
SIZE = 14 << 20


def options(*words):
    parser = argparse.ArgumentParser()
    image.add_arguments(parser)
    return parser.parse_args(words)


def run(tmp_path, *words, chip=None):
    """The image that the command writes."""
    out = tmp_path / "out.littlefs"
    words = ["--out", str(out), *words]
    assert image.run(options(*words), chip=chip) == 0
    return out.read_bytes()


def files_of(data, names, size=SIZE, after=b"\xa5"):
    """{name: bytes} in an image; what follows it in flash is not blank."""
    flash = data + after * (size - len(data))
    return filesystem.read(lambda at, count: flash[at : at + count], size, names)


def with_micropython(chip="esp32", files=None):
    """A chip with MicroPython's partition table, and these files."""
    there = MemoryChip(chip)
    there.flash[TABLE_OFFSET : TABLE_OFFSET + 0xC00] = stock_table()
    if files is not None:
        data = filesystem.make(files, SIZE)
        there.flash[VFS_OFFSET : VFS_OFFSET + len(data)] = data
    return there


@pytest.mark.parametrize(
    "name", [n for n, b in BOARDS.items() if (ROOT / "boards" / b.folder / "board.py").exists()]
)
def test_an_image_holds_all_of_the_robot(tmp_path, name):
    board = BOARDS[name]
    data = run(tmp_path, "--board", name)
    wanted = image.robot_files(board)
    assert files_of(data, [*wanted, "config.json"], size=board.vfs_size) == wanted
    modules = {
        p.relative_to(ROOT / "firmware").with_suffix(".mpy").as_posix()
        for p in (ROOT / "firmware").rglob("*.py")
    }
    board_modules = {
        p.relative_to(ROOT / "boards" / board.folder).with_suffix(".mpy").as_posix()
        for p in mpy.ROOT.joinpath("boards", board.folder).rglob("*.py")
        if p.name != "manifest.py"
    }
    assert set(wanted) == modules - {"main.mpy"} | {"main.py"} | board_modules
    # Two versions of it have room, and as much again is left to its owner.
    assert len(data) < board.vfs_size // 3 and len(data) % 4096 == 0


def test_micropython_starts_from_it_and_writes_to_it(tmp_path):
    files = image.robot_files(BOARDS["m5stack_core2"], mpy.HOST)
    files["config.json"] = PREFERENCES
    flash = tmp_path / "flash"
    flash.write_bytes(filesystem.make(files, SIZE).ljust(SIZE, b"\xa5"))
    command = [interpreter.need(), ROOT / "host_tests" / "host" / "on_littlefs.py", flash, str(SIZE)]
    status, said = run_limited(command, cwd=tmp_path)
    assert status == "", said
    top = {name.split("/")[0] for name in files}
    assert said.splitlines() == [
        "files %d %d" % (len(top), SIZE // 4096),
        "from app.mpy",
        "from http1/reader.mpy",
        "from robot/robot.mpy",
        "from umcp/server.mpy",
        "volume 42",
        "started",
    ]
    kept = json.loads(files_of(flash.read_bytes(), ["config.json"])["config.json"])
    assert kept == {"robot.volume_cap": 42, "robot.quiet_from": 77}


def test_the_modules_are_for_the_chip(tmp_path):
    """Byte 2 of a .mpy has the architecture in bits 2 to 5; only native code names one: 10 is xtensawin, 2 is x64."""
    data = run(tmp_path, "--board", "m5stack_core2")
    found = files_of(data, ["umcp/scan_viper.mpy", "umcp/scan.mpy"])
    assert [found[name][2] >> 2 & 15 for name in sorted(found)] == [0, 10]


# --- onto the board


def test_it_goes_where_the_board_keeps_its_files(tmp_path):
    chip = with_micropython(files={})
    data = run(tmp_path, "--board", "m5stack_core2", "--port", "p", chip=chip)
    assert bytes(chip.flash[VFS_OFFSET : VFS_OFFSET + len(data)]) == data
    assert "erase" not in chip.log
    chip.flash[TABLE_OFFSET : TABLE_OFFSET + 0xC00] = stock_table(app_size=0x210000)
    moved = run(tmp_path, "--board", "m5stack_core2", "--port", "p", chip=chip)
    assert bytes(chip.flash[0x220000 : 0x220000 + len(moved)]) == moved
    assert "main.py" in files_of(moved, ["main.py"], size=(16 << 20) - 0x220000)


def test_a_board_with_preferences_is_refused(tmp_path):
    chip = with_micropython(files={"config.json": PREFERENCES, "notes/a": b"x" * 9000})
    before = bytes(chip.flash)
    with pytest.raises(
        Failed, match=r"has preferences.*mpremote cp :config.json.*CONFIG=config.json ERASE=1"
    ):
        run(tmp_path, "--board", "m5stack_core2", "--port", "p", chip=chip)
    assert bytes(chip.flash) == before and not (tmp_path / "out.littlefs").exists()
    run(tmp_path, "--board", "m5stack_core2", "--port", "p", "--erase", chip=chip)
    assert "erase" not in chip.log  # of the whole flash: MicroPython stays
    assert files_of(bytes(chip.flash[VFS_OFFSET:]), ["config.json", "notes/a"]) == {}


def test_preferences_are_carried_in_and_kept_private(tmp_path):
    (tmp_path / "mine.json").write_bytes(PREFERENCES)
    data = run(tmp_path, "--board", "m5stack_core2", "--config", str(tmp_path / "mine.json"))
    assert files_of(data, ["config.json"]) == {"config.json": PREFERENCES}
    assert (tmp_path / "out.littlefs").stat().st_mode & 0o077 == 0


def test_a_board_without_files_is_not_one_with_preferences(tmp_path):
    assert run(tmp_path, "--board", "m5stack_core2", "--port", "p", chip=with_micropython())


def test_a_board_that_cannot_be_read_is_not_written(tmp_path):
    chip = with_micropython(files={"config.json": PREFERENCES})

    class Failing(MemoryChip):
        def read(self, offset, size, show=False):
            if offset >= VFS_OFFSET:
                raise Failed("the connection is bad")
            return super().read(offset, size)

    failing = Failing("esp32")
    failing.flash[:] = chip.flash
    with pytest.raises(Failed, match="connection is bad"):
        run(tmp_path, "--board", "m5stack_core2", "--port", "p", chip=failing)
    assert not [line for line in failing.log if line.startswith("write")]


def test_a_board_without_micropython(tmp_path):
    with pytest.raises(Failed, match="no MicroPython: make flash BOARD=m5stack_core2 first"):
        run(tmp_path, "--board", "m5stack_core2", "--port", "p", chip=MemoryChip("esp32"))


def test_a_board_with_another_chip(tmp_path):
    with pytest.raises(Failed, match="is an ESP32-S3, but m5stack_core2 has an ESP32"):
        run(tmp_path, "--board", "m5stack_core2", "--port", "p", chip=with_micropython("esp32s3"))


# --- files


def test_the_place_of_another_micropython(tmp_path, capsys):
    path = tmp_path / "m.bin"
    path.write_bytes(firmware("m5stack_core2", parts=stock_table(app_size=0x210000)))
    data = run(tmp_path, "--board", "m5stack_core2", "--firmware", str(path))
    assert "write-flash 0x220000 " in capsys.readouterr().out
    assert "main.py" in files_of(data, ["main.py"], size=(16 << 20) - 0x220000)


@pytest.mark.parametrize(
    "text, wrong",
    [("[1]", "no JSON object"), ("{", "is no JSON: "), (None, "No such file")],
)
def test_preferences_that_are_none(tmp_path, text, wrong):
    path = tmp_path / "mine.json"
    if text:
        path.write_text(text)
    with pytest.raises(Failed, match="CONFIG=.*" + wrong):
        run(tmp_path, "--board", "m5stack_core2", "--config", str(path))


def test_what_does_not_fit():
    with pytest.raises(Failed, match="1 files of 90000 bytes do not fit into 65536 bytes"):
        filesystem.make({"a": bytes(90000)}, 65536)


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"%d" % i: b"" for i in range(500)},
        {"%s/%d" % ("long folder name" * 10, i): bytes(100) for i in range(300)},
        {"%d/a/b/%s" % (i, "n" * 250): bytes(4090) for i in range(40)},
        {"big": bytes(3 << 20), "small": b"x"},
    ],
    ids=["none", "empty files", "a full folder", "many folders", "a big file"],
)
def test_all_files_find_room(files):
    data = filesystem.make(files, SIZE)
    assert files_of(data, list(files)) == files


def test_a_board_that_is_not_in_this_clone():
    with pytest.raises(Failed, match=r"boards/nowhere/board.py is missing"):
        image.robot_files(BOARDS["m5stack_core2"]._replace(folder="nowhere"))


def test_only_a_clone_has_the_firmware(monkeypatch):
    monkeypatch.setitem(sys.modules, "mpy", None)
    with pytest.raises(Failed, match="only a clone"):
        image.robot_files(BOARDS["m5stack_core2"])


def test_a_module_that_does_not_compile(monkeypatch):
    def build(march):
        raise install.Failed("firmware/app.py: SyntaxError")

    monkeypatch.setattr(mpy, "build", build)
    with pytest.raises(Failed, match="SyntaxError"):
        image.robot_files(BOARDS["m5stack_core2"])


def test_an_image_that_cannot_be_written(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(Failed, match="cannot be written"):
        image.run(options("--board", "m5stack_core2", "--out", str(tmp_path / "file" / "x")))


def test_a_file_that_cannot_be_read_is_not_one_that_is_missing():
    data = filesystem.make({"a": bytes(100000), "config.json": b"x" * 9000}, 1 << 20)

    def read(at, count):
        if at:
            raise Failed("the connection is bad")
        return data[:count]

    with pytest.raises(Failed, match="the connection is bad"):
        filesystem.read(read, 1 << 20, ["config.json"])
    folder = filesystem.make({"config.json/a": b"x"}, 1 << 20)
    with pytest.raises(Failed, match=r"files cannot be read: IsADirectoryError.*ERASE=1"):
        files_of(folder, ["config.json"], size=1 << 20)


def test_what_is_no_file_system_is_none():
    """Among it the inside of one, which stops littlefs."""
    data = filesystem.make({"d%d/a" % i: b"x" * 5000 for i in range(20)}, 1 << 20)
    assert filesystem.read(lambda at, count: b"\xff" * count, 1 << 20, ["a"]) is None
    for block in range(2, len(data) // 4096):
        assert files_of(data[block * 4096 :], ["d1/a"], size=1 << 20) is None


def test_a_file_system_that_is_damaged_is_not_taken_for_none():
    data = bytearray(filesystem.make({"config.json": b"{}"}, 1 << 20))
    for block in (0, 4096):
        data[block + 30] ^= 1
    with pytest.raises(Failed, match=r"files cannot be read: .*ERASE=1 replaces them"):
        files_of(bytes(data), ["config.json"], size=1 << 20)
