"""What a device does besides being a robot, on a processor that is made up, 100 times as fast."""

import asyncio
import json
import sys

sys.path.append(__file__.rsplit("/", 1)[0] + "/../net")

from serving import TOKEN, Preferences
from streaming import call, modern, until
from test_app import Running
from test_wifi import Radio

import device as module
from config import KEYS
from device import Boots, Device
from harness import eq
from net import wifi as wifi_module
from net.lines import _LinePeer
from robot.ports import Ports


class Soc:
    """radio: a `Radio`, or None.  free: bytes.  resets, asked: counts.  points: access points that were opened.

    broken: how often the radio has no memory, and how many answers of the time server are none.
    """

    def __init__(self, radio=None, free=None, broken=0):
        self.radio = radio
        self.broken = broken
        self.free = free
        self.resets = self.asked = 0
        self.points = []

    def has_radio(self):
        return self.radio is not None

    def station(self, hostname):
        self.hostname = hostname
        self._break()
        return self.radio

    def names_in_reach(self, wlan):
        return ["home"]

    def access_point(self, name, password):
        self._break()
        self.points.append((name, password))
        return "192.168.4.1"

    def set_clock(self):
        self.asked += 1
        if self.asked < 3:
            raise ValueError("buffer too small") if self.asked == 1 else OSError(116)

    def network_free(self):
        return self.free

    def unique(self, length):
        return "beef"

    def digits(self, count):
        return "12345678"

    def reset(self):
        self.resets += 1

    def _break(self):
        if self.broken:
            self.broken -= 1
            raise RuntimeError("Wifi Unknown Error 0x0101")


class Fast:
    """asyncio, for a module that waits."""

    create_task = asyncio.create_task

    @staticmethod
    def sleep(s):
        return asyncio.sleep_ms(max(1, int(s * 10)))

    @staticmethod
    def sleep_ms(ms):
        return asyncio.sleep_ms(max(1, ms // 100))


class Kept(Preferences):
    """Preferences with the defaults of the real ones."""

    def get(self, key):
        return self.values.get(key, KEYS[key][1])


class Counted(Boots):
    path = count = 0

    def __init__(self):
        pass

    def _write(self, count):
        self.count = count


class World(Running):
    """A device that runs, `.device`."""

    def __init__(self, soc, safe=False, without=(), **preferences):
        preferences.setdefault("mcp__token", TOKEN)
        self.preferences = Kept(**preferences)
        super().__init__(without=without, preferences=self.preferences)
        self.soc = soc
        self.said = []
        self.app.say = self.said.append
        self.boots = Counted()
        self.device = Device(self.app, self.preferences, safe, self.boots, soc)

    async def __aenter__(self):
        module.asyncio = wifi_module.asyncio = Fast
        self.task = asyncio.create_task(self.device.run())
        return self

    async def __aexit__(self, *error):
        module.asyncio = wifi_module.asyncio = asyncio
        self.device.stop()
        self.task.cancel()
        await super().__aexit__(*error)


NETWORK = {"wifi__names": ["home"], "wifi__passwords": ["secret-password"]}


async def test_it_joins_serves_under_its_address_sets_the_clock_and_tells():
    soc = Soc(Radio(home="secret-password"))
    async with World(soc, **NETWORK) as run:
        await until(lambda: run.device.wifi and run.device.wifi.address)
        await until(lambda: run.server.status == "running")
        eq(soc.hostname, "tsumiki")
        hosts = run.server._guard.hosts
        assert b"192.168.4.2" in hosts and b"tsumiki.local" in hosts and b"127.0.0.1" in hosts, hosts
        shown = run.app.robot.face.page
        eq(shown.state()["lines"], ["http://192.168.4.2:8080/", "home"])
        eq(shown.secret, [])
        await until(lambda: soc.asked == 3)
        eq(await run.use("hide_balloon"), {"done": True})
        eq(run.log.texts("error"), [])
        assert "secret-password" not in str(run.log.lines)


async def test_a_new_token_is_shown_and_told_to_nobody():
    soc = Soc(Radio(home="secret-password"))
    async with World(soc, mcp__token=None, **NETWORK) as run:
        await until(lambda: run.app.robot.face.page and run.app.robot.face.page.secret)
        page = run.app.robot.face.page
        eq(bytes(page.secret[0]).decode(), "token: " + run.app.token)
        assert run.app.token not in str(page.state()) and run.app.token not in str(run.log.lines)
        eq(run.said, ["http://192.168.4.2:8080/\nhome\ntoken: " + run.app.token])
        eq(run.preferences.get("mcp.token_untold"), True)
        await until(lambda: not run.app.token_is_new)
        eq(run.preferences.get("mcp.token_untold"), None)
        run.soc.radio.address = "192.168.4.77"
        await until(lambda: len(run.said) == 2)
        eq((run.said[1], page is run.app.robot.face.page), ("http://192.168.4.77:8080/\nhome", False))
        eq(run.app.robot.face.page.secret, [])


async def test_a_token_made_before_there_was_a_network_is_shown_once_there_is_one():
    soc = Soc(Radio())
    async with World(soc, mcp__token=None) as run:
        await until(lambda: run.said)
        token = run.preferences.get("mcp.token")
        assert run.said[0].endswith("\ntoken: " + token), run.said
        assert token not in str(run.app.robot.face.page.state())
    kept = {key.replace(".", "__"): value for key, value in run.preferences.values.items()}
    kept.update(NETWORK)
    async with World(Soc(Radio(home="secret-password")), **kept) as run:
        await until(lambda: run.app.robot.face.page and run.app.robot.face.page.secret)
        eq(bytes(run.app.robot.face.page.secret[0]).decode(), "token: " + token)


async def test_a_radio_without_memory_is_tried_again():
    soc = Soc(Radio(home="secret-password"), broken=3)
    async with World(soc, **NETWORK) as run:
        await until(lambda: run.device.wifi and run.device.wifi.address)
        assert "the device failed" in run.log.texts("error")
        await until(lambda: soc.asked == 3)
    soc = Soc(Radio(), broken=3)
    async with World(soc) as run:
        await until(lambda: soc.points)


async def test_a_host_name_that_is_none_does_not_cost_the_robot_its_network():
    for name in ("", "x" * 33, "my robot", "ロボット"):
        soc = Soc(Radio(home="secret-password"))
        async with World(soc, wifi__hostname=name, **NETWORK) as run:
            await until(lambda: run.device.wifi and run.device.wifi.address)
            eq(soc.hostname, "tsumiki")
            assert b"tsumiki.local" in run.server._guard.hosts
    soc = Soc(Radio())
    async with World(soc, wifi__hostname="A-" + "x" * 30) as run:
        await until(lambda: soc.points)
        eq(soc.points[0][0], "A-" + "x" * 25 + "-beef")
        eq(soc.hostname, soc.points[0][0])


async def test_a_listener_that_cannot_be_made_for_want_of_memory_is_tried_again():
    run = World(Soc())
    start = run.app.server._http.start
    failures = [MemoryError(), MemoryError()]

    def start_later():
        if failures:
            raise failures.pop()
        return start()

    run.app.server._http.start = start_later
    async with run:
        await until(lambda: run.server.listening)
        eq(failures, [])


async def test_a_part_that_fails_does_not_keep_the_device_from_its_work():
    def read():
        raise RuntimeError("what is this?")

    run = World(Soc(Radio(home="secret-password")), **NETWORK)
    run.app.robot.ports.power.read = read
    async with run:
        await until(lambda: run.device.wifi and run.device.wifi.address)
        await until(lambda: run.app.robot.face.page)


async def test_what_the_device_has_to_say_waits_for_the_message_on_the_line():
    async with World(Soc(Radio(home="secret-password")), **NETWORK) as run:
        eq(run.device._log, run.app.log)


async def test_the_greeting_tells_what_is_missing():
    async with World(Soc()) as run:
        ports = Ports()
        ports.part("panel", "ILI9342C", dict)
        ports.lacks("imu", OSError(19))
        run.app.robot.ports = ports
        lines = run.device._greeting()
        eq(lines[1:], ["found: panel", "missing: imu, it does not answer"])


async def test_without_a_network_it_opens_an_access_point_and_serves_there():
    soc = Soc(Radio())
    async with World(soc) as run:
        await until(lambda: run.app.robot.face.page and run.app.robot.face.page.secret)
        eq(soc.points, [("tsumiki-beef", "12345678")])
        assert b"192.168.4.1" in run.server._guard.hosts
        eq(bytes(run.app.robot.face.page.secret[0]).decode(), "password 12345678")
        await until(lambda: run.server.status == "running")
        assert "12345678" not in str(run.app.robot.face.page.state())


async def test_a_safe_start_has_setup_only():
    soc = Soc(Radio(home="secret-password"))
    async with World(soc, safe=True, **NETWORK) as run:
        await until(lambda: soc.points)
        await asyncio.sleep_ms(100)
        eq((run.device.wifi, run.server.status, soc.radio.tried), (None, "starting", []))


async def test_a_boot_that_lasts_a_minute_counts_no_more():
    async with World(Soc()) as run:
        run.boots.count = 3
        await until(lambda: run.boots.count == 0)


async def test_a_listener_that_dies_is_started_again():
    async with World(Soc()) as run:
        await until(lambda: run.server.status == "running")
        before = run.server._http.listener
        before.task.cancel()
        await until(lambda: run.server._http.listener not in (before, None))
        await until(lambda: run.server.listening)
        assert (await run.result(modern("tools/list")))["tools"]


async def test_a_port_that_is_taken_is_tried_again():
    async with Running(without=("display",)) as other:
        run = World(Soc())
        run.app.server._http.where = ("127.0.0.1", other.options["port"])
        async with run:
            await until(lambda: run.server.status == "failed")
            run.app.robot.voice.tone(440, 30)
            await until(lambda: run.board.speaker.heard[-1:] == [None])
            await other.app.close()
            await until(lambda: run.server.status == "running")


def on_a_line(run, name):
    """What a client on the serial line is answered."""
    raw = json.dumps(modern("tools/call", call(name))).encode()
    reply = run.server.handle(raw, 0, len(raw), _LinePeer(None), 0)
    return reply[1] if type(reply[1]) is bytes else b"".join(reply[1])


async def test_calls_are_refused_before_the_network_starves():
    soc = Soc(free=100000)
    async with World(soc) as run:
        await until(lambda: run.server.status == "running")
        soc.free = 39000
        await until(lambda: run.server.starving)
        reply = await run.begin("POST", "/mcp", modern("tools/list"))
        eq((reply.status, reply.headers.get("retry-after")), (503, "2"))
        # On the serial line, which is no network, the robot can still say how it is.
        said = [on_a_line(run, name) for name in ("look_at", "play_tone", "get_robot_status", "self_test")]
        eq([b"busy: the network is short of memory" in line for line in said], [True, True, False, False])
        assert b'"starving":true' in said[2], said[2]
        soc.free = 44000
        await asyncio.sleep_ms(80)
        eq((run.server.starving, run.app.robot.starving), (True, True))
        soc.free = 60000
        await until(lambda: not run.server.starving)
        assert (await run.result(modern("tools/list")))["tools"]
        eq(soc.resets, 0)
        soc.free = 7000
        await until(lambda: soc.resets)
