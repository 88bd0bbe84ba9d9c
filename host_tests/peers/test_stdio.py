"""A server's stdin and stdout as the system gives them: pipes, sockets and files, a client that stalls or leaves."""

import json
import os
import select
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

import interpreter
from processes import ROOT

SCRIPT = Path(__file__).with_name("try_stdio.py")
SECONDS = 20


class Child:
    """A server, and the bytes of its stdout and stderr as they are asked for."""

    def __init__(self, *command, stdin=subprocess.PIPE):
        pipe = subprocess.PIPE
        command = [interpreter.need(), *command]
        self.process = subprocess.Popen(
            command, stdin=stdin, stdout=pipe, stderr=pipe, env=interpreter.environment(), cwd=ROOT
        )
        self.stdin = self.process.stdin
        self._out = self.process.stdout.fileno()
        self._err = self.process.stderr.fileno()
        self._rest = b""

    def send(self, data):
        self.stdin.write(data)
        self.stdin.flush()

    def end(self):
        """End its input."""
        self.stdin.close()
        self.process.stdin = None

    def messages(self, count):
        """The next messages on stdout."""
        while self._rest.count(b"\n") < count:
            self._rest += self._read(self._out)
        *lines, self._rest = self._rest.split(b"\n", count)
        return [json.loads(line) for line in lines]

    def until(self, text):
        """What stderr says until `text` is in it."""
        said = b""
        while text not in said:
            said += self._read(self._err)
        return said

    def ticks(self):
        """Wait until the other tasks of the server have had several turns."""
        self.until(b".")
        for _ in range(5):
            self.until(b".")

    def _read(self, file):
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            if select.select([file], [], [], 1)[0]:
                data = os.read(file, 1 << 16)
                assert data, "the server has ended"
                return data
        raise AssertionError("the server says nothing")

    def wait(self):
        """How it ended: the status, and what it said after all that was read."""
        out, err = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, self._rest + out, err

    def close(self):
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def start():
    children = []

    def begin(*command, **options):
        children.append(Child(*(command or (SCRIPT,)), **options))
        return children[-1]

    yield begin
    for child in children:
        child.close()


def line(id, method, **params):
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode() + b"\n"


def call(id, name, **arguments):
    return line(id, "tools/call", name=name, arguments=arguments)


def test_half_a_line_stops_nothing(start):
    child = start()
    ping = line(2, "ping")
    child.send(call(1, "late") + ping[:20])
    child.ticks()
    assert child.messages(1)[0]["id"] == 1
    for i in range(20, len(ping)):
        child.send(ping[i : i + 1])
    assert child.messages(1) == [{"jsonrpc": "2.0", "id": 2, "result": {}}]


def test_a_client_that_does_not_read_stops_nothing_but_its_answers(start):
    child = start()
    child.send(call(1, "many", size=20000) * 20)
    child.ticks()
    time.sleep(0.1)  # until the pipe is full
    child.ticks()
    texts = [m["result"]["content"][0]["text"] for m in child.messages(20)]
    assert texts == ["x" * 20000] * 20
    child.send(line(2, "ping"))
    assert child.messages(1)[0]["id"] == 2


def test_a_task_that_fails_unseen_is_not_told_on_stdout(start):
    child = start()
    child.send(call(1, "spoil"))
    assert child.messages(1)[0]["result"]["content"][0]["text"] == "spoilt"
    child.until(b"unseen")
    child.end()
    assert child.wait()[:2] == (0, b"")


def test_the_end_of_the_input_ends_the_server_after_its_answers(start):
    child = start()
    child.send(call(1, "late") + line(2, "ping").rstrip())
    child.end()
    assert [m["id"] for m in child.messages(2)] == [2, 1]
    status, out, err = child.wait()
    assert (status, out) == (0, b"") and err.endswith(b"served")


def test_a_client_that_is_gone_ends_the_server(start):
    child = start()
    child.process.stdout.close()
    child.send(line(1, "ping"))
    child.until(b"served")
    assert child.process.wait(SECONDS) == 0


def test_a_socket_serves_as_stdin(start):
    ours, theirs = socket.socketpair()
    with ours:
        child = start(stdin=theirs)
        theirs.close()
        for piece in (line(1, "ping")[:9], line(1, "ping")[9:] + call(2, "late")):
            ours.sendall(piece)
            child.ticks()
        assert [m["id"] for m in child.messages(2)] == [1, 2]
        ours.shutdown(socket.SHUT_WR)
        assert child.wait()[0] == 0


def test_a_file_serves_as_stdin(start, tmp_path):
    path = tmp_path / "in"
    path.write_bytes(b"\xef\xbb\xbf" + line(1, "ping") + call(2, "many", size=6000))
    with path.open("rb") as file:
        child = start(stdin=file)
    status, out, _ = child.wait()
    assert status == 0 and [json.loads(text)["id"] for text in out.splitlines()] == [1, 2]


def test_the_dummy_server_says_nothing_of_its_own(start):
    child = start("examples/dummy_server.py", "--stdio")
    child.send(b"noise\n" + line(1, "ping"))
    assert [m["id"] for m in child.messages(2)] == [None, 1]
    child.process.send_signal(signal.SIGINT)
    assert child.until(b"\n") == b"stopped\n"
    assert child.wait() == (0, b"", b"")


@pytest.mark.parametrize("more", [("--port", "8081"), ("--token", "new")])
def test_stdio_goes_without_other_options(start, more):
    for options in (("--stdio", *more), (*more, "--stdio")):
        status, out, err = start("examples/dummy_server.py", *options).wait()
        assert (status, out) == (2, b"") and b"--stdio goes without other options" in err
