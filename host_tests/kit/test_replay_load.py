"""A cassette of 10,000 rows: what it takes of memory, and of time beside the stub."""

import http.client
import json
import os

import pytest

from kit.playing import c2s, call, request, result, s2c, text, written
from kit.running import Lines, listening, tsumiki

_CALLS = 4998
_MB = 1024


def arguments(i):
    return {"n": i, "text": "some words, %d of them" % i}


@pytest.fixture(scope="module")
def tape(tmp_path_factory):
    rows = [c2s(request(0, "initialize", {})), s2c(result(0, serverInfo={"name": "x", "version": "1"}))]
    rows += [c2s(request(1, "tools/list", {})), s2c(result(1, tools=[{"name": "t"}]))]
    for i in range(2, 2 + _CALLS):
        rows += [c2s(call(i, "t", arguments(i))), s2c(text(i, "answer %d, " % i + "x" * 200))]
    assert len(rows) == 10000
    return written(tmp_path_factory.mktemp("load"), *rows)


def _cpu_s(pid):
    with open("/proc/%d/stat" % pid) as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _peak_kb(pid):
    with open("/proc/%d/status" % pid) as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmHWM"))


# (CPU seconds that the calls took, peak memory in KB)
def _cost(path):
    with listening("serve", path) as side:
        before = _cpu_s(side.pid)
        connection = http.client.HTTPConnection(side.host, side.port, timeout=20)
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        for i in range(2, 2 + _CALLS):
            connection.request("POST", "/mcp", json.dumps(call(i, "t", arguments(i))), headers)
            answer = json.loads(connection.getresponse().read())
            assert answer["id"] == i and "result" in answer
        connection.close()
        return _cpu_s(side.pid) - before, _peak_kb(side.pid)


def test_memory_and_time_beside_the_stub(tape, tmp_path):
    said = {"content": [{"type": "text", "text": "x" * 210}]}
    fixture = tmp_path / "fixture.json"
    tools = [{"name": "t", "inputSchema": {"type": "object"}, "result": said}]
    fixture.write_text(
        json.dumps({"schema": "mcpstub/v1", "server": {"name": "x", "version": "1"}, "tools": tools})
    )
    stub, _ = _cost(fixture)
    replay, peak = _cost(tape)
    assert peak < 100 * _MB
    assert replay < 2 * stub, "%.0f us a call, the stub takes %.0f" % (
        replay / _CALLS * 1e6,
        stub / _CALLS * 1e6,
    )


def test_the_last_row_on_stdio(tape):
    with Lines(tsumiki("serve", tape)) as one:
        last = 1 + _CALLS
        assert one.call("t", arguments(last))["result"]["content"][0]["text"].startswith("answer %d," % last)
        assert _peak_kb(one.pid) < 100 * _MB
        assert one.close() == 0
