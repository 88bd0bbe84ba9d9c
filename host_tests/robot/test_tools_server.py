"""The tools, resources and the prompt through a server: what reaches a part, and what a client is told."""

import json

from fake_parts import PARTS, calls, robot
from test_robot import ALL, made
from test_tool_schemas import NAMES, REFUSED, TAKEN

from harness import eq
from robot import prompts, resources, tools
from robot.geometry import Layout
from robot.screen import Screen
from umcp.errors import ToolError
from umcp.peer import Peer
from umcp.server import Server

_MOST_BYTES = 12 * 1024


class Client(Peer):
    """Calls a server. sent: list of the messages before the answer."""

    headed = True
    session_id = mcp_method = mcp_name = None
    principal = b"p"

    def __init__(self, robot):
        self.robot = robot
        self.server = Server("test", "1")
        self.published = []
        self.server.publish = self.published.append
        tools.offer(robot, self.server)
        resources.offer(robot, self.server)
        prompts.offer(robot, self.server)

    async def ask(self, method, params):
        raw = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        reply = self.server.handle(raw, 0, len(raw), self, 0)
        if type(reply) is not tuple:
            reply = await reply
        body = reply[1]
        return json.loads(b"".join(body) if type(body) is tuple else body)

    async def call(self, name, arguments):
        """(whether it failed, its structured result or its text)"""
        result = (await self.ask("tools/call", {"name": name, "arguments": arguments}))["result"]
        return result.get("isError", False), result.get("structuredContent", result["content"][0]["text"])

    async def refusal(self, name, arguments=None):
        """The code of a refusal."""
        failed, text = await self.call(name, arguments or {})
        assert failed, text
        return text.split(":")[0]

    async def names(self):
        return [tool["name"] for tool in (await self.ask("tools/list", {}))["result"]["tools"]]


async def test_a_violation_reaches_no_part():
    client = Client(robot())
    for name, arguments, path in REFUSED:
        failed, text = await client.call(name, arguments)
        eq((name, arguments, failed), (name, arguments, True))
        assert text.startswith("invalid_arguments: %s: " % path), text
    eq((calls(client.robot), client.robot.ports.display.calls), ([], []))


async def test_what_is_taken_reaches_one():
    for name, arguments, _ in TAKEN:
        if name == "get_robot_status":
            continue
        client = Client(robot())
        client.robot.senses.feel("button", "a")
        failed, result = await client.call(name, arguments)
        eq((name, failed), (name, False))
        if name not in ("get_head_pose", "self_test"):
            assert calls(client.robot) or client.robot.ports.display.calls, name
        assert type(result) is dict, name


async def test_the_list_is_short():
    client = Client(robot())
    raw = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    body = client.server.handle(raw, 0, len(raw), client, 0)[1]
    size = len(b"".join(body) if type(body) is tuple else body)
    assert 6000 < size <= _MOST_BYTES, size
    listed = (await client.ask("tools/list", {}))["result"]
    assert "nextCursor" not in listed
    for tool in listed["tools"]:
        eq((tool["name"], tool["outputSchema"]["type"]), (tool["name"], "object"))
        assert "readOnlyHint" in tool["annotations"]


async def test_a_part_that_is_absent_has_no_tool_that_can_be_called():
    for part in PARTS:
        client = Client(robot(part))
        listed = await client.names()
        for name in NAMES.split():
            if name not in listed:
                eq((await client.ask("tools/call", {"name": name}))["error"]["code"], -32602)
        assert len(listed) < len(NAMES.split()), part
    client = Client(robot(*PARTS))
    eq(await client.names(), ["get_robot_status", "self_test"])
    uris = [one["uri"] for one in (await client.ask("resources/list", {}))["result"]["resources"]]
    eq(uris, ["robot://status"])


async def test_what_the_owner_does_not_offer():
    r = robot()
    r.policy.off = ("move_head", "say_message")
    client = Client(r)
    for name in r.policy.off:
        assert name not in await client.names()
        eq((await client.ask("tools/call", {"name": name}))["error"]["code"], -32602)
    r.policy.off = ("say_message", "set_led")
    tools.offer(r, client.server)
    eq(sorted(await client.names()), sorted([n for n in NAMES.split() if n not in r.policy.off]))
    eq(calls(r), [])


async def test_each_refusal_is_a_short_code():
    move = ("move_head", {"yaw": 0, "pitch": 0})
    client = Client(robot())
    for code in ("servo_off", "servo_fault"):
        client.robot.head.refuses = ToolError(code, "the text")
        eq(await client.call(*move), (True, code + ": the text"))
    client = Client(robot())
    client.robot.policy.motion = False
    eq(await client.refusal(*move), "motion_off")
    client = Client(robot())
    client.robot.ports.power.told = {"battery_percent": 3, "charging": False, "usb": False}
    eq(await client.refusal(*move), "battery_low")
    client = Client(robot())
    client.robot.policy.is_quiet = True
    eq(await client.refusal("say_message", {"message": "Hi"}), "quiet_hours")
    client = Client(robot())
    client.robot.voice.turns = 1 << 20
    eq(await client.refusal("play_tone", {"hz": 440, "duration_ms": 100}), "busy")
    client.robot.voice.turns = 0
    eq((await client.call("play_tone", {"hz": 440, "duration_ms": 100}))[0], False)


async def test_the_robot_remembers_what_was_called():
    client = Client(robot())
    changed = client.robot.changed
    await client.call("set_emotion", {"emotion": "happy"})
    await client.call("set_emotion", {"emotion": "?"})
    eq(
        client.robot.calls,
        [[1, "set_emotion", '{"emotion":"happy"}'], [2, "set_emotion", '{"emotion":"?"}']],
    )
    for _ in range(10):
        await client.call("say_message", {"message": "x" * 500})
    eq((len(client.robot.calls), client.robot.calls[-1][0], len(client.robot.calls[-1][2])), (8, 12, 80))
    eq(client.robot.changed - changed, 12)


async def test_the_status_is_typed_and_a_resource():
    client = Client(made(("display",))[0])
    failed, told = await client.call("get_robot_status", {})
    eq((failed, told["head"]["pitch"], told["allowed"]["motion"]), (False, 10, True))
    contents = (await client.ask("resources/read", {"uri": "robot://status"}))["result"]["contents"][0]
    eq(json.loads(contents["text"]), told)
    none = Client(made(ALL)[0])
    eq((await none.call("get_robot_status", {}))[0], False)


async def test_events_are_a_resource():
    client = Client(robot())
    client.robot.senses.feel("touch", "head", 2)
    contents = (await client.ask("resources/read", {"uri": "robot://events"}))["result"]["contents"][0]
    eq(contents["mimeType"], "application/json")
    eq(json.loads(contents["text"]), {"events": client.robot.senses.felt, "last_seq": 1})
    client.robot.felt()
    eq(client.published, ["robot://events"])


async def test_the_screen_is_a_resource_where_it_can_be_read():
    r = robot()
    assert "robot://screen" not in str(await Client(r).ask("resources/list", {}))

    def row(y, buf):
        for i in range(len(buf)):
            buf[i] = 0xFF if y & 1 else 0

    r.ports.display.row = row
    contents = (await Client(r).ask("resources/read", {"uri": "robot://screen"}))["result"]["contents"][0]
    eq((contents["mimeType"], contents["blob"][:11]), ("image/png", "iVBORw0KGgo"))
    r.face.page = Screen(Layout(320, 240), ["hello"], None, "token: a-secret")
    error = (await Client(r).ask("resources/read", {"uri": "robot://screen"}))["error"]
    eq((error["code"], error["message"].split(":")[0]), (-32603, "busy"))
    eq(r.face.page.state(), {"lines": ["hello"], "battery_percent": None})


async def test_the_prompt_tells_of_the_parts_that_exist():
    said = {}
    for without in ((), ("head",), tuple(PARTS)):
        result = (await Client(robot(*without)).ask("prompts/get", {"name": "act_as_robot"}))["result"]
        eq(len(result["messages"]), 1)
        said[without] = result["messages"][0]["content"]["text"]
    assert "set_emotion" in said[()] and "play_motion" in said[()]
    assert "set_emotion" in said[("head",)] and "play_motion" not in said[("head",)]
    for name in NAMES.split():
        assert name not in said[tuple(PARTS)], name
