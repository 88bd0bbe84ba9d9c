"""Every fault over HTTP has its outcome for the robot's client, in bounded time, and the next call works.

The client is that of `firmware/net`, on MicroPython; what answers behind the faults is a stub, a cassette, a command
that is started, or a server on the network.
"""

import contextlib
import json
import sys

import pytest

import interpreter
from kit import fault_cases
from kit.fault_cases import LISTS, ROBOT, by_case, name_of, tool
from kit.served import Served, command, environment
from processes import ROOT, Listener, run_limited
from tsumiki.fault_kinds import FAULTS

WANTED = by_case(ROBOT)
QUICK = ROOT / "host_tests" / "kit" / "quick_server.py"
LIMIT_MS = 400
# `requests` takes a connection that says nothing for an answer that makes no sense.
BLOCKING = dict.fromkeys(
    ("disconnect", "disconnect:1", "close-before-headers", "close-before-headers:reset"),
    ("Malformed", "Disconnected"),
)
# There is no session to lose.
MODERN = dict.fromkeys(("session-lost", "status:404"), ("HttpError",))
# A session is a process that has to start.
LIMITS_MS = {"command": 1500}
# What is behind the faults, client, what is otherwise.
RUNS = {
    "stub": ("stub", "legacy", {}),
    "stub-modern": ("stub", "modern", MODERN),
    "stub-blocking": ("stub", "blocking", BLOCKING),
    "replay": ("replay", "legacy", {}),
    "command": ("command", "legacy", {}),
    "url": ("url", "legacy", {}),
    "url-modern": ("url", "modern", MODERN),
}


@contextlib.contextmanager
def served(kind, folder):
    """A server of all cases."""
    faults = fault_cases.arguments(WANTED)
    fixture = fault_cases.fixture(folder / "fixture.json", WANTED, "optional")
    if kind == "stub":
        with Served(fixture, *faults) as found:
            yield found
    elif kind == "replay":
        tape = fault_cases.cassette(folder / "tape.ndjson", WANTED)
        with Served(tape, "--exhausted", "repeat", *faults) as found:
            yield found
    elif kind == "command":
        with proxy(*faults, "--no-token", "--", sys.executable, QUICK) as found:
            yield found
    else:
        with Served(fixture) as behind, proxy(*faults, "--url", behind.url + "/mcp") as found:
            yield found


def proxy(*words):
    line = command("proxy", "--listen", "127.0.0.1:0", *words)
    return Listener(line, environment(), name="tsumiki proxy")


@pytest.fixture(scope="module")
def met(tmp_path_factory):
    """met(run) -> {case: what the client made of it}, once a run."""
    found = {}

    def of(run):
        if run not in found:
            kind, client, _ = RUNS[run]
            folder = tmp_path_factory.mktemp(run)
            script = ROOT / "host_tests" / "kit" / "try_faults.py"
            limit_ms = LIMITS_MS.get(run, LIMIT_MS)
            with served(kind, folder) as server:
                line = [interpreter.need(), script, folder / "met", client, server.url + "/mcp", limit_ms]
                line += map(tool, WANTED)
                status, said = run_limited(line, env=interpreter.environment(), cwd=ROOT)
                said += server.output()
            lines = map(json.loads, (folder / "met").read_text("utf-8").splitlines())
            found[run] = {line["tool"]: line for line in lines}, status, said
        return found[run]

    return of


def test_the_table_has_every_fault():
    assert {name_of(case) for case in WANTED} | set(LISTS) == set(FAULTS)


@pytest.mark.parametrize("run", RUNS)
def test_nothing_else_went_wrong(met, run):
    _, status, said = met(run)
    assert status == "" and "Traceback" not in said and "failed" not in said, said


@pytest.mark.parametrize("case", WANTED)
@pytest.mark.parametrize("run", RUNS)
def test_a_fault_has_its_outcome_and_the_next_call_works(met, run, case):
    lines, _, said = met(run)
    assert tool(case) in lines, said
    line = lines[tool(case)]
    outcomes = RUNS[run][2].get(case, (WANTED[case],))
    assert line["met"] in outcomes, line
    assert line["after"] == "ok" and line["after_text"]["content"][0]["text"] == "21 of " + tool(case), line
    assert line["took_ms"] < LIMITS_MS.get(run, LIMIT_MS) + (
        900 if WANTED[case] == "RequestTimeout" else 300
    ), line


def text_of(line):
    return line["text"]["content"][0]["text"]


@pytest.mark.parametrize("run", RUNS)
def test_a_good_answer_is_whole_and_a_corrupt_one_is_another(met, run):
    lines = met(run)[0]
    for case in ROBOT["ok"].split():
        if case == "empty":
            assert "content" not in lines[tool(case)]["text"]
        elif case == "corrupt-valid":
            assert text_of(lines[tool(case)]) == "12 of corrupt-valid"
        else:
            assert text_of(lines[tool(case)]) == "21 of " + tool(case)


@pytest.mark.parametrize("run", RUNS)
def test_errors_say_what_was_injected(met, run):
    lines = met(run)[0]
    said = {
        "error:-32000,stuck": "stuck",
        "tool-error:servo_off": "servo_off",
        "status:503,7": "503",
        "redirect": "redirect not followed",
    }
    for case, words in said.items():
        assert words in lines[tool(case)]["text"], lines[tool(case)]
