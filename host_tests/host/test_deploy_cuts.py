"""A deploy that is cut off anywhere leaves a board that starts the old version or the new one, whole."""

import json
import subprocess
from pathlib import Path

import pytest

import interpreter
from host.device import StandIn
from host.small_firmware import MAIN, small
from processes import time_limit
from tsumiki import slots as slots_module
from tsumiki.device import Device
from tsumiki.errors import Failed
from tsumiki.slots import Slots

OLD, NEW = [["1", "1", "1"]], [["2", "2", "2"]]


@pytest.fixture
def board(tmp_path):
    """A stand-in with version 1 on it, which is off."""
    standin = StandIn(tmp_path, blocks=96)
    try:
        _deploy(standin, small("1"))
        standin.off()
        yield standin
    finally:
        standin.close()


def _deploy(standin, payload):
    with Device(standin.port) as device:
        return Slots(device).install(payload)


class Recorded(Device):
    """Keeps what the board runs; at the end of the `last` it is gone."""

    def __init__(self, port, last=None, gone=None):
        super().__init__(port)
        self.commands = []
        self._last = last
        self._gone = gone

    def run(self, code, *arguments, **options):
        if len(self.commands) == self._last:
            self._gone()
        self.commands.append(code)
        return super().run(code, *arguments, **options)


def _after_cuts(board, commands, folder):
    """[(whether it came to its end, what the app said after that)], the power cut after 0, 1, 2, ... writes."""
    path = Path(folder, "commands.json")
    path.write_text(json.dumps(commands))
    script = Path(__file__).with_name("power_cuts.py")
    done = subprocess.run(
        [interpreter.need(), "-X", "heapsize=8M", script, board.image, path],
        capture_output=True,
        text=True,
        timeout=time_limit() * 2,
    )
    assert done.returncode == 0, done.stdout[-500:] + done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return [(row["done"], row["said"]) for row in rows]


def _commands(board, work):
    """What `work(device)` has a board run; the board is as before then."""
    before = board.image.read_bytes()
    board.plug_anew()
    with Recorded(board.port) as device:
        work(device)
    board.off()
    board.image.write_bytes(before)
    return device.commands


def test_power_cut_at_every_write(board, tmp_path):
    commands = _commands(board, lambda device: Slots(device).install(small("2")))
    rows = _after_cuts(board, commands, tmp_path)
    said = [said for _, said in rows]
    assert len(rows) > 50 and rows[-1] == (True, NEW)
    assert all(one in (OLD, NEW) for one in said)
    # Once the new one is in force it stays so.
    assert said == [OLD] * said.count(OLD) + [NEW] * said.count(NEW) and OLD in said


def test_the_cuts_find_a_deploy_that_copies_in_place(board, tmp_path):
    def naive(device):
        for name, data in small("2").files.items():
            device.replace("/tsumiki/a/" + name, data)

    said = [said for _, said in _after_cuts(board, _commands(board, naive), tmp_path)]
    assert any(one not in (OLD, NEW) for one in said)


def test_first_deploy_cut_at_every_write_starts_nothing_or_all_of_it(tmp_path):
    board = StandIn(tmp_path, blocks=96)
    try:
        board.wait_for(b">>> ")
        board.off()
        commands = _commands(board, lambda device: Slots(device).install(small("1")))
        said = [said for _, said in _after_cuts(board, commands, tmp_path)]
    finally:
        board.close()
    assert all(one in (OLD, ["OSError(2,)"]) for one in said) and said[-1] == OLD  # 2: there is no main.py


def test_the_cable_is_pulled_at_every_command(board):
    before = board.image.read_bytes()
    starts = []
    last = 1
    while True:
        board.image.write_bytes(before)
        board.plug_anew()
        try:
            with Recorded(board.port, last, board.pull) as device:
                Slots(device).install(small("2"))
            break
        except Failed as e:
            assert "run the same command again" in str(e)
        board.off()
        board.said.clear()
        board.power()
        board.wait_for(b"runs ")
        board.wait_for(b">>> ")
        starts.append(bytes(board.said).split(b"runs ")[1].split(b"\n")[0].strip().decode())
        board.off()
        last += 1
    assert set(starts) == {"1 1 1", "2 2 2"} and starts == sorted(starts) and last > 20


def test_the_power_goes_and_the_next_deploy_ends_what_this_one_began(board):
    board.plug_anew(writes=30)
    with pytest.raises(Failed, match="run the same command again"):
        _deploy(board, small("2"))
    assert board.is_off()
    board.plug_anew()
    board.wait_for(b"runs 1 1 1")
    _deploy(board, small("2"))
    board.off()
    board.said.clear()
    board.power()
    board.wait_for(b"runs 2 2 2")


def test_main_py_says_which_slot_it_starts():
    assert slots_module.SLOT.encode() in MAIN
