"""The clients of `clients.py`, each starting the server itself and talking to its stdin and stdout.

command: list, a program and its arguments. What they return is what those return.
"""

import asyncio
import json

import install
from peers import clients
from processes import run_limited


def python(command, text, log, mode="auto"):
    """The official Python SDK.  log: file for the server's stderr."""
    import mcp
    from mcp.client.stdio import StdioServerParameters, stdio_client

    server = StdioServerParameters(command=str(command[0]), args=_strings(command[1:]))
    return asyncio.run(clients._act(mcp.Client(stdio_client(server, log), mode=mode), text))


def fast(command, text, log):
    """FastMCP."""
    import fastmcp
    from fastmcp.client.transports import StdioTransport

    transport = StdioTransport(str(command[0]), _strings(command[1:]), keep_alive=False, log_file=log)
    return asyncio.run(clients._act(fastmcp.Client(transport), text))


def typescript(command, text, log, kind="v1"):
    """The TypeScript SDK.  kind: v1, v2, or v2-auto."""
    return json.loads(clients.node(clients.JS / "stdio.mjs", kind, text, *command))


def inspector(command, home, *arguments):
    """The MCP Inspector's command: (what went wrong or "", all that it printed)."""
    line = [install.node(), clients._INSPECTOR, "--cli", *arguments, "--", *command]
    return run_limited(
        line, env={"HOME": str(home), "PATH": "%s:/usr/bin:/bin" % install.node().parent}, cwd=home
    )


def _strings(arguments):
    return [str(a) for a in arguments]
