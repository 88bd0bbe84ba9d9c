"""What a deploy prints for clients is what the README shows."""

import json

import pytest

from install import ROOT
from tsumiki import client_lines

URL, TOKEN = "http://127.0.0.1:8081/mcp", "test-token"
README = (ROOT / "README.md").read_text("utf-8")


def _documents():
    """The JSON blocks of the README."""
    return [json.loads(block.split("```")[0]) for block in README.split("```json\n")[1:]]


@pytest.mark.parametrize("make", [client_lines.claude_code, client_lines.curl])
def test_a_shell_command(make):
    assert make(URL, TOKEN) in README.splitlines()


def test_a_client_that_starts_the_bridge():
    made = json.loads(client_lines.claude_desktop("http://192.168.0.5:8080/mcp", "the robot's token"))
    assert made in _documents()


@pytest.mark.parametrize("make", [client_lines.cursor, client_lines.vs_code])
def test_a_document(make):
    assert json.loads(make(URL, TOKEN)) in _documents()
