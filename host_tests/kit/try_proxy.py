"""What passes through a proxy to the robot's client, under MicroPython: try_proxy.py FILE URL TOKEN

Writes a JSON object into FILE.
"""

import asyncio
import json
import sys

from net.mcpclient import McpClient
from umcp.client_errors import ClientError


def text(result):
    return result["content"][0]["text"]


async def main(url, token):
    seen = {"progress": [], "logs": [], "asked": [], "errors": []}

    def sample(params):
        seen["asked"].append(params["maxTokens"])
        return {"role": "assistant", "content": {"type": "text", "text": "four"}, "model": "m"}

    client = McpClient(
        url, token, timeout_ms=5000, only="legacy",
        on_progress=lambda params: seen["progress"].append(params["progress"]),
        on_log=lambda params: seen["logs"].append(params["data"]), on_sample=sample,
    )  # fmt: skip
    await client.initialize(timeout_ms=20000)
    seen["count"] = text(await client.call_tool("count"))
    seen["ask"] = text(await client.call_tool("ask"))
    for tool, timeout_ms in (("later", 300), ("leave", 5000), ("echo", 20000)):
        try:
            await client.call_tool(tool, {"n": 1}, timeout_ms=timeout_ms)
            seen["errors"].append("ok")
        except ClientError as e:
            seen["errors"].append(type(e).__name__)
    seen["after"] = text(await client.call_tool("echo", {"n": 2}))
    await client.close()
    return seen


seen = asyncio.run(main(*sys.argv[2:]))
with open(sys.argv[1], "w") as out:
    json.dump(seen, out)
