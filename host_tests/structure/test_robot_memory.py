"""What the whole robot needs of a heap of 64-bit words, compiled as for a device; an ESP32 takes about 0.7 of it.

Its board only remembers: drivers come on top. A client listens beside its calls. How it runs out of a ROMFS image is in
host_tests/peers/test_robot_memory.py.
"""

import os
import re
import subprocess
import time
from typing import NamedTuple

import pytest

import interpreter
import mpy
from bench.load import connect
from free_ports import free_port
from install import ROOT
from peers.load_clients import Client, LegacyClient, Listener
from processes import Listener as Program

TOKEN = "a-token-of-a-small-robot"
# KB, for .mpy files, whose bytecode is in the heap too: 348 and 340 were the least on unix MicroPython 1.29; out of a
# ROMFS image 248, frozen 180 (test_frozen.py). The goals are 256 and 128: the modules alone keep 274.
WHOLE = 356
CORE = 350
# 63 KB were seen, 40 is the goal: 14 are four connections, 12 the list of tools, 6 the painter's band, 4 the tools of
# the part that was used last.
WORKING_SET = 68 * 1024
# The interpreter's own table of names, which frozen modules do not fill, is larger than the goal; nothing of ours is.
NAMES = 15 * 1024
LARGEST = 8 * 1024
_BLOCK = 32  # bytes of unix MicroPython's heap, in which it is mapped a letter each
_USES = (
    ("set_emotion", {"emotion": "happy"}),
    ("show_balloon", {"text": "Hello " * 10}),
    ("set_face_color", {"key": "primary", "red": 1, "green": 2, "blue": 3}),
    ("play_motion", {"motion": "nod", "wait": False}),
    ("move_head", {"yaw": 20, "pitch": 20, "duration_ms": 200}),
    ("look_at", {"x_mm": 300, "y_mm": 100, "z_mm": 100, "wait": False}),
    ("play_melody", {"tones": ["C4:60", "R:40"]}),
    ("say_message", {"message": "Hi!"}),
    ("set_led", {"led": "left", "mode": "rainbow"}),
    ("wait_for_event", {"timeout_ms": 300}),
    ("get_recent_events", {}),
    ("get_robot_status", {}),
    ("move_head", {"yaw": 500, "pitch": 0}),
)


def _modules():
    tests = ROOT / "host_tests"
    return [mpy.compiled(tests / part) for part in ("peers/small_robot.py", "robot/fake_board.py")]


def _command(heap, *script):
    """(command, environment) of a script that finds the firmware, compiled, and a robot of it."""
    folders = [mpy.build() / "firmware", *[path.parent for path in _modules()]]
    path = ":".join(str(folder) for folder in [*folders, ROOT / "host_tests" / "bench", ".frozen"])
    return [interpreter.need(), "-X", "heapsize=" + heap, *script], dict(os.environ, MICROPYPATH=path)


# Garbage is collected often, as in host_tests/from_rom.py.
def _of_mpy(heap, *options):
    run = "import asyncio, gc; gc.threshold(4096); import small_robot; asyncio.run(small_robot.main())"
    return Program(*_command("%dK" % heap, "-c", run, free_port(), *options), name="small_robot")


def _use(port, prompts=True):
    """All that clients of both eras can ask, while one listens."""
    listener = Listener(port, TOKEN, "listener", 1).listen()
    for client in (Client(port, TOKEN, "modern", 1), LegacyClient(port, TOKEN, "legacy", 1).open()):
        assert len(client.ask("tools/list", {})["result"]["tools"]) == 22
        for name, arguments in _USES:
            answer = client.ask("tools/call", {"name": name, "arguments": arguments})["result"]
            assert not answer.get("isError") or "invalid_arguments" in str(answer), (name, answer)
        for uri in ("robot://status", "robot://events"):
            assert client.ask("resources/read", {"uri": uri})["result"]["contents"]
        if prompts:
            assert client.ask("prompts/get", {"name": "act_as_robot"})["result"]["messages"]
        client.close()
    listener.stop_listening()


@pytest.mark.parametrize("heap, options", [(WHOLE, ()), (CORE, ("core",))], ids=("whole", "core"))
def test_a_robot_in_a_small_heap(heap, options):
    with _of_mpy(heap, *options) as server:
        _use(server.port, prompts=not options)
        assert "MemoryError" not in server.output(), server.output()


class Found(NamedTuple):
    """Bytes of heap after a collection.

    modules: of all that were loaded in the end.  idle: beside these, when all had been used.  most: beside these, the
    most that was seen between calls.  largest: of the largest pieces, in falling order.
    """

    modules: int
    idle: int
    most: int
    largest: list


class Watched:
    """A robot of .mpy files, and the control port of bench/heap_server.py."""

    def __init__(self):
        self._control = free_port()
        script = ROOT / "host_tests" / "bench" / "heap_server.py"
        self.server = Program(
            *_command("1M", script, self._control, "small_robot", free_port()), name="heap_server"
        )

    def ask(self, command):
        with connect(self._control) as s:
            s.sendall(command)
            return s.makefile("rb").readline().split()

    def heap(self):
        return int(self.ask(b"c")[0])

    def modules(self):
        return [name.decode() for name in self.ask(b"m") if name not in (b"__main__",)]

    def largest(self):
        """Bytes of the five largest pieces."""
        self.ask(b"b")
        lines = re.findall(r"^[0-9a-f]{5,}: (.*)$", self.server.output(), re.M)
        letters = "".join(line.replace(" ", "") for line in lines)
        pieces = sorted((len(piece) for piece in re.findall(r"[^.=]=*", letters)), reverse=True)
        return [_BLOCK * count for count in pieces[:5]]


# What the same modules take in a heap where nothing else is.
def _cost(names):
    code = "import gc, sys\ngc.collect()\nbefore = gc.mem_alloc()\n"
    code += "".join("import %s\n" % name for name in names)
    code += "gc.collect()\nprint(gc.mem_alloc() - before, before)\n"
    command, env = _command("1M", "-c", code)
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    assert not done.returncode, done.stderr
    return sum(int(word) for word in done.stdout.split())


def measure():
    watched = Watched()
    try:
        port = watched.server.port
        _use(port)
        most = watched.heap()
        _use(port)
        most = max(most, watched.heap())
        time.sleep(0.5)
        idle = watched.heap()
        modules = _cost(watched.modules())
        return Found(modules, idle - modules, max(most, idle) - modules, watched.largest())
    finally:
        watched.server.close()


def test_the_working_set_and_the_largest_piece():
    found = measure()
    print(found)
    assert 0 < found.idle <= found.most <= WORKING_SET, found
    assert 6400 <= found.largest[1] <= LARGEST and found.largest[0] <= NAMES, found
