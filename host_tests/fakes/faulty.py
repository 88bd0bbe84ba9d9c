"""An MCP server that goes wrong as told, for what no real peer will do: python -m fakes.faulty PORT

The first segment of the path names the fault (`/close-mid-body/7`, of `faults.py`): it meets the first `tools/call`
on that path, or the method of `@METHOD` in front (`/@tools/list:empty-200/7`). Everything else on the path is
answered well, and on `/ok-sse/1` in event streams: `echo` returns its arguments, and how many calls of tools the
path has seen. A path that ends in `/modern` is of 2026-07-28, the others know nothing of it.
"""

import json
import socket
import sys
import threading

from fakes.faults import FAULTS, JSON, Hangup, good, reply, session, stream


class Path:
    """What one path has seen."""

    def __init__(self, fault):
        self.method, self.fault = fault[1:].split(":", 1) if fault.startswith("@") else ("tools/call", fault)
        self.seen = []
        self.sessions = 0
        self.fired = 0
        self.modern = False

    def count(self, method):
        return self.seen.count(method)


class OldPeer:
    """The socket of a peer that speaks HTTP/1.0, and so gets no chunks."""

    def __init__(self, sock):
        self._sock = sock

    def sendall(self, data):
        head, end, body = data.partition(b"\r\n\r\n")
        if b"\r\nTransfer-Encoding: chunked" in head:
            data = head.replace(b"\r\nTransfer-Encoding: chunked", b"") + end + unchunk(body)
        self._sock.sendall(data)


def unchunk(data):
    made = b""
    while data:
        size, _, data = data.partition(b"\r\n")
        made += data[: int(size, 16)]
        data = data[int(size, 16) + 2 :]
    return made


class Server:
    def __init__(self, port, wrap=None):
        self.paths = {}
        self.wrap = wrap
        self.listener = socket.create_server(("127.0.0.1", port))

    def run(self):
        while True:
            sock, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(sock,), daemon=True).start()

    def serve(self, sock):
        try:
            sock = self.wrap(sock) if self.wrap else sock
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            buffer = sock.makefile("rb")
            while self.one(sock, buffer):
                pass
        except (Hangup, OSError, ValueError):
            pass
        finally:
            sock.close()

    def one(self, sock, buffer):
        line = buffer.readline()
        if not line:
            return False
        http_method, target, version = line.decode().split()
        headers = {}
        while line := buffer.readline().decode().strip():
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        body = buffer.read(int(headers.get("content-length", 0)))
        self.handle(OldPeer(sock) if version == "HTTP/1.0" else sock, http_method, target, headers, body)
        if version == "HTTP/1.0":
            raise Hangup
        return True

    def handle(self, sock, http_method, target, headers, body):
        path = self.paths.setdefault(target, Path(target.split("/", 1)[1].rsplit("/", 1)[0]))
        path.modern = target.endswith("/modern")
        path.here = headers["host"]
        path.token = headers.get("authorization", "Bearer none").split()[1]
        if http_method == "DELETE":
            path.seen.append("DELETE " + headers.get("mcp-session-id", ""))
            return sock.sendall(reply("405 Method Not Allowed" if path.fault == "no-delete" else "200 OK"))
        message = json.loads(body)
        method = message.get("method", "answer")
        path.seen.append(method)
        path.last = message
        if method == "answer":
            path.answers = [*getattr(path, "answers", []), message]
            return sock.sendall(reply("202 Accepted"))
        if headers.get("mcp-session-id", "") == getattr(path, "dead", None):
            return sock.sendall(reply("404 Not Found"))
        if path.modern:
            self.check_modern(headers, message)
        elif method != "server/discover":
            self.check(headers, method, path)
        if method == path.method and path.fault in FAULTS and not path.fired:
            path.fired += 1
            return FAULTS[path.fault](sock, message, path)
        if method == "server/discover" and not path.modern:
            return sock.sendall(reply("404 Not Found"))
        if "id" not in message:
            path.cancelled = message.get("params")
            return sock.sendall(reply("202 Accepted"))
        made = good(message, path)
        if path.fault == "ok-sse" and method == "tools/call":
            return sock.sendall(stream(b"event: message\ndata: " + made + b"\n\n"))
        sock.sendall(reply(body=made, extra=session(path) if method == "initialize" else ""))

    # 2026-07-28, transports: what every request carries, and what none does.
    def check_modern(self, headers, message):
        said = message["params"]["_meta"]
        if (
            headers.get("mcp-protocol-version") != "2026-07-28"
            or said["io.modelcontextprotocol/protocolVersion"] != "2026-07-28"
            or headers.get("mcp-method") != message["method"]
            or headers.get("mcp-name") != message["params"].get("name")
            or "mcp-session-id" in headers
        ):
            print("bad headers", message, headers, flush=True)
            raise Hangup

    # 2025-11-25, transports: what every later request carries, and what initialize must not.
    def check(self, headers, method, path):
        later = method != "initialize"
        if (headers.get("mcp-protocol-version") == "2025-11-25") != later or (
            "mcp-session-id" in headers
        ) != later:
            print("bad headers", method, headers, flush=True)
            raise Hangup
        if (
            headers.get("accept") != "application/json, text/event-stream"
            or headers.get("content-type") != JSON
        ):
            raise Hangup


def start(port, wrap=None):
    """A server in a thread of this process, to be asked afterwards what it has seen."""
    server = Server(port, wrap)
    threading.Thread(target=server.run, daemon=True).start()
    return server


if __name__ == "__main__":
    server = Server(int(sys.argv[1]))
    print("listening on 127.0.0.1:" + sys.argv[1], flush=True)
    server.run()
