"""A server of this folder, and beside it a port that tells how much heap it uses.

heap_server.py CONTROL_PORT SERVER ARGUMENTS ...        SERVER: the name of a module with `async def main()`

One byte in, one line out, `NOW IMPORTED FIRST`: bytes of heap in use now, when all was imported, and before that.
`c` collects first; `d` collects, and then nothing is collected any more; `e` allows collections again.
`m`: the names of all modules that are loaded instead.  `b` collects, and prints a map of the heap to stdout.
"""

import asyncio
import gc
import sys

import micropython


class Heap:
    """What the control port tells."""

    def __init__(self):
        gc.collect()
        self._first = gc.mem_alloc()
        self._imported = 0

    def imported(self):
        """Everything is imported now, and nothing has started."""
        gc.collect()
        self._imported = gc.mem_alloc()

    async def serve(self, reader, writer):
        command = await reader.read(1)
        if command == b"e":
            gc.enable()
        if command in b"cdb":
            gc.collect()
        if command == b"b":
            micropython.mem_info(1)
        if command == b"d":
            gc.disable()
        if command == b"m":
            writer.write(" ".join(sorted(sys.modules)) + "\n")
        else:
            writer.write(b"%d %d %d\n" % (gc.mem_alloc(), self._imported, self._first))
        await writer.drain()
        writer.close()
        await writer.wait_closed()


async def main():
    heap = Heap()
    port = int(sys.argv[1])
    server = __import__(sys.argv[2])
    sys.argv[1:] = sys.argv[3:]
    await asyncio.start_server(heap.serve, "127.0.0.1", port)
    heap.imported()
    await server.main()


if __name__ == "__main__":
    asyncio.run(main())
