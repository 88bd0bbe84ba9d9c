"""An MCP server on stdio or HTTP whose behaviour can be broken, one thing at a time: `--break NAME`.

mutable_server.py [--http PORT] [--era legacy|modern|both] [--sse] [--session] [--token T] [--break NAME]...
                  [--log FILE]      # the names of the tools that were called, a line each
"""

import argparse
import copy
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODERN = "2026-07-28"
TOOLS = [
    {
        "name": "echo",
        "description": "Say a text back.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "text": {"type": "string", "maxLength": 100},
                "style": {"type": "string", "enum": ["plain", "loud", "quiet"]},
            },
            "required": ["text"],
            "additionalProperties": False,
        },
        "annotations": {"readOnlyHint": True},
    },
    {
        "name": "get_status",
        "description": "How the machine is.",
        "inputSchema": {"type": "object", "properties": {}},
        "outputSchema": {
            "type": "object",
            "properties": {"battery": {"type": "integer"}, "note": {"type": "string"}},
            "required": ["battery"],
        },
        "annotations": {"readOnlyHint": True},
    },
    {
        "name": "move",
        "description": "Move the arm.",
        "inputSchema": {
            "type": "object",
            "properties": {"angle": {"type": "integer", "minimum": -90, "maximum": 90}},
            "required": ["angle"],
        },
        "annotations": {"readOnlyHint": False},
    },
]
RESOURCES = [{"name": "log", "uri": "robot://log", "mimeType": "text/plain"}]
PROMPTS = [{"name": "greet", "arguments": [{"name": "who", "required": True}]}]


def _tool(server, name):
    return next(tool for tool in server.tools if tool["name"] == name)


def _lost_required(server):
    del _tool(server, "echo")["inputSchema"]["required"]


def _newly_required(server):
    _tool(server, "echo")["inputSchema"]["required"].append("style")


def _narrowed_enum(server):
    _tool(server, "echo")["inputSchema"]["properties"]["style"]["enum"].remove("loud")


def _type_changed(server):
    _tool(server, "echo")["inputSchema"]["properties"]["text"]["type"] = "integer"


def _limit_tightened(server):
    _tool(server, "move")["inputSchema"]["properties"]["angle"]["maximum"] = 45


def _output_lost(server):
    del _tool(server, "get_status")["outputSchema"]["properties"]["battery"]


def _not_read_only(server):
    _tool(server, "echo")["annotations"] = {"readOnlyHint": False, "destructiveHint": True}


def _removed_tool(server):
    server.tools.remove(_tool(server, "echo"))


def _description(server):
    _tool(server, "echo")["description"] = "Say it back, please."


def _added_tool(server):
    server.tools.append({"name": "dance", "description": "Dance.", "inputSchema": {"type": "object"}})


def _removed_prompt(server):
    server.prompts.clear()


# What changes the lists, by name; the other breaks are looked at where an answer is made.
CHANGES = {
    "lost-required": _lost_required,
    "newly-required": _newly_required,
    "narrowed-enum": _narrowed_enum,
    "type-changed": _type_changed,
    "limit-tightened": _limit_tightened,
    "output-lost": _output_lost,
    "not-read-only": _not_read_only,
    "removed-tool": _removed_tool,
    "description": _description,
    "added-tool": _added_tool,
    "removed-prompt": _removed_prompt,
}
ANSWERS = (
    "wrong-id", "changed-class", "changed-code", "content", "is-error", "malformed", "timeout", "disconnect",
    "repeated-cursor", "banner", "asks", "input-required",
)  # fmt: skip


class Stub:
    def __init__(self, options):
        self.options = options
        self.broken = set(options.breaks)
        assert self.broken <= {*CHANGES, *ANSWERS}, self.broken
        self.tools = copy.deepcopy(TOOLS)
        self.prompts = copy.deepcopy(PROMPTS)
        self.sessions = set()
        for name in self.broken & set(CHANGES):
            CHANGES[name](self)

    def answer(self, message):
        """bytes: the response to a request; b"" if it is never answered, None if the server leaves."""
        made = self._made(message.get("method"), message.get("params") or {})
        id = message["id"]
        if message["method"] == "tools/call":
            if "timeout" in self.broken:
                return b""
            if "disconnect" in self.broken:
                return None
            if "malformed" in self.broken:
                return b"{not-json}"
            if "wrong-id" in self.broken:
                id = id + 1000 if isinstance(id, int) else id + "x"
        return json.dumps({"jsonrpc": "2.0", "id": id, **made}).encode()

    def _made(self, method, params):
        modern = "io.modelcontextprotocol/protocolVersion" in (params.get("_meta") or {})
        if modern != (self.options.era == "modern") and self.options.era != "both":
            return {"error": {"code": -32601, "message": "Method not found"}}
        found = self._result(method, params)
        if modern and "result" in found:
            found["result"].setdefault("resultType", "complete")
            if method != "tools/call":
                found["result"].update(ttlMs=0, cacheScope="private")
        return found

    def _result(self, method, params):
        info = {"name": "mutable", "version": "1.0.0"}
        if method == "initialize":
            version = params.get("protocolVersion", "2025-11-25")
            return {
                "result": {"protocolVersion": version, "serverInfo": info, "capabilities": self._offers()}
            }
        if method == "server/discover":
            result = {"supportedVersions": [MODERN], "capabilities": self._offers()}
            return {"result": {**result, "_meta": {"io.modelcontextprotocol/serverInfo": info}}}
        if method == "tools/list":
            return {"result": self._page(params.get("cursor"))}
        if method == "prompts/list":
            return {"result": {"prompts": self.prompts}}
        if method == "resources/list":
            return {"result": {"resources": RESOURCES}}
        if method == "resources/templates/list":
            return {"result": {"resourceTemplates": []}}
        if method == "tools/call":
            return self._called(params.get("name"), params.get("arguments") or {})
        if method == "ping":
            return {"result": {}}
        return {"error": {"code": -32601, "message": "Method not found"}}

    def _offers(self):
        return {"tools": {}, "prompts": {}, "resources": {}}

    def _page(self, cursor):
        at = int(cursor or 0)
        page = {"tools": self.tools[at : at + 2]}
        if "repeated-cursor" in self.broken:
            page["nextCursor"] = "2"
        elif at + 2 < len(self.tools):
            page["nextCursor"] = str(at + 2)
        return page

    def _called(self, name, arguments):
        if self.options.log:
            with open(self.options.log, "a") as f:
                f.write(name + "\n")
        tool = next((tool for tool in self.tools if tool["name"] == name), None)
        if tool is None:
            return {"error": {"code": -32602, "message": "Unknown tool"}}
        if "input-required" in self.broken:
            return {"result": {"resultType": "input_required", "requestState": "x", "inputRequests": {}}}
        wrong = _wrong(tool["inputSchema"], arguments)
        if wrong and "changed-class" in self.broken:
            return {"error": {"code": -32602, "message": wrong}}
        if wrong:
            return _refusal(
                "%s: %s" % ("nope" if "changed-code" in self.broken else "invalid_arguments", wrong)
            )
        if "is-error" in self.broken:
            return _refusal("not today")
        return self._done(name, arguments)

    def _done(self, name, arguments):
        if name == "echo":
            text = arguments.get("text", "")
            return _result(text[::-1] if "content" in self.broken else text)
        if name == "get_status":
            status = {"battery": 80} if "output-lost" not in self.broken else {}
            return _result(json.dumps(status), structuredContent=status)
        return _refusal("out_of_reach: too far") if arguments.get("angle", 0) > 80 else _result("done")


# What is wrong with arguments: a text, or None.
def _wrong(schema, arguments):
    for name in schema.get("required", ()):
        if name not in arguments:
            return "/%s: is required" % name
    for name, one in schema.get("properties", {}).items():
        value = arguments.get(name)
        if value is None:
            continue
        if not isinstance(value, {"string": str, "integer": int}[one["type"]]):
            return "/%s: must be of type %s" % (name, one["type"])
        if value not in one.get("enum", [value]):
            return "/%s: must be one of %s" % (name, one["enum"])
        if isinstance(value, int) and value > one.get("maximum", value):
            return "/%s: must be at most %d" % (name, one["maximum"])
    return None


def _result(text, **more):
    return {"result": {"content": [{"type": "text", "text": text}], **more}}


def _refusal(text):
    return _result(text, isError=True)


def stdio(stub):
    def say(raw):
        sys.stdout.buffer.write(raw + b"\n")
        sys.stdout.flush()

    if "banner" in stub.broken:
        say(b"welcome to the server")
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "method" not in message or "id" not in message:
            continue
        if "asks" in stub.broken:
            say(b'{"jsonrpc":"2.0","id":%d,"method":"roots/list"}' % message["id"])
            assert json.loads(sys.stdin.buffer.readline())["error"]["code"] == -32601
        raw = stub.answer(message)
        if raw is None:
            sys.exit(70)
        if raw:
            say(raw)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 20

    def do_POST(self):
        options = self.stub.options
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if options.token and self.headers.get("Authorization") != "Bearer " + options.token:
            return self._send(401, b"")
        message = json.loads(body)
        modern = self.headers.get("MCP-Protocol-Version") == MODERN
        if options.session and not modern and message.get("method") != "initialize":
            if self.headers.get("Mcp-Session-Id") not in self.stub.sessions:
                return self._send(404, b"")
        if "method" not in message or "id" not in message:
            return self._send(202, b"")
        if modern and self.headers.get("Mcp-Method") != message["method"]:
            return self._send(400, b"")
        self._answer(message, modern)

    def do_DELETE(self):
        self.stub.sessions.discard(self.headers.get("Mcp-Session-Id"))
        self._send(200, b"")

    def _answer(self, message, modern):
        options = self.stub.options
        raw = self.stub.answer(message)
        if not raw:
            time.sleep(0 if raw is None else 3)
            self.close_connection = True
            return
        headers = []
        if options.session and message["method"] == "initialize":
            self.stub.sessions.add("s%d" % len(self.stub.sessions))
            headers.append(("Mcp-Session-Id", sorted(self.stub.sessions)[-1]))
        missing = modern and b'"code": -32601' in raw
        if options.session and message["method"] == "prompts/list":
            self.stub.sessions.clear()  # the server has restarted
        if options.sse and not missing:
            note = b'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/message"}\n\n'
            self._send(200, b": hello\n\n" + note + b"data: " + raw + b"\n\n", "text/event-stream", headers)
        else:
            self._send(404 if missing else 200, raw, "application/json", headers)

    def _send(self, status, body, kind="application/json", headers=()):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--http", type=int)
    parser.add_argument("--era", default="both", choices=("legacy", "modern", "both"))
    parser.add_argument("--sse", action="store_true")
    parser.add_argument("--session", action="store_true")
    parser.add_argument("--token")
    parser.add_argument("--log")
    parser.add_argument("--break", dest="breaks", action="append", default=[])
    options = parser.parse_args()
    stub = Stub(options)
    if options.http is None:
        return stdio(stub)
    Handler.stub = stub
    with ThreadingHTTPServer(("127.0.0.1", options.http), Handler) as server:
        print("listening on 127.0.0.1:%d" % options.http, flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
