"""The pieces of `make bench` run, in rounds too short to say anything about speed."""

import json

import pytest

from bench import load, measure, run, servers, table
from bench.client import Cost
from free_ports import free_port


def test_all_of_it_runs(tmp_path, capsys):
    out = tmp_path / "numbers.json"
    run.main(["--rounds", "1", "--seconds", "0.02", "--json", str(out)])
    printed = capsys.readouterr().out
    for spec in servers.ALL:
        assert "\n%s " % spec.name in "\n" + printed
    numbers = json.loads(out.read_text())
    assert len(numbers["ratios"]) == 7
    assert set(numbers["clients"]) == {"tsumiki", "requests"}


@pytest.mark.parametrize("spec", (servers.FLOOR, servers.OURS, servers.MICRODOT), ids=lambda s: s.name)
def test_split_requests_and_new_connections(spec):
    with servers.Server(spec) as server:
        for options in ({"split": True}, {"fresh": True}, {"connections": 4}):
            done = load.Load(server.port, server.plan("echo", **options)).run(requests=20)
            assert done.requests == 20
            assert done.connections >= options.get("connections", 1)


def test_a_wrong_answer_is_an_error():
    with servers.Server(servers.FLOOR) as server:
        plan = load.Plan("list")
        with pytest.raises(load.Failed, match="get_system_info"):
            load.Load(server.port, plan).run(requests=1)


def test_a_server_that_cannot_start_is_an_error():
    with pytest.raises(load.Failed, match="no_such"):
        servers.Server(servers.Spec("none", "no_such_module"))


def test_no_server_is_an_error():
    with pytest.raises(OSError):
        load.Load(free_port(), load.Plan("echo")).run(requests=1)


def test_a_server_whose_session_does_not_open_is_ended(monkeypatch):
    started = []
    real = servers.Listener

    def listener(*args):
        started.append(real(*args))
        return started[0]

    def open_session(port):
        raise load.Failed("no session")

    monkeypatch.setattr(servers, "Listener", listener)
    monkeypatch.setattr(load, "open_session", open_session)
    with pytest.raises(load.Failed):
        servers.Server(servers.OURS)
    assert not started[0].running()


def test_a_goal_that_is_missed_is_marked():
    times = {(spec.name, column): 10.0 for spec in servers.ALL for column in measure.COLUMNS}
    clients = {"tsumiki": Cost(9.0, 1.0, 1), "requests": Cost(9.0, 6.0, 1)}
    found = table.ratios(times, {servers.OURS.name: 4000}, clients)
    marks = [one.line().split()[-1] for one in found]
    assert marks == ["%", "%", "%", "below", "below", "above", "x"]
