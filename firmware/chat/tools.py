"""The tools of MCP servers as tools of a chat: one table, by name.

    names = {}
    table = await create_mcp_chat_tools([("kitchen", client)], names, report=print)
    text = await table["set_light"].execute({"level": 20})

A name that several have gets the server's name before it, for all of them but the robot itself, and keeps it: a bare
name never means another server's tool than it did before.
"""

from micropython import const

from umcp.client_errors import ClientError, LimitError
from umcp.codec import dumps, loads
from umcp.errors import LocalError

MAX_NAME = const(64)  # characters: what every provider takes
MAX_BYTES = const(24576)  # of the names, descriptions and schemas of one server
MAX_NAMES = const(
    256
)  # that are kept for those who had them first; later ones get the server's name before them

_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_MAX_DESCRIPTION = const(1024)
_ROBOT = ""
_SEVERAL = None


class ChatTool:
    """name, description: str.  schema: bytes, JSON, of the arguments.  server: str, "" for the robot's own."""

    server = _ROBOT

    def __init__(self, name, description, schema):
        self.name = name
        self.description = description
        self.schema = schema

    @property
    def parameters(self):
        """The schema as a dict."""
        return loads(self.schema)

    def execute(self, arguments):
        """An awaitable of str.  arguments: dict.  Raises ToolError (a refusal), ClientError (the server fails)."""
        raise LocalError("nothing to execute")


class McpTool(ChatTool):
    """A tool of an MCP server.  client: has `call_tool(name, arguments)`.  own_name: str, as the server calls it."""

    def __init__(self, server, client, name, own_name, description, schema):
        super().__init__(name, description, schema)
        self.server = server
        self._client = client
        self._own_name = own_name

    async def execute(self, arguments):
        """See `ChatTool`."""
        return text_of(await self._client.call_tool(self._own_name, arguments))


async def create_mcp_chat_tools(clients, names=None, allows=None, report=None):
    """The tools of all clients that are initialised: dict of name -> `ChatTool`.

    clients: list of (name, client), each name a str that stays the same; the client has `is_initialized`, `list_tools`
    and `call_tool`, as `net.mcpclient.McpClient`.
    names: dict that is kept from one call to the next: which name belongs to whom; {name: ""} for each of the robot's.
    allows: function of the client's name and the tool's, bool: the tool may be used; None: all may.
    report: function of a client's name and why it is left out, str; None: nobody is told.
    """
    names = {} if names is None else names
    found = []
    for server, client in clients:
        try:
            if not client.is_initialized():
                raise ClientError("not connected")
            found.extend(await _tools_of(server, client, allows))
        except (ClientError, MemoryError) as e:
            if report is not None:
                report(server, str(e))
    _claim(found, names)
    return _named(found, names)


def text_of(result):
    """What a CallToolResult (dict) says to a model: str."""
    content = result.get("content")
    texts = [
        item["text"]
        for item in (content if isinstance(content, list) else ())
        if isinstance(item, dict) and item.get("type") == "text" and isinstance(item.get("text"), str)
    ]
    if texts:
        return "\n".join(texts)
    if "structuredContent" in result:
        return dumps(result["structuredContent"]).decode()
    return dumps(content if content else result).decode()


# One list at a time: 14 tools take 13 KB as they come, and 4 as they are kept.
async def _tools_of(server, client, allows):
    found = []
    size = 0
    for entry in await client.list_tools():
        if allows is None or allows(server, entry["name"]):
            tool = _tool(server, client, entry)
            size += len(entry["name"]) + len(tool.description) + len(tool.schema)
            if size > MAX_BYTES:
                raise LimitError("its tools take more than %d bytes" % MAX_BYTES)
            found.append((_plain(entry["name"]), tool))
    return found


def _tool(server, client, entry):
    texts = [one for one in (entry.get("description"), entry.get("title"), "") if isinstance(one, str)]
    description = texts[0]
    schema = entry.get("inputSchema")
    if not isinstance(schema, dict):
        schema = {"type": "object"}
    return McpTool(server, client, None, entry["name"], description[:_MAX_DESCRIPTION], dumps(schema))


# Whose a bare name is: the first one's, or nobody's as soon as there are two. The robot's own stay.
def _claim(found, names):
    for bare, tool in found:
        if bare not in names and len(names) >= MAX_NAMES:
            continue
        owner = names.setdefault(bare, tool.server)
        if owner not in (tool.server, _ROBOT):
            names[bare] = _SEVERAL


def _named(found, names):
    table = {}
    for bare, tool in found:
        name = bare if names.get(bare, _SEVERAL) == tool.server else _plain(tool.server + "_" + bare)
        tool.name = _free(name, table, names)
        table[tool.name] = tool
    return table


# Two names of one server may be the same without the characters that are not taken.
def _free(name, table, names):
    number = 2
    free = name
    while free in table or names.get(free) == _ROBOT:
        end = "_%d" % number
        free = name[: MAX_NAME - len(end)] + end
        number += 1
    return free


# The very same str where it can be: it is kept twice.
def _plain(name):
    if 0 < len(name) <= MAX_NAME and all([c in _CHARACTERS for c in name]):
        return name
    return "".join([c if c in _CHARACTERS else "_" for c in name])[:MAX_NAME] or "_"
