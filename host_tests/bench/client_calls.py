"""Calls of `echo`, by our client and by micropython-lib's `requests` in turn.  client_calls.py PORT ROUNDS MILLISECONDS

Prints two lines a slice, microseconds a call: `us` by the clock, `cpu` of CPU time; and at the end the bytes of heap.
"""

import asyncio
import gc
import sys
import time

import requests

from net.mcpclient import McpClient

_TOKEN = "a-long-secret-token"
_HEADERS = {
    "Authorization": "Bearer " + _TOKEN,
    "Accept": "application/json, text/event-stream",
    "Mcp-Session-Id": "0123456789abcdef",
    "Mcp-Protocol-Version": "2025-11-25",
}


async def call_ours(client):
    result = await client.call_tool("echo", {"text": "hello"})
    assert result["content"][0]["text"] == "Echo: hello"


# As a coroutine, so that both are timed alike.
async def call_requests(url):
    params = {"name": "echo", "arguments": {"text": "hello"}}
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
    answer = requests.post(url, json=message, headers=_HEADERS)  # noqa: ASYNC210
    result = answer.json()["result"]
    answer.close()
    assert result["content"][0]["text"] == "Echo: hello"


def cpu_us():
    with open("/proc/self/schedstat") as f:
        return int(f.read().split()[0]) / 1000


async def measure(name, call, given, ms):
    count = 0
    cpu = cpu_us()
    begun = time.ticks_us()
    while time.ticks_diff(time.ticks_us(), begun) < 1000 * ms:
        await call(given)
        count += 1
    print(name, "us", time.ticks_diff(time.ticks_us(), begun) / count)
    print(name, "cpu", (cpu_us() - cpu) / count)


async def heap(call, given, count=50):
    gc.collect()
    gc.disable()
    before = gc.mem_alloc()
    for _ in range(count):
        await call(given)
    used = gc.mem_alloc() - before
    gc.enable()
    return used // count


async def main():
    port, rounds, ms = [int(word) for word in sys.argv[1:]]
    url = "http://127.0.0.1:%d/mcp" % port
    client = McpClient(url, _TOKEN, only="legacy")
    await client.initialize()
    both = (("tsumiki", call_ours, client), ("requests", call_requests, url))
    for _ in range(rounds + 1):
        for name, call, given in both:
            await measure(name, call, given, ms)
    for name, call, given in both:
        print(name, "bytes", await heap(call, given))
    await client.close()


asyncio.run(main())
