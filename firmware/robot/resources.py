"""The robot's resources: its status, its events, and a picture of its screen where the panel can be read."""

from umcp.codec import dumps
from umcp.errors import ToolError
from umcp.resources import Resource

STATUS = "robot://status"
EVENTS = "robot://events"
SCREEN = "robot://screen"
_JSON = "application/json"
_EVENTS = 64


def offer(robot, server):
    """Give a server the resources of the robot's parts.

    server: has `add_resource` and `publish(uri)`, as `umcp.server.Server`. Clients that subscribed to EVENTS are told
    when the senses feel something.
    """
    server.add_resource(
        Resource(STATUS, "status", lambda: _status(robot), "All that shows of the robot.", _JSON)
    )
    if robot.senses is not None:
        server.add_resource(
            Resource(EVENTS, "events", lambda: _events(robot), "What the robot felt lately.", _JSON)
        )
        robot.on_event = lambda: server.publish(EVENTS)
    if hasattr(robot.ports.display, "row"):
        server.add_resource(
            Resource(SCREEN, "screen", lambda: _screen(robot), "What the screen shows.", "image/png")
        )


def _status(robot):
    from .status import status

    return dumps(status(robot)).decode()


def _events(robot):
    senses = robot.senses
    return dumps({"events": senses.events(None, 0, _EVENTS), "last_seq": senses.last_seq}).decode()


def _screen(robot):
    from .png import encode  # late (RAM): only a simulated panel can be read

    if robot.face.page is not None and robot.face.page.secret:
        raise ToolError("busy", "the screen shows a secret; read it again later")
    display = robot.ports.display
    return encode(display.width, display.height, display.row)
