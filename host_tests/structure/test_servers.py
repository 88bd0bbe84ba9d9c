"""A server under test is a process: it tells its port, runs from source or compiled, and is gone when it should be."""

import os

import pytest

from install import ROOT

_SCRIPT = """
import socket, sys
import umcp.errors

s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(socket.getaddrinfo("127.0.0.1", int(sys.argv[1]))[0][-1])
s.listen(1)
print("umcp is", umcp.errors.__file__)
print("listening on 127.0.0.1:%s" % sys.argv[1])
s.accept()
"""


@pytest.fixture
def script():
    """A script of this test's own in the repository's build folder, which is no part of it."""
    name = "build/test-servers/serve_%d.py" % os.getpid()
    (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
    (ROOT / name).write_text(_SCRIPT)
    yield name
    (ROOT / name).unlink()


def _alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("mpy, name", [(False, "errors.py"), (True, "errors.mpy")])
def test_a_server_runs_from_source_and_compiled(start_server, script, mpy, name):
    server = start_server(script, "{port}", heapsize="96K", mpy=mpy)
    assert server.url == "http://127.0.0.1:%d" % server.port
    assert name in server.output()
    assert server.running() and _alive(server.pid)
    server.close()
    assert not _alive(server.pid)


def test_a_script_that_does_not_serve_is_an_error(start_server):
    with pytest.raises(AssertionError, match=r"no_such_script.py does not listen; it said:\n.*can't open"):
        start_server("examples/no_such_script.py", "{port}")
