"""The robot's own dialogue, put together from the preferences `chat.*` and `servers.*`: what `app` starts.

companion = Companion(robot, preferences, log, version)
companion.start()
reply = await companion.post("Good morning")     # thinks, answers, says it
"""

import asyncio
import time

from umcp.client_errors import ConfigError

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

_NEVER = 2020
_SECRETS = ("chat.key", "mcp.token", "mcp.session_key", "servers.tokens", "wifi.passwords")


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
        self.obey()

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
        reply = await self.dialogue.post(text)
        self._robot.tools = None  # The types of the part that was used last.
        self._last = None if reply.ok else reply.reason
        if reply.ok and aloud:
            try:
                await self.presence.say(reply.text)
            except Exception as e:
                self._log("error", "the answer cannot be said", e)
        return reply

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
