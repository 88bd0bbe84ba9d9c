"""MCP servers for tests, as fixtures of pytest: they come with the package, and need no import.

    def test_a_client(mcp_stub):
        server = mcp_stub("weather.json")
        assert my_client(server.url).ask("Paris") == "21°C, clear"
        assert server.calls[0]["arguments"] == {"city": "Paris"}

Each call starts one more server on a free port of 127.0.0.1; all of them end with the test. See `in_thread.Running`.
"""

import sys
from pathlib import Path

import pytest

_SECRET = "a-token-for-a-test"


def _shared():
    # In a clone the modules shared with the robot lie in firmware/; the wheel has them beside this package.
    folder = Path(__file__).resolve().parents[2] / "firmware"
    if (folder / "umcp").is_dir() and str(folder) not in sys.path:
        sys.path.append(str(folder))


@pytest.fixture
def mcp_stub(_mcp_servers):
    """`mcp_stub(fixture, token=None, session="off", sse="accept", era="both", validate=False, faults=())`

    A server of a fixture: a file, or its document as a dict, whose `schema` may be left out.  token: str, or True for
    one that is made up.  faults: list of str, as of --fault.
    """
    return _mcp_servers.stub


@pytest.fixture
def mcp_replay(_mcp_servers):
    """`mcp_replay(cassette, scenario=None, match="auto", exhausted=None, era="both", token=None, faults=())`

    A server that plays a cassette.  A call without a recording fails the test when it is over.
    """
    return _mcp_servers.replay


@pytest.fixture
def mcp_fault(_mcp_servers):
    """`mcp_fault(source, *faults, **options)`: a server of a fixture or a cassette, with faults.

    faults: str, as of --fault: "tools/call#2=timeout". One that never hit anything fails the test when it is over.
    """
    return _mcp_servers.fault


@pytest.fixture
def _mcp_servers():
    _shared()
    servers = _Servers()
    yield servers
    servers.close()


class _Servers:
    def __init__(self):
        self._running = []
        self._wrong = []

    def stub(self, fixture, token=None, session="off", sse="accept", era="both", validate=False, faults=()):
        return self._start(_stub(fixture, session, era, validate), token, sse, faults)

    def replay(self, cassette, token=None, sse="accept", faults=(), **options):
        return self._start(self._replay(cassette, options), token, sse, faults)

    def fault(self, source, *faults, token=None, sse="accept", **options):
        if isinstance(source, (str, Path)) and _is_cassette(source):
            responder = self._replay(source, options)
        else:
            responder = _stub(source, **options)
        server = self._start(responder, token, sse, faults)
        self._wrong.append(lambda: [one.text + " never fired" for one in server.rules if not one.fired])
        return server

    def close(self):
        for server in self._running:
            server.close()
        wrong = [text for check in self._wrong for text in check()]
        if wrong:
            pytest.fail("; ".join(wrong), pytrace=False)

    def _replay(self, path, options):
        from .cassette import load
        from .replay import Replay

        responder = Replay(load(path, options.pop("scenario", None)), **options)
        self._wrong.append(
            lambda: ["%d requests were not in %s" % (responder.misses, path)] if responder.misses else []
        )
        return responder

    def _start(self, responder, token, sse, faults):
        from .fault_options import before
        from .fault_rules import short
        from .in_thread import Running

        rules = [short(text) for text in faults]
        responder = before(responder, rules, "http", lambda text: None)
        server = Running(responder, _SECRET if token is True else token, sse)
        server.rules = rules
        self._running.append(server)
        return server


def _stub(fixture, session="off", era="both", validate=False):
    from stub.fixture import FIXTURE, Fixture

    from .check import problems
    from .json_file import read
    from .loop import sleep_ms
    from .serve import ERAS
    from .stub_responder import StubResponder

    document = dict({"schema": FIXTURE}, **fixture) if isinstance(fixture, dict) else read(fixture)
    found = problems(document)
    if found:
        raise ValueError("%s %s: %s" % (found[0].code, found[0].path or "/", found[0].message))
    return StubResponder(Fixture(document, validate, sleep_ms), session, ERAS[era])


def _is_cassette(path):
    from .cassette import is_cassette

    return is_cassette(path)
