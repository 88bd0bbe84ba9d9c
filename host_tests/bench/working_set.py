"""The heap of the example server: what its imports take, and what it needs more while it serves."""

from typing import NamedTuple

from bench.mix import Mix
from bench.servers import EXAMPLE, Server

REQUESTS = 1000
_STEP = 25  # requests between two looks


class WorkingSet(NamedTuple):
    """Bytes of heap after a collection.  imports: of all modules.  idle: more, with a session open and nobody there.
    most: more, the most that was seen while it served.
    """

    imports: int
    idle: int
    most: int


def measure(requests=REQUESTS):
    """A `WorkingSet`, from the mix of requests over four connections. Raises load.Failed or OSError."""
    with Server(EXAMPLE, heap=True, heapsize="1M") as server:
        now, imported, first = server.heap()
        idle = most = now - imported
        mix = Mix(server.port, server.session)
        for _ in range(0, requests, _STEP):
            mix.run(_STEP)
            most = max(most, server.heap()[0] - imported)
        mix.close()
    return WorkingSet(imported - first, idle, most)
