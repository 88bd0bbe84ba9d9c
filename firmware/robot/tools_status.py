"""The tool that every robot has."""

from .tools import READS, told


class StatusHandlers:
    """robot: `robot.robot.Robot`."""

    def __init__(self, robot):
        self._robot = robot

    def get_robot_status(self):
        from .status import status

        return status(self._robot)


def tools(robot):
    """Of any robot: see `robot.tools.rows`."""
    do = StatusHandlers(robot)
    any_status = told()
    return [("get_robot_status", "Tell how the robot is.", (), do.get_robot_status, any_status, READS)]
