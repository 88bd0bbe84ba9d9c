"""The simulated board with a panel, and with a world, at the other ends of its pipes."""

import os
import socket
import sys
import threading

import pytest

import interpreter
from chips.panels import PanelProcess, pixel
from install import ROOT
from processes import Listener, run_limited
from tsumiki.chips.scs_server import View as ServoView

PRELUDE = """
import sys, time
from boards.unix.board import Board

named = dict(a.split("=") for a in sys.argv[1:])
board = Board(named.get)

def until(ready):
    for _ in range(5000):
        if ready():
            return
        time.sleep_ms(2)
    raise Exception("it never came")
"""


@pytest.fixture
def run(tmp_path):
    """`run(code, NAME=address)` -> (what went wrong or "", lines of output) of MicroPython code after PRELUDE."""

    def run(code, **named):
        script = tmp_path / "board_test.py"
        script.write_text(PRELUDE + code)
        arguments = ["%s=%s" % pair for pair in named.items()]
        status, output = run_limited(
            [interpreter.need(), script, *arguments], interpreter.environment(), ROOT
        )
        return status, output.splitlines()

    return run


def test_a_board_with_nothing(run):
    code = """
print(board.display, board.servos, board.missing)
print(sorted(board.leds), board.inputs.poll(0), board.power.read()["battery_percent"])
"""
    assert run(code) == ("", ["None None {}", "['left', 'right'] () 100"])


def test_what_is_named_and_not_there(run, free_port):
    code = "print(board.display, board.servos, sorted(board.missing), board.missing['display'])"
    status, lines = run(code, TSUMIKI_PANEL="127.0.0.1:x", TSUMIKI_SERVOS="127.0.0.1:%d" % free_port)
    assert status == ""
    assert lines[0].startswith("None None ['display', 'servos'] 127.0.0.1:x: ")


def test_the_display(run):
    with PanelProcess() as panel:
        code = """
display = board.display
print(display.width, display.height)
display.blit(1, 2, 1, 1, b"\\x12\\x34")
display.brightness(40)
row = bytearray(640)
display.row(2, row)
print(row[:6].hex())
"""
        assert run(code, TSUMIKI_PANEL=panel.address) == ("", ["320 240", "000012340000"])
        with panel.view() as view:
            assert pixel(view.frame(), 1, 2) == 0x1234
            assert view.state()["backlight"] == 40 and view.state()["faults"] == []


def test_the_screen_as_a_picture(run):
    with PanelProcess() as panel:
        code = """
from robot.png import encode
display = board.display
display.blit(10, 10, 2, 2, b"\\xff\\xff" * 4)
data = encode(display.width, display.height, display.row)
print(data[:8].hex(), len(data) < 1024)
"""
        assert run(code, TSUMIKI_PANEL=panel.address) == ("", ["89504e470d0a1a0a True"])


def test_servos_that_never_answer(run):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        code = """
from robot.errors import ServoFault
for call in (board.servos.read, lambda: board.servos.torque(False)):
    try:
        call()
    except ServoFault as e:
        print(e.code)
"""
        address = "127.0.0.1:%d" % silent.getsockname()[1]
        assert run(code, TSUMIKI_SERVOS=address) == ("", ["servo_fault"] * 2)


def test_the_servos(run):
    env = dict(os.environ, PYTHONPATH=str(ROOT / "host"))
    with Listener([sys.executable, "-m", "tsumiki.chips.scs_server"], env, name="servos") as servos:
        code = """
servos = board.servos
print(list(servos.read()))
servos.torque(True)
servos.write(1000, 3000, 20)
until(lambda: list(servos.read()) == [1000, 3000])
servos.torque(False)
"""
        address = "%s:%d" % (servos.host, servos.port)
        assert run(code, TSUMIKI_SERVOS=address) == ("", ["[0, 2000]"])
        with ServoView(servos.port, servos.host) as view:
            assert {id: one["torque"] for id, one in view.state().items()} == {1: False, 2: False}


class World:
    """What the simulated parts are connected to: the test's own end of the pipe."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(20)
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.listener.close()


@pytest.fixture
def world():
    with World() as made:
        yield made


# The pipe is in the listener's queue before the robot runs: what the world says is there already.
def talk(world, start, said):
    """Start a robot by `start(script text)`, say bytes to it; returns what it said to the end."""
    with start() as process:
        pipe, _ = world.listener.accept()
        pipe.settimeout(20)
        with pipe:
            pipe.sendall(said)
            heard = b""
            while not heard.endswith(b"speaker off\n"):
                data = pipe.recv(4096)
                assert data, process.output()
                heard += data
    return heard.decode().splitlines()


@pytest.fixture
def robot(tmp_path, world, free_port):
    """`robot(code)` -> `start` for `talk`: a process that runs the code and then says `speaker off`."""

    def make(code):
        script = tmp_path / "world_test.py"
        ready = 'print("listening on 127.0.0.1:%d")\n' % free_port
        end = "\nboard.speaker.silence()\ntime.sleep(20)\n"
        script.write_text(PRELUDE + ready + code + end)
        command = [interpreter.need(), script, "TSUMIKI_WORLD=" + world.address]
        return lambda: Listener(command, interpreter.environment())

    return make


def test_a_button_that_the_world_presses(world, robot):
    code = """
events = []
def pressed():
    events.extend(board.inputs.poll(0))
    return len(events) == 2
until(pressed)
for event in events:
    board.outside.say("%s %s %d" % event)
"""
    said = b"button a 1\n" + b"x" * 1000 + b"\nbutton \xff 1\nbut" + b"ton b 0\n"
    assert talk(world, robot(code), said) == ["button a 1", "button b 0", "speaker off"]


def test_power_that_the_world_sets(world, robot):
    code = """
until(lambda: board.power.read()["battery_percent"] == 9)
until(lambda: board.imu.read() == (1, 2, 3))
board.leds["left"].show()
"""
    lines = talk(world, robot(code), b"power 9 0 0\nimu 1 2 3\n")
    assert lines == ["leds left" + " 000000" * 6, "speaker off"]


def test_a_silent_world_costs_no_memory(world, robot):
    code = """
import micropython

def look(inputs, imu):
    for _ in range(100):
        inputs.poll(0)
        imu.read()

micropython.heap_lock()
try:
    look(board.inputs, board.imu)
finally:
    micropython.heap_unlock()
"""
    assert talk(world, robot(code), b"") == ["speaker off"]


def test_a_world_that_ends(world, run):
    code = """
board.speaker.tone(1, 2)
until(lambda: board.inputs.poll(0) == () and board.outside._pipe is None)
board.speaker.silence()
print(board.outside.said)
"""

    def hang_up():
        pipe, _ = world.listener.accept()
        pipe.close()

    thread = threading.Thread(target=hang_up)
    thread.start()
    assert run(code, TSUMIKI_WORLD=world.address) == ("", ["['speaker 1 2', 'speaker off']"])
    thread.join(20)
