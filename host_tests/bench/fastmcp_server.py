"""The same tools on FastMCP: stateless, JSON answers, uvicorn without its access log.  fastmcp_server.py PORT"""

import sys

import uvicorn
from bench_tools import TOOLS, nothing, schema
from fastmcp import FastMCP
from fastmcp.tools import FunctionTool

server = FastMCP("fastmcp")


@server.tool(description=TOOLS[0][1])
def echo(text: str) -> str:
    return "Echo: " + text


for name, description, fields in TOOLS[1:]:
    server.add_tool(FunctionTool(name=name, description=description, parameters=schema(fields), fn=nothing))


class Announced(uvicorn.Server):
    """A server that tells when it listens."""

    async def startup(self, sockets=None):
        await super().startup(sockets)
        print("listening on 127.0.0.1:" + sys.argv[1], flush=True)


if __name__ == "__main__":
    app = server.http_app(path="/mcp", json_response=True, stateless_http=True)
    options = uvicorn.Config(
        app, host="127.0.0.1", port=int(sys.argv[1]), access_log=False, log_level="warning"
    )
    Announced(options).run()
