"""The requests that the Python SDK's client sends, byte for byte (test_wire.py compares): those of the era with
sessions after `initialize`, and those of the modern one, which says what it is with each request.
"""

import json

TOKEN = "test-token"
VERSION = "2025-11-25"
MODERN = "2026-07-28"
_CLIENT = {"name": "mcp", "version": "0.1.0"}
# What every request of the modern era has in its params.
META = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": _CLIENT,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}
_ECHO = {"name": "echo", "arguments": {"text": "hello"}}

# Operation: (method, params or None, what the answer must contain).
OPERATIONS = {
    "initialize": (
        "initialize",
        {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": _CLIENT},
        b'"protocolVersion"',
    ),
    "initialized": ("notifications/initialized", None, b""),
    "echo": ("tools/call", _ECHO, b"Echo: hello"),
    "list": ("tools/list", None, b'"get_system_info"'),
    "ping": ("ping", None, b'"result"'),
    "discover": ("server/discover", META, b'"supportedVersions"'),
    "modern echo": ("tools/call", {**_ECHO, **META}, b"Echo: hello"),
    "modern list": ("tools/list", META, b'"get_system_info"'),
}


def is_modern(operation):
    """True for a request of the modern era."""
    return "_meta" in (OPERATIONS[operation][1] or ())


def expected(operation):
    """What the answer must contain: a tuple of bytes."""
    text = OPERATIONS[operation][2]
    return (text, b'"resultType":"complete"') if is_modern(operation) else (text,)


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


def era(operation, session=None):
    """The lines of the head that only MCP has.  session: str, the id that the server announced, or None."""
    method, params, _ = OPERATIONS[operation]
    if is_modern(operation):
        lines = ["mcp-protocol-version: " + MODERN, "mcp-method: " + method]
        return lines + ["mcp-name: " + params["name"]] if "name" in params else lines
    lines = ["mcp-session-id: " + session] if session else []
    return lines if operation == "initialize" else [*lines, "mcp-protocol-version: " + VERSION]


def head(operation, port, length, session=None, connection="keep-alive"):
    """The head.  session: as of `era`; requests of the modern era have none."""
    lines = [
        "POST /mcp HTTP/1.1",
        "Host: 127.0.0.1:%d" % port,
        "Accept-Encoding: gzip, deflate",
        "Connection: " + connection,
        "User-Agent: python-httpx2/2.16.2",
        "Authorization: Bearer " + TOKEN,
        "accept: application/json, text/event-stream",
        "content-type: application/json",
        *era(operation, session),
        "Content-Length: %d" % length,
    ]
    return "\r\n".join([*lines, "", ""]).encode()
