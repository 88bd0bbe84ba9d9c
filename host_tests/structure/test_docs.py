"""What is written down: no path of anybody's machine, and only commands that exist."""

import re
import subprocess

import pytest

from install import ROOT

# Where people keep their clones; written so that this file does not hold what it looks for.
_MACHINE_PATHS = re.compile(rb"/(?:home/[a-z]+|root|Users/[a-z]+|work|tmp)/", re.I)
_TARGET = re.compile(r"^([a-z-]+):", re.M)
_COMMAND = re.compile(
    r"`(?:[A-Z_]+=\S+ )*make ([a-z][a-z-]*)|^ *(?:\$ )?(?:[A-Z_]+=\S+ )*make ([a-z][a-z-]*)", re.M
)


def _tracked():
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
    if done.returncode:
        pytest.skip("this is no git clone")
    return [ROOT / name for name in done.stdout.decode().split("\0") if name and (ROOT / name).is_file()]


def test_no_file_names_a_path_of_a_machine():
    found = [path for path in _tracked() if _MACHINE_PATHS.search(path.read_bytes())]
    assert [str(path.relative_to(ROOT)) for path in found] == []


def test_no_file_names_a_registry_host():
    lock = (ROOT / "host_tests" / "js" / "package-lock.json").read_text()
    assert "resolved" not in lock


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_every_make_command_that_a_page_names_exists(name):
    page = ROOT / name
    assert page.is_file(), "%s is missing" % name
    targets = set(_TARGET.findall((ROOT / "Makefile").read_text("utf-8")))
    named = {a or b for a, b in _COMMAND.findall(page.read_text("utf-8"))}
    assert named - targets == set()


def test_the_typed_tool_of_the_readme_is_the_example():
    block = (ROOT / "README.md").read_text("utf-8").split("```python\n", 1)[1].split("\n```", 1)[0]
    assert block in (ROOT / "examples" / "quote.py").read_text("utf-8")
