"""Our client against `requests`, one call after another, to one quick server."""

import statistics
import subprocess
from typing import NamedTuple

import interpreter
from bench import cpu, echo_server
from bench.load import Failed
from bench.servers import HERE, micropython_env


class Cost(NamedTuple):
    """us, cpu: microseconds per call by the clock, and of the client's CPU time: medians.  bytes: of heap per call."""

    us: float
    cpu: float
    bytes: int


def compare(rounds, seconds):
    """{client: `Cost`}.  seconds: of each slice."""
    port = echo_server.start()
    script = HERE / "client_calls.py"
    command = [interpreter.need(), script, str(port), str(rounds), str(max(1, int(seconds * 1000)))]
    cpus, _ = cpu.split()
    done = subprocess.run(
        [str(c) for c in command],
        env=micropython_env(),
        capture_output=True,
        text=True,
        timeout=60 + 4 * rounds * seconds,
        preexec_fn=lambda: cpu.pin_self(cpus),
    )
    if done.returncode:
        raise Failed("client_calls.py failed:\n" + done.stdout + done.stderr)
    return read(done.stdout)


def read(output):
    """{client: `Cost`} from what client_calls.py printed; the first slice of each warmed it up."""
    seen = {}
    for line in output.splitlines():
        name, unit, value = line.split()
        seen.setdefault(name, {}).setdefault(unit, []).append(float(value))
    return {name: _cost(one) for name, one in seen.items()}


def _cost(seen):
    us, cpu_us = (statistics.median(seen[unit][1:]) for unit in ("us", "cpu"))
    return Cost(us, cpu_us, int(seen["bytes"][0]))
