"""The environment of the article: MODE, CASSETTE, UPSTREAM_BIN, UPSTREAM_ARGS, and its own test."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import pytest

from kit.playing import GREENHOUSE, original, request
from kit.running import TALKING, Lines, environment
from processes import ROOT
from tsumiki import cassette

FIXTURE = """\
import { spawn } from "node:child_process";
const child = spawn(process.env.PYTHON, ["-m", "tsumiki.article"], { stdio: "inherit" });
child.on("exit", code => process.exit(code ?? 1));
"""


def article(folder, **env):
    return Lines([sys.executable, "-m", "tsumiki.article"], cwd=folder, env=environment(**env))


def test_replay_is_the_default(tmp_path):
    shutil.copy(GREENHOUSE, tmp_path / "cassette.ndjson")
    with article(tmp_path) as one:
        assert one.ask("initialize")["result"]["serverInfo"]["name"] == "greenhouse"
        one.write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        one.write(b"{not-json}")
        assert one.call("any", {"x": 1})["result"]["content"][0]["text"] == "tomatoes: 41 %"
        assert one.call("any", {"x": 1})["result"]["isError"] is True
        error = one.call("any", {"x": 1})["error"]
        assert (error["code"], error["message"]) == (-32601, "No recording for tools/call")
        assert one.ask("initialize")["error"]["code"] == -32601
        one.write(request(None, "tools/list"))
        assert one.message()["id"] is None
        assert one.close() == 3


def record(folder, **env):
    program, *arguments = TALKING
    return article(folder, MODE="record", UPSTREAM_BIN=program, UPSTREAM_ARGS=json.dumps(arguments), **env)


def test_a_recording_replaces_the_cassette_when_it_ends(tmp_path):
    path = tmp_path / "other.ndjson"
    path.write_text("before")
    with record(tmp_path, CASSETTE="other.ndjson") as one:
        said = one.call("echo", {"n": 1, "password": "Hunter22"})["result"]
        assert path.read_text() == "before"
        assert one.close() == 0
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [sorted(row) for row in rows] == [["direction", "raw", "redacted"]] * 2
    assert "Hunter22" not in path.read_text()
    with article(tmp_path, CASSETTE="other.ndjson") as two:
        found = two.call("whatever", {})["result"]
        assert found["content"][0]["text"] == said["content"][0]["text"].replace("Hunter22", "[redacted]")


def test_a_recording_without_a_message_leaves_the_cassette(tmp_path):
    path = tmp_path / "cassette.ndjson"
    path.write_text("before")
    with record(tmp_path) as one:
        assert one.close() == 0
    assert path.read_text() == "before"


def test_a_recording_ends_as_its_server_does(tmp_path):
    with record(tmp_path) as one:
        one.write(request(1, "tools/call", {"name": "leave", "arguments": {}}))
        assert one.line() is None
        one._end()
        assert one._process.returncode == 7
    assert len(cassette.load(tmp_path / "cassette.ndjson").rows) == 1


@pytest.mark.parametrize(
    "env, reason",
    [
        ({"MODE": "record"}, "UPSTREAM_BIN is required in record mode"),
        ({"MODE": "record", "UPSTREAM_BIN": "x", "UPSTREAM_ARGS": "a b"}, "UPSTREAM_ARGS is a JSON array"),
        ({"MODE": "play"}, "MODE is replay or record, not play"),
        ({}, "cassette.ndjson: No such file"),
    ],
)
def test_what_it_cannot_do(tmp_path, env, reason):
    with article(tmp_path, **env) as one:
        one._end()
        assert one._process.returncode == 2
    assert reason in one.err
    assert list(tmp_path.iterdir()) == []


# Which of its four tests pass, as they count themselves, and what was printed.
def contract(node, folder):
    command = [node, "--test", "--test-reporter=tap", original("contract.test.mjs")]
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment(PYTHON=sys.executable),
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
        # One that fails leaves its server running, and then Node never ends.
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(8)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        out.seek(0)
        said = out.read().decode()
    return set(re.findall(r"^ *ok (\d) - ", said, re.M)), said


# Its client waits 300 ms for the first answer, from before its server is started, and Python alone takes 80 of them:
# on a busy machine each of its tests may need another try.
def test_the_articles_own_test(node, tmp_path):
    os.symlink(original("cassette.ndjson"), tmp_path / "cassette.ndjson")
    (tmp_path / "mcp-fixture.mjs").write_text(FIXTURE)
    assert len(FIXTURE.splitlines()) == 3
    passed = set()
    for _ in range(4):
        found, said = contract(node, tmp_path)
        passed |= found
        if len(passed) == 4:
            return
    raise AssertionError(said)


def test_it_is_a_command_too(tmp_path):
    shutil.copy(GREENHOUSE, tmp_path / "cassette.ndjson")
    with Lines([sys.executable, "-m", "tsumiki", "article"], cwd=tmp_path) as one:
        assert "result" in one.ask("tools/list")
    assert (ROOT / "host" / "tsumiki" / "article.py").exists()
