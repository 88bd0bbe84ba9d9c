"""Fixtures of the plain pytest files, and the hooks that make the others run on their interpreters."""

import pytest

import free_ports
import install
from coverage_gate import Gate, is_worker, whole_run
from interpreters import pytest_pycollect_makemodule  # noqa: F401, a hook
from processes import Server


def pytest_configure(config):
    if not is_worker(config) and whole_run(config):
        config.pluginmanager.register(Gate(config))


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    """The last line of a run: `N passed, N failed`, and `, N skipped` where some were."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if is_worker(config) or reporter is None or config.option.collectonly:
        return
    passed, failed, errors, skipped = (
        len(reporter.stats.get(k, ())) for k in ("passed", "failed", "error", "skipped")
    )
    line = "%d passed, %d failed" % (passed, failed + errors)
    print(line + (", %d skipped" % skipped if skipped else ""), flush=True)


@pytest.fixture
def free_port():
    """int: a TCP port of 127.0.0.1 that nothing listens on.  For more of them call `free_ports.free_port()`."""
    return free_ports.free_port()


@pytest.fixture
def start_server():
    """`start_server(script, *args, ...)` starts a `processes.Server`, which is dead when the test is over."""
    servers = []

    def start(*args, **kwargs):
        servers.append(Server(*args, **kwargs))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture(scope="session")
def node():
    """Path of Node 22 or newer; the packages of host_tests/js are beside scripts in that folder."""
    path = install.node()
    assert path, "Node is missing: make test installs it"
    return path
