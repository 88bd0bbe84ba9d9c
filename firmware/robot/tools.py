"""The robot's MCP tools: those of the parts that it has, less what its owner does not offer.

    offer(robot, server)      # again when the owner has changed what is offered

A part's tools are in a module of their own, `tools_head.py` and so on, which a robot without the part never loads. Each
has a class of handlers, plain functions or coroutines of checked values that call parts and know nothing of MCP, and a
function `tools(robot)`: their names, descriptions and types (DESIGN 4; the ranges are those of facts/stackchan.md 7).
"""

from umcp.tool import Tool, refusal
from umcp.types import Boolean, Integer, Object
from umcp.version import MODERN

try:
    from micropython import const
except ImportError:
    const = int

# Hints of MCP's tool annotations. What sets a state may be called twice; what acts does it twice.
READS = {"readOnlyHint": True}
SETS = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True}
ACTS = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False}

_CONTEXT = const(6)  # where a row says that its handler wants one

# Types that many tools share: one object each.
FLAG = Boolean()
WAIT = Boolean(default=True, description="Answer when it is over.")
BYTE = Integer(min=0, max=255)
LEVEL = Integer(min=0, max=100)
COUNT = Integer()


class RobotTool:
    """A tool as a server has it: what it takes and gives is made when it is asked for, see `kept`.

    part: str, of `parts`.  row: the arguments of `built`.  Calls are remembered, refused ones too: see `Robot.called`.
    """

    title = annotations = time_ms = None
    headers = ()
    context = False

    def __init__(self, robot, part, row):
        self._robot = robot
        self._part = part
        self.name = row[0]
        if len(row) > _CONTEXT and row[_CONTEXT]:
            self.context = True

    def listed(self):
        """See `Tool`."""
        return kept(self._robot, self._part)[self.name].listed()

    def run(self, arguments, host, version=MODERN, context=None):
        """See `Tool`. While the network is short of memory, the robot only says how it is."""
        robot = self._robot
        robot.called(self.name, arguments)
        if robot.starving and self._part != "status":
            return refusal("busy: the network is short of memory; try again later")
        return kept(robot, self._part)[self.name].run(arguments, host, version, context)


def built(name, description, fields, handler, output, hints, context=False):
    """A `Tool` of a row.  fields: of the input, as of `umcp.types.Object`.  hints: READS, SETS or ACTS."""
    return Tool(name, description, Object(fields), handler, output, None, hints, None, context)


def kept(robot, part):
    """dict of name -> `Tool` of a part. Those of the part that was used last are kept: the types of all take 18 KB."""
    if robot.tools is None or robot.tools[0] != part:
        robot.tools = None
        robot.tools = part, {row[0]: built(*row) for row in rows(robot, part)}
    return robot.tools[1]


def told(*fields):
    """The type of an answer: more fields may come with a later version."""
    return Object(fields, extra=True)


DONE = told(("done", FLAG))


def done():
    """What a tool answers that has nothing to tell."""
    return {"done": True}


def parts(robot):
    """The parts that a robot has tools for: list of str."""
    named = ("face", "voice", "head", "lights", "senses")
    return [part for part in named if getattr(robot, part) is not None] + ["status"]


def rows(robot, part):
    """What the tools of a part are made of: list of the arguments of `built`."""
    if part == "face":
        from .tools_face import tools
    elif part == "voice":
        from .tools_voice import tools
    elif part == "head":
        from .tools_head import tools
    elif part == "lights":
        from .tools_lights import tools
    elif part == "senses":
        from .tools_senses import tools
    else:
        from .tools_status import tools
    return tools(robot)


def offer(robot, server):
    """Give a server the tools that are offered, and take the others from it.

    server: has `add_tool(tool)` and `remove_tool(name)`, as `umcp.server.Server`.
    """
    robot.tools = None  # What they take may have changed.
    for part in parts(robot):
        for row in rows(robot, part):
            if robot.policy.offers(row[0]):
                server.add_tool(RobotTool(robot, part, row))
            else:
                server.remove_tool(row[0])
