"""Call a tool over TLS, under MicroPython: try_tls.py URL CA-FILE N

Prints a line of JSON: the class of the exception or "ok", and its text or the number of calls that the server saw.
"""

import asyncio
import json
import sys

from net.mcpclient import McpClient


async def _outcome(url, ca, calls):
    client = McpClient(url, "t0ken-s3cret", ca=ca, timeout_ms=5000, only="legacy")
    await client.initialize()
    for _ in range(calls):
        result = await client.call_tool("echo", {"text": "x" * 3000})
    await client.close()
    return "ok", result["calls"]


def _report(url, path, calls):
    with open(path, "rb") as file:
        ca = file.read()
    try:
        return asyncio.run(_outcome(url, ca or None, int(calls)))
    except Exception as e:
        return type(e).__name__, str(e)


print(json.dumps(_report(*sys.argv[1:])))
