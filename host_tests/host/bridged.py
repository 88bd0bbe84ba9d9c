"""`tsumiki bridge` as a client starts it: a process whose stdin and stdout are JSON-RPC."""

import itertools
import json
import os
import queue
import subprocess
import sys
import threading
import time

from install import ROOT

SECONDS = 20
MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}


def command(*arguments, token=None):
    """The command line of the bridge, for a client that hands its environment on to nobody."""
    env = [
        "env",
        "PYTHONPATH=%s" % (ROOT / "host"),
        *(["TSUMIKI_TOKEN=" + token] if token is not None else []),
    ]
    return [*env, sys.executable, "-m", "tsumiki", "bridge", *(str(a) for a in arguments)]


class Bridge:
    """arguments: of `tsumiki bridge`.  token: for TSUMIKI_TOKEN.  err: file that keeps its stderr.

    seen: list of all messages that came.
    """

    def __init__(self, *arguments, folder, token=None):
        self._err = (folder / "bridge.err").open("w+b")
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command(*arguments, token=token), stdin=pipe, stdout=pipe, stderr=self._err
        )
        self._ids = itertools.count(1)
        self._queue = queue.Queue()
        self.seen = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self._queue.put(line)
        self._queue.put(b"")

    def send(self, message):
        data = message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def request(self, method, params=None, meta=None, id=None):
        """Send one; returns its id."""
        id = next(self._ids) if id is None else id
        message = {"jsonrpc": "2.0", "id": id, "method": method}
        if params is not None or meta is not None:
            message["params"] = dict(params or {}, **({"_meta": meta} if meta else {}))
        self.send(message)
        return id

    def message(self, wanted=lambda message: True, seconds=SECONDS):
        """The next message for which `wanted` holds, among those that came and were not given out yet."""
        for message in self.seen:
            if not message.get("given") and wanted(message):
                message["given"] = True
                return {k: v for k, v in message.items() if k != "given"}
        end = time.monotonic() + seconds
        while True:
            try:
                line = self._queue.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError("no such message; seen: %r\n%s" % (self.seen[-5:], self.err())) from None
            assert line, "the bridge has ended\n" + self.err()
            message = json.loads(line)
            assert message["jsonrpc"] == "2.0"
            self.seen.append(message)
            if wanted(message):
                message["given"] = True
                return {k: v for k, v in message.items() if k != "given"}

    def answer(self, id, seconds=SECONDS):
        """The answer to a request."""
        return self.message(
            lambda m: "method" not in m and m.get("id") == id and type(m["id"]) is type(id), seconds
        )

    def ask(self, method, params=None, meta=None, id=None):
        return self.answer(self.request(method, params, meta, id))

    def call(self, name, _modern=False, **arguments):
        """Ask a tool; returns the text of its result."""
        found = self.ask("tools/call", {"name": name, "arguments": arguments}, META if _modern else None)
        return found["result"]["content"][0]["text"] if "result" in found else found

    def initialize(self, version="2025-11-25"):
        found = self.ask(
            "initialize",
            {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
        )
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return found

    def note(self, method, **params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def err(self):
        """What it said on stderr."""
        return os.pread(self._err.fileno(), 1 << 20, 0).decode("utf-8", "replace")

    def until(self, text, times=1, seconds=SECONDS):
        """Wait until stderr has the text so many times."""
        end = time.monotonic() + seconds
        while self.err().count(text) < times:
            assert time.monotonic() < end, "%r is not said:\n%s" % (text, self.err())
            assert self.process.poll() is None, self.err()
            time.sleep(0.01)

    def end(self, seconds=5):
        """End its input; returns the exit status."""
        self.process.stdin.close()
        return self.process.wait(seconds)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self._err.close()
