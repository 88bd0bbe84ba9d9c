"""What to say to which client so that it uses a robot: ready to be copied.

The shapes are those of the README.
"""

import json


def claude_code(url, token, name="tsumiki"):
    """A shell command.  url: str, the robot's `http://HOST:PORT/mcp`."""
    return 'claude mcp add --transport http %s %s --header "Authorization: Bearer %s"' % (name, url, token)


def cursor(url, token, name="tsumiki"):
    """For .cursor/mcp.json."""
    return json.dumps({"mcpServers": {name: {"url": url, "headers": _header(token)}}})


def vs_code(url, token, name="tsumiki"):
    """For .vscode/mcp.json."""
    return json.dumps({"servers": {name: {"type": "http", "url": url, "headers": _header(token)}}})


def claude_desktop(url, token, name="tsumiki"):
    """For claude_desktop_config.json: it starts the bridge, which needs the host command to be installed."""
    server = {"command": "tsumiki", "args": ["bridge", url, "--allow-http"], "env": {"TSUMIKI_TOKEN": token}}
    return json.dumps({"mcpServers": {name: server}})


def curl(url, token, name="tsumiki"):
    """A shell command: it lists the tools, in the newest version of the protocol, which needs no session."""
    version = "2026-07-28"
    meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}
    headers = (
        "Authorization: Bearer " + token,
        "Content-Type: application/json",
        "MCP-Protocol-Version: " + version,
        "Mcp-Method: tools/list",
    )
    named = "".join(" -H '%s'" % header for header in headers)
    return "curl %s%s -d '%s'" % (url, named, json.dumps(body, separators=(",", ":")))


def _header(token):
    return {"Authorization": "Bearer " + token}


# what it is called, where it goes, function
CLIENTS = (
    ("Claude Code", "in a shell", claude_code),
    ("Claude Desktop", "claude_desktop_config.json", claude_desktop),
    ("Cursor", ".cursor/mcp.json", cursor),
    ("VS Code", ".vscode/mcp.json", vs_code),
    ("curl", "in a shell", curl),
)


def text(url, token, name="tsumiki"):
    """All of them, for a person to read: str."""
    return "\n".join(
        "%s (%s):\n  %s" % (client, place, make(url, token, name)) for client, place, make in CLIENTS
    )
