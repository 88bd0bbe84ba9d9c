"""`tsumiki serve` as a process of its own, and a client of each transport that speaks either era."""

import http.client
import json
import os
import queue
import subprocess
import sys
import threading

from install import ROOT
from kit.playing import META
from processes import Listener

SAMPLES = ROOT / "host_tests" / "samples"
TIDE = SAMPLES / "tide.json"
DUMMY = SAMPLES / "dummy.json"
ERAS = ("legacy", "modern")
CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
_SECONDS = 10
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


def command(*arguments):
    """The command line of the host command."""
    return [sys.executable, "-m", "tsumiki", *(str(a) for a in arguments)]


def environment(**more):
    """The environment in which a clone's command is found."""
    return dict(os.environ, PYTHONPATH=str(ROOT / "host"), PYTHONUNBUFFERED="1", **more)


def run(*arguments, given=b"", **more):
    """Run a command to its end: (exit status, stdout, stderr), the two as str."""
    done = subprocess.run(
        command(*arguments), input=given, capture_output=True, timeout=60, env=environment(**more)
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class Served(Listener):
    """`tsumiki serve FILE --http ...` on a free port."""

    def __init__(self, file, *arguments, **environ):
        line = command("serve", file, "--http", "127.0.0.1:0", *arguments)
        super().__init__(line, environment(**environ), name="tsumiki serve")

    def client(self, era, token=None, accept="application/json, text/event-stream", path="/mcp"):
        """An `HttpClient` of it."""
        return HttpClient(self.port, era, token, accept, path)


class Speaks:
    """What both clients have in common.  era: "legacy" or "modern"."""

    def __init__(self, era):
        self.era = era
        self._id = 0

    def open(self):
        """Begin as the era has it; returns the identity of the server."""
        if self.era == "modern":
            return self.ask("server/discover")["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]
        result = self.ask("initialize", CLIENT)["result"]
        self.opened(result)
        self.note("notifications/initialized")
        return result["serverInfo"]

    def opened(self, result):
        """`initialize` was answered."""

    def message(self, method, params, noted=False):
        """A request with the next id, or a notification."""
        if self.era == "modern":
            params = dict(params or {}, _meta=META)
        message = {"jsonrpc": "2.0", "method": method}
        if not noted:
            self._id += 1
            message["id"] = self._id
        if params is not None:
            message["params"] = params
        return message

    def call(self, name, **arguments):
        """The response to a tools/call."""
        return self.ask("tools/call", {"name": name, "arguments": arguments})

    def text(self, name, **arguments):
        """The first text of a tool's answer."""
        return self.call(name, **arguments)["result"]["content"][0]["text"]


class HttpClient(Speaks):
    """One connection that stays open.  status, headers, events: of the last answer."""

    def __init__(self, port, era, token=None, accept="application/json, text/event-stream", path="/mcp"):
        super().__init__(era)
        self._http = http.client.HTTPConnection("127.0.0.1", port, timeout=_SECONDS)
        self._token = token
        self._accept = accept
        self._path = path
        self.session = self.version = None
        self.status = self.headers = self.events = None

    def opened(self, result):
        self.session = self.headers["Mcp-Session-Id"]
        self.version = result["protocolVersion"]

    def ask(self, method, params=None):
        """The response to a request."""
        body = self.post(self.message(method, params))
        assert body, self.status
        return body

    def note(self, method, params=None):
        """Send a notification."""
        assert self.post(self.message(method, params, True)) is None and self.status == 202

    def post(self, message):
        """POST a JSON value: the parsed answer, or None."""
        params = message.get("params") or {}
        headers = {"Content-Type": "application/json"}
        if self.era == "modern":
            headers.update({"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": message["method"]})
            if message["method"] in _NAMED:
                headers["Mcp-Name"] = params[_NAMED[message["method"]]]
        return self.send("POST", json.dumps(message), headers)

    def send(self, verb, body=None, headers=()):
        """A request of any kind: its parsed answer, or None."""
        headers = dict(headers)
        for name, value in (
            ("Accept", self._accept),
            ("Authorization", self._token and "Bearer " + self._token),
            ("Mcp-Session-Id", self.session),
            ("MCP-Protocol-Version", self.version),
        ):
            if value is not None:
                headers.setdefault(name, value)
        self._http.request(verb, self._path, body.encode() if body else None, headers)
        reply = self._http.getresponse()
        self.status, self.headers = reply.status, reply.headers
        text = reply.read().decode()
        self.events = None
        if reply.headers["Content-Type"] == "text/event-stream":
            self.events = [
                json.loads(line[6:]) for line in text.split("\n") if line.startswith("data: ") and line[6:]
            ]
            return self.events[-1]
        return json.loads(text) if text else None

    def close(self):
        self._http.close()


class StdioClient(Speaks):
    """Starts a server, and talks to its stdin and stdout.  status: of the process, once it has ended."""

    def __init__(self, line, era="legacy", **environ):
        super().__init__(era)
        self.process = subprocess.Popen(
            [str(word) for word in line],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(**environ),
        )
        self._lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def ask(self, method, params=None):
        """The response to a request."""
        message = self.message(method, params)
        self.send(message)
        answer = self.next()
        assert answer["id"] == message["id"], answer
        return answer

    def note(self, method, params=None):
        """Send a notification."""
        self.send(self.message(method, params, True))

    def send(self, message):
        """Send a JSON value, or bytes as they are, as a line."""
        raw = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(raw + b"\n")
        self.process.stdin.flush()

    def next(self, seconds=_SECONDS):
        """The next message of the server, None at the end."""
        line = self._lines.get(timeout=seconds)
        return json.loads(line) if line is not None else None

    def silent(self, seconds=0.3):
        """True if nothing comes for so long."""
        try:
            self._lines.get(timeout=seconds)
        except queue.Empty:
            return True
        return False

    def end(self):
        """End the input: (exit status, stderr)."""
        self.process.stdin.close()
        status = self.process.wait(_SECONDS)
        return status, self.process.stderr.read().decode()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.wait()
