"""The heap of the example server: what its imports take, and what it needs more while it serves."""

import time
from typing import NamedTuple

from bench.mix import Mix
from bench.servers import EXAMPLE, Server

REQUESTS = 1000
_STEP = 25  # requests between two looks


class WorkingSet(NamedTuple):
    """Bytes of heap after a collection.

    imports: of all modules at the start.  late: of those that the requests of the mix needed, and of the list
    of tools.  idle: besides the imports, with a session open and nobody there.  most: besides the imports, early
    and late, the most that was seen while it served.
    """

    imports: int
    late: int
    idle: int
    most: int


def measure(requests=REQUESTS, modern=False):
    """A `WorkingSet`, from the mix of requests over four connections. Raises load.Failed or OSError.

    modern: as of `Mix`.
    """
    with Server(EXAMPLE, heap=True, heapsize="1M") as server:
        now, imported, first = server.heap()
        idle = most = now - imported
        _serve(server, 2 * _STEP, modern)
        late = server.heap()[0] - now
        mix = Mix(server.port, server.session, modern=modern)
        for _ in range(0, requests, _STEP):
            mix.run(_STEP)
            most = max(most, server.heap()[0] - imported - late)
        mix.close()
    return WorkingSet(imported - first, late, idle, most)


# Each request of the mix, more than once, over connections that are closed again.
def _serve(server, requests, modern):
    mix = Mix(server.port, server.session, modern=modern)
    mix.run(requests)
    mix.close()
    time.sleep(0.2)
