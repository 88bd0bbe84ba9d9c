"""docs/interop.md: its tables are whole, and each test that they name is there."""

import ast
import re
from functools import lru_cache

import pytest

from install import ROOT

PAGE = ROOT / "docs" / "interop.md"
TESTS = ROOT / "host_tests"
_NAMED = re.compile(r"`([\w/]+\.py)::(test_\w+)(?:\[([\w-]+)\])?`")
_WITHOUT = "no test: "
_MOST_WORDS = 60


def _sections():
    """The page by its headings of the second level: {heading: list of rows}, each row a list of cells."""
    found = {}
    for part in PAGE.read_text("utf-8").split("\n## ")[1:]:
        heading, _, body = part.partition("\n")
        lines = [line for line in body.splitlines() if line.startswith("|")]
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        found[heading] = [row for row in rows if row[0] not in ("#", "rule") and set(row[0]) != set("-")]
    return found


SECTIONS = _sections()
FAILURES, *RULES = SECTIONS.values()
ROWS = [row for rows in SECTIONS.values() for row in rows]


@lru_cache
def _file(name):
    """(text, names of the functions at its top) of a test file."""
    text = (TESTS / name).read_text("utf-8")
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return text, {node.name for node in ast.parse(text).body if isinstance(node, kinds)}


def test_each_of_the_64_failures_has_its_row():
    assert [row[0] for row in FAILURES] == [str(i + 1) for i in range(64)]
    assert {len(row) for row in FAILURES} == {4}
    assert all(row[1] and row[2] for row in FAILURES)


def test_each_rule_has_a_row_of_two_cells():
    assert [len(rows) > 15 for rows in RULES] == [True, True]
    assert {len(row) for rows in RULES for row in rows} == {2}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:60])
def test_a_row_names_tests_that_exist_or_says_why_there_is_none(row):
    named = _NAMED.findall(row[-1])
    if not named:
        assert row[-1].startswith(_WITHOUT) and len(row[-1].split()) > 5, row
    elif _NAMED.sub("", row[-1]).strip():
        pytest.fail("neither a test nor a reason: %r" % row[-1])
    for path, function, case in named:
        assert (TESTS / path).is_file(), path
        text, functions = _file(path)
        assert function in functions, "%s::%s" % (path, function)
        # Cases of one test are words of its file.
        assert not case or case in re.findall(r"[\w-]+", text), case


def test_a_row_is_short():
    assert [row for row in FAILURES if len((row[1] + " " + row[2]).split()) > _MOST_WORDS] == []


def _readme():
    return (ROOT / "README.md").read_text("utf-8")


def test_the_recipe_of_the_bridge_has_no_space():
    recipe = next(block for block in _readme().split("```") if '"mcp-remote' in block)
    assert '"Authorization:${AUTH}"' in recipe and '"AUTH": "Bearer ' in recipe


def test_the_readme_tells_what_a_sign_in_means():
    assert re.search(r"sign in or to register has a wrong token", _readme())
