"""The robot's own tools in a chat: the same schemas, checks and refusals as over MCP."""

import json

from robots import Log, Stepped, robot_of

from chat.local_tools import create_local_chat_tools
from harness import araises, eq
from robot import tools
from umcp.client_errors import ToolFailed
from umcp.errors import ToolError


class Server:
    """Keeps the tools that it is given."""

    def __init__(self):
        self.tools = {}

    def add_tool(self, tool):
        self.tools[tool.name] = tool

    def remove_tool(self, name):
        self.tools.pop(name, None)


def table_of(robot, names=None):
    return create_local_chat_tools(robot, Log(), names)


def test_they_are_those_that_a_server_lists():
    for without in ((), ("servos", "leds"), ("display", "speaker", "inputs")):
        robot = robot_of(without)
        server = Server()
        tools.offer(robot, server)
        names = {}
        table = table_of(robot, names)
        eq(sorted(table), sorted(server.tools))
        eq(names, {name: "" for name in table})
        for name, tool in table.items():
            entry = json.loads(server.tools[name].listed())
            eq((tool.parameters, tool.description), (entry["inputSchema"], entry["description"]))
            eq(tool.server, "")


async def test_they_do_what_they_say():
    robot = robot_of()
    table = table_of(robot)
    eq(json.loads(await table["set_emotion"].execute({"emotion": "HAPPY"})), {"emotion": "happy"})
    eq(robot.face.emotion, "happy")
    eq([call[1] for call in robot.calls], ["set_emotion"])


async def test_what_waits_is_waited_for():
    robot = robot_of()
    table = table_of(robot)
    async with Stepped(robot):
        told = json.loads(await table["move_head"].execute({"yaw": 20, "pitch": 20, "duration_ms": 200}))
        eq((told["yaw"], told["moving"]), (20, False))
        told = json.loads(await table["wait_for_event"].execute({"timeout_ms": 1200}))
        eq(told["timed_out"], True)


async def test_what_they_refuse():
    robot = robot_of(robot__quiet_from=0, robot__quiet_until=1439)
    robot.policy._minute = lambda: 5
    table = table_of(robot)
    e = await araises(ToolFailed, table["set_emotion"].execute({"emotion": "bored"}))
    assert str(e).startswith("invalid_arguments: /emotion: "), e
    e = await araises(ToolFailed, table["say_message"].execute({"message": "Hi"}))
    eq(e.code, "quiet_hours")


async def test_what_the_owner_does_not_offer():
    robot = robot_of(robot__motion=False, robot__tools=["set_emotion", "move_head", "get_robot_status"])
    eq(sorted(table_of(robot)), ["get_robot_status", "set_emotion"])
    robot = robot_of()
    table = table_of(robot)
    robot.preferences.set("robot.tools", ["set_emotion"])
    eq((await araises(ToolError, table["set_mouth_open"].execute({"open": 5}))).code, "not_allowed")
    eq(robot.calls, [])
    await table["set_emotion"].execute({"emotion": "sad"})
