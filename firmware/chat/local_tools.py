"""The robot's own tools in the shape of a chat's: the same checks and refusals as over MCP, without a network hop."""

from micropython import const

from net.runtime import in_time
from robot.tools import RobotTool, kept, parts, rows
from umcp.client_errors import ToolFailed
from umcp.codec import dumps, loads
from umcp.errors import ToolError

from .tools import ChatTool, text_of

_TOOL_MS = const(60000)
_MAX_RESULT = const(24576)


class LocalTool(ChatTool):
    """A tool of the robot.  host: `Host`.  What it is made of is not kept: there are many of them."""

    _follows = False

    def __init__(self, host, part, row):
        super().__init__(row[0], row[1], dumps(kept(host.robot, part)[row[0]].input.schema()))
        self._host = host
        self._part = part
        if RobotTool(host.robot, part, row).context:
            self._follows = True

    async def execute(self, arguments):
        """See `ChatTool`. Raises ToolError `not_allowed` for what the owner has forbidden since the table was made."""
        host = self._host
        if not host.robot.policy.offers(self.name):
            raise ToolError("not_allowed", "the robot's owner does not offer this tool")
        tool = RobotTool(host.robot, self._part, (self.name,))
        raw = tool.run(arguments, host, context=_Alone() if self._follows else None)
        if type(raw) is not bytes:
            raw = await raw
        result = loads(b"{" + raw + b"}")
        text = text_of(result)
        if result.get("isError"):
            raise ToolFailed(result, text)
        return text


class Host:
    """What a tool needs of a server.  robot: `robot.robot.Robot`.  log: log(level, text, exception=None)."""

    max_result = _MAX_RESULT

    def __init__(self, robot, log):
        self.robot = robot
        self.log = log

    def bound(self, awaitable, ms=None):
        """See `umcp.server.Server`."""
        return in_time(awaitable, ms or _TOOL_MS)


class _Alone:
    """A tool's context (`umcp.context.Context`) without a client: nobody follows, and nobody can be asked."""

    over = cancelled = False

    async def progress(self, *args):
        pass

    async def log(self, *args):
        pass


def create_local_chat_tools(robot, log, names=None):
    """The robot's tools that its owner offers: dict of name -> `LocalTool`.

    names: as in `create_mcp_chat_tools`; the robot's are put into it.
    """
    host = Host(robot, log)
    table = {}
    for part in parts(robot):
        for row in rows(robot, part):
            if robot.policy.offers(row[0]):
                table[row[0]] = LocalTool(host, part, row)
    robot.tools = None  # The types of the part that came last.
    if names is not None:
        names.update({name: "" for name in table})
    return table
