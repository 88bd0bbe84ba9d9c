"""Pytest items for test files that run inside MicroPython, CPython and WebAssembly.

Each such file has a group of items for each interpreter, `FILE::INTERPRETER::TEST`; a group is one process, started
when its first item runs, with the selected tests only. A test with no result line failed: whatever became of the
process (a crash, a hang, an exit) shows as the failure of the tests that it never reached.

A line of a test file's head may narrow it (`# interpreters: micropython cpython`) or bound MicroPython's heap
(`# heap: 96K`).
"""

import ast
import os
import re
import sys
from pathlib import Path

import pytest

import install
import interpreter
from free_ports import free_port
from processes import run_limited

HERE = Path(__file__).parent
RUN_FILE = HERE / "run_file.py"
SHARED = ("micropython", "cpython", "wasm")
DEVICE = ("micropython",)
# Folders of host_tests that are not here hold plain pytest files.
FOLDERS = {
    "umcp": SHARED,
    "http1": SHARED,
    "stub": SHARED,
    "robot": SHARED,
    "net": DEVICE,
    "app": DEVICE,
    "boards": DEVICE,
    "chat": DEVICE,
    "drivers": DEVICE,
}
_PORTS = 32
_HEAD_LINES = 20
_RESULT = re.compile(r"@test (\w+) (pass|skip|fail) ?(.*)")


def interpreters_of(path, root):
    """The interpreters that run a test file, or None for a plain pytest file."""
    inside = path.relative_to(root / "host_tests").parts if path.is_relative_to(root / "host_tests") else ()
    return FOLDERS.get(inside[0]) if len(inside) > 1 else None


def pytest_pycollect_makemodule(module_path, parent):
    names = interpreters_of(module_path, parent.config.rootpath)
    if names:
        return ScriptFile.from_parent(parent, path=module_path, interpreters=names)
    return None


class ScriptFile(pytest.File):
    """A test file; its children are the interpreters that it runs on."""

    def __init__(self, *, interpreters, **kwargs):
        super().__init__(**kwargs)
        self.interpreters = interpreters

    def collect(self):
        source = self.path.read_text("utf-8")
        head = "\n".join(source.splitlines()[:_HEAD_LINES])
        tests = [
            (node.name, node.lineno)
            for node in ast.parse(source, str(self.path)).body
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test_")
        ]
        for name in self._narrowed(head):
            yield Group.from_parent(self, name=name, tests=tests, heap=_marked(head, "heap"))

    def _narrowed(self, head):
        marked = _marked(head, "interpreters")
        if marked is None:
            return self.interpreters
        names = marked.split()
        unknown = set(names) - set(SHARED)
        if unknown or not names:
            raise self.CollectError("%s: no such interpreter: %s" % (self.path, " ".join(unknown)))
        return names


def _marked(head, word):
    found = re.search(r"^# %s: (.*)$" % word, head, re.M)
    return found.group(1).strip() if found else None


class Group(pytest.Collector):
    """The tests of one file on one interpreter: one process."""

    def __init__(self, *, tests, heap, **kwargs):
        super().__init__(**kwargs)
        self.tests = tests
        self.heap = heap
        self._results = None

    def collect(self):
        for name, line in self.tests:
            yield Test.from_parent(self, name=name, line=line)
        if not self.tests:
            yield NoTest.from_parent(self, name="runs_no_test")

    def result(self, item):
        """(outcome, text) of one test; the first call runs all that are selected."""
        if self._results is None:
            selected = [i.name for i in self.session.items if i.parent is self]
            self._results = self._run(selected)
        return self._results[item.name]

    def _run(self, names):
        ports = ",".join(str(free_port()) for _ in range(_PORTS))
        command, env = COMMANDS[self.name](self.heap)
        status, output = run_limited([*command, self.path, ports, *names], env=env, cwd=self.config.rootpath)
        return read_results(names, status, output)


def read_results(names, status, output):
    """{name: (outcome, text)} from what a process printed.  status: what became of it, "" if all is well."""
    results = {}
    said = []
    for line in output.splitlines():
        found = _RESULT.search(line)
        if not found:
            said.append(line)
            continue
        name, outcome, reason = found.groups()
        results[name] = (outcome, reason if outcome == "skip" else "\n".join(said))
        said = []
    rest = "\n".join([*said, status]).strip() or "the process ended early, and said nothing"
    if status and all(name in results for name in names):
        results[names[-1]] = ("fail", "after its tests:\n" + rest)
    for name in names:
        results.setdefault(name, ("fail", "no result:\n" + rest))
    return results


class Failed(Exception):
    """A test failed inside the interpreter; the text is what it printed."""


class Test(pytest.Item):
    """One test function on one interpreter."""

    def __init__(self, *, line, **kwargs):
        super().__init__(**kwargs)
        self.line = line

    def runtest(self):
        outcome, text = self.parent.result(self)
        if outcome == "skip":
            pytest.skip(text)
        if outcome == "fail":
            raise Failed(text)

    def repr_failure(self, excinfo, style=None):
        if excinfo.errisinstance((Failed, install.Failed)):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self):
        return self.path, self.line - 1, "%s [%s]" % (self.name, self.parent.name)


class NoTest(pytest.Item):
    """Stands for a file that defines no test: a failure."""

    def runtest(self):
        raise Failed("%s runs no test" % self.path.name)

    def repr_failure(self, excinfo, style=None):
        return str(excinfo.value)


def _micropython(heap):
    path = interpreter.find()
    if not path:
        raise install.Failed(interpreter.HELP)
    return [path, *(["-X", "heapsize=" + heap] if heap else []), RUN_FILE], None


def _cpython(heap):
    command = [sys.executable]
    if os.environ.get("COVERAGE_FILE"):
        command += ["-m", "coverage", "run", "-p"]
    return [*command, RUN_FILE], dict(os.environ, PYTHONUNBUFFERED="1", PYTHONDONTWRITEBYTECODE="1")


def _wasm(heap):
    node = install.node()
    if not node:
        raise install.Failed("Node is missing: make test installs it")
    return [node, HERE / "wasm" / "run_file.mjs"], None


# Interpreter to (command, environment or None for ours).
COMMANDS = {"micropython": _micropython, "cpython": _cpython, "wasm": _wasm}
