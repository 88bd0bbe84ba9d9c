"""Calls of the robot's client, under MicroPython: try_calls.py URL TOKEN CALL ..., each [name, arguments] as JSON.

Prints, each behind an @ and as JSON, the names of the tools, and of each call the text or the error. Where a session
was lost, the call is made again.
"""

import asyncio
import json
import sys

from net.mcpclient import McpClient
from umcp.client_errors import ClientError, SessionLost
from umcp.errors import ToolError


async def called(client, name, arguments):
    try:
        return (await client.call_tool(name, arguments))["content"][0]["text"]
    except SessionLost:
        return "again after SessionLost: " + await called(client, name, arguments)
    except (ClientError, ToolError) as e:
        return "%s: %s" % (type(e).__name__, e)


async def main(url, token, *calls):
    client = McpClient(url, token)
    await client.initialize(timeout_ms=20000)
    print("@" + json.dumps(sorted([tool["name"] for tool in await client.list_tools()])))
    for call in calls:
        print("@" + json.dumps(await called(client, *json.loads(call))))
    await client.close()


asyncio.run(main(*sys.argv[1:]))
