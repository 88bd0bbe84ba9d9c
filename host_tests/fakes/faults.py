"""The ways in which `faulty.py` goes wrong, by name, and how its good answers look."""

import json
import time

JSON = "application/json"
SSE = "text/event-stream"


class Hangup(Exception):
    """The connection is to be closed now."""


def reply(status="200 OK", body=b"", kind=JSON, extra=""):
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{extra}\r\n"
    return head.encode() + body


def stream(*pieces, end=True):
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {SSE}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    return head + b"".join(chunk(p) for p in pieces) + (b"0\r\n\r\n" if end else b"")


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


def event(message, end="\n", raw=None):
    data = raw if raw is not None else json.dumps(message)
    return f"event: message{end}data: {data}{end}{end}".encode()


def answer(message, path):
    """The good answer to a request."""
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        path.sessions += 1
        result = {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "f", "version": "0"},
        }
    elif method == "server/discover":
        result = {
            "resultType": "complete",
            "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {}},
        }
    elif method == "tools/list":
        result = {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}
    else:
        text = json.dumps(params.get("arguments"), separators=(",", ":"), sort_keys=True)
        result = {"content": [{"type": "text", "text": text}], "calls": path.count("tools/call")}
    return {"jsonrpc": "2.0", "id": message.get("id"), "result": result}


def good(message, path):
    return json.dumps(answer(message, path)).encode()


def session(path):
    return f"Mcp-Session-Id: s{path.sessions}\r\n"


# Name -> function (socket, message, path) that writes, and raises Hangup to close the connection.
FAULTS = {}


def fault(function):
    FAULTS[function.__name__.replace("_", "-")] = function
    return function


def sends(name, make, hangup=False):
    def run(sock, message, path):
        sock.sendall(make(message, path))
        if hangup:
            raise Hangup

    FAULTS[name] = run


for code, reason, extra in (
    (400, "Bad Request", ""),
    (401, "Unauthorized", 'WWW-Authenticate: Bearer realm="x"\r\nWWW-Authenticate: Basic\r\n'),
    (403, "Forbidden", ""),
    (405, "Method Not Allowed", "Allow: POST\r\n"),
    (406, "Not Acceptable", ""),
    (413, "Content Too Large", ""),
    (429, "Too Many Requests", "Retry-After: 7\r\n"),
    (500, "Internal Server Error", ""),
    (502, "Bad Gateway", ""),
    (503, "Service Unavailable", "Retry-After: Wed, 21 Oct 2026 07:28:00 GMT\r\n"),
):
    sends(f"status-{code}", lambda m, p, s=f"{code} {reason}", e=extra: reply(s, b'{"x":1}', extra=e))

sends(
    "status-400-rpc",
    lambda m, p: reply(
        "400 Bad Request", b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}'
    ),
)
sends("echo-token", lambda m, p: reply("401 " + p.token, b'{"error":"%s"}' % p.token.encode()))
sends(
    "rpc-token",
    lambda m, p: reply(
        body=json.dumps(
            {"jsonrpc": "2.0", "id": m["id"], "error": {"code": -1, "message": "bad " + p.token}}
        ).encode()
    ),
)
sends(
    "redirect",
    lambda m, p: reply("307 Temporary Redirect", extra=f"Location: http://u:p@{p.here}/ok/stolen?k=v\r\n"),
)
sends("redirect-relative", lambda m, p: reply("302 Found", extra="Location: /elsewhere\r\n"))
sends("empty-200", lambda m, p: reply())
sends("empty-202", lambda m, p: reply("202 Accepted"))
sends("empty-204", lambda m, p: b"HTTP/1.1 204 No Content\r\n\r\n")
sends("wrong-type", lambda m, p: reply(body=b"<html>hello</html>", kind="text/html"))
sends("no-type", lambda m, p: b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
sends("charset", lambda m, p: reply(body=good(m, p), kind="Application/JSON; charset=utf-8"))
sends("not-json", lambda m, p: reply(body=b"hello"))
sends("truncate", lambda m, p: reply(body=good(m, p)[:-5]))
sends(
    "bad-utf8",
    lambda m, p: reply(body=good(m, p).replace(b"echo", b"\xff\xfe").replace(b"text", b"\xff\xfe")),
)
sends("oversize", lambda m, p: reply(body=b" " * 70000 + good(m, p)), hangup=True)
sends("oversize-chunked", lambda m, p: reply_chunked(b" " * 70000 + good(m, p)), hangup=True)
sends("deep", lambda m, p: reply(body=b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}"))


def reply_chunked(body):
    return (
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        + chunk(body)
        + b"0\r\n\r\n"
    )


def changed(**changes):
    def make(message, path):
        made = answer(message, path)
        for key, value in changes.items():
            made.pop(key, None)
            if value is not None:
                made[key] = value(message["id"])
        return reply(body=json.dumps(made).encode())

    return make


sends("wrong-id", changed(id=lambda i: i + 1))
sends("string-id", changed(id=str))
sends("true-id", changed(id=lambda i: True))
sends("float-id", changed(id=float))
sends("null-id", lambda m, p: reply(body=json.dumps({**answer(m, p), "id": None}).encode()))
sends("no-id", changed(id=None))
sends("no-jsonrpc", changed(jsonrpc=None))
sends("jsonrpc-1", changed(jsonrpc=lambda i: "1.0"))
sends("both", changed(error=lambda i: {"code": 1, "message": "x"}))
sends("neither", changed(result=None))
sends("array", lambda m, p: reply(body=b"[" + good(m, p) + b"]"))
sends("result-list", changed(result=lambda i: []))
sends("bad-error", changed(result=None, error=lambda i: "no"))
sends(
    "rpc-error",
    changed(result=None, error=lambda i: {"code": -32602, "message": "Unknown tool", "data": {"a": 1}}),
)
sends(
    "tool-error",
    changed(
        result=lambda i: {"isError": True, "content": [{"type": "text", "text": "servo_off: torque is off"}]}
    ),
)

sends("close-before-headers", lambda m, p: b"", hangup=True)
sends("close-in-headers", lambda m, p: b"HTTP/1.1 200 OK\r\nContent-Ty", hangup=True)
sends("close-mid-body", lambda m, p: reply(body=good(m, p))[:-9], hangup=True)
sends("close-mid-chunk", lambda m, p: reply_chunked(good(m, p))[:-30], hangup=True)
sends(
    "length-too-long",
    lambda m, p: reply(body=good(m, p)).replace(b"Content-Length: ", b"Content-Length: 1"),
    hangup=True,
)
sends(
    "length-too-short", lambda m, p: reply(body=good(m, p)).replace(b"Content-Length: 1", b"Content-Length: ")
)
sends("two-lengths", lambda m, p: reply(body=good(m, p), extra="Content-Length: 5\r\n"))
sends("length-and-chunked", lambda m, p: reply(body=good(m, p), extra="Transfer-Encoding: chunked\r\n"))
sends("bad-length", lambda m, p: reply(body=good(m, p)).replace(b"Content-Length: ", b"Content-Length: +"))
sends("gzip-coding", lambda m, p: reply_chunked(good(m, p)).replace(b": chunked", b": gzip, chunked"))
sends("bad-chunk", lambda m, p: reply_chunked(good(m, p)).replace(b"\r\n\r\n", b"\r\n\r\nz", 1))
sends("folded", lambda m, p: reply(body=good(m, p), extra="X: a\r\n b\r\n"))
sends("lf-only", lambda m, p: reply(body=good(m, p)).replace(b"\r\n", b"\n"))
sends("not-http", lambda m, p: b"SSH-2.0-OpenSSH_9.2\r\n")
sends("big-head", lambda m, p: reply(body=good(m, p), extra="X: " + "y" * 9000 + "\r\n"))
sends("interim", lambda m, p: b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + reply(body=good(m, p)))
sends(
    "until-close",
    lambda m, p: b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + good(m, p),
    hangup=True,
)
sends("http10", lambda m, p: reply(body=good(m, p)).replace(b"HTTP/1.1", b"HTTP/1.0"), hangup=True)
sends("says-close", lambda m, p: reply(body=good(m, p), extra="Connection: close\r\n"), hangup=True)
sends("silent-close", lambda m, p: reply(body=good(m, p)), hangup=True)
sends(
    "pipelined-extra",
    lambda m, p: reply(body=good(m, p)) + reply(body=b'{"jsonrpc":"2.0","id":3,"result":{"evil":1}}'),
)

sends("sse", lambda m, p: stream(event(answer(m, p))))
sends("sse-crlf", lambda m, p: stream(event(answer(m, p), "\r\n")))
sends("sse-cr", lambda m, p: stream(event(answer(m, p), "\r")))
sends(
    "sse-multi-line",
    lambda m, p: stream(
        b"data: " + json.dumps(answer(m, p), indent=1).replace("\n", "\ndata: ").encode() + b"\n\n"
    ),
)
sends(
    "sse-comments",
    lambda m, p: stream(
        b": hi\n\n", b"id: 7\ndata:\n\n", b"retry: 5\nwhat: ever\nnothing\n\n", event(answer(m, p))
    ),
)
sends("sse-bom", lambda m, p: stream(b"\xef\xbb\xbf" + event(answer(m, p))))
sends(
    "sse-other-events-first",
    lambda m, p: stream(
        b"event: ping\ndata: x\n\n",
        event({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}),
        event(answer(m, p)),
    ),
)
sends(
    "sse-wrong-id-first",
    lambda m, p: stream(
        event({**answer(m, p), "id": 99}), event({**answer(m, p), "id": str(m["id"])}), event(answer(m, p))
    ),
)
sends("sse-no-final-blank", lambda m, p: stream(event(answer(m, p))[:-1]))
sends("sse-done-marker", lambda m, p: stream(b"data: [DONE]\n\n", event(answer(m, p))))
sends("sse-empty", lambda m, p: stream())
sends("sse-not-json", lambda m, p: stream(b"data: hello\n\n"))
sends("sse-not-json-first", lambda m, p: stream(b"data: hello\n\n", event(answer(m, p))))
sends("sse-cut", lambda m, p: stream(event(answer(m, p))[:-9], end=False), hangup=True)
sends(
    "sse-until-close",
    lambda m, p: b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + event(answer(m, p)),
    hangup=True,
)
sends("sse-big-event", lambda m, p: stream(b"data: " + b"x" * 70000 + b"\n\n"), hangup=True)
sends("sse-long-stream", lambda m, p: stream(*[b": %s\n\n" % (b"x" * 1000)] * 100, event(answer(m, p))))


@fault
def timeout(sock, message, path):
    time.sleep(1.5)
    raise Hangup


@fault
def late(sock, message, path):
    time.sleep(0.6)
    sock.sendall(reply(body=good(message, path)))


@fault
def slow(sock, message, path):
    for byte in reply(body=good(message, path)):
        sock.sendall(bytes([byte]))
        time.sleep(0.0005)


@fault
def slow_for_ever(sock, message, path):
    sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n")
    for _ in range(200):
        time.sleep(0.05)
        sock.sendall(b" ")


@fault
def sse_never_ends(sock, message, path):
    sock.sendall(stream(end=False))
    for _ in range(200):
        time.sleep(0.05)
        sock.sendall(chunk(b": still here\n\n"))


@fault
def sse_stays_open(sock, message, path):
    sock.sendall(stream(event(answer(message, path)), end=False))
    time.sleep(1.0)
    raise Hangup


@fault
def sse_late_end(sock, message, path):
    sock.sendall(stream(event(answer(message, path)), end=False))
    time.sleep(0.02)
    sock.sendall(b"0\r\n\r\n")


@fault
def sse_bytewise(sock, message, path):
    head, _, body = stream(*[bytes([b]) for b in event(answer(message, path), "\r\n")]).partition(b"\r\n\r\n")
    sock.sendall(head + b"\r\n\r\n")
    for byte in body:
        sock.sendall(bytes([byte]))


@fault
def sse_asks_first(sock, message, path):
    sock.sendall(stream(event({"jsonrpc": "2.0", "id": "p", "method": "ping"}), end=False))
    sock.sendall(chunk(event({"jsonrpc": "2.0", "id": 5, "method": "sampling/createMessage", "params": {}})))
    for _ in range(100):
        if path.count("answer") == 2:
            break
        time.sleep(0.01)
    made = answer(message, path)
    made["result"]["answers"] = getattr(path, "answers", [])
    sock.sendall(chunk(event(made)) + b"0\r\n\r\n")


@fault
def session_lost(sock, message, path):
    path.dead = f"s{path.sessions}"
    sock.sendall(reply("404 Not Found", b'{"error":"not_found"}'))


@fault
def closed_while_idle(sock, message, path):
    sock.sendall(reply(body=good(message, path)))
    raise Hangup
