"""Server CPU time per request, interleaved: each round visits every server with every kind of load."""

import statistics
from typing import NamedTuple

from bench import cpu
from bench.load import Load


class Column(NamedTuple):
    """One kind of load; connections, fresh and split as in `load.Plan`."""

    title: str
    operation: str
    connections: int
    fresh: bool = False
    split: bool = False


ECHO_1 = Column("echo c=1", "echo", 1)
ECHO_4 = Column("echo c=4", "echo", 4)
LIST_4 = Column("list c=4", "list", 4)
PING_4 = Column("ping c=4", "ping", 4)
NEW_4 = Column("echo new c=4", "echo", 4, True)
COLUMNS = (ECHO_1, ECHO_4, LIST_4, PING_4, NEW_4)
# The modern era; the Python SDK's client sends the head and the body apart.
MODERN_4 = Column("modern c=4", "modern echo", 4, split=True)
MODERN_ONE_4 = Column("modern one c=4", "modern echo", 4)
MODERN_LIST_4 = Column("modern list c=4", "modern list", 4, split=True)
MODERN = (MODERN_4, MODERN_ONE_4, MODERN_LIST_4)


def takes(spec, column):
    """True if a server can be put to this load."""
    return spec.modern or column not in MODERN


def slice_us(server, column, seconds, split=False):
    """Microseconds of server CPU time per request, over one slice of time.  split: each request, as in `load.Plan`."""
    options = {"connections": column.connections, "fresh": column.fresh, "split": split or column.split}
    load = Load(server.port, server.plan(column.operation, **options))
    before = cpu.used_ns(server.pid)
    done = load.run(seconds=seconds)
    return (cpu.used_ns(server.pid) - before) / 1000 / done.requests


def rounds(servers, count, seconds, split=False, progress=None):
    """{(server name, column): median of `count` slices}.  progress: called with the number of each round."""
    seen = {}
    for number in range(count + 1):
        for column in COLUMNS + MODERN:
            for server in [server for server in servers if takes(server.spec, column)]:
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
