"""`tsumiki sim --with NAME='COMMAND'`: a stdio server that the simulated robot is told of, for as long as it runs."""

import json
import os
import shlex
import signal

import pytest

import companions
from free_ports import free_port
from install import Failed
from kit.running import TALKING, Posts, environment, tsumiki, wait_for
from processes import Listener
from tsumiki import cli

GIVEN = "talking=" + shlex.join(TALKING)
ADDED = {"servers.names": ["talking"], "servers.urls": ["http://127.0.0.1:1/mcp"], "servers.tokens": ["t"]}


class One:
    name, url, token = "talking", "http://127.0.0.1:1/mcp", "t"


def preferences(home):
    return json.loads((home / "config.json").read_text())


def test_the_robot_and_its_owner_are_told_while_it_runs(tmp_path):
    port = free_port()
    command = tsumiki("sim", "--port", port, "--home", tmp_path, "--with", GIVEN)
    with Listener(command, environment(), name="sim") as robot:
        assert robot.port == port
        told = preferences(tmp_path)
        url, token = told["servers.urls"][0], told["servers.tokens"][0]
        assert told["servers.names"] == ["talking"]
        assert "talking: %s, token %s" % (url, token) in robot.output()
        one = Posts(url, headers={"Authorization": "Bearer " + token})
        assert (
            one.ask("initialize", {"protocolVersion": "2025-11-25"})["result"]["serverInfo"]["name"]
            == "talking"
        )
        assert Posts(url).ask("ping") == {"error": "invalid_token"}
        os.kill(robot.pid, signal.SIGTERM)
        wait_for(lambda: not robot.running(), 20)
        with pytest.raises(OSError):
            one.ask("ping")
        assert not [name for name in preferences(tmp_path) if name.startswith("servers.")]


def test_what_the_robot_knew_stays(tmp_path):
    before = {
        "robot.name": "x",
        "servers.names": ["a", "b"],
        "servers.urls": ["http://a/"],
        "servers.tokens": [],
    }
    (tmp_path / "config.json").write_text(json.dumps(before))
    told = companions.Told(tmp_path, [One])
    during = preferences(tmp_path)
    assert during["servers.names"] == ["a", "b", "talking"]
    assert during["servers.urls"] == ["http://a/", "", One.url]
    assert during["servers.tokens"] == ["", "", "t"]
    (tmp_path / "config.json").write_text(json.dumps(dict(during, **{"robot.name": "y"})))
    told.close()
    assert preferences(tmp_path) == dict(before, **{"robot.name": "y"})


def test_a_robot_without_preferences(tmp_path):
    told = companions.Told(tmp_path / "new", [One])
    assert preferences(tmp_path / "new") == ADDED
    told.close()
    assert preferences(tmp_path / "new") == {}


def test_two_of_a_name_are_refused(tmp_path):
    with pytest.raises(Failed, match="of that name"):
        companions.Told(tmp_path, [One, One])
    assert not (tmp_path / "config.json").exists()


def test_preferences_that_cannot_be_read_are_left_alone(tmp_path):
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(Failed, match=r"config\.json"):
        companions.Told(tmp_path, [One])
    assert (tmp_path / "config.json").read_text() == "{"


@pytest.mark.parametrize("given, said", [("=x", "NAME="), ("a=", "NAME="), ("a=/no/such/program", None)])
def test_what_is_no_server(given, said):
    if said is None:  # it starts with its first client
        companions.Companion(given).close()
        return
    with pytest.raises(Failed, match=said):
        companions.Companion(given)


def test_a_proxy_that_cannot_listen(monkeypatch):
    monkeypatch.setattr(companions.sys, "executable", "/bin/false")
    with pytest.raises(Failed, match="does not listen"):
        companions.Companion("a=b")


def test_options_reach_the_script(monkeypatch):
    import sim

    seen = []
    monkeypatch.setattr(sim, "main", lambda words: seen.append(words) or 3)
    words = ["--port", "8081", "--board", "m5stack_core", "--with", "axp2101", "--without", "imu", "--stdio"]
    assert cli.main(["sim", *words]) == 3
    assert seen == [["--stdio", *words[:-1]]]


def test_a_failure_of_the_script_is_told(monkeypatch, capsys):
    import sim

    def fail(words):
        raise Failed("no board is called x")

    monkeypatch.setattr(sim, "main", fail)
    assert cli.main(["sim"]) == 1
    assert capsys.readouterr().err == "tsumiki sim: no board is called x\n"
