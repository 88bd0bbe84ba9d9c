"""The refusals of the robot's parts that are a class of their own, so that a part can tell them from a bug."""

from umcp.errors import ToolError


class ServoFault(ToolError):
    """A servo does not answer, or not as it should: code `servo_fault`.  message: str, which one, and how."""

    def __init__(self, message="the servos do not answer"):
        super().__init__("servo_fault", message)
