"""Servers that others wrote, recorded with a client that others wrote: what is replayed is what they said."""

import json
import os
import sys

import pytest

import install
from free_ports import free_port
from kit import sessions
from kit.running import Lines, alone, environment, interrupted, listening, tsumiki, wait_for
from peers import clients, stdio_clients
from tsumiki import cassette, cli
from tsumiki.tape import ASK, Tape

_PACKAGES = install.JS / "node_modules" / "@modelcontextprotocol"
SECRET = "planted-Secret-0815"


def everything(node, *arguments):
    return [node, _PACKAGES / "server-everything" / "dist" / "index.js", *arguments]


def everything_before(node, *arguments):
    """An older version, whose list of resources has pages."""
    return [node, install.JS / "node_modules" / "server-everything-before" / "dist" / "index.js", *arguments]


def filesystem(node, folder):
    return [node, _PACKAGES / "server-filesystem" / "dist" / "index.js", folder]


def recorded(out, server, work, mode="legacy"):
    """What a session through the recorder saw."""
    command = tsumiki("record", "--out", out, "--", *server)
    return sessions.stdio(command, work, sys.__stderr__, mode, environment())


def replayed(out, work, http, mode="legacy", *more):
    """What the same session sees of the cassette."""
    if http:
        with listening("serve", out, *more) as side:
            return sessions.http(side.url + "/mcp", work, mode)
    return sessions.stdio(tsumiki("serve", out, *more), work, sys.__stderr__, mode, environment())


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_everything_on_stdio(node, tmp_path, mode):
    out = tmp_path / "everything.ndjson"
    live = sessions.stdio(everything(node, "stdio"), sessions.everything, sys.__stderr__, mode)
    assert recorded(out, everything(node, "stdio"), sessions.everything, mode) == live
    assert len(live["lists"]["tools"]) > 10 and len(live["progress"]) == 3
    assert "sampled" in str(live['trigger-sampling-request {"prompt": "say it", "maxTokens": 10}'])
    takes = Tape(cassette.load(out).rows).takes
    assert any(event.kind == ASK for take in takes for event in (*take.events, *take.later))
    for http in (False, True):
        assert replayed(out, sessions.everything, http, mode) == live


def test_everything_in_the_era_that_it_does_not_speak(node, tmp_path):
    out = tmp_path / "everything.ndjson"
    live = recorded(out, everything(node, "stdio"), sessions.everything)
    for http in (False, True):
        again = replayed(out, sessions.everything, http, "auto", "--era", "modern")
        for name in ("server", "lists", 'echo {"message": "hello"}', "prompt", "resource", "progress"):
            assert strip(again[name]) == strip(live[name]), name


def strip(value):
    """Without what an era adds to results, and takes from tools."""
    gone = ("_meta", "resultType", "ttlMs", "cacheScope", "execution")
    if isinstance(value, dict):
        return {name: strip(one) for name, one in value.items() if name not in gone}
    return [strip(one) for one in value] if isinstance(value, list) else value


def test_everything_over_http(node, tmp_path):
    out = tmp_path / "everything.ndjson"
    port = free_port()
    env = dict(os.environ, PORT=str(port))
    with Lines(everything(node, "streamableHttp"), env=env) as server:
        wait_for(lambda: _listens(port), 20)
        live = sessions.http("http://127.0.0.1:%d/mcp" % port, sessions.everything)
        with listening("record", "--out", out, "--url", "http://127.0.0.1:%d/mcp" % port) as side:
            assert sessions.http(side.url + "/mcp", sessions.everything) == live
            assert interrupted(side) == 130
        line = tmp_path / "line.ndjson"
        command = tsumiki("record", "--out", line, "--url", "http://127.0.0.1:%d/mcp" % port)
        assert sessions.stdio(command, sessions.everything, sys.__stderr__, "legacy", environment()) == live
        assert server._process.poll() is None
    for cassette_ in (out, line):
        for http in (False, True):
            assert replayed(cassette_, sessions.everything, http) == live


def _listens(port):
    import socket

    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def test_a_stdio_server_over_http_to_a_real_client(node, tmp_path):
    out = tmp_path / "everything.ndjson"
    live = sessions.stdio(everything(node, "stdio"), sessions.everything, sys.__stderr__)
    with listening("record", "--out", out, "--", *everything(node, "stdio")) as side:
        assert sessions.http(side.url + "/mcp", sessions.everything) == live
        assert interrupted(side) == 130
    assert replayed(out, sessions.everything, True) == live


def test_files(node, tmp_path):
    folder = tmp_path / "files"
    out = tmp_path / "files.ndjson"

    def fresh():
        for path in folder.glob("*"):
            path.unlink()
        folder.mkdir(exist_ok=True)
        (folder / "a.txt").write_text("alpha\n")

    work = sessions.files(folder)
    fresh()
    live = sessions.stdio(filesystem(node, folder), work, sys.__stderr__)
    fresh()
    assert recorded(out, filesystem(node, folder), work) == live
    written = (folder / "new.txt").stat().st_mtime_ns
    for http in (False, True):
        assert replayed(out, work, http) == live
    # Nobody touched the files.
    assert (folder / "new.txt").stat().st_mtime_ns == written


def test_the_environment_of_a_server_does_not_reach_the_disk(node, tmp_path):
    out = tmp_path / "env.ndjson"
    env = environment(WEATHER_API_KEY=SECRET, DATABASE="postgres://user:%s@db/x" % SECRET)
    command = tsumiki("record", "--out", out, "--", *everything(node, "stdio"))
    said = []

    async def work(client):
        said.append(str(await sessions.call(client, "get-env", {})))

    sessions.stdio(command, work, sys.__stderr__, "legacy", env)
    assert SECRET in said[0]
    assert SECRET not in out.read_text("utf-8")
    assert "[redacted]" in out.read_text("utf-8")


def test_a_recording_of_a_replay_differs_in_nothing(node, tmp_path, capsys):
    first, second = tmp_path / "first.ndjson", tmp_path / "second.ndjson"
    recorded(first, everything(node, "stdio"), sessions.everything)
    recorded(second, tsumiki("serve", first), sessions.everything)
    assert cli.main(["diff", str(first), str(second), "--fail-on", "any"]) == 0, capsys.readouterr()


async def short(client):
    """What both versions are asked: their lists, to the last page, and three calls."""
    found = {"lists": await sessions.lists(client)}
    for name, arguments in (("echo", {"message": "hello"}), ("echo", {}), ("get-sum", {"a": 1, "b": 2})):
        found["%s %s" % (name, arguments)] = await sessions.call(client, name, arguments)
    return found


def test_pages_are_recorded_and_replayed(node, tmp_path):
    out = tmp_path / "pages.ndjson"
    live = recorded(out, everything_before(node, "stdio"), short)
    assert len(live["lists"]["resources"]) == 100
    asked = [take for take in Tape(cassette.load(out).rows).takes if take.method == "resources/list"]
    assert len(asked) == 10 and asked[1].params["cursor"]
    for http in (False, True):
        for more in ((), ("--match", "strict")):
            assert replayed(out, short, http, "legacy", *more) == live


def test_another_version_is_told_by_what_has_changed(node, tmp_path, capsys):
    before, now = tmp_path / "before.ndjson", tmp_path / "now.ndjson"
    recorded(before, everything_before(node, "stdio"), short)
    recorded(now, everything(node, "stdio"), short)
    assert cli.main(["diff", str(before), str(now), "--json"]) == 1
    changes = json.loads(capsys.readouterr().out)["changes"]
    told = {(change["level"], change["path"], change["message"]) for change in changes}
    assert told >= {
        ("breaking", "tools/add", "the tool is gone"),
        ("breaking", "resources/test://static/resource/100", "the resource is gone"),
        ("routing", "tools/echo/title", "title has changed"),
        ("info", "tools/get-sum", "the tool is new"),
        ("info", "server/version", "was 1.0.0, is 2.0.0"),
    }
    classes = [
        text for level, path, text in told if path.startswith("tools/call get-sum") and level == "breaking"
    ]
    assert len(classes) == 1 and classes[0].endswith("is ok"), classes


SERVER = """\
import sys
from mcp.server.mcpserver import MCPServer

server = MCPServer("clients")

@server.tool()
def echo(text: str) -> str:
    return "Echo: " + text

@server.tool()
def add(a: float, b: float) -> str:
    return "%g + %g = %g" % (a, b, a + b)

@server.tool()
def fail() -> str:
    raise ValueError("this tool always fails")

server.run("stdio")
"""


@pytest.fixture(scope="module")
def clients_tape(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clients")
    (folder / "server.py").write_text(SERVER)
    out = folder / "tape.ndjson"
    command = alone("record", "--out", out, "--", sys.executable, folder / "server.py")
    live = stdio_clients.python(command, "hello", sys.__stderr__, "legacy")
    assert live["echo"] == [False, "Echo: hello"] and live["unknown"]
    return out, live


CLIENTS = {
    "python": lambda command, log: stdio_clients.python(command, "hello", log, "legacy"),
    "python, modern": lambda command, log: stdio_clients.python(command, "hello", log, "auto"),
    "fastmcp": lambda command, log: stdio_clients.fast(command, "hello", log),
    "typescript": lambda command, log: stdio_clients.typescript(command, "hello", log),
    "typescript 2": lambda command, log: stdio_clients.typescript(command, "hello", log, "v2"),
    "typescript 2, modern": lambda command, log: stdio_clients.typescript(command, "hello", log, "v2-auto"),
}


@pytest.mark.parametrize("name", CLIENTS)
def test_clients_of_others_on_stdio(clients_tape, name):
    out, live = clients_tape
    seen = CLIENTS[name](alone("serve", out), sys.__stderr__)
    assert seen == live


HTTP_CLIENTS = {
    "python": lambda url: clients.python(url, "t0ken-abc", "hello", "legacy"),
    "python, modern": lambda url: clients.python(url, "t0ken-abc", "hello", "auto"),
    "fastmcp": lambda url: clients.fast(url, "t0ken-abc", "hello"),
    "typescript": lambda url: clients.typescript(url, "t0ken-abc", "hello"),
    "typescript 2": lambda url: clients.typescript(url, "t0ken-abc", "hello", "v2"),
    "typescript 2, modern": lambda url: clients.typescript(url, "t0ken-abc", "hello", "v2-auto"),
}


@pytest.mark.parametrize("name", HTTP_CLIENTS)
def test_clients_of_others_over_http(clients_tape, name):
    out, live = clients_tape
    env = environment(KIT_TOKEN="t0ken-abc")
    with listening("serve", out, "--token-env", "KIT_TOKEN", "--session", "optional", env=env) as side:
        seen = HTTP_CLIENTS[name](side.url + "/mcp")
    assert seen.pop("modern", None) in (None, name.endswith("modern"))
    assert seen == live
