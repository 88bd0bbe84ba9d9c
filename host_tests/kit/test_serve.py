"""A fixture as a server: the same answers on both transports, in both eras."""

import json
import os
import signal

import pytest

from kit.playing import original
from kit.served import DUMMY, ERAS, TIDE, Served, StdioClient, command, run

TOKEN = "a-long-test-token"
BOTH = pytest.mark.parametrize("era", ERAS)


@pytest.fixture(params=["stdio", "http"])
def opened(request):
    """`opened(file, era, *arguments)`: a client of it that has begun."""
    closing = []

    def open(file, era, *arguments):
        if request.param == "stdio":
            client = StdioClient(command("serve", file, *arguments), era)
            closing.append(client)
        else:
            closing.append(Served(file, *arguments))
            client = closing[-1].client(era)
        client.identity = client.open()
        return client

    yield open
    for one in closing:
        one.__exit__()


@BOTH
def test_our_sample(opened, era):
    client = opened(TIDE, era)
    assert client.identity == {"name": "harbour-fixture", "version": "1.2.0"}
    sample = json.loads(TIDE.read_text("utf-8"))
    listed = client.ask("tools/list")["result"]["tools"]
    assert listed == [{k: v for k, v in t.items() if k not in ("cases", "result")} for t in sample["tools"]]
    result = client.call("get_tide", port="Brest", days=3)["result"]
    assert result["content"] == sample["tools"][0]["cases"][0]["result"]["content"]
    assert result.get("resultType") == ("complete" if era == "modern" else None)
    assert client.call("get_tide", port="Ys")["error"] == {"code": 404, "message": "That port has sunk"}
    assert client.text("get_tide", port="Dover") == "There is no table for that port"
    result = client.call("list_ports", coast="west")["result"]
    assert result["content"] == [{"type": "text", "text": 'stub list_ports {"coast":"west"}'}]
    assert result["structuredContent"] == {"coast": "stub", "codes": ["AA-000"]}
    assert client.call("list_port")["error"]["code"] == -32602
    assert client.ask("no/such")["error"]["code"] == -32601


@BOTH
def test_the_readmes_fixture(opened, era):
    client = opened(original("weather.json"), era)
    assert client.identity == {"name": "weather-fixture", "version": "1.0.0"}
    tool = client.ask("tools/list")["result"]["tools"][0]
    assert tool["name"] == "get_weather" and tool["inputSchema"]["required"] == ["city"]
    content = client.call("get_weather", city="Paris", units="metric")["result"]["content"]
    assert content == [{"type": "text", "text": "Paris: 21°C, clear"}]
    error = client.call("get_weather", city="Atlantis")["error"]
    assert error == {"code": -32004, "message": "Fixture city not found"}
    assert client.text("get_weather", city="Oslo") == "Fixture forecast unavailable"


@BOTH
def test_the_readmes_fixture_without_its_result(opened, era, tmp_path):
    document = json.loads(original("weather.json").read_text("utf-8"))
    del document["tools"][0]["result"]
    path = tmp_path / "generated.json"
    path.write_text(json.dumps(document), "utf-8")
    client = opened(path, era)
    assert client.text("get_weather", city="Oslo", b=1) == 'stub get_weather {"b":1,"city":"Oslo"}'


@BOTH
def test_resources_and_prompts(opened, era):
    client = opened(DUMMY, era)
    assert client.identity["title"] == "The dummy server, as a fixture"
    assert client.ask("resources/list")["result"]["resources"][0]["uri"] == "dummy://notes"
    assert client.ask("resources/templates/list")["result"]["resourceTemplates"][0]["name"] == "note"
    read = client.ask("resources/read", {"uri": "dummy://notes/today"})["result"]
    assert read["contents"] == [{"uri": "dummy://notes/today", "text": "stub dummy://notes/today"}]
    unknown = client.ask("resources/read", {"uri": "dummy://other"})["error"]
    assert unknown["code"] == (-32602 if era == "modern" else -32002)
    prompt = client.ask("prompts/get", {"name": "greet", "arguments": {"who": "Ada"}})["result"]
    assert prompt["messages"][0]["content"]["text"] == "Say hello to Ada."
    assert client.ask("prompts/list")["result"]["prompts"][0]["arguments"][0]["required"] is True


@BOTH
def test_arguments_are_checked_where_that_is_asked_for(opened, era):
    client = opened(DUMMY, era, "--validate")
    result = client.call("add", a=1)["result"]
    assert result["isError"] is True
    assert result["content"][0]["text"] == "invalid_arguments: /b: is required"
    assert client.text("add", a=1, b=2.5) == "1 + 2.5 = 3.5"


def test_one_era_alone(opened):
    client = opened(TIDE, "legacy", "--era", "legacy")
    client.era = "modern"
    assert client.ask("server/discover")["error"]["code"] in (-32600, -32601)
    modern = opened(TIDE, "modern", "--era", "modern")
    modern.era = "legacy"
    assert modern.ask("initialize", {"protocolVersion": "2025-11-25"})["error"]["code"] == -32022


@BOTH
def test_the_call_log(opened, era, tmp_path):
    path = tmp_path / "calls.jsonl"
    client = opened(TIDE, era, "--log", path)
    client.call("get_tide", port="Brest")
    client.call("get_tide", port="Ys")
    client.call("list_ports")
    client.ask("tools/list")
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [(r["tool"], r["outcome"], r["case"]) for r in rows] == [
        ("get_tide", "ok", 0),
        ("get_tide", "rpc_error:404", 1),
        ("list_ports", "ok", "generated"),
    ]
    assert rows[0]["arguments"] == {"port": "Brest"} and rows[0]["era"] == era
    assert rows[0]["transport"] == ("stdio" if isinstance(client, StdioClient) else "http")
    assert rows[0]["ts"].endswith("Z") and len(rows[0]["ts"]) == 24


def test_a_line_that_is_no_message_is_answered_and_the_next_one_too():
    with StdioClient(command("serve", TIDE)) as client:
        client.open()
        client.send(b"{nonsense")
        assert client.next()["error"]["code"] == -32700
        client.send(b"")
        client.send(b'{"jsonrpc":"2.0","id":7,"method":"ping"}\r')
        assert client.next() == {"jsonrpc": "2.0", "id": 7, "result": {}}
        assert client.end() == (0, "")


def test_answers_come_as_they_are_ready():
    with StdioClient(command("serve", DUMMY)) as client:
        client.open()
        for id, text in (("slow", "later"), ("quick", "hello")):
            params = {"name": "echo", "arguments": {"text": text}}
            client.send({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
        assert [client.next()["id"] for _ in range(2)] == ["quick", "slow"]


def test_a_call_that_is_cancelled_is_not_answered():
    with StdioClient(command("serve", DUMMY)) as client:
        client.open()
        params = {"name": "echo", "arguments": {"text": "later"}}
        client.send({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": params})
        client.note("notifications/cancelled", {"requestId": "slow"})
        assert client.silent(0.5)
        assert client.ask("ping")["result"] == {}


def test_what_was_asked_is_answered_though_the_input_ends():
    with StdioClient(command("serve", DUMMY)) as client:
        client.open()
        params = {"name": "echo", "arguments": {"text": "later"}}
        client.send({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": params})
        assert client.end() == (0, "")
        assert client.next()["id"] == "slow" and client.next() is None


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it(number, status):
    with StdioClient(command("serve", TIDE)) as client:
        client.open()
        os.kill(client.process.pid, number)
        assert client.process.wait(10) == status


REFUSED = (
    (("serve", "none.json"), "none.json: No such file"),
    (("serve", TIDE, "--token-env", "T"), "--token-env goes with --http"),
    (("serve", TIDE, "--session", "off"), "--session goes with --http"),
    (("serve", TIDE, "--stdio", "--http", "127.0.0.1:0"), "not both"),
    (("serve", TIDE, "--http", "somewhere"), "no HOST:PORT"),
    (
        ("serve", TIDE, "--http", "127.0.0.1:0", "--token-env", "TSUMIKI_NO_SUCH"),
        "TSUMIKI_NO_SUCH has no token",
    ),
    (("serve", TIDE, "--match", "args"), "--match goes with a cassette"),
    (("serve", TIDE, "--log", "/no/such/folder/log"), "/no/such/folder/log"),
)


@pytest.mark.parametrize("arguments, text", REFUSED, ids=range(len(REFUSED)))
def test_what_cannot_be_served_is_refused_in_one_line(arguments, text):
    status, out, err = run(*arguments)
    assert (status, out, len(err.splitlines())) == (2, "", 1), err
    assert text in err


def test_a_broken_fixture_is_not_served(tmp_path):
    path = tmp_path / "broken.json"
    path.write_text('{"schema":"mcpstub/v1","tools":[{"name":"a"},{"name":"a"}]}')
    status, _, err = run("serve", path)
    assert status == 2 and "FX006 /tools/0/inputSchema" in err and "and 2 more" in err


def test_a_port_that_is_taken_is_told():
    with Served(TIDE) as served:
        status, _, err = run("serve", TIDE, "--http", "127.0.0.1:%d" % served.port)
        words = "tsumiki serve: cannot listen on 127.0.0.1:%d: Address already in use\n"
        assert (status, err) == (1, words % served.port)
