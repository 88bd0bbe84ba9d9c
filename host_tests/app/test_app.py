"""The whole app over HTTP, on a board that only remembers: parts, tools, events, and what does not stop it."""

import asyncio
import json
import os
import sys

sys.path.append(__file__.rsplit("/", 1)[0] + "/../robot")

from fake_board import Board
from fake_parts import Policy
from ram_flash import Flash
from serving import TOKEN, Log, Preferences
from streaming import Streamed, call, modern, request, until

import app
import config
from app import App
from config import KEYS
from harness import eq, port
from robot.errors import ServoFault

_ANY = Policy()


class Running(Streamed):
    """A running app, `.app`, on a `Board`, `.board`."""

    def __init__(self, without=(), preferences=None, policy=_ANY, **options):
        self.log = Log()
        self.board = Board(without)
        self.options = {"port": port()}
        self._replies = []
        self.app = App(
            self.board,
            preferences or Preferences(mcp__token=TOKEN),
            host="127.0.0.1",
            port=self.options["port"],
            policy=policy,
            log=self.log,
            **options,
        )
        self.server = self.app.server

    async def __aenter__(self):
        assert await self.app.start(), self.server.error
        return self

    async def __aexit__(self, *error):
        for reply in self._replies:
            await reply.close()
        await self.app.close()

    async def use(self, name, **arguments):
        """The structured result of a tool, or the text of its refusal."""
        result = await self.result(modern("tools/call", call(name, **arguments)))
        return result.get("structuredContent") or result["content"][0]["text"]

    async def read(self, uri):
        result = await self.result(modern("resources/read", {"uri": uri}))
        return json.loads(result["contents"][0]["text"])


def names(result):
    return [tool["name"] for tool in result["tools"]]


async def test_each_part_does_what_its_tools_say():
    async with Running() as run:
        assert len(names(await run.result(modern("tools/list")))) == 22
        pose = await run.use("move_head", yaw=20, pitch=30, duration_ms=200)
        eq((pose["yaw"], pose["pitch"], pose["moving"]), (20, 30, False))
        eq(run.board.servos.on, False)
        eq((await run.use("play_tone", hz=440, duration_ms=100)), {"duration_ms": 100})
        await until(lambda: run.board.speaker.heard[-1:] == [None])
        eq(run.board.speaker.heard[0][0], 440)
        await run.use("set_led", led="left", mode="solid", red=255)
        await until(lambda: run.board.leds["left"].colors[0] == (255, 0, 0))
        await run.use("set_brightness", level=30)
        eq(run.board.display.level, 30)
        await run.use("set_emotion", emotion="happy")
        eq(run.app.robot.face.emotion, "happy")
        blits = run.board.display.blits
        await until(lambda: run.board.display.blits > blits)


async def test_a_board_without_parts_has_a_status():
    parts = ("display", "servos", "speaker", "leds", "inputs", "power", "system")
    async with Running(without=parts) as run:
        eq(names(await run.result(modern("tools/list"))), ["get_robot_status", "self_test"])
        assert type(await run.use("get_robot_status")) is dict
        assert type(await run.read("robot://status")) is dict


async def test_an_event_ends_the_wait_for_it():
    async with Running() as run:
        message = modern("tools/call", call("wait_for_event", timeout_ms=10000), progressToken="p")
        reply = await run.write(
            body=message,
            MCP_Protocol_Version="2026-07-28",
            Mcp_Method="tools/call",
            Mcp_Name="wait_for_event",
        )
        await asyncio.sleep_ms(100)
        run.board.inputs.felt.append(("button", "a", 1))
        await reply.read_head()
        found = reply.body["result"]["structuredContent"]
        eq((found["timed_out"], [e["name"] for e in found["events"]]), (False, ["a"]))


async def test_a_wait_tells_its_progress_and_can_be_given_up():
    async with Running() as run:
        message = modern("tools/call", call("wait_for_event", timeout_ms=45000), progressToken="p")
        reply = await run.modern(message)
        eq((await reply.message())["params"]["total"], 45000)
        await reply.close()
        await until(lambda: not run.server._http.connections)
        eq(await run.use("set_mouth_open", open=10), {"done": True})


async def test_events_are_pushed_to_those_who_subscribed():
    async with Running() as run:
        wanted = {"resourceSubscriptions": ["robot://events"]}
        listening = await run.modern(modern("subscriptions/listen", {"notifications": wanted}))
        eq((await listening.message())["method"], "notifications/subscriptions/acknowledged")
        _, session = await run.legacy()
        await run.answer(session, "resources/subscribe", {"uri": "robot://events"})
        stream = await run.begin("GET", session=session)
        run.board.inputs.felt.append(("touch", "head", 1))
        for reply in (listening, stream):
            told = await reply.message()
            eq((told["method"], told["params"]["uri"]), ("notifications/resources/updated", "robot://events"))
        eq([e["name"] for e in (await run.read("robot://events"))["events"]], ["head"])


async def test_who_watches_the_status_is_told_of_changes():
    async with Running() as run:
        wanted = {"resourceSubscriptions": ["robot://status"]}
        listening = await run.modern(modern("subscriptions/listen", {"notifications": wanted}))
        await listening.message()
        await run.use("set_mouth_open", open=10)
        eq((await listening.message())["params"]["uri"], "robot://status")
        calls = (await run.read("robot://status"))["calls"]
        eq(calls[-1][1:], ["set_mouth_open", '{"open":10}'])


async def test_a_part_that_fails_stops_no_other():
    async with Running() as run:
        run.board.servos.broken = ServoFault()
        text = await run.use("move_head", yaw=20, pitch=30)
        assert text.startswith("servo_fault"), text

        def fail(now_ms):
            raise RuntimeError("the lights are out")

        run.app.robot.lights.step = fail
        await run.use("play_tone", hz=440, duration_ms=100)
        await until(lambda: run.board.speaker.heard[-1:] == [None])
        run.board.servos.broken = None
        eq((await run.use("move_head", yaw=20, pitch=30, duration_ms=100))["yaw"], 20)
        texts = run.log.texts("error")
        assert 1 <= len([text for text in texts if text.startswith("Lights failed (")]) < 10, texts


async def test_a_token_is_made_once():
    preferences = Preferences()
    for _ in range(2):
        async with Running(preferences=preferences) as run:
            token = preferences.get("mcp.token")
            eq(run.app.token, token)
            status, _, _ = await run.ask(body=request("ping"), token=token)
            assert status != 401 and len(token) >= 22
            eq((await run.ask(body=request("ping"), token=TOKEN))[0], 401)
            assert token not in repr(run.log.lines)


async def test_a_token_that_cannot_be_kept_is_used_all_the_same():
    class Full(Preferences):
        def set(self, key, value):
            raise self.error

    for error in (OSError(28), ValueError("the preferences may have 4096 bytes")):
        preferences = Full()
        preferences.error = error
        async with Running(preferences=preferences) as run:
            eq((run.app.token_is_new, len(run.app.token) >= 22), (True, True))
            assert (await run.ask(body=request("ping"), token=run.app.token))[0] != 401
            assert run.log.texts("error")[0].startswith("mcp.token cannot be kept"), run.log.lines
            run.app.token_told()
            eq(run.app.token_is_new, False)


class Owned(Preferences):
    """Preferences with their defaults."""

    def get(self, key):
        return self.values.get(key, KEYS[key][1])


async def test_the_owner_says_what_is_offered_and_may_change_it():
    wishes = Owned(mcp__token=TOKEN, robot__motion=False, robot__volume_cap=30)
    async with Running(preferences=wishes, policy=None) as run:
        listed = names(await run.result(modern("tools/list")))
        assert "get_head_pose" in listed and not {"move_head", "play_motion", "set_torque"} & set(listed)
        reply = await run.modern(modern("tools/call", call("move_head", yaw=0, pitch=10)))
        eq(reply.body["error"]["code"], -32602)
        eq(await run.use("set_volume", volume=31), "invalid_arguments: /volume: must be <= 30")
        listening = await run.modern(
            modern("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
        )
        await listening.message()
        wishes.set("robot.motion", True)
        wishes.set("robot.volume_cap", 100)
        wishes.set("robot.tools", ["move_head", "play_tone"])
        run.app.offer()
        eq((await listening.message())["method"], "notifications/tools/list_changed")
        eq(sorted(names(await run.result(modern("tools/list")))), ["move_head", "play_tone"])
        eq((await run.use("move_head", yaw=10, pitch=10, duration_ms=100))["yaw"], 10)
        run.app.robot.policy._minute = lambda: 600
        wishes.set("robot.quiet_from", 600)
        wishes.set("robot.quiet_until", 601)
        text = await run.use("play_tone", hz=440, duration_ms=50)
        assert text.startswith("quiet_hours"), text


async def test_the_page_needs_no_token_and_is_not_kept():
    async with Running(without=("display",)) as run:
        stream, _ = await asyncio.open_connection("127.0.0.1", run.options["port"])
        stream.write(run.raw("GET", "/", token=None, Connection="close"))
        head, _, page = (await stream.read(-1)).partition(b"\r\n\r\n")
        stream.close()
        assert head.startswith(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n" % len(page)), head
        assert b"\nContent-Encoding: gzip\r" in head and b"default-src 'none'" in head, head
        eq(page[:2], b"\x1f\x8b")
        assert "webpage" not in sys.modules
    async with Running(without=("display",), profile="core") as run:
        eq((await run.begin("GET", "/", token=None)).status, 404)


async def test_a_core_has_no_prompts_and_all_tools():
    async with Running(preferences=Preferences(mcp__token=TOKEN, profile="core")) as run:
        found = (await run.result(modern("server/discover")))["capabilities"]
        eq(sorted(found), ["logging", "resources", "tools"])
        assert len(names(await run.result(modern("tools/list")))) == 22
    async with Running() as run:
        found = (await run.result(modern("server/discover")))["capabilities"]
        eq(sorted(found), ["logging", "prompts", "resources", "tools"])


async def test_a_changed_preference_changes_what_is_offered():
    flash = Flash()
    os.VfsLfs2.mkfs(flash)
    os.mount(os.VfsLfs2(flash), "/flash")
    preferences = config.Preferences("/flash/config.json")
    preferences.set("mcp.token", TOKEN)
    try:
        async with Running(preferences=preferences, policy=None) as run:
            assert "move_head" in names(await run.result(modern("tools/list")))
            preferences.set("robot.motion", False)
            assert "move_head" not in names(await run.result(modern("tools/list")))
            preferences.set("robot.motion", None)
            assert "move_head" in names(await run.result(modern("tools/list")))
    finally:
        os.umount("/flash")


async def test_a_few_lines_take_the_place_of_the_face_for_a_time():
    async with Running() as run:
        face = run.app.robot.face
        run.app.tell(["hello"], 200, "token: " + TOKEN)
        shown = (await run.read("robot://status"))["face"]["screen"]
        eq(shown, {"lines": ["hello"], "battery_percent": 80})
        assert face.page.secret
        await until(lambda: face.page is None)
        eq((await run.read("robot://status"))["face"]["screen"], None)
    async with Running(without=("display",)) as run:
        run.app.tell(["hello"], 200)


def test_quiet_hours_are_those_where_the_robot_is():
    for _ in range(3):
        there = app._minute(540), app._minute(0)
        if there[1] == app._minute(0):
            break
    eq(there[0], (there[1] + 540) % 1440)


async def test_what_is_not_served_on_a_line_takes_no_memory_for_it():
    for options in ({}, {"serial": True}):
        async with Running(preferences=Preferences(mcp__token=TOKEN, serial__mcp=False), **options):
            assert "net.serial" not in sys.modules


async def test_what_is_said_on_the_usb_line_waits_for_the_message_there():
    async with Running(preferences=Preferences(mcp__token=TOKEN, serial__mcp=True), serial=True) as run:
        serial = run.app._serial
        eq(run.app.log, serial.log)
        serial.out_buf = b"half a message"
        run.app.say("http://192.168.4.2:8080/")
        eq(serial._kept, [(None, "http://192.168.4.2:8080/", None)])
        serial._kept = []
        serial.out_buf = b""
