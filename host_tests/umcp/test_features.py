"""Resources, prompts, completion and content through the whole server, in both eras."""

import json

from modernity import Runtime, ask, modern
from serving import Log, Peer, make, post, request

from harness import eq
from umcp.content import Contents, audio, image, link
from umcp.errors import ToolError
from umcp.prompts import Argument, Prompt
from umcp.resources import Resource, ResourceTemplate
from umcp.tool import Tool

TEMPLATE = "test://template/{id}/data"


def words(value, others):
    return [word for word in ("paris", "park", others.get("arg2", "x")) if word.startswith(value)]


def full(**options):
    server = make(runtime=Runtime(), **options)
    server.add_resource(Resource("test://text", "text", lambda: "Hello é🤖", "A text.", "text/plain"))
    server.add_resource(Resource("test://bytes", "bytes", lambda: b"\x00\xff", mime_type="image/png"))
    server.add_template(ResourceTemplate(TEMPLATE, "t", lambda values: values["id"], complete={"id": words}))
    server.add_prompt(
        Prompt("greet", "Greet.", lambda values: "Hi " + values["who"], (Argument("who", "", True, words),))
    )
    return server


async def legacy(server, method, params=None, version="2025-06-18"):
    """(status, body) in the legacy era."""
    return await ask(server, request(method, params), Peer(None, version.encode()))


async def both(server, method, params=None):
    """The result of a request, without what the modern era adds; checks that the eras say the same."""
    status, old = await legacy(server, method, params)
    eq(status, 200)
    assert set(old["result"]) & {"resultType", "ttlMs", "cacheScope", "_meta"} == set(), old
    status, new = await ask(server, modern(method, params))
    eq((status, new["result"].pop("resultType")), (200, "complete"))
    eq(list(new["result"].pop("_meta")), ["io.modelcontextprotocol/serverInfo"])
    if "complete" not in method and "get" not in method:
        eq((type(new["result"].pop("ttlMs")), new["result"].pop("cacheScope")), (int, "private"))
    eq(new["result"], old["result"])
    return old["result"]


async def refusals(server, method, params=None):
    """((status, code, data) in the legacy era, the same in the modern one)."""
    found = []
    for status, body in (await legacy(server, method, params), await ask(server, modern(method, params))):
        e = body["error"]
        found.append((status, e["code"], e.get("data")))
    return tuple(found)


async def test_resources_in_both_eras():
    server = full()
    found = await both(server, "resources/list")
    eq([one["uri"] for one in found["resources"]], ["test://text", "test://bytes"])
    found = await both(server, "resources/templates/list")
    eq(found, {"resourceTemplates": [{"uriTemplate": TEMPLATE, "name": "t"}]})
    found = await both(server, "resources/read", {"uri": "test://text"})
    eq(found["contents"], [{"uri": "test://text", "mimeType": "text/plain", "text": "Hello é🤖"}])
    found = await both(server, "resources/read", {"uri": "test://bytes"})
    eq(found["contents"], [{"uri": "test://bytes", "mimeType": "image/png", "blob": "AP8="}])
    uri = "test://template/a%20b/data"
    eq((await both(server, "resources/read", {"uri": uri}))["contents"], [{"uri": uri, "text": "a b"}])


async def test_an_unknown_resource_in_both_eras():
    for uri in ("test://nothing", "test://template/%/data", "", "test://é🤖"):
        seen = await refusals(full(), "resources/read", {"uri": uri})
        eq(seen, ((200, -32002, {"uri": uri}), (200, -32602, {"uri": uri})))
    for params in ({}, {"uri": 1}, {"uri": "test://" + "x" * 5000}):
        eq(await refusals(full(), "resources/read", params), ((200, -32602, None),) * 2)


async def test_prompts_in_both_eras():
    server = full()
    eq([one["name"] for one in (await both(server, "prompts/list"))["prompts"]], ["greet"])
    found = await both(server, "prompts/get", {"name": "greet", "arguments": {"who": "Ann"}})
    eq(found["messages"], [{"role": "user", "content": {"type": "text", "text": "Hi Ann"}}])
    for params in (
        {},
        {"name": "nothing"},
        {"name": "greet"},
        {"name": "greet", "arguments": {"who": 1}},
        {"name": "greet", "arguments": []},
    ):
        eq(await refusals(server, "prompts/get", params), ((200, -32602, None),) * 2)


async def test_completion_in_both_eras():
    server = full()
    argument = {"name": "who", "value": "par"}
    ref = {"type": "ref/prompt", "name": "greet"}
    found = await both(server, "completion/complete", {"ref": ref, "argument": argument})
    eq(found, {"completion": {"values": ["paris", "park"], "total": 2, "hasMore": False}})
    ref = {"type": "ref/resource", "uri": TEMPLATE}
    argument = {"name": "id", "value": "y"}
    context = {"arguments": {"arg2": "yes"}}
    found = await both(server, "completion/complete", {"ref": ref, "argument": argument, "context": context})
    eq(found["completion"]["values"], ["yes"])
    argument = {"name": "other", "value": ""}
    seen = await refusals(server, "completion/complete", {"ref": ref, "argument": argument})
    eq(seen, ((200, -32602, None),) * 2)


async def capabilities(server):
    initialize = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "c", "version": "1"},
    }
    old = post(server, request("initialize", initialize))[1]["result"]["capabilities"]
    new = (await ask(server, modern("server/discover")))[1]["result"]["capabilities"]
    eq(new, old)
    return set(old)


async def test_a_capability_is_there_if_the_feature_is():
    server = make(runtime=Runtime())
    eq(await capabilities(server), {"tools"})
    server.add_resource(Resource("test://a", "a", str))
    eq(await capabilities(server), {"tools", "resources"})
    server.add_template(ResourceTemplate("test://{x}", "x", str))
    server.add_prompt(Prompt("a", "", str, (Argument("x"),)))
    eq(await capabilities(server), {"tools", "resources", "prompts"})
    eq(await refusals(server, "completion/complete", {}), ((200, -32601, None), (404, -32601, None)))
    server.add_prompt(Prompt("b", "", str, (Argument("x", complete=words),)))
    eq(await capabilities(server), {"tools", "resources", "prompts", "completions"})


async def test_without_the_feature_legacy_lists_are_empty_and_modern_ones_unknown():
    for method, member in (
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
        ("prompts/list", "prompts"),
    ):
        eq((await legacy(make(), method))[1]["result"], {member: []})
        eq((await ask(make(), modern(method)))[0], 404)
    for method in ("resources/read", "prompts/get", "completion/complete"):
        eq(await refusals(make(), method), ((200, -32601, None), (404, -32601, None)))


async def test_pages_are_within_the_limit_in_both_eras():
    server = make(runtime=Runtime(), max_result=700)
    for i in range(9):
        server.add_resource(Resource("test://%d" % i, "n" * 60, str))
        server.add_template(ResourceTemplate("test://%d/{x}" % i, "n" * 60, str))
        server.add_prompt(Prompt("p%d" % i, "d" * 60, str))
    for method, member in (
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
        ("prompts/list", "prompts"),
    ):
        for in_era in (request, modern):
            count = 0
            params = {}
            while params is not None:
                message = in_era(method, params)
                status, body = await ask(server, message, None if in_era is modern else Peer())
                eq(status, 200)
                size = len(json.dumps(body).replace(": ", ":").replace(", ", ","))
                assert size <= 700, size
                count += len(body["result"][member])
                more = body["result"].get("nextCursor")
                params = None if more is None else {"cursor": more}
            eq(count, 9)
        eq(await refusals(server, method, {"cursor": "9.9"}), ((200, -32602, None),) * 2)


async def test_a_tool_s_blocks_are_those_of_the_client_s_version():
    blocks = Contents(["a", image(b"i", "image/png"), audio(b"s", "audio/wav"), link("test://a", "A")])
    server = make([Tool("blocks", "", None, lambda: blocks), Tool("one", "", None, lambda: blocks.blocks[1])])
    for version, kinds in (
        ("2024-11-05", ["text", "image", "text", "text"]),
        ("2025-03-26", ["text", "image", "audio", "text"]),
        ("2025-06-18", ["text", "image", "audio", "resource_link"]),
        ("2025-11-25", ["text", "image", "audio", "resource_link"]),
    ):
        body = (await legacy(server, "tools/call", {"name": "blocks"}, version))[1]
        eq([block["type"] for block in body["result"]["content"]], kinds)
    body = (await ask(server, modern("tools/call", {"name": "blocks"})))[1]
    eq([block["type"] for block in body["result"]["content"]], kinds)
    found = (await ask(server, modern("tools/call", {"name": "one"})))[1]["result"]["content"]
    eq(found, [{"type": "image", "mimeType": "image/png", "data": "aQ=="}])


async def test_blocks_past_the_limit_are_a_refusal_of_the_tool():
    server = make([Tool("big", "", None, lambda: image(bytes(900), "image/png"))], max_result=1000)
    for body in (
        (await legacy(server, "tools/call", {"name": "big"}))[1],
        (await ask(server, modern("tools/call", {"name": "big"})))[1],
    ):
        eq(body["result"]["isError"], True)
        assert body["result"]["content"][0]["text"].startswith("result_too_large: ")


FORM = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
ANSWER = {"action": "accept", "content": {"name": "Ann"}}


def asking():
    """A server with a resource, a template and a prompt that ask for a name."""

    async def name_of(context, *values):
        answer = await context.elicit("Name?", FORM, key="who")
        return "Hi %s %d" % (answer["content"]["name"], len(values))

    server = make(runtime=Runtime(), secret=lambda: b"k" * 32)
    server.add_resource(Resource("test://a", "a", name_of, context=True))
    server.add_template(ResourceTemplate("test://t/{x}", "t", name_of, context=True))
    server.add_prompt(Prompt("p", "", name_of, (Argument("x"),), context=True))
    return server


CASES = (
    ("resources/read", {"uri": "test://a"}, "Hi Ann 0"),
    ("resources/read", {"uri": "test://t/1"}, "Hi Ann 1"),
    ("prompts/get", {"name": "p"}, "Hi Ann 1"),
)


async def test_a_read_and_a_prompt_can_ask_the_client():
    server = asking()
    for method, params, text in CASES:
        status, body = await ask(server, modern(method, params, {"elicitation": {}}))
        eq((status, body["result"]["resultType"]), (200, "input_required"))
        assert "ttlMs" not in body["result"]
        eq(body["result"]["inputRequests"]["who"]["method"], "elicitation/create")
        again = dict(params, requestState=body["result"]["requestState"], inputResponses={"who": ANSWER})
        status, body = await ask(server, modern(method, again, {"elicitation": {}}, 2))
        eq((status, body["result"]["resultType"]), (200, "complete"))
        if method == "prompts/get":
            eq(body["result"]["messages"][0]["content"]["text"], text)
        else:
            eq(body["result"]["contents"][0]["text"], text)


async def test_a_client_that_cannot_be_asked_is_told_so():
    for method, params, _ in CASES:
        old, new = await refusals(asking(), method, params)
        eq(old, (200, -32603, None))
        eq(new, (400, -32021, {"requiredCapabilities": {"elicitation": {}}}))


async def test_a_failure_has_no_details_in_either_era():
    log = Log()
    server = make(log=log)

    def fail():
        raise RuntimeError("secret 4711")

    def refuse(values):
        raise ToolError("off", "it is off")

    server.add_resource(Resource("test://a", "a", fail))
    server.add_prompt(Prompt("p", "", refuse))
    eq(await refusals(server, "resources/read", {"uri": "test://a"}), ((200, -32603, None),) * 2)
    eq([text for _, text, _ in log.lines], ["resource a failed"] * 2)
    for status, body in (
        await legacy(server, "prompts/get", {"name": "p"}),
        await ask(server, modern("prompts/get", {"name": "p"})),
    ):
        eq((status, body["error"]), (200, {"code": -32603, "message": "off: it is off"}))
    # And the next request works.
    eq((await legacy(server, "ping"))[1]["result"], {})


async def test_what_is_removed_is_gone():
    server = full()
    eq((server.remove_resource("test://text"), server.remove_resource("test://text")), (True, False))
    eq((server.remove_resource(TEMPLATE), server.remove_prompt("greet")), (True, True))
    eq(
        await refusals(server, "resources/read", {"uri": "test://text"}),
        (
            (200, -32002, {"uri": "test://text"}),
            (200, -32602, {"uri": "test://text"}),
        ),
    )
    eq((await both(server, "prompts/list")), {"prompts": []})
