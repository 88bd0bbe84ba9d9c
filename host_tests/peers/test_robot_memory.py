"""The whole robot in a heap of a known size, its modules in a ROMFS image, used by the official SDK's client."""

import asyncio
import re

import anyio

import mpy
from install import ROOT
from peers import clients
from processes import RomServer

# KB of 64-bit words. 248 was the least on unix MicroPython 1.29, and the list of tools takes 12 of it in pieces.
HEAP = 256
_USES = (
    ("set_emotion", {"emotion": "happy"}),
    ("show_balloon", {"text": "Hello " * 10}),
    ("play_motion", {"motion": "nod"}),
    ("move_head", {"yaw": 20, "pitch": 20}),
    ("look_at", {"x_mm": 300, "y_mm": 100, "z_mm": 100}),
    ("play_melody", {"tones": ["C4:60", "R:40"]}),
    ("say_message", {"message": "Hello there!"}),
    ("set_led", {"led": "left", "mode": "rainbow"}),
    ("wait_for_event", {"timeout_ms": 1500}),
    ("get_recent_events", {}),
    ("get_robot_status", {}),
)


def test_the_whole_robot_in_a_small_heap():
    here = ROOT / "host_tests"
    main = mpy.compiled(here / "peers" / "small_robot.py")
    token = re.search(r'TOKEN = "(.*)"', (here / "peers" / "small_robot.py").read_text()).group(1)
    board = mpy.compiled(here / "robot" / "fake_board.py")
    with RomServer(main, "{port}", heapsize=HEAP, more=[board]) as server:
        for mode in ("auto", "legacy"):
            asyncio.run(_use_all(server.url + "/mcp", token, mode))
        assert "MemoryError" not in server.output(), server.output()


async def _use_all(url, token, mode):
    with anyio.fail_after(40):
        async with clients._python(url, token, mode, []) as client:
            assert len((await client.list_tools()).tools) == 22
            for name, arguments in _USES:
                result = await client.call_tool(name, arguments)
                assert not result.is_error, (name, result.content)
            for uri in ("robot://status", "robot://events"):
                assert (await client.read_resource(uri)).contents[0].text
            assert (await client.get_prompt("act_as_robot")).messages
