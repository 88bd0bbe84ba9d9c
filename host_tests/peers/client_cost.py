"""Count what calls cost under MicroPython: client_cost.py URL ERA

Prints `BYTES bytes a call, GROWTH bytes kept`: the heap that a small call uses, and what 200 of them leave behind.
"""

import asyncio
import gc
import sys

from net.mcpclient import McpClient


async def _calls(client, count):
    for _ in range(count):
        await client.call_tool("echo", {"text": "hello"})


async def main(url, era):
    client = McpClient(url, "t" * 40, only=era)
    await client.initialize()
    await _calls(client, 20)
    gc.collect()
    gc.disable()
    before = gc.mem_alloc()
    await _calls(client, 100)
    used = gc.mem_alloc() - before
    gc.enable()
    await _calls(client, 100)
    gc.collect()
    print("%d bytes a call, %d bytes kept" % (used // 100, gc.mem_alloc() - before))
    await client.close()


asyncio.run(main(*sys.argv[1:]))
