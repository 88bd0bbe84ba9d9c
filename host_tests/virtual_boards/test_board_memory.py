"""What a board without PSRAM needs of a heap for 1,000 mixed requests while its face goes on.

The goal is 128 KB of 64-bit words from .mpy files, about 90 KB on an ESP32; it is not reached, and the board's page
says that it needs a frozen image. What stands in for its hardware is in the same heap, and is added to the limit.
"""

import os
import re

import pytest

import frozen
import interpreter
import mpy
import sim
from free_ports import free_port
from install import ROOT
from peers.load_clients import Client, LegacyClient
from processes import Listener

TOKEN = "a-token-of-a-small-board"
SOURCE = os.environ.get("MICROPYTHON_DIR")
BOARD = "m5stack_core"
# KB, of which the stand-ins and the script take 20 (64-bit words) and 13. On MicroPython 1.29 from .mpy files 370 were
# the least, frozen on 1.26 196 and 120.
MPY = 390
FROZEN = ((64, 212), (32, 130))
_USES = (
    ("set_emotion", {"emotion": "happy"}),
    ("set_emotion", {"emotion": "sad"}),
    ("show_balloon", {"text": "Hello " * 10}),
    ("set_face_color", {"key": "primary", "red": 1, "green": 2, "blue": 3}),
    ("play_motion", {"motion": "nod", "wait": False}),
    ("move_head", {"yaw": 20, "pitch": 5, "duration_ms": 200, "wait": False}),
    ("get_recent_events", {}),
    ("get_robot_status", {}),
    ("move_head", {"yaw": 500, "pitch": 0}),
    ("no_such_tool", {}),
)


def _use(port, count=1000):
    clients = Client(port, TOKEN, "modern", 1), LegacyClient(port, TOKEN, "legacy", 1).open()
    for i in range(count):
        client = clients[i & 1]
        if i % 25 == 24:
            assert client.ask("tools/list", {})["result"]["tools"]
            continue
        if i % 40 == 39:
            assert client.ask("resources/read", {"uri": "robot://status"})["result"]["contents"]
            continue
        name, arguments = _USES[i % len(_USES)]
        answer = client.ask("tools/call", {"name": name, "arguments": arguments})
        told = answer.get("result", answer.get("error"))
        wrong = told.get("isError") or "code" in told
        assert not wrong or "invalid_arguments" in str(told) or "Unknown tool" in str(told), (name, answer)
    for client in clients:
        client.close()


def run(program, heap, frozen_in=False, count=1000):
    """Serve that many requests in a heap of so many KB beside the stand-ins: what the board printed."""
    servers = sim.board(BOARD)
    env = sim.start(servers, sim.board_environment(BOARD))
    build = mpy.build()
    own = [mpy.compiled(path) for path in sorted(sim.STAND_IN.glob("*.py"))]
    own.append(mpy.compiled(ROOT / "host_tests" / "virtual_boards" / "small_board.py"))
    folders = list(dict.fromkeys(path.parent for path in own))
    firmware = [".frozen"] if frozen_in else [build / "firmware", ".frozen"]
    # Stand-ins come before what is built in, the frozen firmware included.
    paths = [*folders, *firmware, build / "boards" / BOARD]
    env["MICROPYPATH"] = ":".join(str(path) for path in paths)
    script = "import asyncio, small_board; asyncio.run(small_board.main())"
    command = [program, "-X", "heapsize=%dK" % heap, "-c", script, free_port(), "core"]
    server = Listener(command, env, 60, "small_board")
    try:
        _use(server.port, count)
        output = server.output()
        assert "MemoryError" not in output, output
        return output
    finally:
        server.close()
        for one in servers.values():
            one.shutdown()
            one.server_close()


def test_from_mpy_files():
    output = run(interpreter.need(), MPY)
    assert re.search(r"in use: \d+", output), output


@pytest.mark.skipif(
    not SOURCE, reason="set MICROPYTHON_DIR to a checkout of MicroPython to build a frozen robot"
)
@pytest.mark.parametrize("bits, heap", FROZEN, ids=("64-bit", "32-bit"))
@pytest.mark.timeout(600)
def test_frozen(bits, heap):
    run(frozen.build(SOURCE, bits), heap, True)
