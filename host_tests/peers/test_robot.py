"""The whole simulated robot, driven by the official SDK's client: what it says, and what its chips have seen."""

import asyncio
import json
import re
import subprocess
import sys
from contextlib import asynccontextmanager

import anyio
import pytest

import interpreter
import sim
from free_ports import free_port
from install import ROOT
from peers import clients
from processes import Listener

EMOTIONS = ("neutral", "angry", "sad", "happy", "sleepy", "doubtful", "cold", "hot")
GESTURES = ("nod", "shake_head", "greet")
_SECONDS = 40


class Simulation:
    """A running robot and the chips around it.  panel, bus: the virtual ones.  world: `sim.World`."""

    def __init__(self, home):
        self._servers = sim.chips()
        env = sim.start(self._servers)
        self.panel = self._servers["TSUMIKI_PANEL"].panel
        self.bus = self._servers["TSUMIKI_SERVOS"].bus
        self.world = self._servers["TSUMIKI_WORLD"]
        port = free_port()
        command = [interpreter.need(), sim.SCRIPT, "--port", str(port), "--home", str(home)]
        self._start = lambda: Listener(command, env)
        self.firmware = self._start()
        self.token = json.loads((home / "config.json").read_text())["mcp.token"]

    def restart(self):
        """Start the firmware again, on the same port: it has ended."""
        self.firmware = self._start()

    def close(self):
        self.firmware.close()
        for server in self._servers.values():
            server.shutdown()
            server.server_close()


@pytest.fixture
def robot(tmp_path):
    started = Simulation(tmp_path / "home")
    yield started
    started.close()


@asynccontextmanager
async def connected(robot, mode="auto"):
    with anyio.fail_after(_SECONDS):
        async with clients._python(robot.firmware.url + "/mcp", robot.token, mode, []) as client:
            yield client


async def use(client, name, **arguments):
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content[0].text
    return result.structured_content


async def read(client, uri):
    return json.loads((await client.read_resource(uri)).contents[0].text)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_all_that_the_robot_can(robot, mode):
    asyncio.run(_everything(robot, mode))
    assert "error" not in robot.firmware.output(), robot.firmware.output()


async def _everything(robot, mode):
    async with connected(robot, mode) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert len(tools) == 22
        pictures = set()
        for emotion in EMOTIONS:
            assert await use(client, "set_emotion", emotion=emotion) == {"emotion": emotion}
            await asyncio.sleep(0.6)
            pictures.add(robot.panel.frame())
            assert (await read(client, "robot://status"))["face"]["emotion"] == emotion
        assert len(pictures) == len(EMOTIONS) and robot.panel.faults == []
        for motion in GESTURES:
            assert (await use(client, "play_motion", motion=motion))["moving"] is False
        pose = await use(client, "move_head", yaw=30, pitch=20, duration_ms=300)
        assert abs(pose["yaw"] - 30) < 2 and abs(pose["pitch"] - 20) < 2, pose
        _look_at_the_servos(robot.bus)
        robot.world.heard.clear()
        melody = await use(client, "play_melody", tones=["C4:60", "R:40", "E4:60"])
        assert (melody["played"], melody["rests"], melody["finished"]) == (2, 1, True)
        heard = [line for line in robot.world.heard if line.startswith("speaker")]
        assert heard == ["speaker 262 100", "speaker off", "speaker 330 100", "speaker off"]
        await use(client, "set_led", led="left", mode="solid", green=255)
        await asyncio.sleep(0.3)
        assert robot.world.heard[-1] == "leds left" + 6 * " 00ff00"
        said = await use(client, "say_message", message="Hi!")
        assert said["finished"] and said["duration_ms"] > 0


# They are limp again, and were never told more than 20 goals in a second.
def _look_at_the_servos(bus):
    assert not [servo for servo in bus.state().values() if servo["torque"]], bus.state()
    trace = list(bus.trace)
    assert not [packet for packet in trace if packet["do"] in ("hang", "wrong")]
    written = [packet["ms"] for packet in trace if packet["do"] in ("write", "sync")]
    assert len(written) > 40
    for i in range(len(written) - 20):
        assert written[i + 20] - written[i] > 900, written[i : i + 21]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_button_is_waited_for(robot, mode):
    asyncio.run(_button(robot, mode))


async def _button(robot, mode):
    told = []

    async def progress(done, total, message):
        told.append((done, total))
        if len(told) == 1:
            robot.world.say("button a 1")

    async with connected(robot, mode) as client:
        result = await client.call_tool("wait_for_event", {"timeout_ms": 30000}, progress_callback=progress)
        found = result.structured_content
        assert [(e["kind"], e["name"], e["value"]) for e in found["events"]] == [("button", "a", 1)]
        assert found["timed_out"] is False and told[0][1] == 30000


def test_events_are_pushed(robot):
    asyncio.run(_push(robot))


async def _push(robot):
    async with connected(robot) as client:
        async with client.listen(resource_subscriptions=["robot://events"]) as subscription:
            robot.world.say("touch head 1")
            async for event in subscription:
                assert "robot://events" in repr(event)
                break
        assert [e["name"] for e in (await read(client, "robot://events"))["events"]] == ["head"]


def test_the_command_prints_what_a_person_needs(tmp_path):
    port = free_port()
    command = [
        sys.executable,
        ROOT / "host" / "sim.py",
        "--port",
        str(port),
        "--home",
        tmp_path / "new" / "home",
    ]
    with Listener(command) as running:
        first = _told(running)
    with Listener(command) as running:
        assert _told(running) == first


def _told(running):
    said = running.output()
    token = re.search(r"^token: (\S{22})$", said, re.M).group(1)
    assert (
        'claude mcp add --transport http tsumiki %s/mcp --header "Authorization: Bearer %s"'
        % (running.url, token)
        in said
    )
    return token


def test_it_serves_who_starts_it(tmp_path):
    asyncio.run(_stdio(tmp_path))


async def _stdio(home):
    import mcp
    from mcp.client.stdio import StdioServerParameters, stdio_client

    command = StdioServerParameters(
        command=sys.executable, args=[str(ROOT / "host" / "sim.py"), "--stdio", "--home", str(home)]
    )
    with anyio.fail_after(_SECONDS):
        async with mcp.Client(stdio_client(command)) as client:
            assert len((await client.list_tools()).tools) == 22
            assert await use(client, "set_emotion", emotion="happy") == {"emotion": "happy"}


@pytest.mark.parametrize(
    "options, text",
    [
        (["--port", "0"], "--port takes a number"),
        (["--port"], "unknown or incomplete option --port"),
        (["--colour", "red"], "unknown or incomplete option --colour"),
    ],
)
def test_a_wrong_option_is_told(options, text):
    done = subprocess.run(
        [interpreter.need(), sim.SCRIPT, *options], capture_output=True, text=True, timeout=20
    )
    assert (done.returncode, done.stdout) == (2, "") and text in done.stderr


def test_without_chips_a_robot_has_what_needs_none(tmp_path):
    port = free_port()
    env = dict(interpreter.environment(), TSUMIKI_PANEL="127.0.0.1:%d" % free_port())
    command = [interpreter.need(), sim.SCRIPT, "--port", str(port), "--home", tmp_path]
    with Listener(command, env) as running:
        assert "the robot has no display: 127.0.0.1" in running.output()
        asyncio.run(_partless(running, json.loads((tmp_path / "config.json").read_text())["mcp.token"]))


async def _partless(running, token):
    with anyio.fail_after(_SECONDS):
        async with clients._python(running.url + "/mcp", token, "auto", []) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
    assert "play_tone" in tools and not tools & {"set_emotion", "move_head"}
