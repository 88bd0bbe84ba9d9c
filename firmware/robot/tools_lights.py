"""The tool of the lights."""

from umcp.types import Integer, String

from .tools import DONE, SETS, done

MODES = ("solid", "blink", "rainbow", "off")


class LightHandlers:
    """robot: `robot.robot.Robot`, which has lights."""

    def __init__(self, robot):
        self._lights = robot.lights

    def set_led(self, led, mode, red, green, blue, interval_ms):
        self._lights.set(led, mode, red, green, blue, interval_ms)
        return done()


def tools(robot):
    """Of a robot with lights: see `robot.tools.rows`."""
    do = LightHandlers(robot)
    byte = Integer(min=0, max=255, default=0)
    light = (
        ("led", String(enum=tuple(sorted(robot.lights.names)))),
        ("mode", String(enum=MODES)),
        ("red", byte),
        ("green", byte),
        ("blue", byte),
        ("interval_ms", Integer(min=50, max=10000, default=500)),
    )
    return [("set_led", "Set the colour and pattern of a light.", light, do.set_led, DONE, SETS)]
