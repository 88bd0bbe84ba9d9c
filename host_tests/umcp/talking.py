"""Handlers that talk to their client, and clients of both eras that are told and asked."""

import asyncio
import json

from modernity import META, Listener, Runtime, ask, modern, turns
from serving import Peer, make, post, request

from harness import eq
from umcp.errors import CannotAsk
from umcp.tool import Tool
from umcp.types import Integer, Object, String

NAME = Object((("name", String(max_length=20)),))

SCHEMA = json.loads(json.dumps(NAME.schema()))


async def work(context):
    for done in (0, 50, 50, 20, 100):
        await context.progress(done, 100, "at %d" % done)
    return "worked"


async def chat(context):
    await context.log("debug", "small")
    await context.log("info", {"n": 1}, "robot")
    await context.log("error", "bad")
    return "logged"


async def greet(context):
    answer = await context.elicit("Your name?", NAME)
    if answer["action"] != "accept":
        return answer["action"]
    return "Hello, %s!" % answer["content"]["name"]


async def careful(context):
    try:
        return "model said " + (await context.sample([]))["content"]["text"]
    except CannotAsk as e:
        return "went on without " + e.capability


async def both(context):
    answers = await context.ask({
        "who": ("elicitation/create", {"message": "Who?", "requestedSchema": NAME.schema()}),
        "where": ("roots/list", {}),
    })  # fmt: skip
    return "%s at %s" % (answers["who"]["content"]["name"], answers["where"]["roots"][0]["uri"])


async def rounds(context, n):
    names = []
    for i in range(n):
        names.append((await context.elicit("Name %d?" % i, NAME, key="step%d" % i))["content"]["name"])
    return "+".join(names)


async def three_ways(context):
    return str([context.can(kind) for kind in ("elicitation", "sampling", "roots")])


def talkers():
    return [
        Tool("work", "", None, work, context=True),
        Tool("chat", "", None, chat, context=True),
        Tool("greet", "", None, greet, context=True),
        Tool("careful", "", None, careful, context=True),
        Tool("both", "", None, both, context=True),
        Tool("rounds", "", Object((("n", Integer()),)), rounds, context=True),
        Tool("can", "", None, three_ways, context=True),
    ]


def server(**options):
    options.setdefault("runtime", Runtime())
    return make(talkers(), **options)


def text(reply):
    eq(reply[0], 200)
    return reply[1]["result"]["content"][0]["text"]


def call(name, arguments=None, capabilities=None, more=None, **meta):
    params = {"name": name, "arguments": arguments or {}}
    params.update(more or {})
    return modern("tools/call", params, capabilities, **meta)


def legacy(name, arguments=None, id=1, **meta):
    params = {"name": name, "arguments": arguments or {}}
    if meta:
        params["_meta"] = meta
    return request("tools/call", params, id)


class Session(Listener):
    """A legacy client with a session."""

    def __init__(self, server, capabilities=None, version="2025-11-25"):
        super().__init__(None, version.encode())
        params = {"protocolVersion": version, "capabilities": capabilities or {}}
        _, _, self.session_id = post(server, request("initialize", params), Peer())


ALL = {"elicitation": {}, "sampling": {}, "roots": {}}


ACCEPT = {"action": "accept", "content": {"name": "Ada"}}


async def asked(made, message, peer=None):
    """(inputRequests, requestState) of a reply."""
    status, body = await ask(made, message, peer)
    eq((status, body["result"]["resultType"]), (200, "input_required"))
    for name in ("content", "ttlMs", "cacheScope"):
        assert name not in body["result"], body
    assert META + "serverInfo" in body["result"]["_meta"]
    return body["result"]["inputRequests"], body["result"]["requestState"]


async def answered(made, message, peer, *results):
    """The reply to a call during which the client answers each question with the next result (or error)."""
    task = asyncio.create_task(ask(made, message, peer))
    for given in results:
        await turns()
        question = peer.sent[-1]
        answer = {"jsonrpc": "2.0", "id": question["id"]}
        answer.update(given)
        back = Peer(peer.session_id, peer.protocol_version)
        back.headed = peer.headed
        back.sessions = peer.sessions
        eq((await ask(made, answer, back))[0], 202)
    return await task
