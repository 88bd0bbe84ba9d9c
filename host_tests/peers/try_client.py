"""Use a server of others with a client of ours, under MicroPython: try_client.py KIND URL TOKEN STEP ...

Prints a line of JSON a step: what it gave, an exception as its class and text. The step `restart` prints the word,
and waits for a line.
"""

import asyncio
import json
import sys

TEXT = "\U0001f916 こんにちは、世界"


class Callbacks:
    """What a server asks, answered; what it tells, kept."""

    def __init__(self):
        self.told = []

    def all(self):
        return {
            name: getattr(self, name)
            for name in ("on_elicit", "on_sample", "on_roots", "on_progress", "on_log", "on_change")
        }

    def on_elicit(self, params):
        return {"name": "Jane"}

    def on_sample(self, params):
        return {"role": "assistant", "content": {"type": "text", "text": "sampled"}, "model": "none"}

    def on_roots(self):
        return [{"uri": "file:///one"}, {"uri": "file:///two"}]

    def on_progress(self, params):
        self.told.append(params["progress"])

    def on_change(self, method, params):
        self.told.append(method)

    def on_log(self, params):
        self.told.append(params["data"])


class Trial:
    """The steps, each a method."""

    def __init__(self, client, callbacks):
        self.client = client
        self.told = callbacks.told
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

    # What of the client has been imported so far.
    def modules(self):
        return sorted([name for name in sys.modules if name.startswith("umcp.") or name.startswith("net.")])

    def era(self):
        return self.client.era

    # What was told while the call ran.
    async def chatter(self):
        self.told.clear()
        return [await self.call("chatty"), self.told]

    async def change(self):
        opened = asyncio.Event()
        task = asyncio.create_task(self.client.listen(opened=opened.set))
        await asyncio.wait_for(opened.wait(), 5)
        self.told.clear()
        await self.call("change")
        for _ in range(500):
            if self.told:
                break
            await asyncio.sleep_ms(10)
        task.cancel()
        return self.told

    # Let the call get to the server, then give it up.
    async def cancel(self):
        task = asyncio.create_task(self.call("slow"))
        await asyncio.sleep_ms(300)
        self.client.cancel()
        return await task

    def mirror(self):
        return self.call("mirror", {"where": "h\u00e9re"})

    def level(self):
        return self.client.set_log_level("debug")

    async def resources(self):
        return [resource["uri"] for resource in await wait(self.client.list_resources())]

    async def templates(self):
        return [template["uriTemplate"] for template in await wait(self.client.list_resource_templates())]

    async def read(self):
        contents = await wait(self.client.read_resource("test://text"))
        contents += await wait(self.client.read_resource("test://item/7"))
        return [content["text"] for content in contents]

    def missing(self):
        return self.client.read_resource("test://nowhere")

    async def prompts(self):
        return [prompt["name"] for prompt in await wait(self.client.list_prompts())]

    async def prompt(self):
        return (await wait(self.client.get_prompt("greet", {"name": "Jane"})))["messages"][0]["content"][
            "text"
        ]

    async def complete(self):
        ref = {"type": "ref/prompt", "name": "greet"}
        return (await wait(self.client.complete(ref, "name", "J")))["values"]

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


# The kinds: "async" and "blocking" are of the older eras, and know no callbacks.
KINDS = {
    "tools": ("async", {}, False),
    "async": ("async", {"only": "legacy"}, False),
    "blocking": ("blocking", {"only": "legacy"}, False),
    "legacy": ("async", {"only": "legacy"}, True),
    "auto": ("async", {}, True),
    "blocking-modern": ("blocking", {"only": "modern"}, True),
}


def new_client(kind, url, token, callbacks):
    kind, options, is_asked = KINDS[kind]
    options = dict(options, timeout_ms=10000)
    options.update(callbacks.all() if is_asked else {})
    if kind == "async":
        from net.mcpclient import McpClient

        return McpClient(url, token, **options)
    from net.blocking import BlockingMcpClient

    return BlockingMcpClient(url, token, **options)


async def main(kind, url, token, *steps):
    callbacks = Callbacks()
    trial = Trial(new_client(kind, url, token, callbacks), callbacks)
    for step in steps:
        if step == "restart":
            print(step)
        print(json.dumps(await outcome(trial, step)))


asyncio.run(main(*sys.argv[1:]))
