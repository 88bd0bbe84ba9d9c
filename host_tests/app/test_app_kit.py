"""The robot as part of the test kit: a fixture in its place, and a tap of what is said."""

import asyncio
import json
import os

from ram_flash import Flash
from serving import TOKEN, Preferences
from streaming import call, modern
from test_app import Running, names

from harness import eq

FIXTURE = {
    "schema": "mcpstub/v1",
    "server": {"name": "weather-fixture", "version": "1.0.0"},
    "tools": [
        {
            "name": "get_weather",
            "description": "How it is.",
            "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}},
            "cases": [{"when": {"city": "Oslo"}, "result": {"content": [{"type": "text", "text": "snow"}]}}],
        }
    ],
}


async def tapped(run):
    """The rows, as they come over the network."""
    stream, _ = await asyncio.open_connection("127.0.0.1", run.options["port"])
    stream.write(run.raw("GET", "/tap", Connection="close"))
    head, _, text = (await stream.read(-1)).partition(b"\r\n\r\n")
    stream.close()
    assert head.startswith(b"HTTP/1.1 200") and b"application/x-ndjson" in head, head
    return text


class Disk:
    def __enter__(self):
        flash = Flash()
        os.VfsLfs2.mkfs(flash)
        os.mount(os.VfsLfs2(flash), "/flash")
        return self

    def __exit__(self, *error):
        os.umount("/flash")

    def write(self, text):
        with open("/flash/fixture.json", "w") as f:
            f.write(text)
        return "/flash/fixture.json"


async def test_a_robot_plays_a_fixture():
    with Disk() as disk:
        path = disk.write(json.dumps(FIXTURE))
        async with Running(preferences=Preferences(mcp__token=TOKEN, stub__fixture=path)) as run:
            eq(names(await run.result(modern("tools/list"))), ["get_weather"])
            result = await run.result(modern("tools/call", call("get_weather", city="Oslo")))
            eq(result["content"], [{"type": "text", "text": "snow"}])
            blits = run.board.display.blits
            run.app.robot.face.balloon("I am another")
            run.app.robot.step(run.app.robot.clock())
            assert run.board.display.blits >= blits and run.app.robot.face is not None


async def test_what_is_no_fixture_leaves_the_robot_as_it_is():
    with Disk() as disk:
        for text in ("{", '{"schema":"other"}', '{"schema":"mcpstub/v1","tools":3}'):
            path = disk.write(text)
            async with Running(preferences=Preferences(mcp__token=TOKEN, stub__fixture=path)) as run:
                assert "move_head" in names(await run.result(modern("tools/list"))), text
                assert run.log.texts("error")[0].startswith("stub.fixture " + path), run.log.texts("error")
    async with Running(preferences=Preferences(mcp__token=TOKEN, stub__fixture="/nowhere")) as run:
        assert "move_head" in names(await run.result(modern("tools/list")))


async def test_a_tap_keeps_what_is_said_without_secrets_and_behind_the_token():
    preferences = Preferences(mcp__token=TOKEN, tap__rows=8, wifi__passwords=["correct horse"])
    async with Running(preferences=preferences) as run:
        await run.use("set_emotion", emotion="happy")
        await run.use("show_balloon", text="the password is correct horse")
        await run.use("move_head", yaw=10, pitch=20, duration_ms=100)
        eq((await run.begin("GET", "/tap", token=None)).status, 401)
        text = await tapped(run)
        rows = [json.loads(line) for line in text.split(b"\n") if line]
        eq([row["direction"] for row in rows], ["c2s", "s2c"] * 3)
        eq(json.loads(rows[0]["raw"])["params"]["arguments"], {"emotion": "happy"})
        eq(json.loads(rows[5]["raw"])["result"]["structuredContent"]["yaw"], 10)
        eq(rows[2]["redacted"], ["/params/arguments/text"])
        assert b"correct horse" not in text and TOKEN.encode() not in text
        for _ in range(6):
            await run.use("set_emotion", emotion="sad")
        assert len((await tapped(run)).split(b"\n")) == 9


async def test_there_is_no_tap_unless_it_is_asked_for():
    async with Running() as run:
        eq((await run.begin("GET", "/tap")).status, 404)
