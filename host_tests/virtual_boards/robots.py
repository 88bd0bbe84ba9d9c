"""A robot of a real board's code on virtual chips, and an MCP client of it."""

import contextlib
import http.client
import json
import os
import time
from pathlib import Path

import interpreter
import sim
from free_ports import free_port
from install import ROOT
from processes import Listener
from tsumiki.chips.boards import BOARDS

TOKEN = "a-token-of-a-virtual-board"
_SECONDS = 30
ALL = tuple(BOARDS)
# An owner who has set up SCS0009 servos and knows their zero.
ENABLED = {
    "servo.enabled": True,
    "servo.kind": "scs0009",
    "servo.yaw_zero": 460,
    "servo.pitch_zero": 620,
}


class Robot:
    """The firmware beside the chips of a board, which are in this process.

    name, without, options: see `tsumiki.chips.boards.wired`.  code: the board folder whose code runs, if another.
    preferences: dict, or bytes of the file.  home: Path of a folder for them.
    device: bool, with all that a device does besides (Wi-Fi, its clock, ...), not as `make sim` runs it.
    """

    def __init__(self, home, name, preferences=(), without=(), options=(), code=None, device=False):
        self._servers = sim.board(name, without, options)
        self.server = self._servers["TSUMIKI_BOARD"]
        self.wiring = self.server.wiring
        raw = preferences
        if not isinstance(preferences, bytes):
            raw = json.dumps(dict({"mcp.token": TOKEN}, **dict(preferences))).encode()
        home.mkdir(parents=True, exist_ok=True)
        self._file = home / "config.json"
        self._file.write_bytes(raw)
        env = sim.start(self._servers, sim.board_environment(code or name))
        port = free_port()
        script = [ROOT / "examples" / "sim.py", "--board", code or name, "--home", home, "--port", port]
        if device:
            script = [Path(__file__).parent / "on_device.py", port, home]
        command = [interpreter.need(), *script]
        self._process = Listener(command, env, _SECONDS, "robot")
        self._session = None
        self._number = 0
        self._http = http.client.HTTPConnection(self._process.host, self._process.port, timeout=_SECONDS)
        self.told = self.ask(
            "initialize",
            {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            },
        )

    @property
    def token(self):
        return json.loads(self._file.read_text())["mcp.token"]

    def ask(self, method, params=None):
        """The result of a request."""
        self._number += 1
        body = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params or {}}
        head = {
            "Authorization": "Bearer " + self.token,
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        if self._session:
            head["Mcp-Session-Id"] = self._session
            head["MCP-Protocol-Version"] = "2025-06-18"
        self._http.request("POST", "/mcp", json.dumps(body), head)
        answer = self._http.getresponse()
        text = answer.read().decode()
        assert answer.status == 200, (answer.status, text, self.output())
        self._session = self._session or answer.getheader("Mcp-Session-Id")
        if text.startswith("event:") or text.startswith("data:"):
            text = text.split("data:", 1)[1].split("\n\n", 1)[0]
        found = json.loads(text)
        assert "result" in found, found
        return found["result"]

    def tools(self):
        """{name: tool} of all pages of tools/list."""
        found, cursor = {}, {}
        while True:
            page = self.ask("tools/list", cursor)
            found.update((tool["name"], tool) for tool in page["tools"])
            if "nextCursor" not in page:
                return found
            cursor = {"cursor": page["nextCursor"]}

    def use(self, name, **arguments):
        """What a tool answers, dict.  Raises AssertionError where it refuses."""
        result = self.ask("tools/call", {"name": name, "arguments": arguments})
        assert not result.get("isError"), result
        return result["structuredContent"]

    def chip(self, name):
        return self.wiring.chips[name]

    @contextlib.contextmanager
    def held(self):
        """Nothing happens on the board meanwhile."""
        with self.server.lock:
            yield self.wiring

    def feel(self, line):
        """Something happens to it: see `wired_board.Board.feel`."""
        with self.server.lock:
            self.wiring.feel(line)

    def frame(self):
        """The pixels that are seen: set of int, RGB565."""
        with self.server.lock:
            raw = self.wiring.panels[0][4].frame()
        return [raw[at] << 8 | raw[at + 1] for at in range(0, len(raw), 2)]

    def faults(self):
        with self.server.lock:
            return self.server.soc.all_faults()

    def boot(self):
        """What happened until the board was up: list of str."""
        with self.server.lock:
            trace = list(self.server.soc.trace)
        return trace[: trace.index("booted")]

    def output(self):
        return self._process.output()

    def close(self):
        self._http.close()
        self._process.close()
        for server in self._servers.values():
            server.shutdown()
            server.server_close()


def until(happens, seconds=10):
    """Wait until `happens()` is true, and return what it said."""
    end = time.monotonic() + seconds
    while True:
        found = happens()
        if found or time.monotonic() > end:
            return found
        time.sleep(0.02)


def home_of(tmp_path):
    """A folder of its own for each robot of a test."""
    return tmp_path / ("home-%d" % len(os.listdir(tmp_path)))
