"""`tsumiki bridge URL`: a client on stdin and stdout, a server on the network that restarts, and odd ones."""

import time
from functools import partial

import pytest

from free_ports import free_port
from host.bridged import META, Bridge, command
from host.odd_server import Odd, event, result
from peers import stdio_clients
from peers.test_sdk_clients import SEEN, TEXT
from processes import Server

TOKEN = "test-token"
SESSIONS = ("ram", "sealed", "off")


class Robot:
    """A server that restarts at the same address."""

    def __init__(self, sessions, folder, port=None):
        self.port = port or free_port()
        self._arguments = ("host_tests/host/try_network.py", str(self.port), sessions, str(folder))
        self._folder = folder
        self.url = "http://127.0.0.1:%d/mcp" % self.port
        self.start()

    def start(self):
        self._server = Server(*self._arguments)

    def kill(self):
        self._server.close()

    def restart(self):
        self.kill()
        self.start()

    def moves(self, what="called"):
        path = self._folder / what
        return len(path.read_text()) if path.exists() else 0

    def moved(self, times, what="called"):
        end = time.monotonic() + 10
        while self.moves(what) != times:
            assert time.monotonic() < end, "%d times, not %d" % (self.moves(what), times)
            time.sleep(0.01)


@pytest.fixture
def robot(tmp_path):
    robots = []

    def start(sessions="sealed", folder=tmp_path, port=None):
        robots.append(Robot(sessions, folder, port))
        return robots[-1]

    yield start
    for one in robots:
        one.kill()


@pytest.fixture
def bridge(tmp_path):
    bridges = []

    def start(url, *arguments, token=TOKEN):
        bridges.append(Bridge(url, *arguments, folder=tmp_path, token=token))
        return bridges[-1]

    yield start
    for one in bridges:
        one.close()


CLIENTS = {
    "python": stdio_clients.python,
    "python-legacy": partial(stdio_clients.python, mode="legacy"),
    "fastmcp": stdio_clients.fast,
    "typescript": stdio_clients.typescript,
    "typescript-v2-auto": partial(stdio_clients.typescript, kind="v2-auto"),
}


@pytest.mark.parametrize(
    "client, sessions",
    [(client, "sealed") for client in CLIENTS] + [("python-legacy", "ram"), ("python-legacy", "off")],
)
def test_a_client_that_people_use_starts_the_bridge(robot, tmp_path, client, sessions):
    one = robot(sessions, "-")
    with (tmp_path / "log").open("w") as log:
        assert CLIENTS[client](command(one.url, token=TOKEN), TEXT, log) == SEEN


@pytest.mark.parametrize("sessions", SESSIONS)
@pytest.mark.parametrize("modern", [False, True], ids=["legacy", "modern"])
def test_a_restart_is_not_noticed_by_the_client(robot, bridge, sessions, modern):
    one = robot(sessions)
    client = bridge(one.url)
    if not modern:
        client.initialize()
    assert client.call("echo", modern, text="1") == "Echo: 1"
    one.restart()
    assert client.call("move", modern, ms=1) == "moved"
    assert client.call("echo", modern, text="2") == "Echo: 2"
    one.kill()
    waiting = client.request("tools/call", {"name": "move", "arguments": {"ms": 1}}, META if modern else None)
    client.until("waiting for the robot")
    one.start()
    assert client.answer(waiting)["result"]["content"][0]["text"] == "moved"
    assert one.moves() == 2
    assert client.end() == 0


@pytest.mark.parametrize("modern", [False, True], ids=["legacy", "modern"])
def test_a_call_in_flight_fails_and_is_not_sent_again(robot, bridge, modern):
    one = robot()
    client = bridge(one.url)
    if not modern:
        client.initialize()
    id = client.request("tools/call", {"name": "move", "arguments": {"ms": 20000}}, META if modern else None)
    one.moved(1)
    one.restart()
    assert "may or may not" in client.answer(id)["error"]["message"]
    assert client.call("echo", modern, text="x") == "Echo: x"
    assert one.moves() == 1


def test_a_robot_that_stays_away_is_told_so(bridge, free_port, monkeypatch):
    from tsumiki.relay import address, http_link

    told = []

    class Client:
        tell = fail = staticmethod(lambda *text: told.append(text[-1]))

    link = http_link.HttpLink(address.Target("http://127.0.0.1:%d" % free_port), None, Client, wait_s=0.5)
    link.take({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "move"}})
    end = time.monotonic() + 10
    while len(told) < 2:
        assert time.monotonic() < end
        time.sleep(0.01)
    assert told[0].startswith("waiting for the robot") and "this was not sent" in told[1]
    link.close()


def test_changes_are_told_in_the_older_era_and_after_a_restart_too(robot, bridge):
    for sessions in ("sealed", "ram"):
        one = robot(sessions)
        client = bridge(one.url)
        client.initialize()
        assert client.ask("resources/subscribe", {"uri": "test://thing"})["result"] == {}
        time.sleep(0.2)  # until the stream is held
        for _ in range(2):
            assert client.call("change") == "changed"
            client.message(lambda m: m.get("method") == "notifications/tools/list_changed")
            client.message(lambda m: m.get("method") == "notifications/resources/updated")
            one.restart()
            time.sleep(2.5)
        client.close()
        one.kill()


def test_and_to_who_listens_in_the_newer_era(robot, bridge):
    one = robot()
    client = bridge(one.url)
    wanted = {"toolsListChanged": True, "resourceSubscriptions": ["test://thing"]}
    id = client.request("subscriptions/listen", {"notifications": wanted}, META, id="l")
    client.message(lambda m: m.get("method") == "notifications/subscriptions/acknowledged")
    for _ in range(2):
        assert client.call("change", True) == "changed"
        for method in ("notifications/tools/list_changed", "notifications/resources/updated"):
            told = client.message(lambda m, method=method: m.get("method") == method)
            assert told["params"]["_meta"] == {"io.modelcontextprotocol/subscriptionId": "l"}
        one.restart()
        time.sleep(2.5)
    assert sum("acknowledged" in m.get("method", "") for m in client.seen) == 1
    client.note("notifications/cancelled", requestId=id)
    time.sleep(0.2)
    assert client.call("change", True) == "changed"
    assert client.call("echo", True, text="x") == "Echo: x"
    assert [m for m in client.seen if not m.get("given")] == []


@pytest.mark.parametrize("modern", [False, True], ids=["legacy", "modern"])
def test_progress_cancellation_and_questions_find_their_way(robot, bridge, modern):
    one = robot()
    client = bridge(one.url)
    meta = dict(META) if modern else {}
    asks = {"elicitation": {}}
    if modern:
        meta["io.modelcontextprotocol/clientCapabilities"] = asks
    else:
        client.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": asks, "clientInfo": {}})
        client.note("notifications/initialized")
    params = {"name": "steps", "arguments": {"ms": 10}}
    id = client.request("tools/call", params, dict(meta, progressToken="t"))
    for i in range(3):
        told = client.message(lambda m: m.get("method") == "notifications/progress")["params"]
        assert (told["progressToken"], told["progress"]) == ("t", i + 1)
    assert client.answer(id)["result"]["content"][0]["text"] == "stepped"
    moving = client.request("tools/call", {"name": "move", "arguments": {"ms": 20000}}, meta)
    one.moved(1)
    client.note("notifications/cancelled", requestId=moving)
    one.moved(1, "cancelled")
    id = client.request("tools/call", {"name": "ask"}, meta)
    answer = {"action": "accept", "content": {"who": "me"}}
    if modern:
        asked = client.answer(id)["result"]
        ((key, question),) = asked["inputRequests"].items()
        params = {"name": "ask", "inputResponses": {key: answer}, "requestState": asked["requestState"]}
        id = client.request("tools/call", params, meta)
    else:
        question = client.message(lambda m: m.get("method") == "elicitation/create")
        client.send({"jsonrpc": "2.0", "id": question["id"], "result": answer})
    assert question["method"] == "elicitation/create"
    assert client.answer(id)["result"]["content"][0]["text"] == "me"
    assert not any(m.get("id") == moving for m in client.seen)


@pytest.mark.parametrize("modern", [False, True], ids=["legacy", "modern"])
def test_a_bridge_that_ends_leaves_the_robot_no_work(robot, bridge, modern):
    one = robot("ram")
    client = bridge(one.url)
    if not modern:
        client.initialize()
    client.request("tools/call", {"name": "move", "arguments": {"ms": 20000}}, META if modern else None)
    one.moved(1)
    assert client.end() == 0
    one.moved(1, "cancelled")


def test_a_wrong_token_is_told(robot, bridge):
    one = robot()
    for token in ("wrong-token", None):
        client = bridge(one.url, token=token)
        found = client.ask("tools/list", None, META)["error"]["message"]
        assert "TSUMIKI_TOKEN" in found
        assert "wrong-token" not in found + client.err()


def test_a_token_that_is_none_is_not_sent(bridge):
    client = bridge("http://127.0.0.1:1/mcp", token="a\nX-Evil: 1")
    assert client.process.wait(10) == 1
    assert "characters that no token has" in client.err() and "Evil" not in client.err()


def _answers(message, status=200, body=None, **more):
    def answer(odd, handler, found):
        handler.reply(status, message(found) if callable(message) else message, **more)

    return answer


ODD = {
    "html": (_answers(b"<html>oops", 500, kind="text/html"), "HTTP status 500"),
    "accepted": (_answers(b"", 202), "HTTP status 202"),
    "empty": (_answers(b""), "HTTP status 200"),
    "redirect": (_answers(b"", 302, Location="http://example.com/"), "HTTP status 302"),
    "another-id": (_answers(lambda m: result(dict(m, id="other"))), "another request"),
    "number-for-text": (_answers(lambda m: result(dict(m, id=str(m["id"])))), "another request"),
    "hangs-up": (lambda odd, handler, m: handler.hang_up(), "may or may not"),
    "cut-stream": (lambda odd, handler, m: handler.stream(b": x\n\n"), "may or may not"),
    "cut-body": (lambda odd, handler, m: handler.cut(), "may or may not"),
    "forbidden": (_answers(b'{"error":"x"}', 403), "net.allowed_hosts"),
    "busy": (_answers(b"", 503), "busy"),
}


@pytest.mark.parametrize("modern", [False, True], ids=["legacy", "modern"])
@pytest.mark.parametrize("name", ODD)
def test_an_odd_answer_is_an_error_and_a_call_goes_out_once(bridge, name, modern):
    answer, wanted = ODD[name]

    def only_calls(odd, handler, message):
        if message["method"] == "tools/call":
            return answer(odd, handler, message)
        handler.reply(200, result(message, tools=[]))

    with Odd(only_calls) as odd:
        client = bridge(odd.url)
        found = client.ask("tools/call", {"name": "x"}, META if modern else None)
        assert wanted in found["error"]["message"]
        time.sleep(0.1)
        assert odd.methods().count("tools/call") == 1


def test_an_error_without_an_id_belongs_to_the_request(bridge):
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": -32022, "message": "version"}}
    with Odd(_answers(body, 400)) as odd:
        client = bridge(odd.url)
        assert client.ask("tools/list", None, META)["error"] == body["error"]


def test_a_lost_session_is_opened_again_before_a_call(bridge):
    lost = []

    def answer(odd, handler, message):
        method = message and message["method"]
        if handler.command == "GET":
            handler.reply(405)
        elif method == "initialize":
            lost.append(len(lost))
            body = result(message, protocolVersion="2025-06-18", capabilities={}, serverInfo={})
            handler.reply(200, body, Mcp_Session_Id="s%d" % len(lost))
        elif handler.headers["Mcp-Session-Id"] != "s%d" % len(lost) or (method == "tools/call" and odd.loses):
            handler.reply(404, b'{"error":"not_found"}')
        elif "id" in message:
            handler.reply(
                200, result(message, content=[{"type": "text", "text": "done"}]), Connection="close"
            )
        else:
            handler.reply(202)

    with Odd(answer) as odd:
        odd.loses = False
        client = bridge(odd.url)
        client.initialize("2025-06-18")
        client.ask("logging/setLevel", {"level": "error"})
        assert client.call("x") == "done"
        lost.append("forgotten")
        assert client.call("x") == "done"
        sent = [
            (m["method"], h.get("Mcp-Session-Id")) for _, m, h in odd.asked if m and m["method"] != "ping"
        ]
        assert sent[4:] == [
            ("initialize", None),
            ("notifications/initialized", "s3"),
            ("logging/setLevel", "s3"),
            ("tools/call", "s3"),
        ]
        assert {h["Mcp-Protocol-Version"] for _, m, h in odd.asked if m and m["method"] == "tools/call"} == {
            "2025-06-18"
        }
        lost.append("again")
        assert client.ask("tools/list")["result"]
        # One that is lost between the look and the call: it is not sent again.
        odd.loses = True
        before = odd.methods().count("tools/call")
        assert "not carried out, ask again" in client.call("x")["error"]["message"]
        assert odd.methods().count("tools/call") == before + 1


def test_a_stream_that_ends_early_is_resumed_where_the_server_says_from_where(bridge):
    def answer(odd, handler, message):
        if handler.command == "GET" and "Last-Event-ID" in handler.headers:
            odd.last = handler.headers["Last-Event-ID"]
            handler.stream(event(result(odd.message, content=[{"type": "text", "text": "late"}]), "e2"))
        elif handler.command == "GET":
            handler.reply(405)
        elif message["method"] == "tools/call":
            odd.message = message
            handler.stream(b"retry: 20\n" + event(None, "e1"))
        else:
            handler.reply(200, result(message, protocolVersion="2025-11-25", capabilities={}))

    with Odd(answer) as odd:
        client = bridge(odd.url)
        client.ask("initialize", {"protocolVersion": "2025-11-25"})
        assert client.call("x") == "late"
        assert odd.last == "e1" and odd.methods().count("tools/call") == 1


LISTED = {
    "name": "x",
    "inputSchema": {
        "type": "object",
        "properties": {"where": {"type": "string", "x-mcp-header": "Where"}},
    },
}
BAD = {
    "name": "bad",
    "inputSchema": {"type": "object", "properties": {"a": {"type": "object", "x-mcp-header": "A"}}},
}


def test_a_modern_request_says_in_its_headers_what_the_client_cannot(bridge):
    def answer(odd, handler, message):
        if message["method"] == "tools/list":
            return handler.reply(200, result(message, resultType="complete", tools=[LISTED, BAD]))
        handler.reply(200, result(message, resultType="complete", content=[]))

    with Odd(answer) as odd:
        client = bridge(odd.url)
        client.ask("tools/call", {"name": "x", "arguments": {"where": "世界"}}, META)
        client.ask("resources/read", {"uri": "a://b"}, META)
        assert [t["name"] for t in client.ask("tools/list", None, META)["result"]["tools"]] == ["x"]
        assert odd.methods() == ["tools/list", "tools/call", "resources/read", "tools/list"]
        (_, _, listed), (_, _, called), (_, _, read), _ = odd.asked
        assert (listed["Mcp-Method"], listed["Mcp-Protocol-Version"]) == ("tools/list", "2026-07-28")
        assert (called["Mcp-Name"], called["Mcp-Param-Where"]) == ("x", "=?base64?5LiW55WM?=")
        assert read["Mcp-Name"] == "a://b"
        assert called["Authorization"] == "Bearer " + TOKEN
