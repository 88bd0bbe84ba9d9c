"""The official suite against our client: each scenario that needs no OAuth is one test."""

import pytest

from conformance import suite


def _scenarios():
    for revision in suite.REVISIONS:
        for name in suite.Requirements("client", revision).listed():
            yield pytest.param(revision, name, id="%s-%s" % (revision, name))


@pytest.mark.parametrize("revision, name", list(_scenarios()))
def test_scenario(revision, name, tmp_path):
    outcome = suite.run_client(revision, name, tmp_path)
    assert outcome.passed, outcome.report()
