"""docs/server.md: every block runs, and the server that they make does what the page says."""

import asyncio
import json

from harness import eq, port
from net.mcpclient import McpClient
from umcp.one import One
from umcp.peer import Peer
from umcp.version import MODERN

_META = "io.modelcontextprotocol/"
_TOKEN = "a-token-of-16-or-more"


def blocks():
    with open("docs/server.md") as f:
        text = f.read()
    found = [part.split("\n```\n", 1)[0] for part in text.split("```python\n")[1:]]
    # No other block is left untried.
    eq(text.count("```"), 2 * len(found))
    return found


class Line(Peer):
    """A client on a line.  sent: the messages before its answers, decoded."""

    def __init__(self):
        self.sessions = One()
        self.sent = []

    def can_stream(self):
        return True

    async def send(self, raw, event_id=b"", retry_ms=None):
        if raw:
            self.sent.append(json.loads(raw))


class Guide:
    """The names that the page's blocks leave behind, and requests of the modern era to the page's server."""

    def __init__(self):
        self.names = {"__name__": "guide"}
        self.port = port()
        for block in blocks():
            exec(block.replace("port=8080", "port=%d" % self.port), self.names)
        self.peer = Line()

    def __getattr__(self, name):
        return self.names[name]

    async def ask(self, method, capabilities=None, meta=(), **params):
        """(result, error), of which one is None."""
        params["_meta"] = dict(meta)
        params["_meta"][_META + "protocolVersion"] = MODERN
        params["_meta"][_META + "clientCapabilities"] = capabilities or {}
        raw = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        reply = self.server._mcp.handle(raw, 0, len(raw), self.peer, 0)
        if type(reply) is not tuple:
            reply = await asyncio.wait_for_ms(reply, 3000)
        body = reply[1]
        body = json.loads(b"".join(body) if type(body) is tuple else body)
        return body.get("result"), body.get("error")

    async def call(self, name, **arguments):
        """The text of a tool's result."""
        return (await self.ask("tools/call", name=name, arguments=arguments))[0]["content"][0]["text"]

    async def read(self, uri):
        """The content, or the error."""
        result, error = await self.ask("resources/read", uri=uri)
        return error or result["contents"][0]


async def test_the_tools_of_the_page():
    guide = Guide()
    tools = (await guide.ask("tools/list"))[0]["tools"]
    eq([tool["name"] for tool in tools], ["turn_head", "look", "patrol"])
    result = (await guide.ask("tools/call", name="turn_head", arguments={"to": 30}))[0]
    eq((result["structuredContent"], guide.yaw), ({"yaw": 30}, 30))
    assert (await guide.call("turn_head", to=91)).startswith("invalid_arguments: /to: must be <= 90")
    assert (await guide.call("turn_head", to=-90, speed="fast")).startswith("too_far: fast turns are ")
    look = (await guide.ask("tools/call", name="look"))[0]["content"]
    kinds = ["text", "text", "image", "audio", "resource", "resource_link"]
    eq([block["type"] for block in look], kinds)


async def test_the_resources_of_the_page():
    guide = Guide()
    eq((await guide.read("robot://log"))["text"], "started\nturned")
    eq((await guide.read("robot://servo/pitch"))["text"], "hot")
    for uri in ("robot://servo/roll", "robot://servo/a/b", "robot://picture"):
        eq(((await guide.read(uri))["code"], (await guide.read(uri))["data"]), (-32602, {"uri": uri}))


async def test_the_prompt_of_the_page_and_its_completion():
    guide = Guide()
    result = (await guide.ask("prompts/get", name="tour", arguments={"room": "hall"}))[0]
    eq(
        [(message["role"], message["content"]["type"]) for message in result["messages"]],
        [("user", "text"), ("user", "image"), ("assistant", "text")],
    )
    eq(result["messages"][0]["content"]["text"], "Show me the hall, at a slow pace.")
    for arguments in ({}, {"room": 1}):
        eq((await guide.ask("prompts/get", name="tour", arguments=arguments))[1]["code"], -32602)
    for ref, name, value, values in (
        ({"type": "ref/prompt", "name": "tour"}, "room", "k", ["kitchen"]),
        ({"type": "ref/resource", "uri": "robot://servo/{name}"}, "name", "", ["pitch", "yaw"]),
    ):
        argument = {"name": name, "value": value}
        result = (await guide.ask("completion/complete", ref=ref, argument=argument))[0]
        eq(result["completion"]["values"], values)
    assert "completions" in (await guide.ask("server/discover"))[0]["capabilities"]


async def test_the_handler_of_the_page_that_talks():
    guide = Guide()
    asked = {"name": "patrol", "arguments": {"rounds": 2}}
    meta = {"progressToken": "p", _META + "logLevel": "info"}
    error = (await guide.ask("tools/call", **asked))[1]
    eq((error["code"], error["data"]), (-32021, {"requiredCapabilities": {"elicitation": {}}}))
    result = (await guide.ask("tools/call", {"elicitation": {}}, meta, **asked))[0]
    eq(
        (result["resultType"], list(result["inputRequests"]), guide.peer.sent),
        ("input_required", ["answer"], []),
    )
    for clear, text in ((False, "blocked: the floor is not clear"), (True, "patrolled")):
        answer = {"action": "accept", "content": {"clear": clear}}
        more = {"requestState": result["requestState"], "inputResponses": {"answer": answer}}
        more.update(asked)
        done = (await guide.ask("tools/call", {"elicitation": {}}, meta, **more))[0]
        eq(done["content"][0]["text"], text)
    eq([one["method"] for one in guide.peer.sent], ["notifications/progress", "notifications/message"] * 2)
    eq([one["params"].get("progress") for one in guide.peer.sent], [1, None, 2, None])


async def test_the_server_of_the_page_listens():
    guide = Guide()
    task = asyncio.create_task(guide.main())
    client = McpClient("http://127.0.0.1:%d/mcp" % guide.port, token=_TOKEN)
    try:
        await asyncio.sleep_ms(0)
        await asyncio.wait_for_ms(client.initialize(), 5000)
        result = await asyncio.wait_for_ms(client.call_tool("turn_head", {"to": 5}), 5000)
        eq(result["structuredContent"], {"yaw": 5})
    finally:
        await client.close()
        task.cancel()
        await guide.server.close()


class Pipe:
    """The two ends of a line: what comes in once, and what went out."""

    def __init__(self, data):
        self.data = data
        self.out_buf = b""
        self.written = b""

    async def readinto(self, buf):
        piece = self.data[: len(buf)]
        buf[: len(piece)] = piece
        self.data = self.data[len(piece) :]
        return len(piece)

    def write(self, data):
        self.written += data

    async def drain(self):
        pass


async def test_the_server_of_the_page_on_stdio():
    import net.stdio

    guide = Guide()
    meta = {_META + "protocolVersion": MODERN, _META + "clientCapabilities": {}}
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "yaw", "_meta": meta}}
    pipe = Pipe(json.dumps(call).encode() + b"\n")
    kept, net.stdio.stdio = net.stdio.stdio, lambda *_: (pipe, pipe)
    try:
        await asyncio.wait_for_ms(guide.serve_stdio(), 5000)
    finally:
        net.stdio.stdio = kept
    lines = pipe.written.strip().split(b"\n")
    eq(len(lines), 1)
    answer = json.loads(lines[0])
    eq((answer["id"], answer["result"]["content"][0]["text"]), (7, "0"))
