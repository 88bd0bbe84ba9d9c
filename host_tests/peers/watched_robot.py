"""The simulated robot, and beside it a port that tells of its heap and of the frames that it painted.

watched_robot.py CONTROL_PORT OPTIONS OF examples/sim.py ...

One byte in, one line out. `h`: bytes of heap in use, after a collection. `f`: the milliseconds between the frames since
the last `f`, with spaces between them. The path has firmware/ and examples/.
"""

import asyncio
import gc
import sys
import time
from array import array

import sim
from robot import draw

_KEPT = 2000


class Gaps:
    """between: array of ms, of `count` gaps; those that do not fit are lost."""

    def __init__(self):
        self.between = array("H", bytes(2 * _KEPT))
        self.count = 0
        self._last_ms = None

    def frame(self):
        now_ms = time.ticks_ms()
        if self._last_ms is not None and self.count < _KEPT:
            self.between[self.count] = min(65535, time.ticks_diff(now_ms, self._last_ms))
            self.count += 1
        self._last_ms = now_ms

    def take(self):
        told = b" ".join([b"%d" % self.between[i] for i in range(self.count)])
        self.count = 0
        self._last_ms = None
        return told


GAPS = Gaps()


class Painter(draw.Painter):
    def step(self, now_ms):
        if self.paint(now_ms):
            GAPS.frame()


async def serve(reader, writer):
    if await reader.read(1) == b"f":
        told = GAPS.take()
    else:
        gc.collect()
        told = b"%d" % gc.mem_alloc()
    writer.write(told + b"\n")
    await writer.drain()
    writer.close()
    await writer.wait_closed()


async def main():
    draw.Painter = Painter
    port = int(sys.argv.pop(1))
    await asyncio.start_server(serve, "127.0.0.1", port)
    await sim.main()


if __name__ == "__main__":
    asyncio.run(main())
