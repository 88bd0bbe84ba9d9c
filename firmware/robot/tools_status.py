"""The tools that every robot has."""

from umcp.types import Integer, Number, Object, String

from .tools import FLAG, READS, told


class StatusHandlers:
    """robot: `robot.robot.Robot`."""

    def __init__(self, robot):
        self._robot = robot

    def get_robot_status(self):
        from .status import status

        return status(self._robot)

    def self_test(self):
        from .self_test import self_test  # late (RAM): rare

        return self_test(self._robot.ports)


def tools(robot):
    """Of any robot: see `robot.tools.rows`."""
    do = StatusHandlers(robot)
    known = told(
        ("face", _part(("emotion", String()))),
        ("head", _part(("yaw", Number()), ("pitch", Number()), ("moving", FLAG))),
        ("battery", _part(("battery_percent", Integer(optional=True)))),
    )
    return [
        ("get_robot_status", "Tell how the robot and its parts are.", (), do.get_robot_status, known, READS),
        ("self_test", "Tell what was found, and what is missing.", (), do.self_test, told(), READS),
    ]


# What the robot may lack.
def _part(*fields):
    return Object(fields, extra=True, optional=True)
