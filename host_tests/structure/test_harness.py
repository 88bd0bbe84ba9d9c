"""The runner itself: whatever goes wrong inside an interpreter must show as a failure."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from install import ROOT
from interpreters import SHARED, read_results

HOST_TESTS = ROOT / "host_tests"
_RESULT = re.compile(r"^(PASSED|FAILED|SKIPPED|ERROR) (?:\[\d+\] )?(\S+)", re.M)
_FILES = {
    "ok": """
from harness import Skip, eq, port

def test_plain():
    eq(1 + 1, 2)
    assert 1024 < port() < 65536

async def test_async():
    eq(await _two(), 2)

async def _two():
    return 2

def test_skip():
    raise Skip("no such part")
""",
    "assertion": "def test_bad():\n    assert 1 == 2\n\ndef test_after():\n    pass\n",
    "awaited": "async def test_bad():\n    assert 1 == 2\n",
    "imports": "import no_such_module\n\ndef test_bad():\n    pass\n",
    "exits": "def test_first():\n    pass\n\ndef test_bad():\n    raise SystemExit\n\ndef test_next():\n    pass\n",
    "hangs": "def test_first():\n    pass\n\ndef test_bad():\n    while True:\n        pass\n",
    "empty": "def helper():\n    pass\n",
    "selected": "def test_bad():\n    assert 0\n\ndef test_chosen():\n    pass\n",
}
_INI = "[pytest]\naddopts = --import-mode=importlib --continue-on-collection-errors\n"
_CRASH = """# interpreters: micropython
# heap: 96K
import gc

def test_the_heap_is_bounded():
    assert gc.mem_free() < 96 * 1024

def test_bad():
    import uctypes
    uctypes.bytes_at(8, 8)
"""


class Run:
    """One run of pytest on a scratch copy of the tree."""

    def __init__(self, folder, files, *arguments):
        tests = folder / "host_tests"
        (tests / "umcp").mkdir(parents=True)
        shutil.copy(HOST_TESTS / "conftest.py", tests)
        (folder / "pytest.ini").write_text(_INI)
        for name, text in files.items():
            (tests / "umcp" / ("test_%s.py" % name)).write_text(text)
        env = dict(os.environ, TSUMIKI_TEST_SECONDS="2")
        env["PYTHONPATH"] = os.pathsep.join([str(HOST_TESTS), str(ROOT / "host")])
        for name in [n for n in env if n.startswith(("PYTEST_", "COVERAGE_"))]:
            del env[name]
        command = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", "host_tests", *arguments]
        done = subprocess.run(
            command,
            cwd=folder,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=150,
        )
        self.status = done.returncode
        self.output = done.stdout
        self.last = done.stdout.splitlines()[-1]
        self.results = {nodeid: word for word, nodeid in _RESULT.findall(done.stdout)}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """All kinds of files at once."""
    return Run(tmp_path_factory.mktemp("kinds"), dict(_FILES, crashes=_CRASH))


def _outcomes(run, file, kind):
    head = "host_tests/umcp/test_%s.py::%s::" % (file, kind)
    return {nodeid[len(head) :]: word for nodeid, word in run.results.items() if nodeid.startswith(head)}


@pytest.mark.parametrize("kind", SHARED)
def test_what_is_right_passes(run, kind):
    assert _outcomes(run, "ok", kind) == {"test_plain": "PASSED", "test_async": "PASSED"}
    assert run.output.count("no such part") >= 1


@pytest.mark.parametrize("kind", SHARED)
@pytest.mark.parametrize(
    "file, wanted",
    [
        ("assertion", {"test_bad": "FAILED", "test_after": "PASSED"}),
        ("awaited", {"test_bad": "FAILED"}),
        ("imports", {"test_bad": "FAILED"}),
        ("exits", {"test_first": "PASSED", "test_bad": "FAILED", "test_next": "FAILED"}),
        ("hangs", {"test_first": "PASSED", "test_bad": "FAILED"}),
        ("empty", {"runs_no_test": "FAILED"}),
    ],
)
def test_what_goes_wrong_is_a_failure(run, file, wanted, kind):
    assert _outcomes(run, file, kind) == wanted


def test_a_crash_is_a_failure_and_a_heap_is_bounded(run):
    assert _outcomes(run, "crashes", "micropython") == {
        "test_the_heap_is_bounded": "PASSED",
        "test_bad": "FAILED",
    }
    assert _outcomes(run, "crashes", "cpython") == {}


def test_a_failure_shows_what_was_printed(run):
    for text in ("no_such_module", "killed after 2 s", "runs no test", "ended with status"):
        assert text in run.output


def test_the_last_line_counts_and_the_status_tells(run):
    words = list(run.results.values())
    assert run.status == 1
    assert run.last == "%d passed, %d failed, 3 skipped" % (words.count("PASSED"), words.count("FAILED"))


def test_only_what_is_selected_runs(tmp_path):
    run = Run(tmp_path, {"selected": _FILES["selected"]}, "-k", "chosen and micropython")
    assert (run.status, run.last) == (0, "1 passed, 0 failed")


def test_a_file_that_does_not_parse_is_a_failure(tmp_path):
    run = Run(
        tmp_path, {"broken": "def test_bad(:\n", "selected": _FILES["selected"]}, "-k", "chosen or broken"
    )
    assert run.status == 1
    assert run.last == "3 passed, 1 failed"


def test_no_test_at_all_is_a_failure(tmp_path):
    run = Run(tmp_path, {"selected": _FILES["selected"]}, "-k", "nothing_has_this_name")
    assert run.status != 0
    assert run.last == "0 passed, 0 failed"


def test_an_interpreter_that_nobody_knows_is_a_failure(tmp_path):
    run = Run(tmp_path, {"odd": "# interpreters: micropthon\n" + _FILES["selected"]})
    assert run.status != 0
    assert run.last == "0 passed, 1 failed"


def test_a_bad_end_after_the_last_result_is_a_failure():
    seen = read_results(["test_a", "test_b"], "status 139", "@test test_a pass\nx@test test_b pass\nBoom")
    assert seen["test_a"] == ("pass", "")
    assert seen["test_b"][0] == "fail"
    assert "Boom\nstatus 139" in seen["test_b"][1]


def test_each_failure_has_its_own_output():
    said = "one\n@test test_a fail\ntwo\n@test test_b fail\n@test test_c skip ask root"
    assert read_results(["test_a", "test_b", "test_c"], "", said) == {
        "test_a": ("fail", "one"),
        "test_b": ("fail", "two"),
        "test_c": ("skip", "ask root"),
    }
