"""The official suite against our server: each scenario of a revision one test, and none at all without the token."""

import pytest

from conformance import run, suite


@pytest.fixture(scope="module")
def outcome_of(tmp_path_factory):
    """`outcome_of(revision, scenario)` is a `suite.Outcome`; each revision is run once, on a server of its own."""
    runs = {}

    def find(revision, scenario):
        if revision not in runs:
            runs[revision] = {}  # One that goes wrong altogether is not tried again.
            runs[revision].update(_run(revision, tmp_path_factory.mktemp("out")))
        return runs[revision].get(scenario) or suite.Outcome(scenario, [], "the run went wrong")

    return find


def _run(revision, folder):
    with run.fixture_server() as server:
        found = suite.run_server(revision, server.url + "/mcp", run.TOKEN, folder)
        assert server.running(), server.output()
    return {outcome.name: outcome for outcome in found}


def _scenarios():
    for revision in suite.REVISIONS:
        for name in suite.Requirements("server", revision).listed():
            yield pytest.param(revision, name, id="%s-%s" % (revision, name))


@pytest.mark.parametrize("revision, name", list(_scenarios()))
def test_scenario(outcome_of, revision, name):
    outcome = outcome_of(revision, name)
    assert outcome.passed, outcome.report()


@pytest.mark.parametrize("revision", suite.REVISIONS)
def test_without_the_token_no_scenario_passes(revision, tmp_path):
    with run.fixture_server() as server:
        found = suite.run_server(revision, server.url + "/mcp", None, tmp_path)
    assert [outcome.line() for outcome in found if outcome.passed] == []
    assert len(found) > 30
