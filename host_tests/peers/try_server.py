"""The Stack-chan original's loop against the dummy server, under MicroPython: try_server.py KIND URL TOKEN

Prints a line of JSON: what each step gave, an exception as its class and text.
"""

import asyncio
import json
import sys


def _client(kind, url, token):
    if kind != "blocking":
        from net.mcpclient import McpClient

        return McpClient(url, token, only="legacy" if kind == "async" else None)
    from net.blocking import BlockingMcpClient

    return BlockingMcpClient(url, token)


async def _wait(made):
    return await made if hasattr(made, "send") else made


async def _step(steps, call, *args):
    try:
        value = await _wait(call(*args))
    except Exception as e:
        value = [type(e).__name__, str(e)]
    steps.append(value)


async def main(kind, url, token):
    client = _client(kind, url, token)
    steps = []
    await _step(steps, client.initialize)
    await _step(steps, client.list_tools)
    for _ in range(2):
        await _step(steps, client.call_tool, "echo", {"text": "h\u00e9 \U0001f600"})
        await _step(steps, client.call_tool, "add", {"a": 1, "b": 2})
        await _step(steps, client.call_tool, "get_status")
        client.reset()
        await _step(steps, client.initialize)
    await _step(steps, client.call_tool, "fail")
    await _step(steps, client.call_tool, "nothing")
    await _step(steps, client.call_tool, "add", {"a": "x", "b": 2})
    await _step(steps, client.close)
    print(json.dumps(steps))


asyncio.run(main(*sys.argv[1:]))
