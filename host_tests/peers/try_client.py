"""Use a server of others with a client of ours, under MicroPython: try_client.py async|blocking URL TOKEN STEP ...

Prints a line of JSON a step: what it gave, an exception as its class and text. The step `restart` prints the word,
and waits for a line.
"""

import asyncio
import json
import sys

TEXT = "\U0001f916 こんにちは、世界"


class Trial:
    """The steps, each a method."""

    def __init__(self, client):
        self.client = client
        self.initialize = client.initialize
        self.close = client.close

    async def list(self):
        return [tool["name"] for tool in await wait(self.client.list_tools())]

    async def call(self, name, arguments=None):
        return (await wait(self.client.call_tool(name, arguments)))["content"][0]["text"]

    def echo(self):
        return self.call("echo", {"text": TEXT})

    def add(self):
        return self.call("add", {"a": 1, "b": 2.5})

    def long(self):
        return self.call("echo", {"text": TEXT * 300})

    # What a server does that forgets our session, seen from here.
    async def forget(self):
        from umcp.exchange import Exchange

        exchange = Exchange(self.client._session, "DELETE", b"", idempotent=True)
        await self.client._http.exchange(exchange)
        return exchange.status

    def restart(self):
        sys.stdin.readline()


async def wait(made):
    return await made if hasattr(made, "send") else made


async def outcome(trial, step):
    try:
        return await wait(getattr(trial, step)() if hasattr(trial, step) else trial.call(step))
    except Exception as e:
        return [type(e).__name__, str(e)]


def new_client(kind, url, token):
    if kind == "async":
        from net.mcpclient import McpClient

        return McpClient(url, token, timeout_ms=10000, only="legacy")
    from net.blocking import BlockingMcpClient

    return BlockingMcpClient(url, token, timeout_ms=10000)


async def main(kind, url, token, *steps):
    trial = Trial(new_client(kind, url, token))
    for step in steps:
        if step == "restart":
            print(step)
        print(json.dumps(await outcome(trial, step)))


asyncio.run(main(*sys.argv[1:]))
