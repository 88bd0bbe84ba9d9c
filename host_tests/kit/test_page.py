"""The commands of docs/testkit.md: each is one, with options that it has; and what the page says holds."""

import json
import re
import shlex

import pytest

from install import ROOT
from kit.commands import Command, written
from tsumiki import cli, contract_file
from tsumiki.score import score

PAGE = (ROOT / "docs" / "testkit.md").read_text("utf-8")
# In blocks for a shell, and in steps of CI.
COMMANDS = sorted(set(re.findall(r"^(?:\s*- run: )?(tsumiki [^\n]+)$", PAGE, re.M)))


def blocks(language):
    return re.findall(r"^```%s\n(.*?)^```" % language, PAGE, re.M | re.S)


def test_there_are_commands_on_the_page():
    assert len(COMMANDS) > 10


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_the_page_has_these_options(line, monkeypatch):
    words = shlex.split(line.replace("$ROBOT_URL", "http://robot.local/mcp"))[1:]
    name = words[0]
    module = dict((row[0], row[2]) for row in cli.COMMANDS)[name]
    seen = []
    found = cli._module(name, module)
    monkeypatch.setattr(found, "run", lambda options: seen.append(options) or 0)
    assert cli.main(words) == 0 and len(seen) == 1


def test_the_contract_of_the_page_is_one(tmp_path):
    text = next(block for block in blocks("json") if contract_file.MARK in block)
    (tmp_path / "c.json").write_text(text)
    assert list(contract_file.load(tmp_path / "c.json")["tools"]) == ["echo"]


def test_the_triple_of_the_page_is_one(tmp_path):
    text = next(block for block in blocks("json") if '"expect"' in block)
    assert score(written(tmp_path / "t.ndjson", [json.loads(text)])).share == 1


def test_the_help_of_each_command_has_an_example(capsys):
    tsumiki = Command(capsys)
    for name in ("contract", "diff", "verify", "score", "budget"):
        assert tsumiki(name, "--help") == 0
        assert "\n  tsumiki %s " % name in tsumiki.out
