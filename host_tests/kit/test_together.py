"""The kit's parts with each other: what is served is what the comparisons find, in both eras and on both transports."""

import json
import sys

import pytest

from free_ports import free_port
from kit import mutable, taping
from kit.commands import Command, written
from processes import ROOT, Listener


@pytest.fixture
def tsumiki(capsys, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "host"))
    return Command(capsys)


def serve(*words):
    return [sys.executable, "-m", "tsumiki", "serve", *(str(word) for word in words)]


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return taping.record(mutable.command(), tmp_path_factory.mktemp("tapes") / "base.ndjson")


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_a_cassette_that_is_played_is_the_server(era, base, tsumiki):
    words = ("--deep", "--all-calls", "--era", era, "--json", "--", *serve(base))
    assert tsumiki("verify", base, *words) == 0
    assert tsumiki.json["changes"] == tsumiki.json["skipped"] == [] and len(tsumiki.json["exchanges"]) == 10
    assert tsumiki("diff", base, "--fail-on", "any", "--", *serve(base)) == 0


def test_a_fixture_of_a_server_has_its_surface_and_loses_it_when_it_is_broken(base, tsumiki, tmp_path):
    fixture = tmp_path / "fixture.json"
    assert tsumiki("from", base, "--out", fixture) == 0
    assert tsumiki("diff", base, "--fail-on", "any", "--", *serve(fixture)) == 0
    broken = json.loads(fixture.read_text())
    next(tool for tool in broken["tools"] if tool["name"] == "echo")["inputSchema"]["required"] = []
    assert tsumiki("diff", base, "--fail-on", "routing", "--", *serve(written(fixture, broken))) == 1
    assert "tools/echo/inputSchema/required: text is no longer required" in tsumiki.out


@pytest.mark.parametrize("http", [False, True], ids=["stdio", "http"])
def test_the_contract_of_a_fixture_holds_where_it_is_served(http, tsumiki, tmp_path):
    tide = ROOT / "host_tests" / "samples" / "tide.json"
    contract = tmp_path / "contract.json"
    assert tsumiki("contract", "--init", contract, "--from", tide) == 0
    if not http:
        assert tsumiki("contract", contract, "--", *serve(tide)) == 0
        return
    with Listener(serve(tide, "--http", "127.0.0.1:%d" % free_port()), name="serve") as server:
        assert tsumiki("contract", contract, "--url", server.url + "/mcp") == 0
