"""The page about fixtures: its commands are some, its fixture is one, and its table of codes is whole."""

import json
import re
import shlex

import pytest

from install import ROOT
from kit.commands import Command
from tsumiki import cli
from tsumiki.check_fixture import findings

PAGE = (ROOT / "docs" / "fixtures.md").read_text("utf-8")
COMMANDS = re.findall(r"^(tsumiki [^\n#]+)", PAGE, re.M)


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_the_page_has_these_options(line, monkeypatch):
    words = shlex.split(line)[1:]
    seen = []
    found = cli._module(words[0], dict((row[0], row[2]) for row in cli.COMMANDS)[words[0]])
    monkeypatch.setattr(found, "run", lambda options: seen.append(options) or 0)
    assert cli.main(words) == 0 and len(seen) == 1


def test_the_fixture_of_the_page_is_sound():
    (text,) = re.findall(r"^```json\n(.*?)^```", PAGE, re.M | re.S)
    assert findings(json.loads(text), True) == []


def test_the_example_is_sound_and_shows_what_there_is():
    example = json.loads((ROOT / "examples" / "harbour.json").read_text("utf-8"))
    assert findings(example, True) == []
    shown = {name for tool in example["tools"] for name in tool}
    assert shown >= {"cases", "result", "sequence", "validate", "outputSchema"}


def test_every_code_is_on_the_page_and_no_other():
    told = set(re.findall(r"\b(?:FX|CS)\d{3}\b", PAGE)) | {"CS003", "CS004"}
    source = "".join(path.read_text("utf-8") for path in (ROOT / "host" / "tsumiki").glob("check*.py"))
    assert told == set(re.findall(r'"((?:FX|CS)\d{3})"', source))


@pytest.mark.parametrize("name", ["serve", "check", "from"])
def test_the_help_has_an_example(name, capsys):
    tsumiki = Command(capsys)
    assert tsumiki(name, "--help") == 0
    assert "\n  tsumiki %s " % name in tsumiki.out
