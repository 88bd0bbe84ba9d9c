"""Our clients, under MicroPython, against the servers that others write with: both Python kits, and TypeScript's."""

import json
import subprocess

import pytest

import interpreter
from install import ROOT
from peers.our_client import MODES, command, use

TEXT = "\U0001f916 こんにちは、世界"
PEERS = ("python-sdk", "fastmcp", "typescript-sdk")
STATEFUL = ("json", "sse")
TOOLS = {
    "python-sdk": ["echo", "add", "slow", "fail", "chatty", "ask", "elicit", "sample", "roots", "change"],
    "fastmcp": ["echo", "add", "slow", "fail", "chatty", "ask", "elicit"],
    "typescript-sdk": ["echo", "add", "fail", "slow", "chatty", "ask", "elicit", "sample", "roots", "change"],
}
# An unknown tool is a failed call to the Python kits, and an error of the protocol to the specification.
FAILED = {
    "python-sdk": (["ToolFailed", "Error executing tool fail"], ["ToolFailed", "Unknown tool: no_such_tool"]),
    "fastmcp": (
        ["ToolFailed", "Error calling tool 'fail': this tool always fails"],
        ["ToolFailed", "Unknown tool: 'no_such_tool'"],
    ),
    "typescript-sdk": (
        ["ToolFailed", "this tool always fails"],
        ["RpcError", "Tool call failed: MCP error -32602: no such tool"],
    ),
}
LOST = ["SessionLost", "the session was lost and renewed; the call was not sent again"]


@pytest.mark.parametrize("client", ["async", "blocking"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("peer", PEERS)
def test_a_client_uses_all_that_a_server_has(peers, peer, mode, client):
    steps = "initialize list echo add long chatty fail no_such_tool echo close"
    opened, tools, *results = use(peers(peer), mode, steps, client)
    assert (opened["protocolVersion"], opened["serverInfo"]["name"]) == ("2025-11-25", peer)
    assert tools == TOOLS[peer]
    echo = "Echo: " + TEXT
    assert results == [echo, "1 + 2.5 = 3.5", "Echo: " + TEXT * 300, "chatted", *FAILED[peer], echo, None]


@pytest.mark.parametrize("client", ["async", "blocking"])
@pytest.mark.parametrize("peer", PEERS)
def test_closing_ends_a_session_if_there_is_one(peers, peer, client):
    for mode, last in (("json", "DELETE 200"), ("sse", "DELETE 200"), ("stateless", "POST 200")):
        assert use(peers(peer), mode, "initialize add close", client)[-1] is None
        assert peers(peer).answered(mode)[-1] == last


@pytest.mark.parametrize("peer", PEERS)
def test_a_ping_on_the_stream_of_a_call_is_answered_before_the_call_is(peers, peer):
    assert use(peers(peer), "sse", "initialize ask echo close")[1:] == ["pong", "Echo: " + TEXT, None]


@pytest.mark.parametrize("mode", STATEFUL)
@pytest.mark.parametrize("peer", PEERS)
def test_a_session_that_the_server_forgot_is_renewed_once(peers, peer, mode):
    before = len(peers(peer).answered(mode))
    assert use(peers(peer), mode, "initialize forget add add forget list close")[1:] == [
        200, LOST, "1 + 2.5 = 3.5", 200, TOOLS[peer], None,
    ]  # fmt: skip
    opened = ["POST 200", "POST 202"]
    assert peers(peer).answered(mode)[before:] == [
        *opened, "DELETE 200", "POST 404", *opened, "POST 200",
        "DELETE 200", "POST 404", *opened, "POST 200", "DELETE 200",
    ]  # fmt: skip


@pytest.mark.parametrize("peer", PEERS)
def test_a_call_works_again_when_the_server_was_started_anew(peers, peer):
    with subprocess.Popen(
        command(peers(peer), "sse", "initialize add restart add add close"),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=interpreter.environment(), cwd=ROOT, text=True,
    ) as process:  # fmt: skip
        try:
            while process.stdout.readline() not in ("restart\n", ""):
                pass
            peers(peer).restart()
            said, _ = process.communicate("\n", timeout=20)
        finally:
            process.kill()
    assert [json.loads(line) for line in said.splitlines()] == [None, LOST, "1 + 2.5 = 3.5", None]


@pytest.mark.parametrize("client", ["async", "blocking"])
@pytest.mark.parametrize("peer", PEERS)
def test_a_wrong_token_is_told_from_other_refusals(peers, peer, client):
    refused = ["AuthError", "HTTP error: 401 Unauthorized"]
    assert use(peers(peer), "json", "initialize", client, token="wrong-token") == [refused]
