"""The bridge's parts by themselves: where a token may go, how fast a line is written, whose answer is whose."""

import socket
import threading
import time

import pytest

from host.odd_server import Odd, event, result
from tsumiki.errors import Failed
from tsumiki.relay import http_call, messages, serial_port
from tsumiki.relay.address import LOOPBACK, PRIVATE, PUBLIC, Target, kind
from tsumiki.relay.client import Client, serve
from tsumiki.relay.http_link import HttpLink
from tsumiki.relay.in_flight import Entry, InFlight
from tsumiki.relay.outbox import Outbox
from tsumiki.relay.serial_link import SerialLink


@pytest.mark.parametrize(
    "address, wanted",
    [
        ("127.0.0.1", LOOPBACK),
        ("127.9.9.9", LOOPBACK),
        ("::1", LOOPBACK),
        ("::ffff:127.0.0.1", LOOPBACK),
        ("10.0.0.1", PRIVATE),
        ("172.16.0.1", PRIVATE),
        ("172.31.255.255", PRIVATE),
        ("192.168.4.1", PRIVATE),
        ("169.254.1.1", PRIVATE),
        ("fe80::1%eth0", PRIVATE),
        ("fd00::1", PRIVATE),
        ("::ffff:10.0.0.1", PRIVATE),
        ("172.15.0.1", PUBLIC),
        ("172.32.0.1", PUBLIC),
        ("192.169.0.1", PUBLIC),
        ("11.0.0.1", PUBLIC),
        ("100.64.0.1", PUBLIC),
        ("0.0.0.0", PUBLIC),
        ("8.8.8.8", PUBLIC),
        ("2001:db8::1", PUBLIC),
        ("::ffff:8.8.8.8", PUBLIC),
    ],
)
def test_what_is_private(address, wanted):
    assert kind(address) == wanted


@pytest.mark.parametrize(
    "url, allowed",
    [
        ("http://127.0.0.1:8080/mcp", (True, True)),
        ("http://localhost:8080", (True, True)),
        ("http://[::1]:8080/mcp", (True, True)),
        ("http://192.168.0.5:8080/mcp", (False, True)),
        ("http://tsumiki.local:8080/mcp", (False, True)),
        ("http://TSUMIKI.LOCAL./mcp", (False, True)),
        ("http://[fe80::1%25eth0]/mcp", (False, True)),
        ("http://8.8.8.8/mcp", (False, False)),
        ("http://example.com/mcp", (False, False)),
        ("http://local/mcp", (False, False)),
        ("http://localhost.example.com/mcp", (False, False)),
        ("http://192.168.0.5.example.com/mcp", (False, False)),
        ("http://evil.local.example.com/mcp", (False, False)),
        ("http://user@192.168.0.5/mcp", (False, False)),
        ("https://example.com/mcp", (True, True)),
        ("ftp://127.0.0.1/mcp", (False, False)),
        ("http:///mcp", (False, False)),
        ("http://127.0.0.1:99999/mcp", (False, False)),
    ],
)
def test_where_a_token_may_go_over_http(url, allowed):
    for allow_http, wanted in zip((False, True), allowed):
        try:
            Target(url, allow_http)
            found = True
        except Failed:
            found = False
        assert found is wanted


def test_a_path_is_kept_and_else_it_is_the_servers():
    for url, path in (("", "/mcp"), ("/", "/mcp"), ("/x", "/x"), ("/mcp/?a=1", "/mcp/?a=1")):
        assert Target("http://127.0.0.1" + url).path == path


# What a .local name leads to is whatever somebody in the network says.
def test_a_name_that_leads_elsewhere_gets_no_token(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        target = Target("http://tsumiki.local:%d/mcp" % listener.getsockname()[1], True)
        real = socket.getaddrinfo
        monkeypatch.setattr(socket, "getaddrinfo", lambda host, *more: real("127.0.0.1", *more))
        http_call.Pool(target).call().close()
        monkeypatch.setattr("tsumiki.relay.address.kind", lambda address: PUBLIC)
        with pytest.raises(Failed, match="no private address"):
            http_call.Pool(target).call()


def test_a_connection_that_the_robot_has_closed_is_not_used_again():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        pool = http_call.Pool(Target("http://127.0.0.1:%d" % listener.getsockname()[1]))
        first = pool._connect()
        theirs = listener.accept()[0]
        pool.give(first)
        assert pool.has_live() and pool.call()._connection is first
        pool.give(first)
        theirs.close()
        assert not pool.has_live()
        assert pool.call()._connection is not first
        second = pool._connect()
        pool._keep(second, -1e9)
        assert not pool.has_live() and pool.call()._connection is not second


def test_a_line_is_written_in_a_burst_and_then_no_faster_than_a_board_reads():
    now = [0.0]
    pace = serial_port.Pace(lambda: now[0])
    assert [pace.wait_s(64) for _ in range(2)] == [0, 0]
    assert pace.wait_s(50) == pytest.approx(50 / 2500)
    assert pace.wait_s(50) == pytest.approx(100 / 2500)
    now[0] += 10
    assert pace.wait_s(128) == 0
    assert pace.wait_s(1) > 0


def test_the_ring_of_a_board_that_looks_away_for_50_ms_holds_what_comes():
    assert serial_port._BURST + 0.05 * serial_port._RATE <= 260


def request(id, method="tools/call", **params):
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def test_an_answer_goes_to_who_asked_and_to_nobody_else():
    flights = InFlight()
    outer = [flights.enter(Entry(request(id))) for id in (1, "1", 0)]
    assert len({m["id"] for m in outer}) == 3
    assert flights.answered({"id": outer[1]["id"], "result": {}})[1]["id"] == "1"
    assert flights.answered({"id": outer[2]["id"], "result": {}})[1]["id"] == 0
    assert flights.answered({"id": outer[2]["id"], "result": {}}) == (None, None)
    for id in (1, "1", None, {}, InFlight().enter(Entry(request(5)))["id"]):
        assert flights.answered({"id": id, "result": {}}) == (None, None)
    assert flights.cancelled("1") is None and flights.cancelled(1) == outer[0]["id"]


def test_progress_of_somebody_else_is_not_told():
    flights = InFlight()
    sent = flights.enter(Entry(request(1, _meta={"progressToken": 7, "x": 1})))
    token = sent["params"]["_meta"]["progressToken"]
    assert token != 7 and sent["params"]["_meta"]["x"] == 1
    told = {"method": messages.PROGRESS, "params": {"progressToken": token, "progress": 1}}
    assert flights.noted(told)["params"] == {"progressToken": 7, "progress": 1}
    assert flights.noted(dict(told, params={"progressToken": 7})) is None
    assert flights.noted({"method": "notifications/tools/list_changed"})


def test_half_of_a_surrogate_pair_goes_through():
    line = messages.dump({"text": "\ud83e"})
    assert messages.load(line) == {"text": "\ud83e"} and line.count(b"\n") == 1
    assert "世".encode() in messages.dump({"text": "世"})


class _Out:
    def __init__(self):
        self.lines = []

    def write(self, data):
        self.lines.append(data)

    def flush(self):
        pass


def test_what_a_terminal_obeys_is_not_written_to_it():
    err = _Out()
    Client(_Out(), err).tell("a\x1b[2Jb\r\x07世")
    assert "".join(err.lines) == "a?[2Jb??世\n"


def test_who_does_not_read_any_more_ends_the_bridge():
    class Gone(_Out):
        def write(self, data):
            raise BrokenPipeError

    class Link:
        taken = []
        take = taken.append

    client = Client(Gone(), _Out())
    client.send({})
    serve([b'{"jsonrpc":"2.0","method":"x"}\n'], Link, client)
    assert client.gone and Link.taken == []


def test_what_was_not_written_can_be_taken_back():
    class Port:
        error = None

        def write(self, data):
            self.begun = True
            while not self.error:
                pass
            raise self.error

    port = Port()
    outbox = Outbox(port, (OSError,))
    outbox.put(b"1", "first")
    while not hasattr(port, "begun"):
        pass
    outbox.put(b"2", "second")
    outbox.put(b"3")
    assert outbox.clear() == ["second"]
    port.error = OSError(5)
    outbox.close()
    assert outbox.error is port.error


class _Port:
    """A port with a robot at its end that answers what it is asked.  stuck: set while nothing can be written."""

    begun = b""

    def __init__(self):
        self.written = []
        self.said = []
        self.error = None
        self.stuck = threading.Event()
        self.begins = threading.Event()

    def lines(self):
        time.sleep(0.005)
        if self.error:
            raise self.error
        said, self.said = self.said, []
        return said

    def write(self, data):
        message = messages.load(data)
        self.begins.set()
        while self.stuck.is_set() and not self.error:
            time.sleep(0.005)
        if self.error:
            raise self.error
        self.written.append(data)
        if message and "id" in message:
            self.said.append(messages.dump(result(message)).rstrip())

    def close(self):
        pass


def _until(condition):
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_a_call_that_was_not_written_when_the_line_broke_is_sent_later_and_one_that_was_begun_is_not():
    ports = [_Port(), _Port()]
    left = list(ports)
    out = _Out()
    link = SerialLink(lambda: left.pop(0), "port", Client(out, _Out()), (OSError,))
    link.start()
    first, second = ports
    _until(lambda: len(first.written) == 2 and link._state == 2)
    first.begins.clear()
    first.stuck.set()
    link.take(request("a"))
    assert first.begins.wait(5)
    link.take(request("b"))
    first.error = OSError("pulled")
    _until(lambda: len(out.lines) == 2)
    answers = {m["id"]: m for m in map(messages.load, out.lines)}
    assert "may or may not" in answers["a"]["error"]["message"] and answers["b"]["result"] == {}
    assert sum(b"tools/call" in data for data in second.written) == 1
    link.close()


def test_a_robot_that_hangs_is_noticed_and_one_that_is_slow_is_not():
    port = _Port()
    out = _Out()
    link = SerialLink(lambda: port, "port", Client(out, _Out()), (OSError,), silent_s=0.2, dead_s=0.2)
    link.start()
    _until(lambda: link._state == 2)
    answer = port.write

    def slow(data):
        if b"tools/call" not in data:
            answer(data)

    port.write = slow
    link.take(request(1))
    time.sleep(1)
    assert out.lines == []  # It was asked, and said that it is there.
    port.write = lambda data: None
    _until(lambda: out.lines)
    assert "does not answer" in messages.load(out.lines[0])["error"]["message"]
    link.close()


def test_what_is_listened_to_over_http_is_asked_for_again_however_it_breaks():
    acknowledged = {"jsonrpc": "2.0", "method": messages.ACKNOWLEDGED, "params": {}}
    changed = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
    answers = [
        lambda handler: handler.stream(event(acknowledged)),
        lambda handler: handler.hang_up(),
        lambda handler: handler.reply(503),
        lambda handler: handler.stream(event(acknowledged), event(changed)),
        lambda handler: handler.reply(401, b"{}"),
    ]
    with Odd(lambda odd, handler, message: answers[len(odd.asked) - 1](handler)) as odd:
        out = _Out()
        link = HttpLink(Target(odd.url), None, Client(out, _Out()), listen_again_s=0.05)
        link.take(
            request("l", messages.LISTEN, _meta={"io.modelcontextprotocol/protocolVersion": "2026-07-28"})
        )
        _until(lambda: len(out.lines) == 3)
        seen = list(map(messages.load, out.lines))
        assert seen[:2] == [acknowledged, changed] and "TSUMIKI_TOKEN" in seen[2]["error"]["message"]
        link.close()


def test_a_port_may_be_a_url_of_pyserials():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = serial_port.Port("socket://127.0.0.1:%d" % listener.getsockname()[1])
        with listener.accept()[0] as theirs:
            theirs.sendall(b"one\r\ntwo\nthr")
            lines = []
            _until(lambda: lines.extend(port.lines()) or port.begun == b"thr")
            assert lines == [b"one", b"two"]
            port.write(b"x" * 200)
            _until(lambda: len(theirs.recv(200, socket.MSG_PEEK)) == 200)
        with pytest.raises(serial_port.ERRORS):
            for _ in range(100):
                port.lines()
        port.close()
