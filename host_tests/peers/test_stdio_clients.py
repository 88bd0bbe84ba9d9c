"""Clients that people use start the dummy server themselves, and talk to it over stdin and stdout."""

import json
from functools import partial

import pytest

import interpreter
from peers import stdio_clients
from peers.test_sdk_clients import SEEN, TEXT
from processes import ROOT

# What the client is, and whether it comes to speak the newest version.
CLIENTS = {
    "python": (stdio_clients.python, True),
    "python-legacy": (partial(stdio_clients.python, mode="legacy"), False),
    "fastmcp": (stdio_clients.fast, True),
    "typescript": (stdio_clients.typescript, False),
    "typescript-v2": (partial(stdio_clients.typescript, kind="v2"), False),
    "typescript-v2-auto": (partial(stdio_clients.typescript, kind="v2-auto"), True),
}
ERAS = ("legacy", "modern", "auto")


class Recorded:
    """command: starts the dummy server as a user would, and keeps what it says."""

    def __init__(self, folder):
        self._out = folder / "stdout"
        self.log = folder / "stderr"
        server = (interpreter.need(), ROOT / "examples" / "dummy_server.py", "--stdio")
        script = 'out=$1 err=$2; shift 2; "$@" 2>"$err" | tee "$out"'
        self.command = ["sh", "-c", script, "sh", self._out, self.log, *server]

    def messages(self):
        """What came out, each line of which must be a JSON-RPC message."""
        out = self._out.read_bytes()
        assert out.endswith(b"\n")
        found = [json.loads(line) for line in out.splitlines()]
        assert found and all(m["jsonrpc"] == "2.0" and ("id" in m or "method" in m) for m in found)
        return found

    def modern(self):
        """True if it was spoken to in 2026-07-28."""
        return any("resultType" in m.get("result", ()) for m in self.messages())


@pytest.fixture
def recorded(tmp_path):
    return Recorded(tmp_path)


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_starts_the_server_and_uses_all_that_it_has(recorded, tmp_path, client):
    act, modern = CLIENTS[client]
    with (tmp_path / "client").open("w") as log:
        assert act(recorded.command, TEXT, log) == SEEN
    assert recorded.modern() is modern
    assert "this tool always fails" in recorded.log.read_text()  # the log of the server


INSPECTED = {
    "lists": (["tools/list"], 0, '"get_status"'),
    "calls": (["tools/call", "--tool-name", "echo", "--tool-arg", "text=" + TEXT], 0, "Echo: " + TEXT),
    "fails": (["tools/call", "--tool-name", "fail"], 5, '"isError": true'),
    "finds-no-tool": (["tools/call", "--tool-name", "no_such_tool"], 5, '"tool_not_found"'),
}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("case", INSPECTED)
def test_the_inspector_starts_the_server(recorded, tmp_path, era, case):
    arguments, code, wanted = INSPECTED[case]
    status, output = stdio_clients.inspector(
        recorded.command, tmp_path, "--protocol-era", era, "--method", *arguments
    )
    assert status == ("the process ended with status %d" % code if code else ""), output
    assert wanted in output
    assert recorded.modern() is (era != "legacy")
