"""A mix of requests, good and bad, with what must answer each: the traffic of a day in a minute."""

import json

from bench import load, wire

_VERSION = "io.modelcontextprotocol/protocolVersion"
_JSON = b"content-type: application/json\r\n"
_TOKEN = b"Authorization: Bearer %s\r\n" % wire.TOKEN.encode()


def _post(body, session, token=_TOKEN, path=b"/mcp"):
    ids = b"mcp-session-id: %s\r\n" % session.encode() if session else b""
    return _request(body, _JSON + ids, token, path)


def _request(body, lines, token=_TOKEN, path=b"/mcp"):
    head = b"POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s%sContent-Length: %d\r\n\r\n"
    return head % (path, token, lines, len(body)) + body


def _call(name, arguments, session):
    params = {"name": name, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
    return _post(json.dumps(message).encode(), session)


def requests(session, modern=False):
    """A list of (request, status, text of the answer), all bytes; session: str.  modern: those of that era instead."""
    return _modern() if modern else _legacy(session)


def _legacy(session):
    return [
        (_post(wire.body("initialize"), None), b"200", b'"protocolVersion"'),
        (_post(wire.body("initialized"), session), b"202", b""),
        (_post(wire.body("list"), session), b"200", b'"inputSchema"'),
        (_post(wire.body("echo"), session), b"200", b"Echo: hello"),
        (_call("echo", {"text": "\u7a4d\u307f\u6728 \U0001f916"}, session), b"200", "\U0001f916".encode()),
        (_call("echo", {"text": 5}, session), b"200", b"invalid_arguments: /text: must be a string"),
        (_call("echo", {"text": "x" * 2000}, session), b"200", b"x" * 2000),
        (_call("no_such_tool", {}, session), b"200", b"-32602"),
        (_post(wire.body("ping"), session), b"200", b'"result":{}'),
        (_post(b'{"jsonrpc":"2.0",', session), b"400", b"-32700"),
        (_post(wire.body("ping"), "0" * 32), b"404", b"Session not found"),
        (_post(wire.body("ping"), session, b""), b"401", b"invalid_token"),
        (_post(wire.body("ping"), session, path=b"/none"), b"404", b"not_found"),
        (b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"200", b'"ok"'),
    ]


def _modern():
    call = {"name": "echo", "arguments": {"text": "\u7a4d\u307f\u6728 \U0001f916"}}
    wrong = {"name": "echo", "arguments": {"text": 5}}
    long = {"name": "echo", "arguments": {"text": "x" * 2000}}
    older = {"_meta": dict(wire.META["_meta"], **{_VERSION: "2025-11-25"})}
    return [
        (_request(wire.body("discover"), _lines("discover")), b"200", b'"supportedVersions"'),
        (_request(wire.body("modern list"), _lines("modern list")), b"200", b'"cacheScope"'),
        (_request(wire.body("modern echo"), _lines("modern echo")), b"200", b"Echo: hello"),
        (_sent("tools/call", call), b"200", "\U0001f916".encode()),
        (_sent("tools/call", wrong), b"200", b"invalid_arguments: /text: must be a string"),
        (_sent("tools/call", long), b"200", b"x" * 2000),
        (_sent("tools/call", {"name": "no_such_tool"}), b"200", b"-32602"),
        (_sent("tools/call", call, name="=?base64?ZWNobw==?="), b"200", b"Echo: "),
        (_sent("tools/call", call, name="another"), b"400", b"-32020"),
        (_sent("tools/list", older), b"400", b"-32020"),
        (_sent("tools/list", older, version="2025-11-25"), b"400", b"-32022"),
        (_sent("tools/list", {"_meta": {}}), b"400", b"-32602"),
        (_sent("ping", {}), b"404", b"-32601"),
        (_request(wire.body("modern echo"), _lines("modern echo"), b""), b"401", b"invalid_token"),
        (_request(b'{"jsonrpc":"2.0",', _lines("modern echo")), b"400", b"-32700"),
        (_request(wire.body("initialized"), _lines("discover")), b"202", b""),
        (b"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n%s%s\r\n" % (_TOKEN, _lines("discover")), b"405", b""),
    ]


def _lines(operation):
    return _JSON + b"".join(b"%s\r\n" % line.encode() for line in wire.era(operation))


def _sent(method, params, name=None, version=wire.MODERN):
    message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": {**wire.META, **params}}
    lines = ["mcp-protocol-version: " + version, "mcp-method: " + method]
    if "name" in params:
        lines.append("mcp-name: " + (name or params["name"]))
    return _request(json.dumps(message).encode(), _JSON + "\r\n".join([*lines, ""]).encode())


class Mix:
    """Sends the requests of the mix one after another, in turn over some connections, each answer checked.

    modern: those of the modern era.
    """

    def __init__(self, port, session, connections=4, modern=False):
        self._port = port
        self._sockets = [load.connect(port) for _ in range(connections)]
        self._requests = requests(session, modern)
        self._sent = 0

    def run(self, count):
        """Send the next `count` requests. Raises load.Failed or OSError."""
        for _ in range(count):
            request, status, text = self._requests[self._sent % len(self._requests)]
            self._one(self._sent % len(self._sockets), request, status, text)
            self._sent += 1

    # Every tenth request is the last on its connection.
    def _one(self, at, request, status, text):
        s = self._sockets[at]
        s.sendall(request)
        answer = load.Answer()
        while not answer.add(_more(s)):
            pass
        answer.check(text, status=status)
        if answer.closes() or self._sent % 10 == 9:
            s.close()
            self._sockets[at] = load.connect(self._port)

    def close(self):
        for s in self._sockets:
            s.close()


def _more(s):
    data = s.recv(65536)
    if not data:
        raise load.Failed("closed within an answer")
    return data
