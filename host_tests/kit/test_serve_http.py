"""A fixture over HTTP: what only that transport has."""

import json
import socket
import time

import pytest

from kit.served import DUMMY, ERAS, TIDE, Served

TOKEN = "a-long-test-token"
BOTH = pytest.mark.parametrize("era", ERAS)


@pytest.fixture(scope="module")
def plain():
    with Served(TIDE) as served:
        yield served


@pytest.fixture(scope="module")
def guarded():
    with Served(DUMMY, "--token-env", "KIT_TOKEN", KIT_TOKEN=TOKEN) as served:
        yield served


@BOTH
def test_a_token_is_asked_for_on_every_request(guarded, era):
    client = guarded.client(era, TOKEN)
    client.open()
    assert client.text("echo", text="hello") == "Echo: hello"
    for token in (None, "wrong", TOKEN + "x", TOKEN[:-1], ""):
        client._token = token
        assert client.ask("ping") == {"error": "invalid_token"}
        assert client.status == 401
        assert client.headers["WWW-Authenticate"].startswith('Bearer realm="tsumiki"')
    client._token = TOKEN
    assert client.text("echo", text="hello") == "Echo: hello"


def test_the_token_is_compared_again_for_a_head_that_is_known(guarded):
    client = guarded.client("legacy", TOKEN)
    client.open()
    for _ in range(3):
        assert client.text("echo", text="hello") == "Echo: hello"
        client._token = "x" * len(TOKEN)
        assert client.ask("ping") == {"error": "invalid_token"}
        client._token = TOKEN


def test_health_is_open(guarded):
    client = guarded.client("legacy", path="/health")
    assert client.send("GET") == {"status": "ok"}
    assert client.send("HEAD") is None and client.headers["Content-Length"] == "15"
    assert client.send("GET") == {"status": "ok"}
    client = guarded.client("legacy", path="/elsewhere")
    assert client.send("GET") == {"error": "not_found"} and client.status == 404


def test_sessions_that_are_required(guarded):
    client = guarded.client("legacy", TOKEN)
    assert "error" in client.ask("tools/list") and client.status == 400
    client.open()
    assert client.session and client.ask("tools/list")["result"]
    known, client.session = client.session, "unknown"
    assert "error" in client.ask("tools/list") and client.status == 404
    client.session = known
    assert client.send("DELETE") == {} and client.status == 200
    assert "error" in client.ask("tools/list") and client.status == 404
    client.session = client.version = None
    client.open()
    assert client.session != known and client.ask("tools/list")["result"]


def test_sessions_that_are_optional():
    with Served(TIDE, "--session", "optional") as served:
        client = served.client("legacy")
        assert client.ask("tools/list")["result"]
        client.open()
        assert client.session
        client.session = "unknown"
        assert "error" in client.ask("tools/list") and client.status == 404


def test_no_sessions(plain):
    client = plain.client("legacy")
    client.open()
    assert client.session is None
    assert client.send("DELETE") is None and client.status == 405
    assert client.send("GET") is None and client.headers["Allow"] == "POST"


def test_what_the_newest_era_asks_of_the_head(plain):
    client = plain.client("modern")
    client.open()
    assert client.ask("no/such")["error"]["code"] == -32601 and client.status == 404
    client.version = None
    message = client.message("tools/call", {"name": "get_tide", "arguments": {}})
    body = client.send(
        "POST",
        json.dumps(message),
        {"Content-Type": "application/json", "MCP-Protocol-Version": "2026-07-28"},
    )
    assert (client.status, body["error"]["code"]) == (400, -32020)
    assert client.send("GET", None, {"MCP-Protocol-Version": "2026-07-28"}) is None and client.status == 405


@BOTH
@pytest.mark.parametrize("sse", ["never", "accept", "always"])
def test_answers_are_streams_only_if_so_wished(era, sse):
    with Served(TIDE, "--sse", sse) as served:
        client = served.client(era)
        client.open()
        assert client.text("get_tide", port="Brest") == "Brest: 4.2 m ↑, 16 °C"
        assert (client.events is not None) == (sse == "always")
        assert client.ask("tools/list")["result"]["tools"]
        assert client.call("get_tide", port="Ys")["error"]["code"] == 404


def test_foreign_hosts_and_origins_are_refused(plain):
    client = plain.client("legacy")
    client.ask("initialize", {"protocolVersion": "2025-11-25"})
    message = json.dumps(client.message("ping", None))
    for headers in ({"Host": "example.com"}, {"Origin": "https://example.com"}):
        client.send("POST", message, {"Content-Type": "application/json", **headers})
        assert client.status == 403, headers
    with Served(TIDE, "--allow-host", "robot.example", "--allow-origin", "https://app.example") as served:
        client = served.client("legacy")
        headers = {
            "Host": "robot.example",
            "Origin": "https://app.example",
            "Content-Type": "application/json",
        }
        assert client.send("POST", message, headers)["result"] == {}
        assert client.headers["Access-Control-Allow-Origin"] == "https://app.example"


def test_what_is_no_json_is_told_so(plain):
    client = plain.client("legacy")
    headers = {"Content-Type": "application/json"}
    assert client.send("POST", "{nonsense", headers)["error"]["code"] == -32700
    assert client.status == 400
    client.send("POST", "{}", {"Content-Type": "text/plain"})
    assert client.status == 415
    assert client.ask("ping")["result"] == {}


def exchange(port, *pieces, until=b"", pause=0.0):
    """What comes back for pieces of bytes, until the connection ends or this is seen."""
    with socket.create_connection(("127.0.0.1", port), 10) as s:
        for piece in pieces:
            s.sendall(piece)
            time.sleep(pause)
        seen = b""
        while not until or seen.count(until) < 1:
            data = s.recv(65536)
            if not data:
                break
            seen += data
        return seen


def raw(body, *lines, port=1, close=True):
    lines = ["POST /mcp HTTP/1.1", "Host: localhost", "Content-Type: application/json", *lines]
    lines.append("Content-Length: %d" % len(body))
    if close:
        lines.append("Connection: close")
    return "\r\n".join([*lines, "", ""]).encode() + body


PING = b'{"jsonrpc":"2.0","id":%d,"method":"ping"}'


def test_requests_may_come_in_any_pieces_and_one_behind_the_other(plain):
    whole = raw(PING % 1, close=False) + raw(PING % 2, close=False) + raw(PING % 3)
    for size in (len(whole), 1, 7, 100):
        pieces = [whole[i : i + size] for i in range(0, len(whole), size)]
        seen = exchange(plain.port, *pieces)
        assert [seen.find(b'"id":%d' % i) > 0 for i in (1, 2, 3)] == [True] * 3
        assert seen.count(b"HTTP/1.1 200 OK") == 3


def test_a_long_body_and_chunks(plain):
    text = "x" * 30000
    body = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "list_ports", "arguments": {"a": text}},
        }
    )
    seen = exchange(plain.port, raw(body.encode()))
    assert text.encode() in seen
    chunked = (
        b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:9].encode(), body[9:].encode()))
        + b"0\r\n\r\n"
    )
    lines = (
        "Host: localhost",
        "Content-Type: application/json",
        "Transfer-Encoding: chunked",
        "Connection: close",
    )
    head = "\r\n".join(["POST /mcp HTTP/1.1", *lines, "", ""]).encode()
    assert text.encode() in exchange(plain.port, head, chunked)


def test_a_client_that_waits_for_100_gets_it(plain):
    body = PING % 5
    head = raw(body, "Expect: 100-continue")[: -len(body)]
    with socket.create_connection(("127.0.0.1", plain.port), 10) as s:
        s.sendall(head)
        assert s.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        s.sendall(body)
        assert b'"id":5' in s.recv(1000)


def test_a_broken_head_is_refused_and_the_connection_closed(plain):
    assert exchange(plain.port, b"NONSENSE\r\n\r\n").startswith(b"HTTP/1.1 400")
    assert exchange(plain.port, b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 20000).startswith(
        b"HTTP/1.1 431"
    )


def test_a_refused_request_leaves_the_connection_usable(plain):
    client = plain.client("legacy")
    client.send("POST", "x" * 5000, {"Content-Type": "text/plain"})
    assert client.status == 415
    assert client.ask("ping")["result"] == {}


def test_old_http_is_answered_and_closed(plain):
    body = PING % 9
    head = (
        b"POST /mcp HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        % len(body)
    )
    seen = exchange(plain.port, head + body)
    assert b'"id":9' in seen and b"Connection: close" in seen


def test_a_slow_call_holds_up_no_other_connection():
    with Served(DUMMY, "--session", "off") as served:
        slow, quick = served.client("legacy"), served.client("legacy")
        for client in (slow, quick):
            client.open()
        message = slow.message("tools/call", {"name": "echo", "arguments": {"text": "later"}})
        slow._http.request("POST", "/mcp", json.dumps(message), {"Content-Type": "application/json"})
        begun = time.monotonic()
        assert quick.text("echo", text="hello") == "Echo: hello"
        assert time.monotonic() - begun < 0.14
        assert b"Echo: later" in slow._http.getresponse().read()


def test_many_requests_on_many_connections(plain):
    clients = [plain.client(era) for era in ERAS for _ in range(10)]
    for client in clients:
        client.open()
    for _ in range(5):
        for client in clients:
            assert client.text("get_tide", port="Brest").startswith("Brest")
