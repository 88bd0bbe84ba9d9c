"""Clients of others doing what a client does: each returns what it saw of a server, in one shape.

`{"tools": [names], "echo": [failed, text], "add": ..., "fail": ..., "unknown": code}`, or `{"refused": reason}`.
They are imported where they are used: it takes a second or two.
"""

import asyncio
import json

import install
from processes import run_limited

JS = install.JS
_INSPECTOR = JS / "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
_SECONDS = 20


def python(url, token, text, mode="auto", exchanges=None):
    """The official Python SDK.  exchanges: list, gets (HTTP method, JSON-RPC method, status) of each."""
    return asyncio.run(_act(_python(url, token, mode, [] if exchanges is None else exchanges), text))


def fast(url, token, text):
    """FastMCP."""
    import fastmcp

    return asyncio.run(_act(fastmcp.Client(url, auth=token), text))


def typescript(url, token, text, kind="v1"):
    """The TypeScript SDK.  kind: v1, v2, or v2-auto, which asks for the newest era first."""
    return json.loads(node(JS / "client.mjs", kind, url, token, text))


def inspector(url, token, home, *arguments):
    """The MCP Inspector's command: (what went wrong or "", all that it printed)."""
    header = "Authorization: Bearer " + token
    command = [install.node(), _INSPECTOR, "--cli", url, "--header", header, *arguments]
    return run_limited(command, env={"HOME": str(home), "PATH": str(install.node().parent)}, cwd=home)


def node(script, *arguments):
    """The last line that a script printed which has to end well."""
    status, output = run_limited([install.node(), script, *arguments], cwd=JS)
    assert status == "" and output, status + "\n" + output
    return output.splitlines()[-1]


class _python:
    """A client of the official SDK over an HTTP client that notes its exchanges."""

    def __init__(self, url, token, mode, exchanges):
        import httpx2
        import mcp
        from mcp.client.streamable_http import streamable_http_client

        async def note(response):
            body = response.request.content
            method = json.loads(body)["method"] if body else None
            exchanges.append((response.request.method, method, response.status_code))

        headers = {"Authorization": "Bearer " + token}
        self._http = httpx2.AsyncClient(headers=headers, event_hooks={"response": [note]})
        self._client = mcp.Client(streamable_http_client(url, http_client=self._http), mode=mode)

    async def __aenter__(self):
        await self._http.__aenter__()
        return await self._client.__aenter__()

    async def __aexit__(self, *error):
        await self._client.__aexit__(*error)
        await self._http.__aexit__(*error)


async def _act(entered, text):
    import anyio

    with anyio.fail_after(_SECONDS):
        try:
            async with entered as client:
                return await _use(client, text)
        except Exception as e:
            return {"refused": repr(_first(e))}


async def _use(client, text):
    listed = await client.list_tools()
    return {
        "tools": [tool.name for tool in getattr(listed, "tools", listed)],
        "echo": await _called(client, "echo", {"text": text}),
        "add": await _called(client, "add", {"a": 1, "b": 2.5}),
        "fail": await _called(client, "fail", {}),
        "unknown": await _called(client, "no_such_tool", {}),
    }


async def _called(client, name, arguments):
    from fastmcp.exceptions import ToolError
    from mcp import MCPError

    try:
        result = await client.call_tool(name, arguments)
    except ToolError as e:
        return [True, str(e)]
    except MCPError as e:
        return e.error.code
    return [result.is_error, result.content[0].text]


# Of the groups in groups that task groups raise.
def _first(error):
    while getattr(error, "exceptions", None):
        error = error.exceptions[0]
    return error
