"""The robot's MCP tools: those of the parts that it has, less what its owner does not offer.

    offer(robot, server)      # again when the owner has changed what is offered

A part's tools are in a module of their own, `tools_head.py` and so on, which a robot without the part never loads. Each
has a class of handlers, plain functions or coroutines of checked values that call parts and know nothing of MCP, and a
function `tools(robot)`: their names, descriptions and types (DESIGN 4; the ranges are those of facts/stackchan.md 7).
"""

from umcp.tool import Tool
from umcp.types import Boolean, Integer, Object
from umcp.version import MODERN

# Hints of MCP's tool annotations. What sets a state may be called twice; what acts does it twice.
READS = {"readOnlyHint": True}
SETS = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True}
ACTS = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False}

# Types that many tools share: one object each.
FLAG = Boolean()
WAIT = Boolean(default=True, description="Answer when it is over.")
BYTE = Integer(min=0, max=255)
LEVEL = Integer(min=0, max=100)
COUNT = Integer()


class RobotTool(Tool):
    """A `Tool` whose calls the robot remembers, refused ones too: see `Robot.called`.

    fields: of the input, as of `umcp.types.Object`.  hints: READS, SETS or ACTS.
    """

    def __init__(self, robot, name, description, fields, handler, output, hints, context=False):
        super().__init__(name, description, Object(fields), handler, output, None, hints, None, context)
        self._robot = robot

    def run(self, arguments, host, version=MODERN, context=None):
        """See `Tool`."""
        self._robot.called(self.name, arguments)
        return super().run(arguments, host, version, context)


def told(*fields):
    """The type of an answer: more fields may come with a later version."""
    return Object(fields, extra=True)


DONE = told(("done", FLAG))


def done():
    """What a tool answers that has nothing to tell."""
    return {"done": True}


def rows(robot):
    """What all tools of the robot's parts are made of: list of the arguments of `RobotTool` after the robot."""
    found = []
    if robot.face is not None:
        from . import tools_face

        found += tools_face.tools(robot)
    if robot.voice is not None:
        from . import tools_voice

        found += tools_voice.tools(robot)
    if robot.head is not None:
        from . import tools_head

        found += tools_head.tools(robot)
    if robot.lights is not None:
        from . import tools_lights

        found += tools_lights.tools(robot)
    if robot.senses is not None:
        from . import tools_senses

        found += tools_senses.tools(robot)
    from . import tools_status

    return found + tools_status.tools(robot)


def offer(robot, server):
    """Give a server the tools that are offered, and take the others from it.

    server: has `add_tool(tool)` and `remove_tool(name)`, as `umcp.server.Server`.
    """
    for row in rows(robot):
        if robot.policy.offers(row[0]):
            server.add_tool(RobotTool(robot, *row))
        else:
            server.remove_tool(row[0])
