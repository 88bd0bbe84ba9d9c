"""Faults over HTTP, byte by byte: what a client forgives is there all the same."""

import json
import re
import socket
import time

import pytest

from kit import fault_cases
from kit.fault_cases import ROBOT, by_case, is_of_http, tool
from kit.served import Served

CASES = [*filter(is_of_http, by_case(ROBOT)), "disconnect", "disconnect-after", "duplicate", "malformed"]
SSE = "content-type: text/event-stream"


class Wire:
    """The answer to one call.  head: str, lower case.  body: bytes.  over: bool, the connection was closed behind it.

    reset: bool, with RST.
    """

    def __init__(self, port, case, version, seconds=0.3):
        message = {
            "jsonrpc": "2.0",
            "id": 7,
            "method": "tools/call",
            "params": {"name": tool(case), "arguments": {}},
        }
        raw = json.dumps(message).encode()
        lines = ["POST /mcp HTTP/" + version, "Host: localhost", "Content-Type: application/json"]
        lines += ["Accept: application/json, text/event-stream", "Content-Length: %d" % len(raw)]
        self.over = self.reset = False
        with socket.create_connection(("127.0.0.1", port), 5) as sock:
            sock.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + raw)
            head, _, self.body = self._read(sock, seconds).partition(b"\r\n\r\n")
        self.head = head.decode("latin-1").lower()

    def _read(self, sock, seconds):
        data = b""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            sock.settimeout(max(0.01, end - time.monotonic()))
            try:
                part = sock.recv(65536)
            except socket.timeout:
                break
            except ConnectionResetError:
                self.over = self.reset = True
                break
            if not part:
                self.over = True
                break
            data += part
        return data

    @property
    def status(self):
        return int(self.head.split()[1])

    @property
    def length(self):
        return int(re.search("content-length: (.*)", self.head).group(1))

    @property
    def events(self):
        """The bytes of the stream, without chunks."""
        assert SSE in self.head
        if "transfer-encoding: chunked" not in self.head:
            return self.body
        found, rest = b"", self.body
        while rest:
            size, _, rest = rest.partition(b"\r\n")
            count = int(size, 16)
            found += rest[:count]
            assert rest[count : count + 2] == b"\r\n"
            rest = rest[count + 2 :]
        return found


@pytest.fixture(scope="module")
def wire(tmp_path_factory):
    fixture = fault_cases.fixture(tmp_path_factory.mktemp("wire") / "f.json", CASES, "off")
    faults = [word for case in CASES for word in ("--fault", "tools/call:%s=%s" % (tool(case), case))]
    with Served(fixture, *faults) as served:
        yield lambda case, version="1.1": Wire(served.port, case, version)


def result(text):
    return {"jsonrpc": "2.0", "id": 7, "result": {"content": [{"type": "text", "text": "21 of " + text}]}}


def payloads(events):
    """The data of each event, as a client reads it."""
    found = []
    for event in events.replace(b"\r\n", b"\n").split(b"\n\n"):
        lines = [line[5:].lstrip() for line in event.split(b"\n") if line.startswith(b"data:")]
        found += [b"\n".join(lines)] if lines else []
    return found


@pytest.mark.parametrize("code", [400, 401, 403, 405, 406, 413, 429, 500, 502, 503])
def test_statuses(wire, code):
    seen = wire("status:503,7" if code == 503 else "status:%d" % code)
    assert (seen.status, seen.over) == (code, False) and seen.length == len(seen.body)
    told = {401: "www-authenticate: bearer ", 405: "allow: ", 429: "retry-after: 1", 503: "retry-after: 7"}
    for other, line in told.items():
        assert (line in seen.head) == (other == code)


def test_places_types_and_nothing(wire):
    seen = wire("redirect")
    assert (seen.status, seen.length) == (307, 0) and "\nlocation: /elsewhere" in seen.head
    seen = wire("wrong-type")
    assert seen.status == 200 and "content-type: text/html" in seen.head and seen.length == len(seen.body) > 0
    seen = wire("empty-200")
    assert (seen.status, seen.length, seen.body) == (200, 0, b"") and "application/json" in seen.head


@pytest.mark.parametrize("case", ["disconnect", "close-before-headers"])
def test_a_connection_that_closes_without_a_word(wire, case):
    seen = wire(case)
    assert (seen.head, seen.over, seen.reset) == ("", True, False)


def test_or_is_reset(wire):
    seen = wire("close-before-headers:reset")
    assert (seen.head, seen.reset) == ("", True)


@pytest.mark.parametrize(
    "case, size", [("close-mid-body", None), ("close-mid-body:0", 0), ("close-mid-body:9", 9)]
)
def test_or_in_the_middle(wire, case, size):
    seen = wire(case)
    assert seen.over and len(seen.body) == (seen.length // 2 if size is None else size) < seen.length


def test_or_behind_a_good_answer(wire):
    seen = wire("disconnect-after")
    assert seen.over and "connection: close" not in seen.head and seen.length == len(seen.body)
    assert json.loads(seen.body) == result("disconnect-after")


def test_lengths(wire):
    short = wire("bad-length")
    assert short.length == len(short.body) - 9 and not short.over
    long = wire("bad-length:long")
    assert long.length == len(long.body) + 9 and long.over
    assert "content-length: many" in wire("bad-length:text").head
    two = re.findall("content-length: (.*?)\r?$", wire("bad-length:two").head, re.M)
    assert len(set(two)) == 2
    assert json.loads(long.body) == result("bad-length-long")


def test_a_slow_answer_is_a_whole_one(wire):
    seen = wire("slow:16,1")
    assert json.loads(seen.body) == result("slow-16-1") and not seen.over


@pytest.mark.parametrize("version", ["1.1", "1.0"])
@pytest.mark.parametrize(
    "case, there, count",
    [
        ("sse", b"event: message\ndata: {", 1),
        ("comments", b"\n:\n", 1),
        ("crlf", b"event: message\r\ndata: {", 1),
        ("multi-data-lines", b"data: {\ndata:  ", 1),
        ("other-events-first", b"event: ping\n", 3),
        ("wrong-id-first", b'"id":"7"', 3),
        ("done-marker:behind", b"\n\ndata: [DONE]\n\n", 2),
        ("done-marker:before", b"data: [DONE]\n\nevent", 2),
        ("done-marker:instead", b"data: [DONE]\n\n", 1),
    ],
)
def test_streams(wire, case, there, count, version):
    seen = wire(case, version)
    found = payloads(seen.events)
    assert there in seen.events and len(found) == count
    assert seen.over == (version == "1.0") and (version == "1.0") == ("transfer-encoding" not in seen.head)
    if "instead" not in case:
        answer = found[0] if case == "done-marker:behind" else found[-1]
        assert json.loads(answer) == result(tool(case))
    if case == "crlf":
        assert seen.events.count(b"\n") == seen.events.count(b"\r\n")
    if case == "wrong-id-first":
        assert [json.loads(data)["id"] for data in found] == [1000007, "7", 7]


def test_a_stream_whose_event_is_not_ended(wire):
    events = wire("no-final-blank").events
    assert events.endswith(b"\n") and not events.endswith(b"\n\n") and len(payloads(events)) == 1


@pytest.mark.parametrize("version", ["1.1", "1.0"])
def test_a_stream_that_never_ends(wire, version):
    seen = wire("never-ends", version)
    assert SSE in seen.head and not seen.over
    events = seen.events
    assert events.count(b":\n\n") >= 2 and not payloads(events)


def test_an_answer_that_comes_twice(wire):
    found = payloads(wire("duplicate").events)
    assert [json.loads(data) for data in found] == [result("duplicate")] * 2


def test_words_that_are_no_json(wire):
    seen = wire("malformed")
    assert (seen.status, seen.body, seen.over) == (200, b"{not-json}", False)


@pytest.fixture(scope="module")
def others(tmp_path_factory):
    fixture = fault_cases.fixture(tmp_path_factory.mktemp("others") / "f.json", ["steady"], "required")
    words = (
        "GET=status:503",
        "DELETE=status:500",
        "notifications/initialized#1=status:500",
        "ping#2-3=status:429,9",
    )
    with Served(fixture, *[word for fault in words for word in ("--fault", fault)]) as served:
        yield served


def test_what_is_no_request_can_be_hit(others):
    client = others.client("legacy")
    result = client.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}})
    client.opened(result["result"])
    client.post(client.message("notifications/initialized", None, True))
    assert client.status == 500
    client.note("notifications/initialized")
    client.send("GET")
    assert client.status == 503
    client.send("DELETE")
    assert client.status == 500
    statuses = []
    for _ in range(4):
        client.ask("ping")
        statuses.append(client.status)
    assert statuses == [200, 429, 429, 200] and client.text("steady") == "21 of steady"
