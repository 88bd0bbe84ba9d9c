"""The robot's own dialogue, put together from the preferences `chat.*` and `servers.*`: what `app` starts.

    companion = Companion(robot, preferences, log, version)
    companion.start()
    reply = await companion.post("Good morning")    # thinks, answers, says it

What a person says comes by `post`, or over HTTP: `POST /chat` with `{"text":"Good morning"}` and the robot's token.
`{"listen":true}` before it lets the robot be quiet and look at who is about to speak, `{"listen":false}` ends that.
"""

import asyncio
import time

from http1.errors import HTTPError
from umcp.client_errors import ConfigError
from umcp.codec import dumps, loads
from umcp.errors import RemoteError

from .dialogue import Dialogue, Reply
from .local_tools import create_local_chat_tools
from .model import Model
from .presence import Presence
from .servers import Servers, configured, read_ca

SYSTEM = (
    "You are a small robot with a face, a head and a voice. Answer in one or two short sentences, in the language "
    "that you are spoken to in: they are said aloud. Use your tools to move and to show how you feel."
)
DECISIONS = "decisions.ndjson"

_MIN_SECRET = 4  # characters
_NEVER = 2020
_TURN_MS = 300000  # that a turn may take over HTTP
_SECRETS = ("chat.key", "mcp.token", "mcp.session_key", "servers.tokens", "tts.key", "wifi.passwords")


class Companion:
    """robot: `robot.robot.Robot`.  preferences: has `get(key)`.  log: log(level, text, exception=None).

    folder: str, where the decisions are kept that `chat.record` asks for.  run: of `record.Recorder`.
    dialogue: `Dialogue`, or None where no model is named or the preferences make none; error: str, why, or None.
    """

    def __init__(self, robot, preferences, log, version, folder="", run=0):
        self._robot = robot
        self._preferences = preferences
        self._log = log
        self._tasks = []
        self._saying = None
        self._last = None
        self.error = None
        self.presence = Presence(robot)
        self._names = {}
        self._remote = {}
        self.servers = Servers(
            configured(preferences, log, version),
            self._names,
            self._found,
            self.presence.rest,
            has_date,
            log,
        )
        self.dialogue = None
        try:
            self.dialogue = self._made(folder, run)
        except (ConfigError, OSError) as e:
            self.error = str(e)
            log("error", "no dialogue: %s" % e)
        robot.more = (("chat", self.state), ("servers", self.servers.state))
        robot.hide = self._hidden
        self.obey()

    # A model may be told them by its server, and put them into the arguments of a tool.
    def _hidden(self, text):
        for secret in secrets(self._preferences):
            if len(secret) >= _MIN_SECRET:
                text = text.replace(secret, "***")
        return text

    def _made(self, folder, run):
        get = self._preferences.get
        if not get("chat.model"):
            return None
        model = Model(
            get("chat.provider"),
            get("chat.model"),
            get("chat.url"),
            get("chat.key"),
            read_ca(get("chat.ca")),
            has_date,
            rest=self.presence.rest,
        )
        recorder = None
        if get("chat.record"):
            from .record import Recorder  # late (RAM): off by default

            recorder = Recorder(folder + DECISIONS, run, lambda: secrets(self._preferences), self._log)
        return Dialogue(model, {}, get("chat.system") or SYSTEM, recorder, self.presence.watch, self._log)

    def start(self):
        """Connect the servers, from now on."""
        if self.servers.servers:
            self._tasks.append(asyncio.create_task(self._guarded(self.servers.run())))

    async def stop(self):
        """End it all."""
        if self.dialogue is not None:
            self.dialogue.cancel()
        self._hush()
        for task in self._tasks:
            task.cancel()
        self._tasks = []
        await self.servers.close()

    def obey(self):
        """The owner offers other tools than before."""
        for name in list(self._names):
            if self._names[name] == "":
                self._names.pop(name)
        self._local = {}
        if self.dialogue is not None:
            self._local = create_local_chat_tools(self._robot, self._log, self._names)
        self._found(self._remote)

    async def post(self, text, aloud=True):
        """A `Reply`, which has been said if `aloud`; never raises."""
        if self.dialogue is None:
            return Reply(False, reason="config", detail=self.error or "no model is named: set chat.model")
        if self.dialogue.busy:  # That is no failure of the turn that goes on.
            return await self.dialogue.post(text)
        reply = await self.dialogue.post(text)
        self._robot.tools = None  # The types of the part that was used last.
        self._last = None if reply.ok else reply.reason
        if reply.ok and aloud:
            await self._say(reply.text)
        return reply

    def serve(self, request, buf, start, end):
        """Answer `POST /chat`: see `http1.router.Route`. The answer does not wait until it has been said."""
        if self._robot.starving:
            return 503, b"", b"Retry-After: 2\r\n"
        try:
            body = loads(buf, start, end)
        except RemoteError:
            body = None
        if isinstance(body, dict) and isinstance(body.get("listen"), bool):
            return self._listen(body["listen"])
        text = body.get("text") if isinstance(body, dict) else None
        if not isinstance(text, str):
            raise HTTPError(400, 'send {"text":"..."}')
        request.allow(_TURN_MS)
        request.stops_with_peer = True
        return self._serve(text, body.get("aloud") is not False)

    # Nothing shows that a turn waits for a model while somebody speaks.
    def _listen(self, on):
        if self.dialogue is not None and self.dialogue.busy:
            return 200, b'{"ok":false,"reason":"busy"}', b""
        self._hush()
        self.presence.listen(on)
        return 200, b'{"ok":true}', b""

    async def _serve(self, text, aloud):
        reply = await self.post(text, False)
        told = {"ok": reply.ok, "refusals": [list(one) for one in reply.refusals]}
        if reply.ok:
            told["text"] = reply.text
            if aloud:
                self._hush()
                self._saying = asyncio.create_task(self._say(reply.text))
        else:
            told["reason"] = reply.reason
            told["detail"] = reply.detail
        return 200, dumps(told), b""

    # What is said still is of no interest once there is another answer.
    def _hush(self):
        if self._saying is not None:
            self._saying.cancel()

    async def _say(self, text):
        try:
            await self.presence.say(text)
        except Exception as e:
            self._log("error", "the answer cannot be said", e)

    def state(self):
        """dict for `robot://status`: what the dialogue does, and why its last turn failed."""
        told = {"state": self.presence.state, "tools": len(self._local) + len(self._remote)}
        if self.dialogue is None:
            told["state"] = "off"
        if self.error or self._last:
            told["error"] = self.error or self._last
        return told

    def _found(self, table):
        self._remote = table
        self._robot.changed += 1
        if self.dialogue is not None:
            tools = dict(table)
            tools.update(self._local)
            self.dialogue.tools = tools

    async def _guarded(self, work):
        try:
            await work
        except Exception as e:
            self._log("error", "the servers failed", e)


def secrets(preferences):
    """What nobody is to see, of the preferences: list of str."""
    found = []
    for key in _SECRETS:
        value = preferences.get(key) or ()
        found.extend((value,) if isinstance(value, str) else value)
    return found


def has_date():
    """bool: the clock is set. Boards begin in 2000 or 1970."""
    return time.gmtime()[0] > _NEVER
