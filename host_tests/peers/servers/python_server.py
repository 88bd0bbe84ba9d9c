"""A server of the official SDK or of FastMCP: python_server.py python-sdk|fastmcp JSON_PORT SSE_PORT STATELESS_PORT

It answers with documents on the first port and with event streams on the others; the last knows no sessions.
Prints `listening on HOST:PORT` when all are open, and a line `@json POST 200` for each answer.
"""

import asyncio
import sys

import features
import uvicorn
from mcp.shared.message import ServerMessageMetadata
from mcp.types import EmptyResult, PingRequest

TOKEN = "peer-token-0123456789"
MODES = {"json": (True, False), "sse": (False, False), "stateless": (False, True)}


def sdk():
    from mcp.server.mcpserver import Context, MCPServer

    return MCPServer("python-sdk"), Context


def fastmcp():
    from fastmcp import Context, FastMCP

    return FastMCP("fastmcp"), Context


def add_tools(server, context):
    @server.tool()
    def echo(text: str) -> str:
        return "Echo: " + text

    @server.tool()
    def add(a: float, b: float) -> str:
        return "%g + %g = %g" % (a, b, a + b)

    @server.tool()
    async def slow() -> str:
        try:
            await asyncio.sleep(20)
            return "slept"
        except asyncio.CancelledError:
            print("@slow cancelled", flush=True)
            raise

    @server.tool()
    def fail() -> str:
        raise ValueError("this tool always fails")

    async def chatty(ctx: context) -> str:
        await ctx.info("half-way")
        await ctx.report_progress(1, 2)
        await ctx.info("nearly there")
        return "chatted"

    async def ask(ctx: context) -> str:
        related = ServerMessageMetadata(related_request_id=ctx.request_id)  # on the stream of this call
        await ctx.session.send_request(PingRequest(), EmptyResult, 5, related)
        return "pong"

    server.tool()(chatty)
    server.tool()(ask)


def app(server, json_response, stateless):
    if hasattr(server, "streamable_http_app"):
        return server.streamable_http_app(json_response=json_response, stateless_http=stateless)
    return server.http_app(json_response=json_response, stateless_http=stateless)


def guarded(inner, mode):
    """The app behind a token, its answers noted."""

    async def serve(scope, receive, send):
        async def note(message):
            if message["type"] == "http.response.start":
                print("@%s %s %d" % (mode, scope["method"], message["status"]), flush=True)
            await send(message)

        if scope["type"] != "http":
            await inner(scope, receive, send)
        elif (b"authorization", b"Bearer " + TOKEN.encode()) in scope["headers"]:
            await inner(scope, receive, note)
        else:
            await note({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": b""})

    return serve


async def main(kind, *ports):
    listeners = []
    for (mode, how), port in zip(MODES.items(), ports):
        server, context = {"python-sdk": sdk, "fastmcp": fastmcp}[kind]()
        add_tools(server, context)
        features.add_resources(server)
        features.add_prompts(server)
        if kind == "python-sdk":
            features.add_sdk_questions(server)
        else:
            features.add_fastmcp_questions(server, context)
        config = uvicorn.Config(
            guarded(app(server, *how), mode), port=int(port), log_level="warning", lifespan="on"
        )
        listeners.append(uvicorn.Server(config))
    tasks = [asyncio.create_task(listener.serve()) for listener in listeners]
    while not all(listener.started for listener in listeners):
        await asyncio.sleep(0.01)
    print("listening on 127.0.0.1:%s" % ports[0], flush=True)
    await asyncio.gather(*tasks)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
