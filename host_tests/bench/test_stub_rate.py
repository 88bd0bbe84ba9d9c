"""The HTTP stub keeps up with a server of CPython's asyncio that has one answer for everything and looks at nothing."""

import sys

import pytest

from bench import load
from bench.servers import HERE
from free_ports import free_port
from kit.served import DUMMY, Served, environment
from processes import Listener

RATIO = 0.5
_TOKEN = "test-token"  # that of bench.wire
_ROUNDS = 12
_SECONDS = 0.25


def rate(port, operation, answered):
    """Requests a second, each answer looked at.  answered: bool, the answer depends on the request."""
    plan = load.Plan(operation, connections=4, expected=answered)
    done = load.Load(port, plan).run(seconds=_SECONDS)
    return done.requests / done.seconds


# Other programs slow both down, and seldom for as long as this takes: the best of each in turns, as many as it takes.
@pytest.mark.parametrize("operation", ["echo", "modern echo"])
def test_the_stub_is_at_least_half_as_fast(operation):
    constant = Listener([sys.executable, HERE / "floor.py", free_port()], environment())
    options = ("--token-env", "KIT_TOKEN", "--session", "off")
    with constant, Served(DUMMY, *options, KIT_TOKEN=_TOKEN) as stub:
        floor = ours = 0
        for number in range(_ROUNDS):
            floor = max(floor, rate(constant.port, operation, False))
            ours = max(ours, rate(stub.port, operation, True))
            if number > 1 and ours >= RATIO * floor:
                break
    print("%s: %.0f/s of %.0f/s, %.2f" % (operation, ours, floor, ours / floor))
    assert ours >= RATIO * floor
