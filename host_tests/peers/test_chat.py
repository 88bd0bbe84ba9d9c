"""The robot's dialogue with a maintained fake of the providers' APIs (fakellm), over TLS, from the console, and what it
records as `tsumiki score` reads it.
"""

import json
import os
import socket
import ssl
import subprocess
import sys
import threading

import pytest
import yaml

import interpreter
from fakes.certificates import Authority
from free_ports import free_port
from install import ROOT
from processes import Listener, run_limited
from tsumiki import cli

_EMOTION = {"name": "set_emotion", "arguments": {"emotion": "happy"}}
_RULES = [
    {
        "name": "two tools",
        "when": {"messages_contain": "look happy", "turn": 1, "tools_include": "move_head"},
        "respond": {
            "content": "",
            "tool_calls": [
                _EMOTION,
                {"name": "move_head", "arguments": {"yaw": 10, "pitch": 20, "duration_ms": 100}},
            ],
        },
    },
    {
        "name": "what came of it",
        "when": {"messages_contain": "look happy", "tool_result_contains": '"emotion":"happy"'},
        "respond": {"content": "I am happy 🤖"},
    },
    {
        "name": "wrong once",
        "when": {"messages_contain": "wrong", "turn": 1},
        "respond": {"tool_calls": [{"name": "set_emotion", "arguments": {"mood": "sad"}}]},
    },
    {
        "name": "right then",
        "when": {"messages_contain": "wrong", "turn": 2, "tool_result_contains": "invalid_arguments: "},
        "respond": {"tool_calls": [{"name": "set_emotion", "arguments": {"emotion": "sad"}}]},
    },
    {"name": "sad", "when": {"messages_contain": "wrong", "turn": 3}, "respond": {"content": "I am sad."}},
    {
        "name": "endless",
        "when": {"messages_contain": "endless"},
        "respond": {"tool_calls": [_EMOTION]},
    },
    {"name": "hello", "when": {"messages_contain": "hello"}, "respond": {"content": "Hello there."}},
]


@pytest.fixture(scope="module")
def fake(tmp_path_factory):
    """The URL of fakellm, with those rules."""
    path = tmp_path_factory.mktemp("fakellm") / "fakellm.yaml"
    path.write_text(yaml.safe_dump({"version": 1, "rules": _RULES}))
    port = free_port()
    code = "import uvicorn, fakellm.server as s; print('listening on 127.0.0.1:%d', flush=True)"
    code += "; uvicorn.run(s.app, port=%d)"
    server = Listener(
        [sys.executable, "-c", code % (port, port)],
        dict(os.environ, FAKELLM_CONFIG=str(path)),
        name="fakellm",
    )
    for _ in range(200):  # It says so before it does.
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            threading.Event().wait(0.05)
    yield server.url
    server.close()


def talk(provider, url, *said, ca="-", name="m"):
    """What came of each turn: lists of ok, text, refusals, tools."""
    script = ROOT / "host_tests" / "peers" / "chatting.py"
    status, output = run_limited(
        [interpreter.need(), script, provider, url, name, ca, *said], env=interpreter.environment(), cwd=ROOT
    )
    assert not status, output
    assert "sk-robot" not in output
    return [json.loads(line[1:]) for line in output.splitlines() if line.startswith("@")]


@pytest.mark.parametrize("provider", ["openai_chat", "anthropic"])
def test_a_dialogue_with_a_fake_of_others(fake, provider):
    seen = talk(
        provider,
        fake + "/v1",
        "please look happy, %s" % provider,
        "hello, %s" % provider,
        "the wrong way, %s" % provider,
        "endless %s" % provider,
    )
    assert seen[:3] == [
        [True, "I am happy 🤖", [], ["set_emotion", "move_head"]],
        [True, "Hello there.", [], []],
        [True, "I am sad.", [], ["set_emotion", "set_emotion"]],
    ]
    assert seen[3][:2] == [False, "no answer after 8 rounds"]


class TLS:
    """A TLS server before another one.  url: str.  requests: int, bytes that were passed on."""

    def __init__(self, context, url):
        self._context = context
        self._to = ("127.0.0.1", int(url.rsplit(":", 1)[1]))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = "https://localhost:%d" % self._listener.getsockname()[1]
        self.passed = 0
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            try:
                sock, _ = self._listener.accept()
                sock = self._context.wrap_socket(sock, server_side=True)
            except ssl.SSLError:
                continue
            except OSError:
                return
            other = socket.create_connection(self._to)
            threading.Thread(target=self._pass, args=(sock, other, True), daemon=True).start()
            threading.Thread(target=self._pass, args=(other, sock, False), daemon=True).start()

    def _pass(self, a, b, counts):
        try:
            while data := a.recv(4096):
                self.passed += counts * len(data)
                b.sendall(data)
        except OSError:
            pass
        b.close()

    def close(self):
        self._listener.close()


def test_a_dialogue_over_tls(fake, tmp_path):
    authority = Authority()
    server = TLS(authority.server(tmp_path), fake)
    try:
        (tmp_path / "ca.der").write_bytes(authority.der)
        (tmp_path / "other.der").write_bytes(Authority("Another").der)
        said = "please look happy, over TLS"
        url = server.url + "/v1"
        wrong = talk("openai_chat", url, said, ca=tmp_path / "other.der")
        assert wrong[0][0] is False and "TLS" in wrong[0][1], wrong
        assert server.passed == 0, "a request went to a server that is not trusted"
        seen = talk("openai_chat", url, said, ca=tmp_path / "ca.der")
        assert seen == [[True, "I am happy \U0001f916", [], ["set_emotion", "move_head"]]]
    finally:
        server.close()


def _console(fake, folder, *lines, more=()):
    """(status, output) of `make chat`.  lines: what is typed."""
    done = subprocess.run(
        [
            sys.executable,
            ROOT / "host" / "chat.py",
            *("--url", fake + "/v1", "--model", "m", "--silent", "yes", "--home", folder),
            *("--port", str(free_port()), *more),
        ],
        input="".join(line + "\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=60,
        env=dict(os.environ, TSUMIKI_CHAT_KEY="sk-robot"),
    )
    assert "sk-robot" not in done.stdout + done.stderr
    return done.returncode, done.stdout + done.stderr


def test_the_console(fake, tmp_path):
    status, out = _console(
        fake,
        tmp_path,
        "please look happy, console",
        "/tools",
        "/status",
        "/clear",
        "hello console",
        "/what",
        "",
    )
    assert status == 0, out
    assert "> I am happy 🤖\n" in out and "Hello there." in out, out
    assert "move_head: Turn the head to a pose" in out and "'tools': 22" in out, out
    assert "/tools, /status, /clear or /quit" in out
    assert "page: http://127.0.0.1:" in out
    # Another robot's tools, by its own console's server.
    status, out = _console(fake, tmp_path, "/status", more=("--server", "b=http://127.0.0.1:1/mcp"))
    assert "b: {" in out, out


@pytest.mark.parametrize(
    "arguments, why",
    [
        ((), "no model is named"),
        (("--model",), "unknown or incomplete option --model"),
        (("--oops", "x"), "unknown or incomplete option --oops"),
        (("--model", "m", "--url", "https://h/v1"), "https needs"),
        (("--model", "m", "--port", "x"), "--port takes a number"),
        (("--server", "http://h/"), "--server takes NAME=URL"),
    ],
)
def test_how_the_console_is_not_started(arguments, why, tmp_path):
    command = [interpreter.need(), ROOT / "examples" / "chat.py", "--home", tmp_path, *arguments]
    status, out = run_limited(command, env=interpreter.environment(), cwd=ROOT)
    assert status and why in out, out


def test_what_is_recorded_can_be_scored(fake, tmp_path, capsys):
    lines = "please look happy, recorded", "/clear", "the wrong way, recorded"
    status, out = _console(fake, tmp_path, *lines, more=("--record", "yes"))
    assert status == 0, out
    recorded = tmp_path / "decisions.ndjson"
    assert cli.main(["score", str(recorded), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["scores"][0]
    # The one whose arguments were refused first is not right.
    assert found["decisions"] == 3 and found["score"] == pytest.approx(2 / 3), found
    assert found["retry_rate"]["set_emotion"] == pytest.approx(1 / 2), found
    assert found["outcomes"]["missing-arg"] == 1
    tools = json.loads(recorded.read_text().splitlines()[0])["offered"]
    assert len(tools) == 22 and "move_head" in tools
