"""A client of a live server, for commands that list what it has, or call it: stdio or Streamable HTTP, both eras.

    async with Live(command=["node", "server.js"]) as live:      # or Live(url="http://robot.local/mcp", token=...)
        tools = await live.listing("tools/list", "tools")
        answer = await live.call("echo", {"text": "hello"})      # an exchanges.Answer; it never raises for an error

The era is found by asking `server/discover` first: whatever does not answer it as 2026-07-28 says is legacy.
"""

import json

from umcp import VERSION
from umcp.client_params import lines_of, mirrored
from umcp.sentinel import encode
from umcp.version import LEGACY, MODERN

from .errors import Failed, NotAllowed, Unreachable, Unreadable
from .exchanges import TIMEOUT

TIMEOUT_S = 10.0
MAX_PAGES = 1000

_PREFIX = "io.modelcontextprotocol/"
_IDENTITY = {"name": "tsumiki", "version": VERSION}
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}  # what Mcp-Name repeats
_ERAS = ("auto", "legacy", "modern")


class Live:
    """command: list of str, or url: str.  token: str or None, a bearer.  era: auto, legacy or modern.

    timeout: seconds that one request may take.  version: str, what `initialize` offers.
    Once open: era, version, identity (dict), capabilities (dict), instructions (str or None).
    """

    def __init__(self, command=None, url=None, token=None, era="auto", timeout=TIMEOUT_S, version=LEGACY[-1]):
        if (command is None) == (url is None) or era not in _ERAS:
            raise Unreadable("one server, please: --url URL or -- COMMAND")
        if command is not None:
            from .live_stdio import Stdio

            self._transport = Stdio(command)
        else:
            from .live_http import Http

            self._transport = Http(url, token)
        self._asked = era
        self._offered = version
        self._timeout = timeout
        self._last_id = 0
        self._mirrored = {}  # name of a tool to the arguments that are header fields, too
        self._forget()

    def _forget(self):
        self.era = self.version = self.instructions = None
        self.identity = {}
        self.capabilities = {}

    async def __aenter__(self):
        try:
            await self.open()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *error):
        await self.close()

    async def open(self):
        """Start the server, or reach it, and agree on an era.  Raises Unreachable, NotAllowed."""
        if self._asked != "legacy" and await self._discover():
            return
        if self._asked == "modern":
            raise Unreachable("the server does not speak %s" % MODERN)
        await self._initialize()

    async def close(self):
        """End the session, and the process if there is one."""
        await self._transport.close(self._headers(None, None) if self.era else ())

    async def request(self, method, params=None, timeout=None):
        """Send one request; returns an `exchanges.Answer`. A session that is lost is opened anew, once.

        Then the request is sent again, but no `tools/call`: a motion may have begun.
        timeout: seconds, or None for the usual.
        """
        if self._transport.lost:
            await self._again()
        answer = await self._request(method, params, timeout)
        if answer.failure == "http:404" and self.era == "legacy" and self._transport.session is not None:
            self._transport.session = None
            await self._initialize()
            if method != "tools/call":
                answer = await self._request(method, params, timeout)
        return answer

    async def call(self, name, arguments=None, timeout=None):
        """tools/call; returns an `exchanges.Answer`."""
        params = {"name": name, "arguments": {} if arguments is None else arguments}
        return await self.request("tools/call", params, timeout)

    async def notify(self, method, params=None):
        """Send a notification."""
        message = {"jsonrpc": "2.0", "method": method}
        params = self._with_meta(params)
        if params is not None:
            message["params"] = params
        await self._transport.notify(_dumps(message), self._headers(method, params), self._timeout)

    async def listing(self, method, key):
        """All pages of a list: list of dict.  Raises Failed for an error, and for cursors that run in a circle."""
        items = []
        cursors = set()
        cursor = None
        while True:
            answer = await self.request(method, None if cursor is None else {"cursor": cursor})
            page = answer.result.get(key)
            if not isinstance(page, list) or not all(isinstance(item, dict) for item in page):
                raise Failed("%s: %s" % (method, answer.explain() if not answer.result else "no %s" % key))
            items.extend(page)
            cursor = answer.result.get("nextCursor")
            if cursor is None:
                break
            if not isinstance(cursor, str) or cursor in cursors or len(cursors) >= MAX_PAGES:
                raise Failed("%s: the cursor %r comes twice, or is none" % (method, cursor))
            cursors.add(cursor)
        if key == "tools":
            self._mirrored = {tool.get("name"): mirrored(tool.get("inputSchema")) or () for tool in items}
        return items

    async def _request(self, method, params, timeout, era=None):
        self._last_id += 1
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": method}
        params = self._with_meta(params, era)
        if params is not None:
            message["params"] = params
        answer = await self._transport.request(
            _dumps(message), self._last_id, self._headers(method, params, era), timeout or self._timeout
        )
        answer.method, answer.params = method, params
        return answer

    def _with_meta(self, params, era=None):
        if (era or self.era) != "modern":
            return params
        meta = {
            _PREFIX + "protocolVersion": MODERN,
            _PREFIX + "clientInfo": _IDENTITY,
            _PREFIX + "clientCapabilities": {},
        }
        params = dict(params or {})
        params["_meta"] = dict(params.get("_meta") or {}, **meta)
        return params

    # Lines of the head of an HTTP request: list of str.
    def _headers(self, method, params, era=None):
        if (era or self.era) != "modern":
            return ["MCP-Protocol-Version: " + self.version] if self.version else []
        lines = ["MCP-Protocol-Version: " + MODERN]
        if method:
            lines.append("Mcp-Method: " + method)
        name = params.get(_NAMED[method]) if method in _NAMED else None
        if isinstance(name, str):
            lines.append("Mcp-Name: " + encode(name))
        if method == "tools/call" and self._mirrored.get(name):
            found = lines_of(self._mirrored[name], params.get("arguments"))
            lines += found.decode().split("\r\n")[:-1]
        return lines

    async def _discover(self):
        answer = await self._request("server/discover", None, None, "modern")
        _check_reached(answer)
        versions = answer.result.get("supportedVersions")
        if not isinstance(versions, list) or MODERN not in versions:
            if answer.failure == TIMEOUT and self._asked == "auto":
                self._transport.warn("server/discover was not answered: taken for a legacy server")
            return False
        self.era, self.version = "modern", MODERN
        self._adopt(answer.result, (answer.result.get("_meta") or {}).get(_PREFIX + "serverInfo"))
        return True

    # The process has left: another one, in the era of the first.
    async def _again(self):
        modern = self.era == "modern"
        self._forget()
        if not modern or not await self._discover():
            await self._initialize()

    async def _initialize(self):
        self._forget()
        params = {"protocolVersion": self._offered, "capabilities": {}, "clientInfo": _IDENTITY}
        answer = await self._request("initialize", params, None, "legacy")
        _check_reached(answer)
        if answer.error_class != "ok":
            raise Unreachable("initialize: %s" % answer.explain())
        version = answer.result.get("protocolVersion")
        if version not in LEGACY:
            raise Unreachable(
                "the server speaks version %r, which is none of %s" % (version, ", ".join(LEGACY))
            )
        self.era, self.version = "legacy", version
        self._adopt(answer.result, answer.result.get("serverInfo"))
        await self.notify("notifications/initialized")

    def _adopt(self, result, identity):
        self.identity = identity if isinstance(identity, dict) else {}
        capabilities = result.get("capabilities")
        self.capabilities = capabilities if isinstance(capabilities, dict) else {}
        self.instructions = result.get("instructions")


def _check_reached(answer):
    if answer.failure in ("http:401", "http:403"):
        raise NotAllowed(
            "the server wants a token, or another one (%s): --token-env NAME" % answer.failure[5:]
        )
    if answer.unreachable:
        raise Unreachable(answer.detail)


def _dumps(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
