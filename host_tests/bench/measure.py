"""Server CPU time per request, interleaved: each round visits every server with every kind of load."""

import statistics
from typing import NamedTuple

from bench import cpu
from bench.load import Load


class Column(NamedTuple):
    """One kind of load; connections and fresh as in `load.Plan`."""

    title: str
    operation: str
    connections: int
    fresh: bool = False


ECHO_1 = Column("echo c=1", "echo", 1)
ECHO_4 = Column("echo c=4", "echo", 4)
LIST_4 = Column("list c=4", "list", 4)
PING_4 = Column("ping c=4", "ping", 4)
NEW_4 = Column("echo new c=4", "echo", 4, True)
COLUMNS = (ECHO_1, ECHO_4, LIST_4, PING_4, NEW_4)


def slice_us(server, column, seconds, split=False):
    """Microseconds of server CPU time per request, over one slice of time."""
    plan = server.plan(column.operation, connections=column.connections, fresh=column.fresh, split=split)
    load = Load(server.port, plan)
    before = cpu.used_ns(server.pid)
    done = load.run(seconds=seconds)
    return (cpu.used_ns(server.pid) - before) / 1000 / done.requests


def rounds(servers, count, seconds, split=False, progress=None):
    """{(server name, column): median of `count` slices}.  progress: called with the number of each round."""
    seen = {}
    for number in range(count + 1):
        for column in COLUMNS:
            for server in servers:
                # The first round warms up.
                us = slice_us(server, column, seconds if number else min(seconds, 0.05), split)
                if number:
                    seen.setdefault((server.spec.name, column), []).append(us)
        if progress and number:
            progress(number)
    return {key: statistics.median(values) for key, values in seen.items()}


def heap_bytes(server, operation="echo", requests=200, **options):
    """Bytes of heap per request.  server: one started with `heap=True`."""
    plan = server.plan(operation, **options)
    Load(server.port, plan).run(requests=10)
    # A connection more costs heap too: the difference of two runs leaves the requests.
    used = [_run_without_collecting(server, plan, count) for count in (requests, 2 * requests)]
    return (used[1] - used[0]) / requests


def _run_without_collecting(server, plan, requests):
    before = server.heap(b"d")[0]
    Load(server.port, plan).run(requests=requests)
    after = server.heap(b"n")[0]
    server.heap(b"e")
    return after - before
