"""The requests that the Python SDK's client sends, byte for byte, after `initialize` (test_wire.py compares)."""

import json

TOKEN = "test-token"
VERSION = "2025-11-25"
_CLIENT = {"name": "mcp", "version": "0.1.0"}

# Operation: (method, params or None, what the answer must contain).
OPERATIONS = {
    "initialize": (
        "initialize",
        {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": _CLIENT},
        b'"protocolVersion"',
    ),
    "initialized": ("notifications/initialized", None, b""),
    "echo": ("tools/call", {"name": "echo", "arguments": {"text": "hello"}}, b"Echo: hello"),
    "list": ("tools/list", None, b'"get_system_info"'),
    "ping": ("ping", None, b'"result"'),
}


def body(operation, id_=7):
    """The JSON of an operation; a notification has no id."""
    method, params, _ = OPERATIONS[operation]
    message = {"jsonrpc": "2.0"}
    if not method.startswith("notifications/"):
        message["id"] = id_
    message["method"] = method
    if params is not None:
        message["params"] = params
    return json.dumps(message, separators=(",", ":")).encode()


def head(operation, port, length, session=None, connection="keep-alive"):
    """The head.  session: str, the id that the server announced, or None."""
    lines = [
        "POST /mcp HTTP/1.1",
        "Host: 127.0.0.1:%d" % port,
        "Accept-Encoding: gzip, deflate",
        "Connection: " + connection,
        "User-Agent: python-httpx2/2.16.2",
        "Authorization: Bearer " + TOKEN,
        "accept: application/json, text/event-stream",
        "content-type: application/json",
    ]
    if session:
        lines.append("mcp-session-id: " + session)
    if operation != "initialize":
        lines.append("mcp-protocol-version: " + VERSION)
    lines.append("Content-Length: %d" % length)
    return "\r\n".join([*lines, "", ""]).encode()
