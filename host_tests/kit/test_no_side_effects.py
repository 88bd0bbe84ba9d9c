"""With --stdio, and in `check` and `from FILE`, no process is started, no connection made, no file written that is not
named: shown by the interpreter's own audit (PEP 578).
"""

import json
import os
import subprocess
import sys

import pytest

from kit.playing import GREENHOUSE
from kit.served import CLIENT, DUMMY, TIDE, environment

# Runs a command, and tells every event that would be one of those.
AUDITED = """
import json, os, sys

seen = []
REFUSED = ("subprocess.Popen", "os.system", "os.exec", "os.spawn", "os.posix_spawn", "os.fork", "os.forkpty",
    "pty.spawn",
    "socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.sendmsg",
    "urllib.Request", "http.client.connect", "smtplib.connect", "ftplib.connect", "ctypes.dlopen", "webbrowser.open",
    "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.truncate", "os.link", "os.symlink", "shutil.rmtree")


def hook(event, args):
    if event == "open":
        path, mode, flags = args
        writes = flags & (os.O_WRONLY | os.O_RDWR) if isinstance(flags, int) else True
        if isinstance(path, str):
            seen.append(["write" if writes else "read", os.path.abspath(path)])
    elif event == "socket.__new__":
        seen.append(["socket", args[1]])
    elif event in REFUSED:
        seen.append([event, repr(args)])


class Environ(dict):
    def __getitem__(self, name):
        seen.append(["environ", name])
        return super().__getitem__(name)

    def get(self, name, default=None):
        seen.append(["environ", name])
        return super().get(name, default)


from tsumiki import cli
sys.dont_write_bytecode = True
os.environ = Environ(os.environ)
os.getenv = os.environ.get
sys.addaudithook(hook)
try:
    status = cli.main(sys.argv[2:])
except SystemExit as e:
    status = e.code
told = list(seen)
with open(sys.argv[1], "w") as f:
    json.dump([status, told], f)
"""
INPUT = "".join(
    json.dumps(message) + "\n"
    for message in (
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": CLIENT},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "get_tide", "arguments": {"port": "Ys"}},
        },
        {
            "jsonrpc": "2.0",
            "id": 3,
            "method": "tools/call",
            "params": {"name": "echo", "arguments": {"text": "x"}},
        },
        {"jsonrpc": "2.0", "id": 4, "method": "tools/list"},
    )
)
RUNS = {
    "serve": ("serve", TIDE),
    "serve --stdio": ("serve", DUMMY, "--stdio", "--validate"),
    "serve a cassette": ("serve", GREENHOUSE, "--stdio"),
    "serve --log": ("serve", TIDE, "--log", "{folder}/calls.jsonl"),
    "check": ("check", TIDE, "--json"),
    "check --device": ("check", DUMMY, "--device"),
    "check a cassette": ("check", GREENHOUSE),
    "from": ("from", TIDE),
    "from a cassette": ("from", GREENHOUSE),
}
# Names of variables that a Python program or its libraries look at, none of them a secret.
HARMLESS = (
    "PYTHON",
    "LC_",
    "LANG",
    "COLUMNS",
    "LINES",
    "TERM",
    "NO_COLOR",
    "FORCE_COLOR",
    "TZ",
    "SSLKEYLOGFILE",
)


def audited(tmp_path, arguments):
    """[exit status, events] of a command, and what it printed."""
    told = tmp_path / "told.json"
    script = tmp_path / "audited.py"
    script.write_text(AUDITED)
    words = [str(a).replace("{folder}", str(tmp_path)) for a in arguments]
    done = subprocess.run(
        [sys.executable, "-B", script, told, *words],
        input=INPUT.encode(),
        capture_output=True,
        timeout=60,
        env=environment(SOME_TOKEN="a-credential"),
    )
    assert told.exists(), done.stderr.decode()
    status, events = json.loads(told.read_text())
    return status, events, done.stdout.decode()


@pytest.mark.parametrize("name", RUNS)
def test_nothing_is_done_but_what_is_asked_for(tmp_path, name):
    status, events, out = audited(tmp_path, RUNS[name])
    assert out and status in (0, 3)  # 3: the cassette has no such call
    log = [str(tmp_path / "calls.jsonl")] if name == "serve --log" else []
    assert [path for event, path in events if event == "write"] == log
    # asyncio wakes its loop through a pair of its own, which is connected to nothing.
    pairs = [family for event, family in events if event == "socket"]
    assert len(pairs) == (2 if "serve" in name else 0) and all(f in (1, 2) for f in pairs)
    read = [path for event, path in events if event == "read" and not _is_code(path)]
    assert {os.path.realpath(p) for p in read} <= {str(RUNS[name][1])}
    asked = [v for event, v in events if event == "environ" and not v.startswith(HARMLESS)]
    assert asked == []
    assert {event for event, _ in events} <= {"write", "read", "socket", "environ"}


def _is_code(path):
    return path.endswith((".py", ".pyc", ".so", ".egg-link", "/pyvenv.cfg")) or os.path.isdir(path)


# The audit sees what it is there for.
@pytest.mark.parametrize("arguments, event", [
    (("serve", TIDE, "--http", "127.0.0.1:x"), None),
    (("from", "--url", "http://127.0.0.1:9/mcp"), "socket.connect"),
    (("from", "--", sys.executable, "-c", "pass"), "subprocess.Popen"),
    (("from", "--url", "http://127.0.0.1:9/mcp", "--token-env", "SOME_TOKEN"), "environ"),
    (("from", TIDE, "--out", "{folder}/out.json"), "write"),
])  # fmt: skip
def test_the_audit_sees_what_other_commands_do(tmp_path, arguments, event):
    _, events, _ = audited(tmp_path, arguments)
    found = [kind for kind, what in events if kind != "environ" or what == "SOME_TOKEN"]
    assert event is None or event in found
