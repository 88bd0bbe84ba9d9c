"""What requests over HTTP must say in their headers, and the client does not know: the session, the era, the names."""

from umcp.client_params import lines_of, mirrored
from umcp.sentinel import encode

from . import messages

# Where the name is that a request is about.
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


class Session:
    """A session of the older versions.  id: str or None.  version: str, as negotiated."""

    def __init__(self, id, version):
        self.id = id
        self.version = version

    def headers(self):
        found = {"MCP-Protocol-Version": self.version} if self.version else {}
        if self.id:
            found["Mcp-Session-Id"] = self.id
        return found


class Tools:
    """The parameters of tools that are repeated in headers (2026-07-28), by the lists that have passed."""

    def __init__(self):
        self._mirrored = {}
        self.known = False

    def passed(self, result):
        """A list as it goes to the client: without the tools whose annotations do not hold.  result: dict."""
        kept = []
        for tool in result.get("tools") or []:
            found = mirrored(tool.get("inputSchema") or {}) if isinstance(tool, dict) else []
            if found is not None:
                kept.append(tool)
                if found:
                    self._mirrored[tool["name"]] = found
        self.known = True
        return dict(result, tools=kept)

    def forget(self):
        """They may have changed."""
        self._mirrored = {}
        self.known = False

    def headers(self, params):
        """The headers of a call.  params: dict."""
        found = self._mirrored.get(params.get("name"))
        arguments = params.get("arguments")
        if not found or not isinstance(arguments, dict):
            return {}
        lines = lines_of(found, arguments).decode().splitlines()
        return dict(line.split(": ", 1) for line in lines)


def modern_headers(message, version, tools):
    """The headers of a request of 2026-07-28 or later.  tools: `Tools`."""
    method = message["method"]
    params = messages.params(message)
    found = {"MCP-Protocol-Version": version, "Mcp-Method": method}
    name = params.get(_NAMED[method]) if method in _NAMED else None
    if isinstance(name, str):
        found["Mcp-Name"] = encode(name)
    if method == messages.CALL:
        found.update(tools.headers(params))
    return found
