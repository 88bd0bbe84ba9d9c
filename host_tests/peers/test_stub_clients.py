"""Clients that people use, against `tsumiki serve`: a fixture on both transports, in both eras."""

import json
from functools import partial

import pytest

from kit.served import DUMMY, SAMPLES, Served, command, environment, run
from peers import clients, stdio_clients
from peers.test_sdk_clients import SEEN, TEXT

TOKEN = "a-long-test-token"
HTTP = {
    "python": clients.python,
    "python-legacy": partial(clients.python, mode="legacy"),
    "fastmcp": clients.fast,
    "typescript": clients.typescript,
    "typescript-v2": partial(clients.typescript, kind="v2"),
    "typescript-v2-auto": partial(clients.typescript, kind="v2-auto"),
}
STDIO = {
    "python": stdio_clients.python,
    "python-legacy": partial(stdio_clients.python, mode="legacy"),
    "fastmcp": stdio_clients.fast,
    "typescript": stdio_clients.typescript,
    "typescript-v2": partial(stdio_clients.typescript, kind="v2"),
    "typescript-v2-auto": partial(stdio_clients.typescript, kind="v2-auto"),
}
# Those that choose the newest era where it is offered.
MODERN = ("python", "fastmcp", "typescript-v2-auto")
# A client, and the eras that a server may speak for it.
PAIRS = [
    (name, era) for name in HTTP for era in ("both", "legacy", "modern") if era != "modern" or name in MODERN
]


def log_of(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def seen(found):
    found.pop("modern", None)
    return found


@pytest.mark.parametrize("client, era", PAIRS)
def test_a_client_over_http(tmp_path, client, era):
    log = tmp_path / "calls.jsonl"
    arguments = ("--era", era, "--log", log, "--token-env", "KIT_TOKEN")
    with Served(DUMMY, *arguments, KIT_TOKEN=TOKEN) as served:
        assert seen(HTTP[client](served.url + "/mcp", TOKEN, TEXT)) == SEEN
    rows = log_of(log)
    assert {r["era"] for r in rows} == {"modern" if client in MODERN and era != "legacy" else "legacy"}
    assert [r["tool"] for r in rows] == ["echo", "add", "fail", "no_such_tool"]


@pytest.mark.parametrize("sse", ["never", "always"])
@pytest.mark.parametrize("client", HTTP)
def test_a_client_takes_json_and_streams_alike(client, sse):
    with Served(DUMMY, "--sse", sse, "--session", "optional") as served:
        assert seen(HTTP[client](served.url + "/mcp", TOKEN, TEXT)) == SEEN


@pytest.mark.parametrize("client", HTTP)
def test_a_client_with_a_wrong_token_is_refused(client):
    with Served(DUMMY, "--token-env", "KIT_TOKEN", KIT_TOKEN=TOKEN) as served:
        assert list(HTTP[client](served.url + "/mcp", "wrong", TEXT)) == ["refused"]


@pytest.mark.parametrize("client, era", PAIRS)
def test_a_client_that_starts_it(tmp_path, client, era):
    log = tmp_path / "calls.jsonl"
    line = started(tmp_path, "serve", DUMMY, "--era", era, "--log", log)
    with (tmp_path / "stderr").open("w") as err:
        assert seen(STDIO[client](line, TEXT, err)) == SEEN
    rows = log_of(log)
    assert {(r["transport"], r["era"]) for r in rows} == {
        ("stdio", "modern" if client in MODERN and era != "legacy" else "legacy")
    }
    assert (tmp_path / "stderr").read_text() == ""


# What a client starts gets little of our environment.
def started(folder, *arguments):
    script = folder / "start.sh"
    words = " ".join("'%s'" % word for word in command(*arguments))
    script.write_text("#!/bin/sh\nPYTHONPATH='%s' exec %s\n" % (environment()["PYTHONPATH"], words))
    return ["sh", script]


INSPECTED = {
    "lists": (["tools/list"], 0, '"get_status"'),
    "calls": (["tools/call", "--tool-name", "echo", "--tool-arg", "text=" + TEXT], 0, "Echo: " + TEXT),
    "fails": (["tools/call", "--tool-name", "fail"], 5, '"isError": true'),
    "reads": (["resources/read", "--uri", "dummy://notes"], 0, "Nothing was written down."),
    "gets": (["prompts/get", "--prompt-name", "greet", "--prompt-args", "who=Ada"], 0, "Say hello to Ada."),
}


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("case", INSPECTED)
def test_the_inspector(tmp_path, case, era):
    arguments, code, wanted = INSPECTED[case]
    status = "the process ended with status %d" % code if code else ""
    options = ("--protocol-era", era, "--method", *arguments)
    with Served(DUMMY) as served:
        assert_told(clients.inspector(served.url + "/mcp", TOKEN, tmp_path, *options), status, wanted)
    line = started(tmp_path, "serve", DUMMY)
    assert_told(stdio_clients.inspector(line, tmp_path, *options), status, wanted)


def assert_told(told, status, wanted):
    assert told[0] == status and wanted in told[1], told


# A generated answer that did not fit the tool's outputSchema would be refused by these.
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_strict_client_takes_generated_answers(mode):
    import asyncio

    import mcp
    from mcp.client.streamable_http import streamable_http_client

    async def work(url):
        async with mcp.Client(streamable_http_client(url), mode=mode) as client:
            return await client.call_tool("list_ports", {"coast": "west"})

    with Served(SAMPLES / "tide.json") as served:
        result = asyncio.run(asyncio.wait_for(work(served.url + "/mcp"), 20))
    assert result.structured_content == {"coast": "stub", "codes": ["AA-000"]}


FASTMCP = """
from fastmcp import FastMCP
from pydantic import BaseModel

server = FastMCP("shop", version="2.1", instructions="Ask before you buy.")


class Quote(BaseModel):
    sku: str
    cents: int


@server.tool
def quote(sku: str, quantity: int = 1) -> Quote:
    "Price so many of a thing."
    raise RuntimeError("called")


@server.tool(annotations={"readOnlyHint": True})
def stock(sku: str) -> str:
    "Tell how many there are."
    raise RuntimeError("called")


@server.resource("shop://terms")
def terms() -> str:
    raise RuntimeError("called")


@server.resource("shop://item/{sku}")
def item(sku: str) -> str:
    raise RuntimeError("called")


@server.prompt
def order(sku: str) -> str:
    raise RuntimeError("called")


server.run(show_banner=False)
"""


def servers(tmp_path, node):
    script = tmp_path / "shop.py"
    script.write_text(FASTMCP)
    modules = clients.JS / "node_modules" / "@modelcontextprotocol"
    (tmp_path / "files").mkdir()
    return {
        "everything": [node, modules / "server-everything" / "dist" / "index.js", "stdio"],
        "filesystem": [node, modules / "server-filesystem" / "dist" / "index.js", tmp_path / "files"],
        "fastmcp": command("x")[:1] + [script],
    }


@pytest.mark.parametrize("name", ["everything", "filesystem", "fastmcp"])
def test_a_stub_of_a_real_server_lists_what_it_lists(tmp_path, node, name):
    line = [str(word) for word in servers(tmp_path, node)[name]]
    made, again = tmp_path / "made.json", tmp_path / "again.json"
    status, out, err = run("from", "--out", made, "--", *line)
    assert status == 0 and out.startswith("tsumiki: wrote %s (" % made), err
    status, out, _ = run("check", made)
    assert status == 0, out
    status, _, err = run("from", "--out", again, "--", *command("serve", made))
    assert status == 0, err
    assert json.loads(again.read_text("utf-8")) == json.loads(made.read_text("utf-8"))
    assert direct(line, "tools/list") == direct(command("serve", made), "tools/list")
    status, _, err = run("from", "--era", "legacy", "--out", again, "--force", "--", *command("serve", made))
    assert status == 0, err
    assert json.loads(again.read_text("utf-8"))["tools"] == json.loads(made.read_text("utf-8"))["tools"]


def direct(line, method):
    """The result of a request to a server that is spoken to without any client of ours."""
    from kit.served import StdioClient

    with StdioClient(line) as client:
        client.open()
        client.send(client.message(method, {}))
        while True:
            answer = client.next(20)
            if "method" not in answer:
                return answer["result"]
