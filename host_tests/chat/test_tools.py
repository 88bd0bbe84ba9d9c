"""One table of the tools of several servers: names, policies, servers that fail, and what a result says."""

from chat.tools import ChatTool, create_mcp_chat_tools, text_of
from harness import araises, eq, raises
from umcp.client_errors import Disconnected
from umcp.errors import LocalError


def entry(name, **more):
    return dict({"name": name, "description": "Does %s." % name, "inputSchema": {"type": "object"}}, **more)


class Client:
    """A client that is initialised unless it is `broken`."""

    def __init__(self, *names, entries=None, broken=None, up=True):
        self.entries = entries or [entry(name) for name in names]
        self.broken = broken
        self.up = up
        self.calls = []

    def is_initialized(self):
        return self.up

    async def list_tools(self):
        if self.broken:
            raise self.broken
        return self.entries

    async def call_tool(self, name, arguments):
        self.calls.append((name, arguments))
        return {"content": [{"type": "text", "text": "did " + name}]}


async def table_of(clients, names=None, **options):
    return await create_mcp_chat_tools(clients, names, **options)


async def test_a_table_of_tools():
    schema = {"type": "object", "properties": {"level": {"type": "integer"}}, "required": ["level"]}
    client = Client(entries=[entry("set_light", inputSchema=schema, outputSchema={"type": "object"})])
    table = await table_of([("kitchen", client)])
    eq(list(table), ["set_light"])
    tool = table["set_light"]
    eq(
        (tool.name, tool.description, tool.parameters, tool.server),
        ("set_light", "Does set_light.", schema, "kitchen"),
    )
    eq(await tool.execute({"level": 20}), "did set_light")
    eq(client.calls, [("set_light", {"level": 20})])


async def test_names_that_clash_get_the_servers_before_them_and_none_is_lost():
    a, b = Client("echo", "one"), Client("echo", "two")
    table = await table_of([("a", a), ("b", b)])
    eq(sorted(table), ["a_echo", "b_echo", "one", "two"])
    eq(await table["b_echo"].execute({}), "did echo")
    eq((a.calls, b.calls), ([], [("echo", {})]))


async def test_a_bare_name_never_means_another_server():
    names = {}
    a, b = Client("echo"), Client("echo")
    eq(sorted(await table_of([("a", a)], names)), ["echo"])
    # It is gone, and another one comes.
    eq(sorted(await table_of([("b", b)], names)), ["b_echo"])
    eq(sorted(await table_of([("a", a), ("b", b)], names)), ["a_echo", "b_echo"])
    # Not even when it is alone again.
    eq(sorted(await table_of([("a", a)], names)), ["a_echo"])


async def test_the_robots_own_tools_keep_their_names():
    names = {"move_head": ""}
    table = await table_of([("b", Client("move_head", "hum"))], names)
    eq(sorted(table), ["b_move_head", "hum"])


async def test_names_that_no_provider_takes():
    found = [entry(name) for name in ("a.b", "a/b", "é", "x" * 100, "x" * 90)]
    table = await table_of([("s", Client(entries=found))])
    eq(sorted(table), ["_", "a_b", "a_b_2", "x" * 62 + "_2", "x" * 64])
    eq(await table["a_b_2"].execute({}), "did a/b")
    # What a prefix makes may be there already, too.
    table = await table_of([("s", Client("echo", "s_echo")), ("t", Client("echo"))])
    eq(sorted(table), ["s_echo", "s_echo_2", "t_echo"])


async def test_servers_that_fail_are_left_out_and_told():
    told = []
    clients = [
        ("a", Client("one", broken=Disconnected("before the reply"))),
        ("b", Client("two", up=False)),
        ("c", Client("three")),
    ]
    table = await table_of(clients, report=lambda *told_of: told.append(told_of))
    eq(list(table), ["three"])
    eq(told, [("a", "Disconnected: before the reply"), ("b", "not connected")])


async def test_a_policy_for_each_server():
    clients = [("a", Client("one", "two")), ("b", Client("one", "two"))]
    table = await table_of(clients, allows=lambda server, tool: (server, tool) != ("a", "one"))
    eq(sorted(table), ["a_two", "b_two", "one"])
    eq(table["one"].server, "b")


async def test_entries_with_little_in_them():
    found = [
        {"name": "a"},
        {"name": "b", "title": "Bee", "inputSchema": 3},
        entry("c", description="x" * 5000),
    ]
    table = await table_of([("s", Client(entries=found))])
    eq((table["a"].description, table["a"].parameters), ("", {"type": "object"}))
    eq(table["b"].description, "Bee")
    eq(len(table["c"].description), 1024)


def test_what_a_result_says():
    text = {"type": "text", "text": "one"}
    image = {"type": "image", "data": "AA==", "mimeType": "image/png"}
    cases = (
        ({"content": [text, image, {"type": "text", "text": "two"}]}, "one\ntwo"),
        ({"content": [], "structuredContent": {"a": 1}}, '{"a":1}'),
        ({"content": [text], "structuredContent": {"a": 1}}, "one"),
        ({"content": [image]}, None),
        ({"content": []}, '{"content":[]}'),
        ({"content": "x"}, '"x"'),
        ({"content": [3, {"type": "text"}], "structuredContent": 5}, "5"),
    )
    for result, wanted in cases:
        said = text_of(result)
        if wanted is None:
            assert "image/png" in said, said
        else:
            eq(said, wanted)


async def test_a_tool_of_the_base_does_nothing():
    raises(LocalError, ChatTool("a", "", b"{}").execute, {})
    await araises(Disconnected, _broken())


async def _broken():
    client = Client("one")
    table = await table_of([("a", client)])

    async def fails(name, arguments):
        raise Disconnected("before the reply")

    client.call_tool = fails
    return await table["one"].execute({})
