"""The MCP servers that the robot uses: connected at the start and again when they are lost, each with its policy.

Preferences, lists in the same order: `servers.names`, `servers.urls`, `servers.tokens` ("" for none), `servers.ca` (the
file of the CA's certificate, DER, "" for http) and `servers.tools`: what may be used there, names parted by spaces,
`get_*` for all that begin so, "" for all. A list may be shorter: the rest of it is "".
"""

import asyncio

from micropython import const

from net.mcpclient import McpClient
from umcp.client_errors import Busy, Cancelled, ClientError, ConfigError, RpcError
from umcp.errors import ToolError

from .tools import create_mcp_chat_tools

MAX_SERVERS = const(8)

UP = "up"
CONNECTING = "connecting"
DOWN = "down"
WRONG = "misconfigured"

_FIRST_S = const(1)
_LONGEST_S = const(60)
_CONNECT_MS = const(10000)
# The server is there, and the session too.
_NOT_LOST = (RpcError, Busy, Cancelled)
_LISTS = ("servers.urls", "servers.tokens", "servers.ca", "servers.tools")


class Server:
    """One of them.  name, url: str.  token, tools: str, "" for none and for all.  ca: bytes, DER, or None.

    state: str, UP, CONNECTING, DOWN or WRONG.  error: str or None, why.  offered: int, how many tools.
    stale: bool, its list of tools may be another by now.
    """

    stale = True

    def __init__(self, name, url, token="", ca=None, tools="", version="1.0.0"):
        self.name = name
        self.secure = url[:5].lower() == "https"
        self._allowed = tools.split()
        self.state = CONNECTING
        self.error = None
        self.offered = 0
        self.wait_s = _FIRST_S
        self._client = None
        try:
            self._client = McpClient(url, token or None, ca=ca, version=version)
        except ConfigError as e:
            self.fail(WRONG, e)

    def allows(self, tool):
        """bool: the policy lets a tool be used.  tool: str, as the server calls it."""
        if not self._allowed:
            return True
        return any(
            [one == tool or (one.endswith("*") and tool.startswith(one[:-1])) for one in self._allowed]
        )

    def fail(self, state, error):
        """It is not to be reached, or not to be used."""
        self.state = state
        self.error = str(error)
        self.offered = 0

    # What `create_mcp_chat_tools` and its tools need of a client.

    @property
    def blocks(self):
        """See `McpClient`."""
        return self._client.blocks

    def is_initialized(self):
        """See `McpClient`."""
        return self.state == UP

    def list_tools(self):
        """See `McpClient`."""
        return self._client.list_tools()

    async def call_tool(self, name, arguments):
        """See `McpClient`. Raises ToolError `not_allowed` too: the policy does not let the tool be used."""
        if not self.allows(name):
            raise ToolError("not_allowed", "the robot's owner does not let it use this tool")
        try:
            return await self._client.call_tool(name, arguments)
        except _NOT_LOST as e:
            self.stale = isinstance(e, RpcError)
            raise
        except ClientError as e:
            self.fail(DOWN, e)
            raise

    async def connect(self):
        """Open a session.  Raises ClientError."""
        self.state = CONNECTING
        self._client.reset()
        await self._client.initialize(_CONNECT_MS)
        self.state = UP
        self.stale = True
        self.error = None

    async def close(self):
        """End the session, if there is one."""
        if self._client is not None:
            try:
                await self._client.close()
            except ClientError:
                pass


class Servers:
    """servers: list of `Server`.  names: dict, see `create_mcp_chat_tools`, which has the robot's own.

    changed: called with the table of all their tools, whenever it is another.
    rest: coroutine function: wait for a moment in which the event loop may stop.  has_date: function, bool: the clock
    is set, which TLS needs.  log: log(level, text).
    """

    def __init__(self, servers, names, changed, rest, has_date, log):
        self.servers = servers
        self._names = names
        self._changed = changed
        self._rest = rest
        self._has_date = has_date
        self._log = log
        self._hurried = False

    async def run(self):
        """Connect, and connect again what was lost: for ever."""
        listed = []
        while True:
            for server in self.servers:
                if server.state in (CONNECTING, DOWN):
                    await self._try(server)
            up = [server for server in self.servers if server.state == UP]
            if up != listed or any([server.stale for server in up]):
                listed = up
                await self._list(up)
            await self._until_there_is_work()

    def hurry(self):
        """Try those that are down again at once: the network is another one."""
        for server in self.servers:
            server.wait_s = _FIRST_S
        self._hurried = True

    def state(self):
        """dict of name -> dict of state, tools and error, for `robot://status`."""
        told = {}
        for server in self.servers:
            told[server.name] = one = {"state": server.state, "tools": server.offered}
            if server.error:
                one["error"] = server.error
        return told

    async def close(self):
        for server in self.servers:
            await server.close()

    async def _try(self, server):
        if server.secure and not self._has_date():
            server.fail(DOWN, "the clock is not set, and TLS needs the date")
            return
        if server.blocks:
            await self._rest()
        try:
            await server.connect()
        except (ClientError, MemoryError) as e:
            if server.error != str(e):
                self._log("warning", "the server %s: %s" % (server.name, e))
            server.fail(DOWN, e)
            return
        self._log("info", "the server %s is up" % server.name)

    async def _list(self, up):
        servers = {server.name: server for server in up}
        for server in up:
            server.stale = False
        table = await create_mcp_chat_tools(
            [(server.name, server) for server in up],
            self._names,
            lambda name, tool: servers[name].allows(tool),
            lambda name, why: servers[name].fail(DOWN, why),
        )
        for server in up:
            if server.state == UP:
                server.wait_s = _FIRST_S
            server.offered = len([tool for tool in table.values() if tool.server == server.name])
        self._changed(table)

    # Those that are down wait longer each time, those that were lost just now not at all.
    async def _until_there_is_work(self):
        up = [server for server in self.servers if server.state == UP]
        down = [server for server in self.servers if server.state == DOWN]
        wait_s = min([server.wait_s for server in down]) if down else _LONGEST_S
        for server in down:
            server.wait_s = min(2 * server.wait_s, _LONGEST_S)
        self._hurried = False
        for _ in range(wait_s):
            await asyncio.sleep(1)
            if self._hurried or any([server.state != UP or server.stale for server in up]):
                return


def configured(preferences, log, version):
    """The `Server`s that the preferences name: a list.  preferences: has `get(key)`."""
    found = []
    lists = [tuple(preferences.get(key) or ()) for key in _LISTS]
    for i, name in enumerate(tuple(preferences.get("servers.names") or ())[:MAX_SERVERS]):
        url, token, path, tools = [values[i] if i < len(values) else "" for values in lists]
        if not name or name in [server.name for server in found]:
            log("error", "servers.names: each has a name of its own")
            continue
        try:
            ca = read_ca(path)
        except OSError as e:
            server = Server(name, "", version=version)
            server.fail(WRONG, "%s cannot be read: %s" % (path, e))
        else:
            server = Server(name, url, token, ca, tools, version)
        if server.state == WRONG:
            log("error", "the server %s: %s" % (name, server.error))
        found.append(server)
    return found


def read_ca(path):
    """The bytes of a certificate's file, or None for no path.  Raises OSError."""
    if not path:
        return None
    with open(path, "rb") as f:
        return f.read(8192)
