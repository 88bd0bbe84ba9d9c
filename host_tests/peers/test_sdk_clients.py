"""Clients that people use, against the dummy server under MicroPython."""

import json
import subprocess
from functools import partial

import pytest

from peers import clients

TOKEN = "test-token"
TEXT = "\U0001f916\U0001f44b\U0001f3fd こんにちは、世界"
SEEN = {
    "tools": ["echo", "add", "get_status", "fail"],
    "echo": [False, "Echo: " + TEXT],
    "add": [False, "1 + 2.5 = 3.5"],
    "fail": [True, "Tool execution failed: this tool always fails"],
    "unknown": -32602,
}
CLIENTS = {
    "python": clients.python,
    "python-legacy": partial(clients.python, mode="legacy"),
    "fastmcp": clients.fast,
    "typescript": clients.typescript,
    "typescript-v2": partial(clients.typescript, kind="v2"),
    "typescript-v2-auto": partial(clients.typescript, kind="v2-auto"),
}
REFUSED = "MCPError(-32603, 'Server returned an error response', None)"
CROWD = (67, 67, 66)


@pytest.fixture
def serve(start_server):
    """`serve(sessions)`: the dummy server, and its endpoint."""

    def start(sessions="ram"):
        server = start_server("examples/dummy_server.py", "--port", "{port}", "--sessions", sessions)
        return server, server.url + "/mcp"

    return start


@pytest.mark.parametrize("sessions", ["ram", "sealed", "off"])
@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_uses_all_that_the_server_has(serve, client, sessions):
    server, url = serve(sessions)
    seen = CLIENTS[client](url, TOKEN, TEXT)
    if client.startswith("typescript"):
        assert seen.pop("modern") is (client == "typescript-v2-auto")
    assert seen == SEEN
    assert "connection failed" not in server.output() and server.running()


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_with_a_wrong_token_says_that_it_was_refused(serve, client):
    server, url = serve()
    refused = 401 if client.startswith("typescript") else REFUSED
    assert CLIENTS[client](url, "wrong-token", TEXT) == {"refused": refused}
    assert "refused: invalid-authorization" in server.output()


def test_a_client_that_may_choose_speaks_the_newest_era(serve):
    exchanges = []
    assert clients.python(serve()[1], TOKEN, TEXT, exchanges=exchanges) == SEEN
    assert exchanges[:2] == [("POST", "server/discover", 200), ("POST", "tools/list", 200)]
    assert {method for _, method, _ in exchanges[2:]} == {"tools/call"}


@pytest.mark.parametrize("sessions, first, last", [
    ("ram", ("GET", None, 405), ("DELETE", None, 200)),
    ("off", ("POST", "tools/list", 200), ("POST", "tools/call", 200)),
])  # fmt: skip
def test_a_client_of_an_older_era_opens_and_ends_its_session(serve, sessions, first, last):
    exchanges = []
    assert clients.python(serve(sessions)[1], TOKEN, TEXT, mode="legacy", exchanges=exchanges) == SEEN
    assert exchanges[:2] == [("POST", "initialize", 200), ("POST", "notifications/initialized", 202)]
    assert first in exchanges[2:4]
    assert exchanges[-1] == last


def test_a_refused_client_does_not_go_on_for_ever(serve):
    exchanges = []
    clients.python(serve()[1], "wrong-token", TEXT, exchanges=exchanges)
    assert exchanges == [("POST", "server/discover", 401), ("POST", "initialize", 401)]


INSPECTED = {
    "lists": (["tools/list"], 0, "tools"),
    "calls": (["tools/call", "--tool-name", "echo", "--tool-arg", "text=" + TEXT], 0, "Echo: " + TEXT),
    "adds": (["tools/call", "--tool-name", "add", "--tool-arg", "a=1", "b=2"], 0, "1 + 2 = 3"),
    "fails": (["tools/call", "--tool-name", "fail"], 5, '"isError": true'),
    "finds-no-tool": (["tools/call", "--tool-name", "no_such_tool"], 5, '"tool_not_found"'),
}


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("case", INSPECTED)
def test_the_inspector(serve, tmp_path, case, era):
    arguments, code, wanted = INSPECTED[case]
    options = ("--protocol-era", era, "--method", *arguments)
    status, output = clients.inspector(serve()[1], TOKEN, tmp_path, *options)
    assert status == ("the process ended with status %d" % code if code else ""), output
    assert wanted in output
    if case == "lists":
        assert [tool["name"] for tool in json.loads(output)["tools"]] == SEEN["tools"]


def test_the_inspector_with_a_wrong_token_asks_for_another(serve, tmp_path):
    status, output = clients.inspector(serve()[1], "wrong-token", tmp_path, "--method", "tools/list")
    assert status == "the process ended with status 3" and '"auth_required"' in output


# Each holds two or three connections and the server serves four, so they wait for each other; no call may be lost.
def test_three_clients_at_once_are_all_answered(serve, node):
    server, url = serve()
    script = clients.JS / "crowd.mjs"
    crowd = [
        subprocess.Popen([node, script, url, TOKEN, str(calls), "1"], stdout=subprocess.PIPE, text=True)
        for calls in CROWD
    ]
    try:
        said = [process.communicate(timeout=60)[0] for process in crowd]
    finally:
        for process in crowd:
            process.kill()
    assert [json.loads(line) for line in said] == [{"good": calls, "failures": []} for calls in CROWD]
    assert "connection failed" not in server.output() and server.running()
