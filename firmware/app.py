"""The composition root: preferences, board, robot and server put together, and the loop that steps the robot.

app = App(board, Preferences("config.json", log), log=log)
await app.start()

`device.py` runs it on a board, with what a board needs besides.
"""

import asyncio
import random
import sys
import time

from micropython import const

from http1.router import Route
from mcpserver import McpServer
from net.http_server import Limits
from robot.robot import Robot
from robot.status import battery
from umcp import VERSION
from umcp.codec import loads

NAME = "tsumiki"
PORT = 8080
_STEP_MS = const(34)  # The face goes on at 33.
_TELL_MS = const(250)  # How often those are told who watch the robot's status.
_STREAMS = const(2)
# Of the core profile: one stream and two requests at once, and half of the painter's buffer.
_CORE_STREAMS = const(1)
_CORE_CONNECTIONS = const(3)
_CORE_BAND = const(3200)
_TAP_ROWS = const(200)
_NEVER = const(2020)
_DAY_MINUTES = const(1440)


def log(level, text, exception=None):
    """To stderr, which on a board is the same line as stdout: what is worth a look. To stdout what has no level."""
    if level is None:
        print(text)
    elif level != "info":
        print("%s: %s" % (level, text), file=sys.stderr)
    if exception is not None:
        sys.print_exception(exception, sys.stderr)


class RobotServer(McpServer):
    """An `McpServer` whose addresses change, and which refuses calls with 503 while the network is short of memory.

    starving: bool, whether it does.  tap: `stub.tap.Tap` that keeps what is said over HTTP, but for what is said on
    event streams before the answer; or None.
    """

    starving = False
    tap = None

    @property
    def listening(self):
        """bool: new connections are taken, and the task that does so has not died."""
        listener = self._http.listener
        return listener is not None and not listener.task.done()

    def allow_hosts(self, hosts):
        """The names and addresses by which clients reach it from now on, besides the loopback ones.  hosts: of str."""
        self._guard.allow_hosts(hosts)

    def _serve_mcp(self, request, buf, start, end):
        if self.starving:
            return 503, b"", b"Retry-After: 2\r\n"
        if self.tap is None or request.method != "POST":
            return super()._serve_mcp(request, buf, start, end)
        self.tap.add("c2s", bytes(buf[start:end]))
        return self._tapped(super()._serve_mcp(request, buf, start, end))

    def _tapped(self, reply):
        if type(reply) is not tuple:
            return self._tap_later(reply)
        body = reply[1] if type(reply[1]) is bytes else b"".join(reply[1])
        if body:
            self.tap.add("s2c", body)
        return reply

    async def _tap_later(self, awaitable):
        reply = await awaitable
        return self._tapped(reply) if reply else reply

    def open_tap(self, tap):
        """Keep what is said in a `Tap`, and give it to whoever has the token: GET /tap."""
        self.tap = tap
        self.add_route("/tap", Route(("GET",), True, self._serve_tap))

    def _serve_tap(self, *request):
        return 200, [self.tap.text()], b"Content-Type: application/x-ndjson\r\nCache-Control: no-store\r\n"

    def play(self, path):
        """Serve a fixture in the place of what is offered (docs/fixtures.md).  path: str, of its file.

        Raises OSError, RemoteError for what is no JSON, FixtureError for what is no fixture.
        """
        from stub.fixture import Fixture  # late (RAM): a test's robot
        from stub.server import StubServer  # late (RAM)

        with open(path, "rb") as f:
            raw = f.read()
        mcp = self._mcp
        fixture = Fixture(loads(raw, 0, len(raw)), False, asyncio.sleep_ms)
        self._mcp = StubServer(fixture, mcp.sessions, None, mcp.runtime, self._log)


class App:
    """board: its ports, see `robot.robot.Robot`.  preferences: `config.Preferences`.

    host, port: where to listen.  hosts: further names and addresses of the robot.
    profile: "full", or "core" to save RAM: no prompts, no page, three connections, one of them a stream, and a smaller
    buffer for the face; in place of the preference `profile`.
    policy: in place of what the preferences say, `robot.policy.Policy`.
    serial: bool, MCP over stdin and stdout beside the network, unless the preference `serial.mcp` is False. It needs no
    token: who holds the cable has the REPL, which reads it.
    chat: the dialogue and the servers that the preferences name, a `chat.companion.Companion`, or None.
    token: str, made at the first start and kept in the preferences; token_is_new: bool, nobody has been told yet.
    log: what to log with from now on: what it prints waits for the message that is on the serial line.
    """

    def __init__(
        self,
        board,
        preferences,
        host="0.0.0.0",
        port=PORT,
        hosts=(),
        profile=None,
        policy=None,
        log=log,
        serial=False,
    ):
        self._serial = None
        if serial and preferences.get("serial.mcp"):
            from net.serial import Serial  # late (RAM)

            self._serial = Serial(log)
            log = self._serial.log
        self.log = self._log = log
        self._full = (profile or preferences.get("profile")) != "core"
        self._preferences = preferences
        self.token_is_new = not preferences.get("mcp.token") or bool(preferences.get("mcp.token_untold"))
        self.token = _token(preferences, log)
        if policy is None:
            from robot.policy import Policy

            policy = Policy(preferences, lambda: _minute(preferences.get("clock.utc_offset_min")))
        self.robot = Robot(
            board,
            policy,
            random.randrange,
            time.ticks_ms,
            asyncio.sleep_ms,
            log,
            None if self._full else _CORE_BAND,
        )
        self.server = RobotServer(
            NAME,
            VERSION,
            token=self.token,
            host=host,
            port=port,
            preferences=preferences,
            hosts=hosts,
            streams=_STREAMS if self._full else _CORE_STREAMS,
            limits=None if self._full else Limits(connections=_CORE_CONNECTIONS),
            pages={"/": _page} if self._full else None,
            log=log,
        )
        self._stepping = self._serving = None
        self._screen_ms = 0
        self._choose_speech()
        self._plays = self._play(preferences.get("stub.fixture"))
        self._open_tap(preferences.get("tap.rows"))
        self.offer()
        self.chat = self._companion() if self._full else None
        preferences.on_change = self._preferred

    def offer(self):
        """Offer what the robot has and its owner allows; again when the preferences have changed."""
        self.robot.obey()
        if self._plays:
            return
        from robot import resources, tools

        tools.offer(self.robot, self.server)
        resources.offer(self.robot, self.server)
        if self._full:
            from robot import prompts

            prompts.offer(self.robot, self.server)
        self.server.tools.members(None)  # Made now, and not while a client waits.

    def _companion(self):
        preferences = self._preferences
        if not (preferences.get("chat.model") or preferences.get("servers.names")):
            return None
        from chat.companion import Companion  # late (RAM): a robot that nobody asked to uses nothing

        chat = Companion(self.robot, preferences, self._log, VERSION)
        self.server.add_route("/chat", Route(("POST",), True, chat.serve))
        return chat

    # Whether a fixture is served instead of the robot: clients are tested against a device.
    def _play(self, path):
        if not path:
            return False
        try:
            self.server.play(path)
            return True
        except Exception as e:  # A robot that cannot play another is itself.
            self._log("error", "stub.fixture %s: %s" % (path, e))
            return False

    def _open_tap(self, rows):
        if rows:
            from stub.tap import Tap  # late (RAM)

            get = self._preferences.get
            secrets = [self.token, get("chat.key"), get("tts.key")]
            for key in ("wifi.passwords", "servers.tokens"):
                secrets.extend(get(key) or ())
            self.server.open_tap(Tap(min(rows, _TAP_ROWS), secrets))

    # Recorded speech where the preferences name a server, and the speaker can play it; beeps otherwise.
    def _choose_speech(self):
        voice = self.robot.voice
        kind = self._preferences.get("tts.kind")
        if voice is None:
            return
        voice.recorded = None
        if kind and kind != "none":
            if not hasattr(self.robot.ports.speaker, "play"):
                self._log("warning", "tts.kind: this speaker has beeps only")
                return
            from speaking import Speaking  # late (RAM)

            voice.recorded = Speaking(self.robot, self._preferences, self._log).speak

    def _preferred(self, key):
        if key == "tts.kind":
            self._choose_speech()
        if key.startswith("robot."):
            self.offer()
            if self.chat is not None:
                self.chat.obey()

    def tell(self, lines, ms, secret=None):
        """Show a few lines of text in place of the face, if there is one, for a time.

        lines: list of str.  secret: str, a line more, which nobody reads over the network.
        """
        face = self.robot.face
        if face is not None:
            face.screen(lines, battery(self.robot.ports.power).get("battery_percent"), secret)
            self._screen_ms = ms
            self._screen_since_ms = time.ticks_ms()

    def say(self, text):
        """Print on the USB line what is for a person.  text: str."""
        if self._serial is None:
            print(text)
        else:
            self._serial.say(text)

    def token_told(self):
        """Its owner has seen the token, which is not shown again."""
        self.token_is_new = False
        try:
            self._preferences.set("mcp.token_untold", None)
        except (OSError, ValueError) as e:
            self._log("warning", "mcp.token_untold cannot be kept: %s" % e)

    def starve(self, starving):
        """Refuse calls, because the network is short of memory, or take them again.  starving: bool.

        Over HTTP with 503; on the serial line with `busy`, but for those that only tell how the robot is.
        """
        if starving and not self.server.starving:
            self._log("warning", "the network is short of memory: calls are refused")
        self.server.starving = self.robot.starving = starving

    async def start(self):
        """Listen, and step the robot from now on; False if it cannot listen, `server.error` says why."""
        self.start_stepping()
        return await self.server.start()

    def start_stepping(self):
        """Step the robot from now on."""
        if self._stepping is None:
            self._stepping = asyncio.create_task(self._step())
            if self._serial is not None:
                self._serving = asyncio.create_task(self._serve_serial())
            if self.chat is not None:
                self.chat.start()

    # The first line tells `tsumiki bridge` that the robot has begun anew.
    async def _serve_serial(self):
        serial = self._serial
        print("%s %s: MCP on this line" % (NAME, VERSION))
        while await serial.begun():
            try:
                await self.server.serve_lines(serial, serial, True)
            except Exception as e:
                self._log("error", "the serial line failed", e)

    async def close(self):
        """Stop it all."""
        if self._stepping is not None:
            self._stepping.cancel()
            self._stepping = None
            if self._serving is not None:
                self._serving.cancel()
            if self.chat is not None:
                await self.chat.stop()
        await self.server.close()

    # The robot's own step catches what fails in a part; whatever else fails here must not end it either.
    async def _step(self):
        robot = self.robot
        told_ms = time.ticks_ms()
        told = 0
        while True:
            now_ms = time.ticks_ms()
            try:
                if self._screen_ms and time.ticks_diff(now_ms, self._screen_since_ms) > self._screen_ms:
                    self._screen_ms = 0
                    robot.face.screen(None)
                robot.step(now_ms)
                if time.ticks_diff(now_ms, told_ms) >= _TELL_MS:
                    told_ms = now_ms
                    if robot.changed != told or robot.moving:
                        told = robot.changed
                        self.server.publish("robot://status")
            except Exception as e:
                self._log("error", "a step failed", e)
            await asyncio.sleep_ms(max(1, _STEP_MS - time.ticks_diff(time.ticks_ms(), now_ms)))


# Rarely asked for, and not kept: where it is not in flash it takes 12 KB.
async def _page(*request):
    import webpage  # late (RAM)

    del sys.modules["webpage"]
    return 200, list(webpage.PARTS), webpage.LINES


def make_board(preferences, log=log):
    """The board that this image is made for; one without parts where that fails: the robot serves all the same."""
    try:
        from board import Board  # boards/<name>/board.py, which the image has at its top

        board = Board(preferences)
    except Exception as e:  # Whatever is wrong with a board must not keep its owner from it.
        from robot.ports import Ports

        log("error", "the board cannot be made", e)
        board = Ports()
        board.lacks("board", e)
    return board


# Of the day where the robot is, or None while the clock is not set: boards begin in 2000 or 1970.
def _minute(offset_min):
    now = time.gmtime()
    return (now[3] * 60 + now[4] + offset_min) % _DAY_MINUTES if now[0] > _NEVER else None


# One that cannot be kept is better than none: it holds until the power goes.
def _token(preferences, log):
    token = preferences.get("mcp.token")
    if not token:
        from http1.new_token import new_token  # late (RAM): once in a robot's life

        token = new_token()
        try:
            # In this order: a power cut between them tells too much, and not too little.
            preferences.set("mcp.token_untold", True)
            preferences.set("mcp.token", token)
        except (OSError, ValueError) as e:  # The file system is full, or the file.
            log("error", "mcp.token cannot be kept: %s" % e)
    return token
