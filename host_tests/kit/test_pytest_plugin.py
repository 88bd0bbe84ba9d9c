"""The fixtures for other people's tests: in a pytest of its own, which loads the plugin as an installed one is."""

import http.client
import json

import pytest

from kit.playing import GREENHOUSE
from kit.served import TIDE
from tsumiki.pytest_plugin import _Servers

ASK = """
import json, urllib.error, urllib.request

def ask(server, name, **arguments):
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    headers = dict(server.headers, **{"Content-Type": "application/json"})
    request = urllib.request.Request(server.url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=5) as reply:
        return json.load(reply)
"""
TESTS = """
import pytest
from asking import ask

TIDE = %(tide)r
GREENHOUSE = %(greenhouse)r
TOOL = {"name": "t", "inputSchema": {"type": "object"}}

def test_a_file(mcp_stub):
    server = mcp_stub(TIDE)
    assert ask(server, "get_tide", port="Ys")["error"]["code"] == 404
    assert [(c["tool"], c["outcome"]) for c in server.calls] == [("get_tide", "rpc_error:404")]

def test_a_document_behind_a_token(mcp_stub):
    server = mcp_stub({"tools": [TOOL]}, token=True, validate=True)
    assert ask(server, "t", a=1)["result"]["content"][0]["text"] == 'stub t {"a":1}'
    server.headers.clear()
    with pytest.raises(Exception, match="401"):
        ask(server, "t")

def test_two_at_once(mcp_stub):
    one, two = mcp_stub({"tools": [TOOL]}), mcp_stub({"tools": [TOOL]})
    ask(one, "t")
    assert one.url != two.url and len(one.calls) == 1 and two.calls == []

def test_a_cassette(mcp_replay):
    server = mcp_replay(GREENHOUSE)
    assert ask(server, "read_bed", bed="tomatoes")["result"]["content"][0]["text"] == "tomatoes: 41 %%"

def test_a_cassette_that_has_no_such_call(mcp_replay):
    server = mcp_replay(GREENHOUSE)
    assert ["error" in ask(server, "read_bed") for _ in range(3)] == [False, False, True]

def test_a_fault(mcp_fault):
    server = mcp_fault(TIDE, "tools/call#2=error:-32000,stuck")
    seen = ["error" in ask(server, "get_tide", port="Brest") for _ in range(3)]
    assert seen == [False, True, False]

def test_a_fault_of_a_cassette(mcp_fault):
    assert "error" in ask(mcp_fault(GREENHOUSE, "tools/call=error:-32000,stuck"), "read_bed", bed="tomatoes")

def test_a_fault_that_never_fires(mcp_fault):
    ask(mcp_fault(TIDE, "tools/call#9=timeout"), "get_tide", port="Brest")

def test_a_broken_document(mcp_stub):
    with pytest.raises(ValueError, match="FX006 /tools/0/inputSchema"):
        mcp_stub({"tools": [{"name": "t"}]})
"""


def test_what_the_fixtures_do(tmp_path):
    import subprocess
    import sys

    from kit.served import environment

    (tmp_path / "asking.py").write_text(ASK)
    (tmp_path / "test_mine.py").write_text(TESTS % {"tide": str(TIDE), "greenhouse": str(GREENHOUSE)})
    options = ["-p", "tsumiki.pytest_plugin", "-p", "no:cacheprovider", "-q", "-rA", "--rootdir", tmp_path]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, tmp_path / "test_mine.py"],
        capture_output=True, text=True, timeout=60, cwd=tmp_path, env=environment(),
    )  # fmt: skip
    said = done.stdout + done.stderr
    told = dict(
        line.split()[1::-1]
        for line in said.splitlines()
        if line.startswith(("PASSED", "ERROR", "FAILED")) and "::" in line
    )
    told = {name.split("::")[1]: outcome for name, outcome in told.items()}
    wrong = {"test_a_cassette_that_has_no_such_call", "test_a_fault_that_never_fires"}
    assert {name for name, outcome in told.items() if outcome != "PASSED"} == wrong, said
    assert len(told) == 9, said
    assert "1 requests were not in" in said and "tools/call#9=timeout never fired" in said


def test_a_server_is_gone_when_its_test_is_over():
    servers = _Servers()
    server = servers.stub(TIDE)
    host, port = server.url.split("/")[2].split(":")
    client = http.client.HTTPConnection(host, int(port), timeout=5)
    client.request("GET", "/health")
    assert json.loads(client.getresponse().read()) == {"status": "ok"}
    servers.close()
    server.close()
    with pytest.raises(ConnectionRefusedError):
        http.client.HTTPConnection(host, int(port), timeout=5).request("GET", "/health")
