"""A stdio server that does what recorders must not stumble over: talking_server.py [--banner] [--dies]

Tools: `ask` samples first, `count` tells progress and logs, `later` answers behind the next call, `leave` ends the
process with status 7, `secret` says what is in SECRET, anything else is echoed. It notes on stderr what it is told.
"""

import json
import os
import sys

_later = []
_asked = {}


def say(message):
    sys.stdout.write(json.dumps(dict({"jsonrpc": "2.0"}, **message)) + "\n")
    sys.stdout.flush()


def text(id, words):
    say({"id": id, "result": {"content": [{"type": "text", "text": words}]}})


def ask(id, params):
    asked = "q%d" % (len(_asked) + 1)
    _asked[asked] = id
    say({"id": asked, "method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 9}})


def count(id, params):
    token = (params.get("_meta") or {}).get("progressToken")
    for i in (1, 2):
        if token is not None:
            say({"method": "notifications/progress", "params": {"progressToken": token, "progress": i}})
    say({"method": "notifications/message", "params": {"level": "info", "data": "counted"}})
    text(id, "2")


def later(id, params):
    _later.append((id, params["arguments"].get("n")))


def leave(id, params):
    sys.stdout.flush()
    os._exit(7)


def secret(id, params):
    text(id, "it is %s" % os.environ.get("SECRET"))


TOOLS = {"ask": ask, "count": count, "later": later, "leave": leave, "secret": secret}


def request(message):
    id, method, params = message["id"], message["method"], message.get("params") or {}
    if method == "initialize":
        capabilities = {"tools": {}, "logging": {}}
        identity = {"name": "talking", "version": "1"}
        version = params.get("protocolVersion", "2025-11-25")
        say(
            {
                "id": id,
                "result": {"protocolVersion": version, "capabilities": capabilities, "serverInfo": identity},
            }
        )
    elif method == "tools/list":
        say(
            {
                "id": id,
                "result": {"tools": [{"name": n, "inputSchema": {"type": "object"}} for n in sorted(TOOLS)]},
            }
        )
    elif method == "tools/call":
        TOOLS.get(params["name"], echo)(id, params)
    elif method == "subscriptions/listen":
        meta = {"io.modelcontextprotocol/subscriptionId": id}
        say(
            {
                "method": "notifications/subscriptions/acknowledged",
                "params": {"_meta": meta, "notifications": {}},
            }
        )
    else:
        say({"id": id, "error": {"code": -32601, "message": "Method not found"}})


def echo(id, params):
    text(id, json.dumps(params.get("arguments"), sort_keys=True))
    while _later:
        waiting, n = _later.pop()
        text(waiting, "late %s" % n)


def main():
    if "--banner" in sys.argv:
        print("Talking server, on stdio", flush=True)
    if "--dies" in sys.argv:
        sys.exit(3)
    for line in sys.stdin:
        try:
            message = json.loads(line)
        except ValueError:
            say({"id": None, "error": {"code": -32700, "message": "Parse error"}})
            continue
        if "method" in message and "id" in message:
            request(message)
        elif "method" in message:
            print("told %s" % message["method"], file=sys.stderr, flush=True)
            if message["method"] == "notifications/initialized":
                say({"id": "roots", "method": "roots/list"})
        elif message["id"] in _asked:
            text(_asked.pop(message["id"]), "sampled: %s" % message.get("result", {}).get("content"))


main()
