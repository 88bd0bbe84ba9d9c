"""Recording a server on stdio into a cassette, as a client with these requests would."""

import contextlib
import json
import queue
import subprocess
import threading

HANDSHAKE = (
    (
        "initialize",
        {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    ),
    ("tools/list", None),
    ("tools/list", {"cursor": "2"}),
    ("prompts/list", None),
    ("resources/list", None),
    ("resources/templates/list", None),
)
CALLS = (
    ("tools/call", {"name": "echo", "arguments": {"text": "hello"}}),
    ("tools/call", {"name": "echo", "arguments": {"text": "hello", "style": "loud"}}),
    ("tools/call", {"name": "echo", "arguments": {}}),
    ("tools/call", {"name": "get_status", "arguments": {}}),
    ("tools/call", {"name": "move", "arguments": {"angle": 60}}),
    ("no/such", None),
)


def record(command, path, asked=HANDSHAKE + CALLS, seconds=10):
    """Ask a server one request after the other, and write what is said to `path`.

    A request that is not answered in `seconds` is left; what comes later is recorded where it comes.
    """
    rows = []
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    lines = queue.Queue()
    threading.Thread(target=_pass, args=(process.stdout, lines), daemon=True).start()
    try:
        for id, (method, params) in enumerate(asked, 1):
            message = {"jsonrpc": "2.0", "id": id, "method": method}
            if params is not None:
                message["params"] = params
            _say(process, message, rows)
            if method == "initialize":
                _say(process, {"jsonrpc": "2.0", "method": "notifications/initialized"}, rows)
            try:
                line = lines.get(timeout=seconds if method == "tools/call" else 10)
            except queue.Empty:
                continue
            if line is None:  # it has left
                break
            rows.append({"direction": "s2c", "raw": line.decode().rstrip("\n")})
    finally:
        process.kill()
        process.wait()
        with contextlib.suppress(OSError):
            process.stdin.close()
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def _pass(stream, lines):
    for line in stream:
        lines.put(line)
    lines.put(None)


def _say(process, message, rows):
    raw = json.dumps(message)
    rows.append({"direction": "c2s", "raw": raw})
    with contextlib.suppress(OSError):  # it has left
        process.stdin.write(raw.encode() + b"\n")
        process.stdin.flush()
