"""Clients of others that stay connected while their server comes and goes, all driven in one way.

`begin(tool)` calls a tool without arguments and returns a Future of the text of its answer. When the server asks for
the user's name, `asked` is set; the user says Ada when `answer` is called.
"""

import json
import subprocess
import threading
from concurrent.futures import Future

import install

SECONDS = 20


class Python:
    """The official SDK, or FastMCP, on an event loop in a thread of its own.

    make: called with the URL, the token and what answers an elicitation; returns the client, to be entered.
    """

    def __init__(self, make, url, token):
        from anyio import from_thread

        self.asked = threading.Event()
        self._answer = threading.Event()
        self._portal_open = from_thread.start_blocking_portal()
        self._portal = self._portal_open.__enter__()
        self._entered = self._portal.wrap_async_context_manager(make(url, token, self._ask))
        self._client = self._entered.__enter__()

    async def _ask(self, *question):
        from anyio import to_thread

        self.asked.set()
        await to_thread.run_sync(self._answer.wait, SECONDS)

    def answer(self):
        self._answer.set()

    def begin(self, tool):
        return self._portal.start_task_soon(self._call, tool)

    async def _call(self, tool):
        result = await self._client.call_tool(tool, {})
        return result.content[0].text

    def close(self):
        try:
            self._entered.__exit__(None, None, None)
        finally:
            self._portal_open.__exit__(None, None, None)


def sdk(mode):
    """The official SDK.  mode: auto (the newest era), or legacy."""

    def make(url, token, ask):
        return _sdk(url, token, ask, mode)

    return lambda url, token: Python(make, url, token)


def _sdk(url, token, ask, mode):
    from contextlib import asynccontextmanager

    import httpx2
    import mcp
    from mcp.client.streamable_http import streamable_http_client
    from mcp.types import ElicitResult

    async def user(context, params):
        await ask()
        return ElicitResult(action="accept", content={"name": "Ada"})

    @asynccontextmanager
    async def entered():
        async with httpx2.AsyncClient(headers={"Authorization": "Bearer " + token}) as http:
            transport = streamable_http_client(url, http_client=http)
            async with mcp.Client(transport, mode=mode, elicitation_callback=user) as client:
                yield client

    return entered()


def fast(url, token):
    """FastMCP."""

    def make(url, token, ask):
        import fastmcp

        async def user(message, kind, params, context):
            await ask()
            return {"name": "Ada"}

        return fastmcp.Client(url, auth=token, elicitation_handler=user)

    return Python(make, url, token)


class TypeScript:
    """The TypeScript SDK, in a process.  kind: v1, v2, or v2-auto."""

    def __init__(self, kind, url, token):
        self.asked = threading.Event()
        self._futures = {0: Future()}
        command = [install.node(), "reboot.mjs", kind, url, token]
        self._process = subprocess.Popen(
            command, cwd=install.JS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._futures[0].result(SECONDS)

    def _read(self):
        for line in self._process.stdout:
            message = json.loads(line)
            if message["id"] == "asked":
                self.asked.set()
            elif "error" in message:
                self._futures[message["id"]].set_exception(RuntimeError(message["error"]))
            else:
                self._futures[message["id"]].set_result(message.get("text"))

    def _write(self, message):
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def begin(self, tool):
        id_ = len(self._futures)
        self._futures[id_] = Future()
        self._write({"id": id_, "name": tool})
        return self._futures[id_]

    def answer(self):
        self._write({"id": "answer"})

    def close(self):
        self._process.kill()
        self._process.wait()
        self._reader.join()
        self._process.stdin.close()
        self._process.stdout.close()


def typescript(kind):
    return lambda url, token: TypeScript(kind, url, token)


MODERN = {"python": sdk("auto"), "fastmcp": fast, "typescript-v2-auto": typescript("v2-auto")}
LEGACY = {"python-legacy": sdk("legacy"), "typescript": typescript("v1"), "typescript-v2": typescript("v2")}
