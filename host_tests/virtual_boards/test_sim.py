"""`make sim ARGS='--board NAME'`: the command itself, as a person runs it."""

import signal
import subprocess
import sys
import urllib.request

import pytest

import interpreter
from free_ports import free_port
from install import ROOT
from processes import Listener, run_limited
from virtual_boards.robots import until

SIM = ROOT / "host" / "sim.py"


def test_it_serves_and_ends(tmp_path):
    port = free_port()
    command = [sys.executable, SIM, "--board", "m5stack_core2", "--with", "axp2101", "--without", "imu"]
    with Listener([*command, "--port", port, "--home", tmp_path], name="sim") as one:
        with urllib.request.urlopen("http://127.0.0.1:%d/health" % port, timeout=10) as answer:
            assert answer.status == 200
        assert "the robot has no imu: there is none" in one.output()
        one._process.send_signal(signal.SIGTERM)
        assert until(lambda: not one.running())


def test_what_is_typed_happens(tmp_path):
    port = free_port()
    command = [sys.executable, SIM, "--board", "m5stack_core", "--port", str(port), "--home", str(tmp_path)]
    typed = "button a 1\nimu 1 2\nnonsense\ntouch screen\n"
    done = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        done.stdin.write(typed)
        done.stdin.flush()
        lines = []
        while not any(line.startswith("touch screen: ") for line in lines):
            lines.append(done.stdout.readline())
            assert lines[-1], lines
        assert not any(line.startswith(("button a 1:", "nonsense:")) for line in lines)
    finally:
        done.send_signal(signal.SIGTERM)
        done.communicate(timeout=20)


@pytest.mark.parametrize(
    "arguments, text",
    [
        (["--board", "m5stack_paper"], "no board is called m5stack_paper: unix, m5stack_core, "),
        (["--board", "m5stack_core2", "--with", "wheels"], "no such option: wheels"),
        (["--board", "m5stack_core2", "--without", "body"], "no such chip: body"),
    ],
)
def test_what_there_is_not(arguments, text):
    status, output = run_limited([sys.executable, SIM, *arguments])
    assert "status 1" in status and output.startswith(text), output


def test_the_script_alone_has_no_chips():
    command = [interpreter.need(), ROOT / "examples" / "sim.py", "--board", "m5stack_core2"]
    status, output = run_limited(command, interpreter.environment())
    assert "status 2" in status and "--board takes the virtual chips" in output, output
