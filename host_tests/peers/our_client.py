"""Our clients, under MicroPython, and the servers of others that they are tried on."""

import json

import install
import interpreter
from free_ports import free_port
from install import ROOT
from processes import Listener, run_limited

TOKEN = "peer-token-0123456789"
MODES = ("json", "sse", "stateless")
SCRIPTS = {"typescript-sdk": "server.mjs", "typescript-v2": "modern_server.mjs"}


class Peer:
    """A server: `typescript-sdk`, `python-sdk` or `fastmcp`, in its three modes, or `typescript-v2`, in its one."""

    def __init__(self, kind):
        self.kind = kind
        self.ports = [free_port() for _ in range(1 if kind in SCRIPTS else 3)]
        self.start()

    def start(self):
        if self.kind in SCRIPTS:
            command = [install.node(), install.JS / SCRIPTS[self.kind]]
        else:
            command = [install.PYTHON, ROOT / "host_tests/peers/servers/python_server.py", self.kind]
        self.listener = Listener([*command, *self.ports], seconds=40)

    def restart(self):
        self.listener.close()
        self.start()

    def url(self, mode):
        if self.kind in SCRIPTS:
            return "%s/%s" % (self.listener.url, mode)
        return "http://127.0.0.1:%d/mcp" % self.ports[MODES.index(mode)]

    def answered(self, mode):
        """All answers in this mode so far: a list of "METHOD STATUS"."""
        mark = "@%s " % mode
        return [line[len(mark) :] for line in self.listener.output().splitlines() if line.startswith(mark)]


def command(peer, mode, steps, kind="async", token=TOKEN):
    script = ROOT / "host_tests/peers/try_client.py"
    return [interpreter.need(), script, kind, peer.url(mode), token, *steps.split()]


def use(*args, **kwargs):
    """What each step gave, in a list."""
    status, output = run_limited(command(*args, **kwargs), env=interpreter.environment(), cwd=ROOT)
    assert status == "", output
    return [json.loads(line) for line in output.splitlines()]
