"""The pieces of `make bench` run, in rounds too short to say anything about speed."""

import json
from contextlib import ExitStack

import pytest

from bench import load, measure, run, servers, table
from bench.client import Cost
from bench.mix import Mix, requests
from free_ports import free_port


def figures(modern=True):
    """Times, heap and clients as `table` takes them; all servers alike.  modern: as if they all had that era."""

    def each(value, columns):
        taken = [(spec, c) for spec in servers.ALL for c in columns if modern or measure.takes(spec, c)]
        return {(spec.name, column): value for spec, column in taken}

    clients = {"tsumiki": Cost(9.0, 1.0, 1), "requests": Cost(9.0, 6.0, 1)}
    return each(10.0, measure.COLUMNS + measure.MODERN), each(4000, table.HEAP), clients


@pytest.fixture(scope="module")
def running():
    """spec -> a `servers.Server` of it, one for all tests."""
    with ExitStack() as stack:
        found = {}

        def start(spec):
            if spec not in found:
                found[spec] = stack.enter_context(servers.Server(spec))
            return found[spec]

        yield start


def test_all_of_it_runs(tmp_path, capsys):
    out = tmp_path / "numbers.json"
    run.main(["--rounds", "1", "--seconds", "0.02", "--json", str(out)])
    printed = capsys.readouterr().out
    for spec in servers.ALL:
        assert printed.count("\n%s " % spec.name) == 2 + (spec is servers.OURS), (
            spec
        )  # a client has that name too
    numbers = json.loads(out.read_text())
    assert len(numbers["ratios"]) == 10
    titles = {column.title for column in measure.COLUMNS + measure.MODERN}
    assert set(numbers["cpu_us"]["FastMCP"]) == titles
    assert set(numbers["clients"]) == {"tsumiki", "requests"}


def test_a_server_without_the_modern_era_has_no_figures_of_it():
    times, heap, clients = figures(modern=False)
    text = "\n".join(table.lines(times, heap, clients, []))
    older, newer = [line.split() for line in text.splitlines() if line.startswith(servers.MICRODOT.name)][:2]
    assert older == ["microdot"] + ["10.0"] * len(measure.COLUMNS) + ["4000"]
    assert newer == ["microdot"] + ["-"] * (len(measure.MODERN) + 1)
    assert table.numbers(times, heap, clients, [])["heap_bytes"]["microdot"] == {"echo c=4": 4000}


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


def test_an_answer_of_the_wrong_era_is_an_error():
    with servers.Server(servers.MICRODOT) as server:
        with pytest.raises(load.Failed, match="resultType"):
            load.Load(server.port, server.plan("modern echo")).run(requests=1)


@pytest.mark.parametrize("spec", (servers.OURS, servers.FASTMCP), ids=lambda s: s.name)
@pytest.mark.parametrize("operation", ("discover", "modern echo", "modern list"))
def test_modern_answers(spec, operation, running):
    server = running(spec)
    for split in (False, True):
        assert load.Load(server.port, server.plan(operation, split=split)).run(requests=3).requests == 3


@pytest.mark.parametrize("modern", (False, True), ids=("legacy", "modern"))
def test_the_mixes_are_answered_as_they_say(modern):
    with servers.Server(servers.EXAMPLE) as server:
        mix = Mix(server.port, server.session, modern=modern)
        mix.run(2 * len(requests(server.session, modern)))
        mix.close()


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
    found = table.ratios(*figures())
    marks = [one.line().split()[-1] for one in found]
    assert marks == ["%", "%", "%", "below", "below", "%", "below", "above", "bytes", "x"]
