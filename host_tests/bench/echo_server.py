"""A quick MCP server for the measure of clients, of either era: a thread for each connection, one send per answer."""

import json
import socket
import threading

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s"
_ACCEPTED = b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"
_IDENTITY = {"name": "echo", "version": "1"}
_COMPLETE = {"resultType": "complete", "_meta": {"io.modelcontextprotocol/serverInfo": _IDENTITY}}
_KEPT = {"ttlMs": 0, "cacheScope": "private"}


def _result(method, params):
    if method == "server/discover":
        return {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
    if method == "initialize":
        version = params["protocolVersion"]
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": _IDENTITY}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": "Echo: " + params["arguments"]["text"]}]}
    if method == "tools/list":
        return {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}
    return {}


def answer(body):
    """The bytes that answer a request's body."""
    message = json.loads(body) if body else {}
    if "id" not in message:
        return _ACCEPTED
    params = message.get("params") or {}
    result = _result(message["method"], params)
    if "_meta" in params:
        result.update(_COMPLETE if message["method"] == "tools/call" else {**_KEPT, **_COMPLETE})
    made = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
    session = b"Mcp-Session-Id: 0123456789abcdef\r\n" if message["method"] == "initialize" else b""
    return _HEAD % (session, len(made), made)


def _length(head):
    at = head.lower().find(b"content-length:")
    return 0 if at < 0 else int(head[at + 15 : head.find(b"\r", at)])


def _serve(sock):
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    data = b""
    with sock:
        while True:
            end = data.find(b"\r\n\r\n") + 4
            if end >= 4 and len(data) >= end + _length(data[:end]):
                stop = end + _length(data[:end])
                sock.sendall(answer(data[end:stop]))
                if b"connection: close" in data[:end].lower() or data.startswith(b"DELETE"):
                    return
                data = data[stop:]
                continue
            more = sock.recv(65536)
            if not more:
                return
            data += more


def start():
    """Serve in threads of this process until it ends; returns the port."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)

    def run():
        while True:
            sock, _ = listener.accept()
            threading.Thread(target=_serve, args=(sock,), daemon=True).start()

    threading.Thread(target=run, daemon=True).start()
    return listener.getsockname()[1]
