"""The dummy server's tools behind an McpServer, and a second port that tells how much heap is in use.

    heap_server.py PORT CONTROL_PORT

A connection to the control port gets one line, the bytes in use after a collection, and is closed.
"""

import asyncio
import gc
import sys

sys.path.insert(0, __file__.rsplit("/", 1)[0] + "/../../firmware")
sys.path.insert(0, __file__.rsplit("/", 1)[0] + "/../../examples")

import dummy_server

from mcpserver import McpServer

TOKEN = "0123456789abcdef"


async def tell(reader, writer):
    # The objects of this very connection are the same each time.
    gc.collect()
    writer.write(b"%d\n" % gc.mem_alloc())
    await writer.drain()
    writer.close()
    await writer.wait_closed()


async def main(port, control_port):
    server = McpServer(
        "heap",
        "1",
        dummy_server.tools(),
        TOKEN,
        host="127.0.0.1",
        port=port,
        sessions="ram",
        log=dummy_server.log,
    )
    if not await server.start():
        sys.exit(1)
    await asyncio.start_server(tell, "127.0.0.1", control_port)
    print("listening on 127.0.0.1:%d" % port)
    while True:
        await asyncio.sleep(3600)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
