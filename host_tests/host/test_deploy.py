"""Deploys onto a stand-in board: what arrives, what is left alone, and what a person reads where it cannot be done."""

import os
import pty
import re

import pytest
import serial

from host.device import StandIn
from host.small_firmware import ENTRY, MAIN, small
from install import ROOT
from tsumiki import cli, client_lines, deploy, device, payload, ports
from tsumiki.board_table import BOARDS
from tsumiki.device import Device
from tsumiki.errors import Failed
from tsumiki.slots import Slots

ESP32 = {"platform": "esp32", "machine": "Generic ESP32 module with SPIRAM with ESP32"}
MINE = {
    "/config.json": b'{"mcp.token":"a-token-of-the-owner"}',
    "/boot.py": b"# mine\n",
    "/fixtures/one.json": b"{}",
    "/tsumiki/a/mine.txt": b"mine",
    "/tsumiki/tape.jsonl": b"{}\n",
}


@pytest.fixture
def board(tmp_path, monkeypatch):
    """A stand-in which says that it is an ESP32, with files of its owner, and nothing of ours."""
    facts = Device.facts
    monkeypatch.setattr(Device, "facts", lambda self: dict(facts(self), **ESP32))
    standin = StandIn(tmp_path, blocks=128)
    try:
        standin.wait_for(b">>> ")
        standin.off()
        standin.write(MINE)
        standin.plug_anew()
        yield standin
    finally:
        standin.close()


def _run(board, monkeypatch, files, *options, name="m5stack_core2"):
    """(status, what was printed); files: the `Payload` instead of the real one, or None for that."""
    if files is not None:
        monkeypatch.setattr(deploy, "payload", lambda target: files._replace(board=target.name))
    words = ["deploy", "--port", board.port, "--seconds", "0.5", *(("--board", name) if name else ())]
    return cli.main([*words, *options])


def _sent(text):
    found = re.search(r"(\d+) of \d+ files sent", text)
    return int(found.group(1)) if found else 0


def test_the_whole_firmware_arrives_and_is_what_runs(board, monkeypatch, capsys, tmp_path):
    big = StandIn(tmp_path / "big", blocks=1024) if (tmp_path / "big").mkdir() is None else None
    try:
        assert _run(big, monkeypatch, None, "--no-reset") == 0
        wanted = payload.payload(BOARDS["m5stack_core2"])
        assert _sent(capsys.readouterr().out) == len(wanted.files) > 150
        with Device(big.port) as open_:
            said = open_.run("import sys\nsys.path.insert(0, '/tsumiki/a')\nimport app\nprint(app.__file__)")
        big.off()
        files = big.files()
    finally:
        big.close()
    assert said.strip() == "/tsumiki/a/app.mpy"
    there = {
        path[len("/tsumiki/a/") :]: data for path, data in files.items() if path.startswith("/tsumiki/a/")
    }
    assert there == wanted.files
    assert files["/main.py"] == MAIN == wanted.main


def test_native_code_goes_as_source_and_the_rest_is_for_any_chip():
    files = payload.payload(BOARDS["m5stack_core2"]).files
    assert "umcp/scan_viper.py" in files and "umcp/scan_viper.mpy" not in files
    assert files["umcp/scan_viper.py"] == (ROOT / "firmware/umcp/scan_viper.py").read_bytes()
    assert {name: data[:3] for name, data in files.items() if name.endswith(".mpy") and data[2] >> 2} == {}
    shared = payload.payload(BOARDS["m5stack_cores3"]).files
    assert {name for name in files if files[name] != shared.get(name)} == {"board.mpy"}


def test_what_is_the_owners_stays_through_deploys(board, monkeypatch, capsys):
    for version in "123":
        assert _run(board, monkeypatch, small(version, {"extra%s.py" % version: b""})) == 0
        board.wait_for(b"runs %s" % version.encode())
    board.off()
    files = board.files()
    assert {path: files.get(path) for path in MINE} == MINE
    assert "/tsumiki/a/extra3.py" in files and "/tsumiki/a/extra1.py" not in files
    assert "/tsumiki/b/extra2.py" in files


def test_only_what_changed_is_sent(board, monkeypatch, capsys):
    assert _run(board, monkeypatch, small("1")) == 0
    assert _sent(capsys.readouterr().out) == 4
    assert _run(board, monkeypatch, small("1")) == 0
    assert "nothing had to be sent" in capsys.readouterr().out
    assert _run(board, monkeypatch, small("2")) == 0
    assert _sent(capsys.readouterr().out) == 3  # lib/same.py is copied on the board
    assert _run(board, monkeypatch, small("1"), name=None) == 0
    assert _sent(capsys.readouterr().out) == 0  # All of it is in the other slot.
    board.wait_for(b"runs 1 1 1")


def test_an_altered_file_is_found_and_sent_again(board, monkeypatch, capsys):
    _run(board, monkeypatch, small("1"))
    board.off()
    board.write({"/tsumiki/a/lib/one.py": b"VERSION = 'another'\n"})
    board.plug_anew()
    capsys.readouterr()
    assert _run(board, monkeypatch, small("1")) == 0
    assert _sent(capsys.readouterr().out) == 1
    board.wait_for(b"runs 1 1 1")


def test_what_arrives_altered_does_not_come_into_force(board, monkeypatch, capsys):
    _run(board, monkeypatch, small("1"))
    write = Device.write
    monkeypatch.setattr(
        Device, "write", lambda self, path, data: write(self, path, data.replace(b"#####", b"####!"))
    )
    assert _run(board, monkeypatch, small("2")) == 1
    assert "lib/one.py among them; the old version stays in force" in capsys.readouterr().err
    board.off()
    board.plug_anew()
    board.wait_for(b"runs 1 1 1")


def test_back_and_forth(board, monkeypatch, capsys):
    _run(board, monkeypatch, small("1"))
    assert _run(board, monkeypatch, small("1"), "--back") == 1
    assert "no version before" in capsys.readouterr().err
    _run(board, monkeypatch, small("2"))
    assert _run(board, monkeypatch, small("2"), "--back") == 0
    assert "tsumiki 1 is in force again" in capsys.readouterr().out
    board.wait_for(b"runs 1 1 1")
    # A deploy that was cut off has half of another version there.
    monkeypatch.setattr(Slots, "_verify", lambda self, *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        _run(board, monkeypatch, small("3"))
    assert _run(board, monkeypatch, small("3"), "--back") == 1
    assert "not whole" in capsys.readouterr().err


def test_a_main_py_of_the_owners_is_replaced_only_if_asked(board, monkeypatch, capsys):
    board.off()
    board.write({"/main.py": b"print('mine')\n"})
    board.plug_anew()
    assert _run(board, monkeypatch, small("1")) == 1
    assert "--replace" in capsys.readouterr().err
    assert _run(board, monkeypatch, small("1"), "--replace") == 0
    board.wait_for(b"runs 1 1 1")
    board.off()
    assert board.files()["/main.py.before"] == b"print('mine')\n"
    # Another main.py of ours is not the owner's.
    board.plug_anew()
    assert _run(board, monkeypatch, small("2", main=MAIN + b"# newer\n")) == 0
    board.off()
    assert board.files()["/main.py"] == MAIN + b"# newer\n"


def test_a_full_file_system(board, monkeypatch, capsys):
    _run(board, monkeypatch, small("1"))
    board.off()
    board.write({"/photos/large.bin": bytes(70 * 4096)})
    board.plug_anew()
    assert _run(board, monkeypatch, small("2", {"more.py": b"#" * 100000})) == 1
    said = capsys.readouterr().err
    assert "full, and the old version stays in force" in said and "/photos/large.bin (280 KB)" in said
    # The sums may be wrong; the board's own word is what counts.
    monkeypatch.setattr(Slots, "_check_space", lambda self, *_: None)
    assert _run(board, monkeypatch, small("2", {"more.py": b"#" * 200000})) == 1
    assert "/photos/large.bin (280 KB)" in capsys.readouterr().err
    board.off()
    board.plug_anew()
    board.wait_for(b"runs 1 1 1")


def test_another_board(board, monkeypatch, capsys):
    assert _run(board, monkeypatch, small("1"), name="m5stack_cores3") == 1
    said = capsys.readouterr().err
    assert (
        "m5stack_cores3 has an ESP32-S3" in said and "BOARD=m5stack_core, m5stack_fire, m5stack_core2" in said
    )
    _run(board, monkeypatch, small("1"))
    assert _run(board, monkeypatch, small("1"), name="m5stack_core") == 1
    assert "the firmware of m5stack_core2, and BOARD=m5stack_core" in capsys.readouterr().err
    assert _run(board, monkeypatch, small("1"), "--replace", name="m5stack_core") == 0


def test_no_board_named(board, monkeypatch, capsys):
    assert _run(board, monkeypatch, small("1"), name=None) == 1
    assert "which board? BOARD=" in capsys.readouterr().err


def test_an_old_micropython(board, monkeypatch, capsys):
    monkeypatch.setattr(Device, "facts", lambda self: dict(ESP32, version=(1, 20, 0), mpy=6))
    assert _run(board, monkeypatch, small("1")) == 1
    assert "MicroPython 1.20.0; 1.24 or later is needed: make flash" in capsys.readouterr().err


def test_an_octal_board_with_an_image_that_leaves_its_psram_out(capsys):
    facts = {"platform": "esp32", "machine": "Generic ESP32S3 module with ESP32S3"}
    deploy.check_chip(facts, BOARDS["m5stack_atoms3r"])
    assert "does not use the octal PSRAM" in capsys.readouterr().out
    deploy.check_chip(
        dict(facts, machine="Generic ESP32S3 module with Octal-SPIRAM with ESP32S3"),
        BOARDS["m5stack_atoms3r"],
    )
    deploy.check_chip(facts, BOARDS["m5stack_cores3"])
    assert capsys.readouterr().out == ""


def test_a_busy_port(board, monkeypatch, capsys):
    with serial.Serial(board.port, exclusive=True):
        assert _run(board, monkeypatch, small("1")) == 1
    assert "in use by another program" in capsys.readouterr().err


def test_a_port_that_is_not_there(monkeypatch, capsys):
    monkeypatch.setattr(ports, "usb_ports", lambda: [("/dev/ttyACM7", "a board")])
    with pytest.raises(Failed, match=r"no port /dev/ttyACM9. There are: /dev/ttyACM7.*PORT=/dev/ttyACM7"):
        Device("/dev/ttyACM9").connect()


def test_a_port_where_nobody_answers(monkeypatch):
    monkeypatch.setattr(device, "_SECONDS", 0.2)
    monkeypatch.setattr(device, "_ANSWER_SECONDS", 0.5)
    outer, slave = pty.openpty()
    try:
        with pytest.raises(Failed, match="does not answer as MicroPython does"):
            Device(os.ttyname(slave)).connect()
    finally:
        os.close(outer)
        os.close(slave)


def test_a_robot_that_does_not_start(board, monkeypatch, capsys):
    broken = small("1", {ENTRY: b"import nothing_there\n"})
    assert _run(board, monkeypatch, broken, "--seconds", "10") == 1
    said = capsys.readouterr().err
    assert "does not start; go back with --back" in said and "nothing_there" in said


def test_its_address_and_the_lines_for_clients(board, monkeypatch, capsys):
    app = b"def main():\n    print('listening on http://192.168.7.9:8080')\n    while True: pass\n"
    assert _run(board, monkeypatch, small("1", {ENTRY: app}), "--seconds", "10") == 0
    said = capsys.readouterr().out
    assert "address: http://192.168.7.9:8080  (page: http://192.168.7.9:8080/#a-token-of-the-owner)" in said
    for _, _, make in client_lines.CLIENTS:
        assert make("http://192.168.7.9:8080/mcp", "a-token-of-the-owner") in said


def test_a_robot_without_a_token_gets_one(board, monkeypatch, capsys):
    board.off()
    board.write({"/config.json": b'{"robot.volume_cap":20}'})
    board.plug_anew()
    assert _run(board, monkeypatch, small("1")) == 0
    token = re.search(r"token:   (\S+)", capsys.readouterr().out).group(1)
    board.off()
    kept = board.files()["/config.json"]
    assert len(token) >= 16 and token.encode() in kept and b'"robot.volume_cap":20' in kept
