"""tools/list: its order, its pages, and the cursors between them."""

import json

from serving import Peer, code, joined, make, post, request

from harness import eq, raises
from umcp.errors import LocalError
from umcp.tool import Tool


def names(result):
    return [tool["name"] for tool in result["tools"]]


def listed(server, params=None):
    return post(server, request("tools/list", params))[1]["result"]


def test_tools_are_listed_in_the_order_they_were_added():
    server = make()
    for params in (None, {}, {"cursor": None}, {"_meta": {}}):
        result = listed(server, params)
        eq((names(result), "nextCursor" in result), (["echo", "add", "fail"], False))
    server.add_tool(Tool("add", "New.", None, int))
    eq(names(listed(server)), ["echo", "add", "fail"])
    eq(listed(server)["tools"][1]["description"], "New.")
    eq((server.remove_tool("echo"), server.remove_tool("echo")), (True, False))
    eq(names(listed(server)), ["add", "fail"])
    eq([tool.name for tool in server.get_tools()], ["add", "fail"])
    server.get_tools().clear()
    eq(len(server.get_tools()), 2)


def test_a_server_without_tools_lists_none():
    server = make()
    for tool in server.get_tools():
        server.remove_tool(tool.name)
    eq(listed(server), {"tools": []})


def paged(count=9):
    server = make(max_result=720)
    for i in range(count):
        server.add_tool(Tool("tool_%d" % i, "d" * 60, None, int))
    return server


def test_a_long_list_comes_in_pages_within_the_limit():
    server = paged()
    seen = []
    params = {}
    while params is not None:
        raw = json.dumps(request("tools/list", params)).encode()
        body = joined(server.handle(raw, 0, len(raw), Peer(), 0)[1])
        assert len(body) <= 720, len(body)
        result = json.loads(body)["result"]
        assert result["tools"]
        seen += names(result)
        params = {"cursor": result["nextCursor"]} if "nextCursor" in result else None
    eq(seen, ["echo", "add", "fail"] + ["tool_%d" % i for i in range(9)])


def test_a_cursor_that_was_not_given_out_is_refused():
    server = paged()
    for cursor in ("", "0", "x", "1.1.1", 1, [], {}, True):
        eq(code(server, request("tools/list", {"cursor": cursor})), (200, -32602))
    eq(code(make(), request("tools/list", {"cursor": ""})), (200, -32602))


def test_a_cursor_from_before_a_change_is_refused():
    server = paged()
    cursor = listed(server)["nextCursor"]
    assert names(listed(server, {"cursor": cursor}))
    for change in (
        lambda: server.remove_tool("tool_8"),
        lambda: server.add_tool(Tool("tool_0", "", None, int)),
    ):
        cursor = listed(server)["nextCursor"]
        change()
        eq(code(server, request("tools/list", {"cursor": cursor})), (200, -32602))


def test_a_tool_whose_entry_fits_no_page_is_refused():
    server = make(max_result=720)
    raises(LocalError, server.add_tool, Tool("big", "d" * 500, None, int))
    eq([tool.name for tool in server.get_tools()], ["echo", "add", "fail"])
