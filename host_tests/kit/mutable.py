"""Starting `mutable_server.py` from a test."""

import sys

from free_ports import free_port
from processes import ROOT, Listener

SCRIPT = str(ROOT / "host_tests" / "kit" / "mutable_server.py")


def command(*breaks, more=()):
    """list of str: the server on stdio, with these breaks."""
    return [sys.executable, SCRIPT, *(word for name in breaks for word in ("--break", name)), *more]


def listener(*breaks, more=()):
    """A `processes.Listener` of it on HTTP; `.url` is without the path."""
    return Listener([*command(*breaks, more=more), "--http", str(free_port())])
