"""The same fixture on MicroPython and on CPython: the same answers to the same requests, in both eras."""

import subprocess

import pytest

import interpreter
from install import ROOT
from kit.served import DUMMY, ERAS, TIDE, StdioClient, command

REQUESTS = (
    ("tools/list", {}),
    ("tools/call", {"name": "get_tide", "arguments": {"port": "Brest", "days": 2}}),
    ("tools/call", {"name": "get_tide", "arguments": {"port": "Ys"}}),
    ("tools/call", {"name": "get_tide", "arguments": {"port": "Dover"}}),
    (
        "tools/call",
        {"name": "list_ports", "arguments": {"coast": "west", "deep": [1, {"b": None, "a": 2.5}]}},
    ),
    ("tools/call", {"name": "echo", "arguments": {"text": "🤖👋🏽 こんにちは、世界"}}),
    ("tools/call", {"name": "echo", "arguments": {"text": "later"}}),
    ("tools/call", {"name": "none", "arguments": {}}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": "dummy://notes"}),
    ("resources/read", {"uri": "dummy://notes/today"}),
    ("resources/read", {"uri": "dummy://none"}),
    ("prompts/list", {}),
    ("prompts/get", {"name": "greet", "arguments": {"who": "Ada"}}),
    ("prompts/get", {"name": "greet", "arguments": {"who": "Bob"}}),
    ("ping", {}),
    ("no/such", {}),
)


def device(file):
    return [interpreter.need(), ROOT / "examples" / "stub_server.py", file]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("file", [TIDE, DUMMY], ids=["tide", "dummy"])
def test_the_same_answers(file, era):
    with StdioClient(device(file), era) as small, StdioClient(command("serve", file), era) as large:
        assert small.open() == large.open()
        for method, params in REQUESTS:
            assert small.ask(method, params) == large.ask(method, params), method
        assert small.end() == large.end() == (0, "")


def test_a_fixture_that_cannot_be_served_is_told(tmp_path):
    path = tmp_path / "broken.json"
    for text in ('{"schema":"mcpstub/v1","tools":[{}]}', "{nonsense"):
        path.write_text(text)
        done = subprocess.run(device(path), capture_output=True, timeout=20)
        assert done.returncode == 2 and done.stdout == b"" and b"broken.json: " in done.stderr
