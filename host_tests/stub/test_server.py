"""A server of a fixture, in both eras: its lists, resources, prompts, and who it is."""

from stubbed import PORT, Peer, call, document, post, server, text

from harness import eq, raises
from stub.answers import FixtureError
from stub.fixture import Fixture
from stub.server import StubServer

VERSION = "io.modelcontextprotocol/protocolVersion"
SERVER = "io.modelcontextprotocol/serverInfo"
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "c", "version": "1"},
}


def test_initialize_takes_the_version_or_tells_its_latest():
    stub = server()
    result = post(stub, "initialize", INITIALIZE)[1]["result"]
    eq(result["protocolVersion"], "2025-06-18")
    eq(result["serverInfo"], {"name": "harbour", "version": "1.2.0"})
    eq(result["capabilities"], {"tools": {}})
    eq(
        post(stub, "initialize", dict(INITIALIZE, protocolVersion="1999-01-01"))[1]["result"][
            "protocolVersion"
        ],
        "2025-11-25",
    )
    eq(post(stub, "initialize", {})[1]["error"]["code"], -32602)


def test_a_fixture_may_speak_fewer_versions():
    stub = server(
        schema="tsumiki/fixture-v1", protocol={"versions": ["2024-11-05"]}, instructions="Ask for the tide."
    )
    result = post(stub, "initialize", INITIALIZE)[1]["result"]
    eq((result["protocolVersion"], result["instructions"]), ("2024-11-05", "Ask for the tide."))


def test_the_identity_is_told_as_it_is_in_both_eras():
    identity = {
        "name": "harbour",
        "version": "2",
        "title": "The harbour",
        "websiteUrl": "https://example.com/",
    }
    stub = server(**{"server": identity})
    eq(post(stub, "initialize", INITIALIZE)[1]["result"]["serverInfo"], identity)
    eq(post(stub, "server/discover", {}, modern=True)[1]["result"]["_meta"][SERVER], identity)


def test_discover_and_the_results_of_the_newest_era():
    stub = server()
    found = post(stub, "server/discover", {}, modern=True)[1]["result"]
    eq(
        (found["supportedVersions"], found["resultType"], found["capabilities"]),
        (["2026-07-28"], "complete", {"tools": {}}),
    )
    listed = post(stub, "tools/list", {}, modern=True)[1]["result"]
    eq((listed["resultType"], listed["cacheScope"], listed["ttlMs"]), ("complete", "private", 60000))
    result = call(stub, "tide", {"port": "Brest"}, modern=True)["result"]
    eq(
        (result["resultType"], "ttlMs" in result, text({"result": result})),
        ("complete", False, "Brest: 4.2 m, rising"),
    )
    eq(call(stub, "tide", {"port": "Ys"}, modern=True)["error"]["code"], -32004)


def test_a_fixture_says_how_long_its_lists_may_be_kept():
    stub = server(schema="tsumiki/fixture-v1", cache={"ttlMs": 5, "cacheScope": "public"})
    for method in ("tools/list", "server/discover"):
        listed = post(stub, method, {}, modern=True)[1]["result"]
        eq((listed["cacheScope"], listed["ttlMs"]), ("public", 5))
    raises(FixtureError, server, cache={"ttlMs": -1})


def test_the_meta_of_a_result_is_no_second_one_in_the_newest_era():
    stub = server([dict(PORT, cases=[], result={"content": [], "_meta": {"a/b": 1}})])
    eq(call(stub, "tide")["result"]["_meta"], {"a/b": 1})
    eq(list(call(stub, "tide", modern=True)["result"]["_meta"]), [SERVER])


def test_an_entry_is_listed_as_it_came_without_what_is_the_fixtures():
    entry = {
        "name": "t.x/y",
        "title": "T",
        "inputSchema": {"type": "object", "anyOf": [{"required": ["a"]}], "$schema": "x"},
        "outputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": True},
        "icons": [{"src": "https://example.com/i.png"}],
        "_meta": {"a/b": 1},
        "execution": {"taskSupport": "forbidden"},
    }
    own = {
        "cases": [],
        "result": {"content": []},
        "validate": True,
        "note": "n",
        "x-own": 1,
        "delayMs": 1,
        "times": 2,
    }
    eq(post(server([dict(entry, **own)]), "tools/list")[1]["result"]["tools"], [entry])


def test_tools_are_listed_in_their_order():
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in ("b", "c", "a")]
    eq([t["name"] for t in post(server(tools), "tools/list")[1]["result"]["tools"]], ["b", "c", "a"])


def test_only_one_era_is_served_if_so_wished():
    legacy = server(eras=("legacy",))
    eq(post(legacy, "server/discover", {}, modern=True)[1]["error"]["code"], -32601)
    eq(text(call(legacy, "tide", {"port": "Brest"}, modern=True)), "Brest: 4.2 m, rising")
    status, refused = post(legacy, "tools/list", {}, Peer(b"tools/list", None, b"2026-07-28"), True)
    eq((status, refused["error"]["code"]), (400, -32600))
    modern = server(eras=("modern",))
    status, refused = post(modern, "initialize", INITIALIZE)
    eq((status, refused["error"]["code"]), (400, -32022))
    eq(refused["error"]["data"], {"supported": ["2026-07-28"], "requested": "2025-06-18"})
    eq(post(modern, "tools/list", {})[1]["error"]["code"], -32602)
    eq(text(call(modern, "tide", {"port": "Brest"}, modern=True)), "Brest: 4.2 m, rising")
    raises(FixtureError, server, eras=("ancient",))
    raises(FixtureError, server, protocol={"versions": ["2026-07-28"]})


def test_the_header_fields_of_the_newest_era_must_fit():
    peer = Peer(b"tools/call", b"other", b"2026-07-28")
    status, refused = post(server(), "tools/call", {"name": "tide", "arguments": {}}, peer, True)
    eq((status, refused["error"]["code"]), (400, -32020))
    eq(post(server(), "no/such", {}, Peer(b"no/such", None, b"2026-07-28"), True)[0], 404)


def test_mirrored_arguments_are_checked_and_a_bad_mark_is_left_alone():
    marked = {"type": "object", "properties": {"port": {"type": "string", "x-mcp-header": "Port"}}}

    class Told(Peer):
        def header(self, name):
            return b"Ys" if name == b"mcp-param-port" else None

    stub = server([dict(PORT, inputSchema=marked)])
    params = {"name": "tide", "arguments": {"port": "Brest"}}
    status, refused = post(stub, "tools/call", params, Told(b"tools/call", b"tide", b"2026-07-28"), True)
    eq((status, refused["error"]["code"]), (400, -32020))
    marked["properties"]["port"]["type"] = "object"
    eq(
        text(call(server([dict(PORT, inputSchema=marked)]), "tide", {"port": "Brest"})),
        "Brest: 4.2 m, rising",
    )


RESOURCES = [
    {"uri": "tide://log", "name": "log", "text": "high water", "mimeType": "text/plain"},
    {
        "uri": "tide://map",
        "name": "map",
        "contents": [{"uri": "tide://map", "blob": "AAEC"}, {"uri": "tide://b", "text": "b"}],
    },
    {"uri": "tide://x", "name": "x", "mimeType": "text/css"},
    {"uri": "tide://lost", "name": "lost", "error": {"code": -32002, "message": "Gone"}},
]
TEMPLATES = [
    {
        "uriTemplate": "tide://port/{name}",
        "name": "port",
        "cases": [
            {
                "when": {"name": "Brest"},
                "result": {"contents": [{"uri": "tide://port/Brest", "text": "B"}]},
            }
        ],
    },
    {"uriTemplate": "file:///{+path}", "name": "file"},
]


def test_resources_and_templates_are_listed_and_read():
    stub = server(resources=RESOURCES, resourceTemplates=TEMPLATES)
    eq(post(stub, "initialize", INITIALIZE)[1]["result"]["capabilities"], {"tools": {}, "resources": {}})
    listed = post(stub, "resources/list")[1]["result"]["resources"]
    eq(listed[0], {"uri": "tide://log", "name": "log", "mimeType": "text/plain"})
    eq(listed[1], {"uri": "tide://map", "name": "map"})
    templates = post(stub, "resources/templates/list")[1]["result"]["resourceTemplates"]
    eq(templates[0], {"uriTemplate": "tide://port/{name}", "name": "port"})

    def read(uri):
        response = post(stub, "resources/read", {"uri": uri})[1]
        return response["error"]["code"] if "error" in response else response["result"]["contents"]

    eq(read("tide://log"), [{"uri": "tide://log", "text": "high water", "mimeType": "text/plain"}])
    eq(read("tide://map"), RESOURCES[1]["contents"])
    eq(read("tide://x"), [{"uri": "tide://x", "text": "stub tide://x", "mimeType": "text/css"}])
    eq(read("tide://lost"), -32002)
    eq(read("tide://port/Brest"), [{"uri": "tide://port/Brest", "text": "B"}])
    eq(read("tide://port/Ys"), [{"uri": "tide://port/Ys", "text": "stub tide://port/Ys"}])
    eq(read("file:///a/b"), [{"uri": "file:///a/b", "text": "stub file:///a/b"}])
    eq(read("tide://none"), -32002)
    eq(post(stub, "resources/read", {})[1]["error"]["code"], -32602)
    eq(post(stub, "resources/read", {"uri": "tide://none"}, modern=True)[1]["error"]["code"], -32602)


def test_templates_may_be_called_by_their_short_name():
    eq(len(Fixture(document(templates=TEMPLATES)).templates), 2)


PROMPTS = [
    {
        "name": "report",
        "description": "Report the tide",
        "arguments": [{"name": "port", "required": True}],
        "cases": [{"when": {"port": "Ys"}, "error": {"code": -32602, "message": "Sunk"}}],
    },
    {"name": "hail", "messages": [{"role": "assistant", "content": {"type": "text", "text": "Ahoy"}}]},
]


def test_prompts_are_listed_and_got():
    stub = server(prompts=PROMPTS)
    listed = post(stub, "prompts/list")[1]["result"]["prompts"]
    eq(listed[0], {k: v for k, v in PROMPTS[0].items() if k != "cases"})
    eq(listed[1], {"name": "hail"})

    def got(name, **arguments):
        response = post(stub, "prompts/get", {"name": name, "arguments": arguments})[1]
        return response["error"]["code"] if "error" in response else response["result"]

    eq(got("hail")["messages"], PROMPTS[1]["messages"])
    message = {"role": "user", "content": {"type": "text", "text": 'stub report {"port":"Brest"}'}}
    eq(got("report", port="Brest"), {"messages": [message], "description": "Report the tide"})
    eq(got("report", port="Ys"), -32602)
    eq(got("report")["messages"][0]["content"]["text"], "stub report {}")
    eq(got("none"), -32602)
    eq(post(stub, "prompts/get", {"arguments": {}})[1]["error"]["code"], -32602)


def test_a_prompt_wants_its_arguments_where_they_are_looked_at():
    stub = server(prompts=PROMPTS, validate=True)
    refused = post(stub, "prompts/get", {"name": "report", "arguments": {}})[1]["error"]
    eq((refused["code"], refused["message"]), (-32602, "Missing required argument: port"))


def test_ping_an_unknown_method_and_a_broken_message():
    stub = server()
    eq(post(stub, "ping")[1]["result"], {})
    eq(post(stub, "no/such")[1]["error"]["code"], -32601)
    reply = stub.handle(b"{nonsense", 0, 9, Peer(), 0)
    eq((reply[0], reply[1].find(b'"code":-32700') > 0), (400, True))


def test_a_fixture_without_tools_offers_what_it_has():
    stub = StubServer(Fixture(document((), prompts=PROMPTS)))
    eq(post(stub, "initialize", INITIALIZE)[1]["result"]["capabilities"], {"prompts": {}})
    eq(StubServer(Fixture(document(()))).capabilities(False), {"tools": {}})
