"""The last item of a whole run: the lines of the shared core that its tests reached under CPython."""

import os
import shutil
import subprocess
import sys

import pytest

PERCENT = 95
NODEID = "host_tests/coverage_gate.py::lines"


def whole_run(config):
    """Was nothing selected, so that all tests run?"""
    option = config.option
    narrowed = option.keyword or option.markexpr or option.deselect or getattr(option, "lf", False)
    return config.args_source is config.ArgsSource.TESTPATHS and not narrowed and not option.collectonly


def is_worker(config):
    return hasattr(config, "workerinput")


class Gate:
    """A plugin of the controlling process."""

    def __init__(self, config):
        self._config = config
        self._folder = config.rootpath / "build" / "coverage"
        self._report = ""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True)
        os.environ["COVERAGE_FILE"] = str(self._folder / "data")

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session, exitstatus):
        if exitstatus == pytest.ExitCode.INTERRUPTED or not list(self._folder.glob("data.*")):
            return
        self._run("combine", "-q")
        done = self._run("report", "--fail-under=%d" % PERCENT)
        self._report = done.stdout
        outcome = "failed" if done.returncode else "passed"
        why = (
            "fewer than %d %% of the lines are covered: the table below" % PERCENT
            if done.returncode
            else None
        )
        item = pytest.TestReport(NODEID, (NODEID, None, "lines"), {}, outcome, why, "call")
        session.config.hook.pytest_runtest_logreport(report=item)
        if done.returncode:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _run(self, *arguments):
        command = [sys.executable, "-m", "coverage", *arguments]
        return subprocess.run(
            command, cwd=self._config.rootpath, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def pytest_terminal_summary(self, terminalreporter):
        if self._report:
            terminalreporter.section("lines covered under CPython")
            terminalreporter.write_line(self._report.rstrip())
