"""Both clients against the dummy server, each under MicroPython, in a process of its own."""

import json

import pytest

import interpreter
from install import ROOT
from processes import run_limited

KINDS = ("async", "blocking")


def _steps(kind, server, token="test-token"):
    script = ROOT / "host_tests" / "peers" / "try_server.py"
    command = [interpreter.need(), script, kind, server.url + "/mcp", token]
    _, output = run_limited(command, env=interpreter.environment(), cwd=ROOT)
    return json.loads(output)


@pytest.mark.parametrize("sessions", ["ram", "sealed", "off"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_loop_of_the_original(start_server, kind, sessions):
    server = start_server("examples/dummy_server.py", "--port", "{port}", "--sessions", sessions)
    opened, tools, *loop, failed, unknown, wrong, closed = _steps(kind, server)
    assert opened["protocolVersion"] == "2025-11-25"
    assert sorted(tool["name"] for tool in tools) == ["add", "echo", "fail", "get_status"]
    texts = [step["content"][0]["text"] if "content" in step else step["protocolVersion"] for step in loop]
    assert texts == ["Echo: h\u00e9 \U0001f600", "1 + 2 = 3", "Server is running normally", "2025-11-25"] * 2
    assert failed == ["ToolFailed", "Tool execution failed: this tool always fails"]
    assert unknown[0] == "RpcError" and unknown[1].startswith("Tool call failed: Unknown tool")
    assert wrong == ["ToolFailed", "invalid_arguments: /a: must be a number"]
    assert closed is None


def test_the_loop_of_the_original_in_the_modern_era(start_server):
    server = start_server("examples/dummy_server.py", "--port", "{port}")
    opened, tools, *loop, failed, unknown, wrong, closed = _steps("auto", server)
    assert opened["supportedVersions"] == ["2026-07-28"]
    assert sorted(tool["name"] for tool in tools) == ["add", "echo", "fail", "get_status"]
    texts = [step["content"][0]["text"] if "content" in step else step["supportedVersions"] for step in loop]
    assert (
        texts == ["Echo: h\u00e9 \U0001f600", "1 + 2 = 3", "Server is running normally", ["2026-07-28"]] * 2
    )
    assert failed == ["ToolFailed", "Tool execution failed: this tool always fails"]
    assert unknown[0] == "RpcError" and unknown[1].startswith("Tool call failed: Unknown tool")
    assert wrong == ["ToolFailed", "invalid_arguments: /a: must be a number"]
    assert closed is None


@pytest.mark.parametrize("kind", [*KINDS, "auto"])
def test_a_wrong_token(start_server, kind):
    server = start_server("examples/dummy_server.py", "--port", "{port}")
    assert _steps(kind, server, "wr0ng-token")[0] == ["AuthError", "HTTP error: 401 Unauthorized"]


def test_all_that_our_server_offers_is_the_same_in_both_eras(start_server):
    token = "0123456789abcdef"
    script = ROOT / "host_tests" / "peers" / "try_fixture.py"
    seen = []
    for era in ("legacy", "modern"):
        server = start_server(
            "host_tests/conformance/fixture_server.py", "--port", "{port}", "--token", token
        )
        command = [interpreter.need(), script, server.url + "/mcp", token, era]
        status, output = run_limited(command, env=interpreter.environment(), cwd=ROOT)
        assert status == "", output
        seen.append(json.loads(output))
    assert seen[0] == seen[1]
    tools, resources, *steps = seen[0]
    assert "test_simple_text" in tools and "test://static-text" in resources
    told = [told for _, told in steps]
    assert told[1] == [0, 50, 100] and len(told[2]) == 3 and told[-1] == ["notifications/tools/list_changed"]
    texts = [value for value, _ in steps]
    assert texts[3:6] == ["Hello, Jane!", "sampled", "Roots: file:///x"]
    assert texts[10] == "ToolFailed" and texts[12] == "NotFound"
