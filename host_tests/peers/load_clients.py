"""Clients on raw sockets that ask a robot for anything, and see that each of their requests has one answer.

They hang up now and then, too: at the beginning of a request, or while its answer is awaited.
"""

import http.client
import itertools
import json
import random
import select
import socket
import threading
import time

_MODERN = "2026-07-28"
_LEGACY = "2025-11-25"
_META = "io.modelcontextprotocol/"
_SECONDS = 20  # for one answer
_BOTH = "application/json, text/event-stream"
# Name, arguments.
_CALLS = (
    ("set_mouth_open", {"open": 40}),
    ("set_face_color", {"key": "primary", "red": 255, "green": 200, "blue": 255}),
    ("show_balloon", {"text": "Under load", "duration_ms": 1000}),
    ("hide_balloon", {}),
    ("play_tone", {"hz": 440, "duration_ms": 60}),
    ("play_melody", {"tones": ["C4:40", "R:30", "E4:40"]}),
    ("say_message", {"message": "Hi!", "wait": False}),
    ("set_led", {"led": "left", "mode": "rainbow"}),
    ("move_head", {"yaw": 10, "pitch": 20, "duration_ms": 150}),
    ("play_motion", {"motion": "nod", "wait": False}),
    ("get_head_pose", {}),
    ("get_recent_events", {}),
    ("wait_for_event", {"timeout_ms": 300}),
    ("get_robot_status", {}),
    ("move_head", {"yaw": 500, "pitch": 0}),
    ("no_such_tool", {}),
)
_REFUSALS = ("busy", "servo_fault", "invalid_arguments")


class Wrong(Exception):
    """An answer that should not have come, or came twice, or did not come."""


class Client:
    """port, token: of the robot.  name: str, what its ids begin with.  seed: of its chances.

    answered, refused, turned_away, hung_up: counts.  called, perhaps: of tools that were called, and of calls that
    nobody waited for.  wrong: the exception that ended its thread, or None.
    """

    version = _MODERN

    def __init__(self, port, token, name, seed):
        self._port = port
        self._token = token
        self.name = name
        self._ids = itertools.count()
        self._random = random.Random(seed)
        self._connection = None
        self.answered = self.refused = self.turned_away = self.hung_up = self.called = self.perhaps = 0
        self.wrong = None

    def run(self, until):
        """Ask until a time of `time.monotonic()`."""
        try:
            while time.monotonic() < until:
                if self._random.random() < 0.06:
                    self.hang_up()
                else:
                    self.anything()
        except Exception as e:
            self.wrong = e
        finally:
            self.close()

    def anything(self):
        """One request of the mix, and its answer."""
        chance = self._random.random()
        if chance < 0.7:
            name, arguments = self._random.choice(_CALLS)
            self._see(name, self.ask("tools/call", {"name": name, "arguments": arguments}))
        elif chance < 0.9:
            uri = self._random.choice(("robot://status", "robot://events"))
            text = self.ask("resources/read", {"uri": uri})["result"]["contents"][0]["text"]
            json.loads(text)
        else:
            tools = self.ask("tools/list", {})["result"]["tools"]
            if len(tools) != 22:
                raise Wrong("%d tools" % len(tools))

    def _see(self, name, answer):
        if name == "no_such_tool":
            if answer["error"]["code"] != -32602:
                raise Wrong(answer)
            return
        self.called += 1
        if answer["result"].get("isError"):
            self.refused += 1
            if answer["result"]["content"][0]["text"].split(":")[0] not in _REFUSALS:
                raise Wrong((name, answer))

    def ask(self, method, params):
        """The answer to a request: dict. A robot that has no place for it is asked again."""
        while True:
            id, body, lines = self.request(method, params)
            status, kind, raw = self._exchange(body, lines)
            if status != 503:
                break
            self.turned_away += 1
            self.close()
            time.sleep(0.05)
        answers = [message for message in _messages(kind, raw) if "id" in message]
        if [answer["id"] for answer in answers] != [id]:
            raise Wrong("asked %s, answered %r" % (id, raw[:300]))
        self.answered += 1
        return answers[0]

    def request(self, method, params):
        """(id, body, dict of header fields)"""
        id = "%s-%d" % (self.name, next(self._ids))
        meta = {_META + "protocolVersion": _MODERN, _META + "clientCapabilities": {}}
        params = dict(params, _meta=meta)
        lines = {"MCP-Protocol-Version": _MODERN, "Mcp-Method": method}
        if "name" in params or "uri" in params:
            lines["Mcp-Name"] = params.get("name") or params["uri"]
        return id, _json(id, method, params), lines

    def _exchange(self, body, lines):
        fields = {
            "Authorization": "Bearer " + self._token,
            "Content-Type": "application/json",
            "Accept": _BOTH,
        }
        fields.update(lines)
        kept = self._connection is not None
        try:
            connection = self._connected()
            connection.request("POST", "/mcp", body, fields)
            reply = connection.getresponse()
        except (ConnectionError, http.client.BadStatusLine):
            # The robot may close what it kept open, at any time between two requests.
            self.close()
            if not kept:
                raise
            return self._exchange(body, lines)
        raw = reply.read()
        self._session = reply.headers.get("Mcp-Session-Id")
        if reply.will_close:
            self.close()
        elif _has_more(connection.sock):
            raise Wrong("more than one answer to %r" % body[:100])
        return reply.status, reply.headers.get("Content-Type", ""), raw

    def _connected(self):
        if self._connection is None:
            self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=_SECONDS)
        return self._connection

    def hang_up(self):
        """Ask for what takes long, or only begin to, and go."""
        self.hung_up += 1
        waits = {"name": "wait_for_event", "arguments": {"timeout_ms": 20000}}
        _, body, lines = self.request("tools/call", waits)
        head = ["POST /mcp HTTP/1.1", "Host: 127.0.0.1", "Authorization: Bearer " + self._token]
        head += ["Content-Type: application/json", "Accept: " + _BOTH, "Content-Length: %d" % len(body)]
        head += ["%s: %s" % line for line in lines.items()]
        raw = "\r\n".join(head).encode() + b"\r\n\r\n" + body
        self.close()
        size = self._random.choice((30, len(raw) - 10, len(raw)))
        self.perhaps += size == len(raw)
        with socket.create_connection(("127.0.0.1", self._port), _SECONDS) as s:
            s.sendall(raw[:size])
            time.sleep(self._random.random() * 0.2)

    def close(self):
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class LegacyClient(Client):
    """One session of 2025-11-25."""

    version = _LEGACY
    _id = None

    def open(self):
        about = {"capabilities": {}, "clientInfo": {"name": self.name, "version": "1"}}
        self.ask("initialize", dict(about, protocolVersion=_LEGACY))
        self._id = self._session
        return self

    def request(self, method, params):
        id = "%s-%d" % (self.name, next(self._ids))
        lines = {"Mcp-Session-Id": self._id, "MCP-Protocol-Version": _LEGACY} if self._id else {}
        return id, _json(id, method, params), lines


class Listener(Client):
    """Listens to robot://events beside its calls.  told: int, how often it was told of one."""

    told = 0

    def listen(self):
        """Open the stream, and read it in a thread of its own."""
        wanted = {"notifications": {"resourceSubscriptions": ["robot://events"]}}
        _, body, lines = self.request("subscriptions/listen", wanted)
        fields = {
            "Authorization": "Bearer " + self._token,
            "Content-Type": "application/json",
            "Accept": _BOTH,
        }
        self._stream = http.client.HTTPConnection("127.0.0.1", self._port, timeout=4 * _SECONDS)
        self._stream.request("POST", "/mcp", body, dict(fields, **lines))
        self._reply = self._stream.getresponse()
        if self._reply.status != 200:
            raise Wrong("listening is answered with %d" % self._reply.status)
        threading.Thread(target=self._read, daemon=True).start()
        return self

    def _read(self):
        try:
            for line in self._reply:
                if b"notifications/resources/updated" in line:
                    self.told += 1
        except (OSError, ValueError, AttributeError):
            pass  # It was closed.

    def stop_listening(self):
        self._stream.sock.shutdown(socket.SHUT_RDWR)
        self._stream.close()


def _json(id, method, params):
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode()


def _messages(kind, raw):
    if not kind.startswith("text/event-stream"):
        return [json.loads(raw)]
    return [json.loads(line[6:]) for line in raw.split(b"\n") if line.startswith(b"data: ")]


# Closed is not more.
def _has_more(s):
    return bool(select.select([s], [], [], 0)[0] and s.recv(1))
