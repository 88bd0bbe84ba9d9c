"""The host command as a process: on stdio with its lines, or listening on HTTP."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

from free_ports import free_port
from kit.playing import META, request
from processes import ROOT, Listener

SECONDS = 20
TALKING = [sys.executable, str(ROOT / "host_tests" / "kit" / "talking_server.py")]


def environment(**more):
    return dict(os.environ, PYTHONPATH=str(ROOT / "host"), PYTHONUNBUFFERED="1", **more)


def tsumiki(*words):
    return [sys.executable, "-m", "tsumiki", *map(str, words)]


def alone(*words):
    """The same for clients that give a server no environment."""
    code = "import sys; sys.path.insert(0, %r); from tsumiki.cli import main; sys.exit(main())" % str(
        ROOT / "host"
    )
    return [sys.executable, "-c", code, *map(str, words)]


def listening(*words, env=None):
    """A `processes.Listener` of the command with --http on a free port before what is behind --."""
    words = list(words)
    at = words.index("--") if "--" in words else len(words)
    words[at:at] = ["--http", "127.0.0.1:%d" % free_port()]
    return Listener(tsumiki(*words), env or environment(), name="tsumiki")


class Lines:
    """A process that speaks MCP on its stdin and stdout.  err: str, its stderr, once it has ended."""

    def __init__(self, command, cwd=None, env=None):
        self._process = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=env or environment(),
            start_new_session=True,
        )
        self.pid = self._process.pid
        self.unasked = []
        self.err = ""
        self._id = 0
        self._lines = queue.Queue()
        self._threads = [threading.Thread(target=self._read), threading.Thread(target=self._read_err)]
        for thread in self._threads:
            thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._end()

    def _read(self):
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _read_err(self):
        self.err = self._process.stderr.read().decode("utf-8", "replace")

    def _end(self):
        self._process.wait(SECONDS)
        for thread in self._threads:
            thread.join(SECONDS)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            stream.close()

    def write(self, message):
        raw = message if isinstance(message, bytes) else json.dumps(message).encode()
        self._process.stdin.write(raw + b"\n")
        self._process.stdin.flush()

    def line(self, seconds=SECONDS):
        """The next line, bytes, or None at the end."""
        return self._lines.get(timeout=seconds)

    def message(self):
        return json.loads(self.line())

    def ask(self, method, params=None, modern=False):
        """The answer; what else comes is kept in `unasked`."""
        self._id += 1
        if modern:
            params = dict(params or {}, _meta=META)
        self.write(request(self._id, method, params))
        while True:
            found = self.message()
            if found.get("id") == self._id and "method" not in found:
                return found
            self.unasked.append(found)

    def call(self, name, arguments, **more):
        return self.ask("tools/call", {"name": name, "arguments": arguments}, **more)

    def close(self):
        """End its input; returns its exit status, when it has ended."""
        self._process.stdin.close()
        self._end()
        return self._process.returncode

    def signal(self, number):
        """Send a signal; returns its exit status, when it has ended."""
        os.kill(self.pid, number)
        self._end()
        return self._process.returncode


def interrupted(listener):
    """The exit status of a `Listener` after SIGINT."""
    os.kill(listener.pid, signal.SIGINT)
    return listener._process.wait(SECONDS)


class Posts:
    """A client over HTTP without any kit.  url: str.  modern: bool."""

    def __init__(self, url, modern=False, headers=()):
        self.url = url
        self.modern = modern
        self.session = None
        self.status = None
        self.headers = dict(headers)
        self.before = []
        self._id = 0

    def post(self, message):
        """The parsed answer, or None; what came before it on a stream is in `before`."""
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **self.headers,
        }
        if self.session:
            headers["Mcp-Session-Id"] = self.session
        if self.modern:
            headers.update({"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": message["method"]})
            name = message.get("params", {}).get("name")
            headers.update({"Mcp-Name": name} if name else {})
        asked = urllib.request.Request(self.url, json.dumps(message).encode(), headers)
        try:
            with urllib.request.urlopen(asked, timeout=SECONDS) as reply:
                return self._read(reply)
        except urllib.error.HTTPError as e:
            with e:
                return self._read(e)

    def _read(self, reply):
        self.status = reply.status
        self.session = reply.headers.get("Mcp-Session-Id", self.session)
        body = reply.read()
        if not body:
            return None
        if reply.headers.get("Content-Type", "").startswith("text/event-stream"):
            data = [line[6:] for line in body.split(b"\n") if line.startswith(b"data: ") and line[6:].strip()]
            *self.before, answer = [json.loads(one) for one in data]
            return answer
        return json.loads(body)

    def ask(self, method, params=None):
        self._id += 1
        if self.modern:
            params = dict(params or {}, _meta=META)
        return self.post(request(self._id, method, params))

    def call(self, name, arguments):
        return self.ask("tools/call", {"name": name, "arguments": arguments})


def wait_for(holds, seconds=5):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not happen in %d s" % seconds
        time.sleep(0.02)
