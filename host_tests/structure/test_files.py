"""Sizes of files and functions, the twins of the scanners, and the bytecode of every module."""

import ast

import pytest

import mpy
import viper
from install import ROOT

_FOLDERS = ("firmware", "boards", "examples", "host", "host_tests")
_FILE_LINES = 400
_FUNCTION_LINES = 60
# Their functions may be longer: a scanner is one loop over bytes, and a call costs more than a state.
_SCANNERS = [path.relative_to(ROOT).as_posix() for pair in viper.scanners() for path in pair]


def _sources():
    for folder in _FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "node_modules" not in path.parts:
                yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8")


def test_no_file_is_longer_than_its_limit():
    sizes = {name: len(text.splitlines()) for name, text in _sources()}
    assert {name: size for name, size in sizes.items() if size > _FILE_LINES} == {}


def test_no_function_is_longer_than_its_limit():
    found = []
    for name, text in _sources():
        if name in _SCANNERS:
            continue
        for node in ast.walk(ast.parse(text, name)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                size = node.end_lineno - node.lineno + 1
                if size > _FUNCTION_LINES:
                    found.append("%s: %s has %d lines" % (name, node.name, size))
    assert found == []


@pytest.mark.parametrize("source, written", viper.scanners(), ids=lambda path: path.parent.name)
def test_a_native_twin_is_up_to_date(source, written):
    assert written.read_text("utf-8") == viper.twin(source.read_text("utf-8"), source.name), "run make viper"


@pytest.mark.parametrize("march", [mpy.HOST, mpy.ESP32])
def test_every_module_compiles(march):
    tree = mpy.build(march)
    assert sum(1 for _ in tree.rglob("*.mpy")) == len(mpy.modules()) > 0
