"""The runner itself: what it counts, that it says no, and that the suite gets nowhere without the token."""

import json
import subprocess
import sys

import pytest

from conformance import run, suite
from install import ROOT

_WIRE = {"id": "wire-schema-valid", "status": "SUCCESS", "description": "d"}


def check(status, **more):
    return dict({"id": "some-check", "status": status, "description": "what is checked"}, **more)


@pytest.mark.parametrize(
    "statuses, passed, line",
    [
        (["SUCCESS", "SUCCESS"], True, "a: 2/2"),
        (["SUCCESS", "INFO"], True, "a: 1/1"),
        (["SUCCESS", "FAILURE"], False, "a: 1/2"),
        (["SUCCESS", "WARNING"], False, "a: 1/2"),
        (["SUCCESS", "SKIPPED"], False, "a: 1/2"),
        (["INFO"], False, "a: 0/0"),
        ([], False, "a: 0/0"),
    ],
)
def test_a_scenario_passes_when_all_it_tried_succeeded(statuses, passed, line):
    outcome = suite.Outcome("a", [check(status) for status in statuses])
    assert (outcome.passed, outcome.line()) == (passed, line)


def test_a_client_may_leave_out_what_its_era_has_not():
    outcome = suite.Outcome("a", [check("SUCCESS"), check("SKIPPED")], side="client")
    assert (outcome.passed, outcome.line()) == (True, "a: 1/1")
    assert not suite.Outcome("a", [check("SUCCESS"), check("WARNING")], side="client").passed


def test_valid_messages_alone_are_no_success():
    assert not suite.Outcome("a", [_WIRE]).passed


def test_a_report_names_the_checks_that_failed_and_why():
    checks = [
        check("FAILURE", errorMessage="because"),
        check("WARNING"),
        check("SKIPPED", details={"note": "n"}),
    ]
    assert suite.Outcome("a", checks).report().splitlines() == [
        "a: 0/3  FAILED",
        "    FAILURE some-check: because",
        "    WARNING some-check: what is checked",
        "    SKIPPED some-check: n",
    ]


def test_a_scenario_that_leaves_no_checks_failed(tmp_path):
    results = tmp_path / "server-a-2026-01-01T00-00-00-000Z"
    results.mkdir()
    (results / "checks.json").write_text(json.dumps([check("SUCCESS")]))
    found = []
    folder = suite._Folder(tmp_path, "server", ["a", "b"], found.append)
    folder.look(running=True)
    assert found == []  # It may be half written.
    outcomes = folder.finish("out of memory")
    assert outcomes == found
    assert [(o.name, o.passed) for o in outcomes] == [("a", True), ("b", False)]
    assert "out of memory" in outcomes[1].report()


def test_the_totals_are_of_what_counts():
    outcomes = [
        suite.Outcome("ping", [check("SUCCESS"), check("SUCCESS")]),
        suite.Outcome("tools-list", [check("FAILURE")]),
        suite.Outcome("json-schema-2020-12", [check("SUCCESS")]),
    ]
    part = run.Run("server", "2025-11-25", outcomes)
    assert part.failed() == ["tools-list"]
    assert part.total() == (
        "server 2025-11-25: 1/2 scored scenarios, 1/1 that are not scored, 3 checks; failed: tools-list"
    )


@pytest.mark.parametrize(
    "side, revision, scored, listed",
    [
        ("server", "2025-11-25", 30, 33),
        ("server", "2026-07-28", 37, 40),
        ("client", "2025-11-25", 18, 5),
        ("client", "2026-07-28", 32, 8),
    ],
)
def test_a_revision_asks_for_what_the_suite_lists(side, revision, scored, listed):
    requirements = suite.Requirements(side, revision)
    assert len(requirements.scored) == scored
    assert len(requirements.listed()) == listed
    assert not set(requirements.listed()) & set(requirements.extension)


def conformance(*arguments):
    command = [sys.executable, ROOT / "host_tests/conformance/run.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_a_server_that_lacks_something_is_named_and_the_status_is_1(start_server, tmp_path):
    token = "dummy-token-0123456789"
    server = start_server("examples/dummy_server.py", "--port", "{port}", "--token", token)
    reach = ("--url", server.url + "/mcp", "--token", token)
    good = conformance("--scenario", "ping", *reach, "-o", tmp_path / "good")
    assert (good.returncode, good.stdout.splitlines()[-1]) == (
        0,
        "server 2025-11-25: 1/1 scored scenarios, 2 checks",
    ), good.stderr
    assert (tmp_path / "good/server-2025-11-25/suite.log").exists()
    bad = conformance("--scenario", "prompts-get-with-image", *reach)
    assert bad.returncode == 1, bad.stderr
    assert "  prompts-get-with-image: 1/2  FAILED\n    FAILURE prompts-get-with-image: " in bad.stdout
    assert bad.stdout.splitlines()[-2].endswith("; failed: prompts-get-with-image")


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["--scenario", "no-such-scenario"], "no revision asks for the scenario no-such-scenario"),
        (["--url", "http://127.0.0.1:1/mcp", "--only", "client"], "--url is for servers"),
        (["--token", "t"], "--token is for --url"),
    ],
)
def test_a_wrong_option_is_told(arguments, said):
    done = conformance(*arguments)
    assert done.returncode and said in done.stderr


_CLIENT = """
import json, sys, urllib.request

def post(**message):
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    body = json.dumps(dict(message, jsonrpc="2.0")).encode()
    urllib.request.urlopen(urllib.request.Request(sys.argv[-1], body, headers)).read()

info = {"name": "client", "version": "1"}
params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
if sys.argv[1] != "idle":
    post(id=1, method="initialize", params=params)
    post(method="notifications/initialized")
sys.exit(sys.argv[1] == "fails")
"""


@pytest.mark.parametrize("how, passed", [("works", True), ("fails", False), ("idle", False)])
def test_a_client_passes_if_it_did_its_work_and_ended_well(how, passed, tmp_path):
    script = tmp_path / "client.py"
    script.write_text(_CLIENT)
    outcome = suite.run_client("2025-11-25", "initialize", tmp_path / "out", [sys.executable, script, how])
    assert outcome.passed == passed, outcome.report()
