"""What a dialogue takes of a robot's heap: two remote servers of fourteen tools each, beside the running robot."""

import json
import os
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

import interpreter
import mpy
from bench import servers
from free_ports import free_port
from install import ROOT
from processes import Listener, RomServer

TOOLS = 22 + 2 * 14
_CALLS = (
    ("a_echo", {"text": "x" * 200}),
    ("b_echo", {"text": "y"}),
    ("set_emotion", {"emotion": "happy"}),
    ("move_head", {"yaw": 20, "pitch": 20, "duration_ms": 100}),
)
_SAID = "Well, here I am, and that is that."


class _Answering(BaseHTTPRequestHandler):
    """Calls the tools of `_CALLS` first, in a stream, then says `_SAID`, a word an event."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.sizes.append(int(self.headers["Content-Length"]))
        self.server.offered = len(body["tools"])
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        if body["messages"][-1]["role"] == "tool":
            for word in _SAID.split(" "):
                self._event({"content": word + " "})
        else:
            for i, (name, arguments) in enumerate(_CALLS):
                function = {"name": name, "arguments": json.dumps(arguments)}
                self._event({"tool_calls": [{"index": i, "id": "c%d" % i, "function": function}]})
        self._event({}, "stop")
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, delta, end=None):
        choice = {"index": 0, "delta": delta, "finish_reason": end}
        more = {"id": "chatcmpl-1234567890", "object": "chat.completion.chunk", "model": "m", "created": 1}
        self.wfile.write(b"data: " + json.dumps(dict(more, choices=[choice])).encode() + b"\n\n")
        self.wfile.flush()

    def log_message(self, *args):
        pass


class Around:
    """A model and two servers while the body runs.  arguments: those of small_chat.py behind the port."""

    def __enter__(self):
        self.model = ThreadingHTTPServer(("127.0.0.1", 0), _Answering)
        self.model.sizes = []
        threading.Thread(target=self.model.serve_forever, daemon=True).start()
        self._servers = [servers.Server(servers.OURS) for _ in range(2)]
        url = "http://127.0.0.1:%d/v1" % self.model.server_address[1]
        self.arguments = [url, *("http://127.0.0.1:%d/mcp" % one.port for one in self._servers)]
        return self

    def __exit__(self, *error):
        self.model.shutdown()
        self.model.server_close()
        for one in self._servers:
            one.__exit__(None, None, None)


def _modules():
    tests = ROOT / "host_tests"
    return [mpy.compiled(tests / part) for part in ("peers/small_chat.py", "robot/fake_board.py")]


def of_rom(heap, arguments):
    """The robot, its modules in flash, in a heap of so many KB."""
    main, board = _modules()
    return RomServer(main, "{port}", *arguments, heapsize=heap, more=[board])


def of_mpy(heap, arguments):
    """The robot, its modules copied into the heap from .mpy files."""
    folders = [mpy.build() / "firmware", *[path.parent for path in _modules()]]
    env = dict(os.environ, MICROPYPATH=":".join(str(folder) for folder in [*folders, ".frozen"]))
    run = "import asyncio, gc; gc.threshold(4096); import small_chat; asyncio.run(small_chat.main())"
    command = [interpreter.need(), "-X", "heapsize=%dK" % heap, "-c", run, free_port(), *arguments]
    return Listener(command, env, name="small_chat")


def turns(robot, seconds=60):
    """The lines of what it said, once it is done: lists of ok, text, calls, refusals.  Raises AssertionError."""
    end = time.monotonic() + seconds
    while "done:" not in robot.output():
        assert robot.running() and time.monotonic() < end, robot.output()
        time.sleep(0.05)
    said = robot.output()
    assert "MemoryError" not in said, said
    assert "done: %d" % TOOLS in said, said
    return re.findall(r"^turn: (\w+) (.*?) ?(\d+) (\d+)$", said, re.M)


class Found(NamedTuple):
    """Bytes of heap after collections, beside a robot without a dialogue, its modules in flash.

    connected: with the modules of the dialogue, and all tools known.  talked: after turns that used tools.
    """

    connected: int
    talked: int


def measure():
    with Around() as around, of_rom(1000, [*around.arguments, "measure"]) as robot:
        turns(robot)
        heap = dict(re.findall(r"^heap: (\w+) (\d+)$", robot.output(), re.M))
    without = int(heap["without"])
    return Found(int(heap["connected"]) - without, int(heap["talked"]) - without)
