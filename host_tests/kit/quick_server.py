"""A stdio server that starts quickly: any tool answers with a number and its name."""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        params = message.get("params") or {}
        if message["method"] == "initialize":
            identity = {"name": "quick", "version": "1"}
            version = params.get("protocolVersion", "2025-11-25")
            result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": identity}
        else:
            result = {"content": [{"type": "text", "text": "21 of %s" % params.get("name")}]}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
