"""`tsumiki bridge serial:PORT`: a client on stdin and stdout, a board at the end of a slow and noisy line."""

import time
from functools import partial

import pytest

from free_ports import free_port
from host.bridged import META, Bridge, command
from host.usb_board import BANNER, Board, script
from peers import stdio_clients
from peers.test_sdk_clients import SEEN, TEXT

ERAS = {"legacy": False, "modern": True}


@pytest.fixture
def board(tmp_path):
    boards = []

    def start(kind="dummy", *more):
        boards.append(Board([script("try_serial.py"), kind, *(more or (tmp_path,))], tmp_path))
        return boards[-1]

    yield start
    for one in boards:
        one.close()


@pytest.fixture
def bridge(tmp_path):
    bridges = []

    def start(*arguments):
        bridges.append(Bridge(*(arguments or ("serial:%s" % (tmp_path / "port"),)), folder=tmp_path))
        return bridges[-1]

    yield start
    for one in bridges:
        one.close()


def moves(tmp_path, what="called"):
    """How often the robot has moved."""
    path = tmp_path / what
    return len(path.read_text()) if path.exists() else 0


def until(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


CLIENTS = {
    "python": (stdio_clients.python, True),
    "python-legacy": (partial(stdio_clients.python, mode="legacy"), False),
    "fastmcp": (stdio_clients.fast, True),
    "typescript": (stdio_clients.typescript, False),
    "typescript-v2-auto": (partial(stdio_clients.typescript, kind="v2-auto"), True),
}


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_that_people_use_starts_the_bridge(board, tmp_path, client):
    one = board("dummy", "-")
    act, modern = CLIENTS[client]
    with (tmp_path / "log").open("w") as log:
        assert act(command("serial:%s" % one.port), TEXT, log) == SEEN
    assert (b'"method":"initialize"' in one.sent) is not modern
    assert "robot: error: tool fail failed" in (tmp_path / "log").read_text() or client.startswith(
        "typescript"
    )


@pytest.mark.parametrize("modern", ERAS.values(), ids=ERAS)
def test_the_robot_itself_serves_on_its_console(board, bridge, tmp_path, modern):
    board("robot", tmp_path, free_port())
    client = bridge()
    if not modern:
        assert client.initialize()["result"]["serverInfo"]["name"] == "tsumiki"
    listed = client.ask("tools/list", None, META if modern else None)["result"]["tools"]
    assert {"get_robot_status", "set_led"} <= {tool["name"] for tool in listed}
    assert client.call("play_tone", modern, hz=440, duration_ms=10)
    assert client.end() == 0


@pytest.mark.parametrize("modern", ERAS.values(), ids=ERAS)
def test_a_reset_is_not_noticed_by_the_client(board, bridge, modern):
    one = board()
    client = bridge()
    if not modern:
        client.initialize()
    assert client.call("echo", modern, text="1") == "Echo: 1"
    one.reset(BANNER + b'{"jsonrpc":"2.0","id":1,"resu')
    client.until("the robot has restarted")
    assert client.call("echo", modern, text="2") == "Echo: 2"
    assert one.sent.count(b'"method":"initialize"') == (0 if modern else 2)
    assert one.sent.count(b"notifications/initialized") == (0 if modern else 2)


def test_a_call_in_flight_at_a_reset_fails_and_is_not_sent_again(board, bridge, tmp_path):
    one = board()
    client = bridge()
    client.initialize()
    moving = client.request("tools/call", {"name": "move", "arguments": {"ms": 20000}})
    until(lambda: moves(tmp_path) == 1)
    one.reset()
    failed = client.answer(moving)["error"]
    assert "restarted" in failed["message"] and "may or may not" in failed["message"]
    assert client.call("echo", text="x") == "Echo: x"
    assert moves(tmp_path) == 1 and one.sent.count(b'"move"') == 1


def test_what_comes_while_the_robot_is_away_waits_for_it(board, bridge, tmp_path):
    client = bridge()
    first = client.request("tools/call", {"name": "move", "arguments": {"ms": 1}}, META)
    client.until("waiting for ")
    one = board()
    assert client.answer(first)["result"]["content"][0]["text"] == "moved"
    one.unplug()
    client.until("is gone")
    second = client.request("tools/call", {"name": "move", "arguments": {"ms": 1}}, META)
    time.sleep(0.3)
    assert moves(tmp_path) == 1
    one.plug()
    assert client.answer(second)["result"]["content"][0]["text"] == "moved"
    assert moves(tmp_path) == 2


def test_a_call_in_flight_when_the_cable_is_pulled_fails(board, bridge, tmp_path):
    one = board()
    client = bridge()
    moving = client.request("tools/call", {"name": "move", "arguments": {"ms": 500}}, META)
    until(lambda: moves(tmp_path) == 1)
    one.unplug()
    assert "is gone" in client.answer(moving)["error"]["message"]
    one.plug()
    assert client.call("echo", True, text="x") == "Echo: x"
    time.sleep(0.6)  # The first one is answered late, and to nobody.
    assert client.call("echo", True, text="y") == "Echo: y"
    assert [m["id"] for m in client.seen] == [1, 2, 3]


@pytest.mark.parametrize(
    "noise", [b"\xff\x00\xfe", b"hello", b'{"x":', b"[1, 2]\r\n", b'{"jsonrpc":"2.0","id":"x"}\r\n']
)
def test_noise_on_the_line_harms_nothing(board, bridge, noise):
    one = board()
    client = bridge()
    client.initialize()
    one.say(noise + b"\n")
    one.type(noise + b"\r")
    for i in range(3):
        assert client.call("echo", text=str(i)) == "Echo: %d" % i


def test_noise_before_a_message_in_its_line_is_taken_off(board, bridge):
    one = board()
    client = bridge()
    client.initialize()
    one.say(b"no newline")
    assert client.call("echo", text="x") == "Echo: x"
    client.until("robot: no newline")


def test_an_answer_that_is_damaged_is_an_error_of_its_request(board, bridge):
    one = board()
    client = bridge()
    client.initialize()
    id = client.request("tools/call", {"name": "much", "arguments": {"size": 4000}})
    until(lambda: b"0123456789" in one.said)
    one.say(b"\nnoise\n")
    assert "damaged" in client.answer(id)["error"]["message"]
    assert client.call("echo", text="x") == "Echo: x"


def test_a_request_that_the_robot_could_not_read_is_an_error(board, bridge):
    one = board()
    client = bridge()
    client.initialize()
    one.spoils = True
    id = client.request("tools/call", {"name": "echo", "arguments": {"text": "x"}})
    assert "could not read" in client.answer(id)["error"]["message"]
    one.spoils = False
    assert client.call("echo", text="x") == "Echo: x"


def test_what_the_robot_logs_goes_to_stderr_and_never_into_a_message(board, bridge):
    board()
    client = bridge()
    client.initialize()
    said = client.request("tools/call", {"name": "say", "arguments": {"count": 40}})
    large = client.request("tools/call", {"name": "much", "arguments": {"size": 22000}})
    assert len(client.answer(large)["result"]["content"][0]["text"]) == 22000
    assert "something to log 1\n" in client.err() and client.answer(said)
    client.until("robot: warning: something to log 39")
    assert "damaged" not in client.err()


def test_large_messages_go_no_faster_than_a_board_reads(board, bridge):
    one = board()
    client = bridge()
    client.initialize()
    time.sleep(0.2)
    assert client.call("echo", text="x" * 2000) == "Echo: " + "x" * 2000
    assert one.most_within(0.05) <= 260 + 64  # what the line itself holds back


def test_progress_and_cancellation_find_their_way(board, bridge, tmp_path):
    one = board()
    client = bridge()
    client.initialize()
    id = client.request("tools/call", {"name": "steps", "arguments": {"ms": 1}}, {"progressToken": "t"})
    told = [client.message(lambda m: m.get("method") == "notifications/progress") for _ in range(3)]
    assert [m["params"]["progressToken"] for m in told] == ["t"] * 3
    assert [m["params"]["progress"] for m in told] == [1, 2, 3]
    assert client.answer(id)["result"]["content"][0]["text"] == "stepped"
    moving = client.request("tools/call", {"name": "move", "arguments": {"ms": 800}})
    until(lambda: moves(tmp_path) == 1)
    client.note("notifications/cancelled", requestId=moving)
    assert client.call("echo", text="x") == "Echo: x"
    time.sleep(1)
    assert client.call("echo", text="y") == "Echo: y"
    assert not any(m.get("id") == moving for m in client.seen)
    assert one.sent.count(b"notifications/cancelled") == 1


def test_changes_are_told_in_the_older_era_and_after_a_reset_too(board, bridge):
    one = board()
    client = bridge()
    client.initialize()
    assert client.ask("resources/subscribe", {"uri": "test://thing"})["result"] == {}
    assert client.ask("logging/setLevel", {"level": "error"})["result"] == {}
    for i in range(2):
        assert client.call("change") == "changed"
        client.message(lambda m: m.get("method") == "notifications/tools/list_changed")
        updated = client.message(lambda m: m.get("method") == "notifications/resources/updated")
        assert updated["params"] == {"uri": "test://thing"}
        one.reset()
        client.until("robot has restarted", i + 1)
        assert client.call("echo", text="x") == "Echo: x"
    assert one.sent.count(b'"level":"error"') == 3


def test_and_to_who_listens_in_the_newer_era(board, bridge):
    one = board()
    client = bridge()
    wanted = {"toolsListChanged": True, "resourceSubscriptions": ["test://thing"]}
    id = client.request("subscriptions/listen", {"notifications": wanted}, META, id="l")
    ours = {"io.modelcontextprotocol/subscriptionId": "l"}
    known = client.message(lambda m: m.get("method") == "notifications/subscriptions/acknowledged")
    assert known["params"]["_meta"] == ours
    for i in range(2):
        assert client.call("change", True) == "changed"
        for method in ("notifications/tools/list_changed", "notifications/resources/updated"):
            told = client.message(lambda m, method=method: m.get("method") == method)
            assert told["params"]["_meta"] == ours
        one.reset()
        client.until("robot has restarted", i + 1)
        assert client.call("echo", True, text="x") == "Echo: x"
    assert sum("acknowledged" in m.get("method", "") for m in client.seen) == 1
    client.note("notifications/cancelled", requestId=id)
    assert client.call("change", True) == "changed"
    time.sleep(0.3)
    assert client.call("echo", True, text="x") == "Echo: x"
    assert [m for m in client.seen if not m.get("given")] == []


def test_a_bridge_that_ends_leaves_the_robot_no_work(board, bridge, tmp_path):
    one = board()
    for i in range(3):
        client = bridge()
        client.request("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, META)
        client.message(lambda m: "acknowledged" in m.get("method", ""))
        moving = client.request("tools/call", {"name": "move", "arguments": {"ms": 20000}}, META)
        until(lambda n=i: moves(tmp_path) == n + 1)
        assert moving and client.end() == 0
    assert one.sent.count(b"notifications/cancelled") == 6
    until(lambda: moves(tmp_path, "cancelled") == 3)


def test_so_does_one_that_is_killed_as_soon_as_the_next_comes(board, bridge, tmp_path):
    board()
    for i in range(9):  # The robot has 8 places.
        client = bridge()
        client.request("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, META)
        client.message(lambda m: "acknowledged" in m.get("method", ""))
        client.request("tools/call", {"name": "move", "arguments": {"ms": 20000}}, META)
        until(lambda n=i: moves(tmp_path) == n + 1)
        client.close()
    client = bridge()
    assert client.call("echo", True, text="x") == "Echo: x"
    assert client.call("change", True) == "changed"
    assert client.call("echo", True, text="x") == "Echo: x"
    assert [m for m in client.seen if "method" in m] == []


def test_ctrl_c_reaches_the_repl_and_the_client_is_told(board, bridge, tmp_path):
    one = board()
    client = bridge()
    client.initialize()
    moving = client.request("tools/call", {"name": "move", "arguments": {"ms": 20000}})
    until(lambda: moves(tmp_path) == 1)
    one.type(b"\x03")
    one.ended()
    until(lambda: b"KeyboardInterrupt" in one.said)
    one.say(b"\r\n>>> ")
    assert "prompt" in client.answer(moving)["error"]["message"]
    one.kill()
    one.start()
    assert client.call("echo", text="x") == "Echo: x"


def test_what_is_no_message_of_a_client_is_answered(board, bridge):
    board()
    client = bridge()
    client.send(b"noise\n\n17\n")
    assert client.message()["error"]["code"] == -32700
    assert client.message()["error"]["code"] == -32700
    client.send(b'[1, {"jsonrpc":"2.0","id":"a","method":"ping"}]\n')
    assert client.message()["error"]["code"] == -32600
    assert client.answer("a")["result"] == {}


def test_a_target_that_is_none_is_told(bridge):
    client = bridge("robot")
    assert client.process.wait(10) == 1
    assert "neither serial:PORT nor a URL" in client.err()
