"""MCP by hand on Microdot, as a person would write it who needs two methods and a tool.  microdot_server.py PORT

It checks no token, session, Origin or schema.
"""

import asyncio
import sys

from bench_tools import handler, listed
from microdot import Microdot

app = Microdot()
VERSION = "2025-11-25"


def initialize(params):
    identity = {"name": "microdot", "version": "1"}
    return {"protocolVersion": VERSION, "capabilities": {"tools": {}}, "serverInfo": identity}


def call(params):
    text = handler(params["name"])(**params["arguments"])
    return {"content": [{"type": "text", "text": text}]}


METHODS = {
    "initialize": initialize,
    "ping": lambda params: {},
    "tools/list": lambda params: {"tools": listed()},
    "tools/call": call,
}


@app.post("/mcp")
async def mcp(request):
    message = request.json
    if "id" not in message:
        return "", 202
    method = METHODS.get(message["method"])
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    if method is None:
        answer["error"] = {"code": -32601, "message": "Method not found"}
    else:
        answer["result"] = method(message.get("params") or {})
    return answer


async def main():
    server = asyncio.create_task(app.start_server(host="127.0.0.1", port=int(sys.argv[1])))
    await asyncio.sleep(0.1)  # it does not tell when it listens
    print("listening on 127.0.0.1:" + sys.argv[1])
    await server


if __name__ == "__main__":
    asyncio.run(main())
