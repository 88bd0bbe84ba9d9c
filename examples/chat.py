"""Talk with the simulated robot: a line in, the robot's answer out. `make chat` runs it beside the virtual chips.

micropython examples/chat.py --model NAME [--url URL] [--provider openai_chat] [--server NAME=URL] ...
"""

import asyncio
import os
import sys

sys.path.insert(0, __file__.rsplit("/", 1)[0] + "/../firmware")
sys.path.insert(1, __file__.rsplit("/", 1)[0] + "/..")

from boards.unix.board import Board
from command_line import refuse

from app import App, log
from config import KEYS, Preferences
from sim import make_folder

_HOME = __file__.rsplit("/", 1)[0] + "/../build/chat"
_MOST = 4096  # bytes of a line
# MicroPython keeps no docstrings.
_USAGE = """Talk with the simulated robot, whose tools a language model uses, until Ctrl-D or Ctrl-C.

    make chat ARGS='--url http://127.0.0.1:11434/v1 --model qwen3'

    --model NAME       what the provider calls it
    --url URL          up to the provider's own path; without it the provider's own address
    --provider P       openai_chat (local servers too), openai_responses or anthropic
    --ca FILE          DER, of the authority that an https URL is verified with: tsumiki ca HOST
    --server NAME=URL  an MCP server whose tools it uses too; again for more of them
    --port N           where the robot's page and its own MCP server are: 8080
    --home FOLDER      the robot's preferences: build/chat
    --record yes       keep the model's decisions in FOLDER/decisions.ndjson, for `tsumiki score`
    --silent yes       the robot does not say its answers aloud

The key comes from the environment: TSUMIKI_CHAT_KEY. The token of the server NAME: TSUMIKI_TOKEN_NAME. What is not
given is taken from the preferences, chat.* and servers.*, in FOLDER/config.json.

A line that begins with / is a command: /tools, /status, /clear, /quit.
"""
# option: preference
_OPTIONS = {
    "--model": "chat.model",
    "--url": "chat.url",
    "--provider": "chat.provider",
    "--ca": "chat.ca",
    "--record": "chat.record",
    "--port": None,
    "--home": None,
    "--silent": None,
    "--server": "servers.names",
}


def options(arguments):
    """(dict of options, dict of preferences); prints what is wrong and exits with 2 otherwise."""
    given = {"--port": "8080", "--home": _HOME, "--silent": None}
    preferences = {}
    arguments = list(arguments)
    while arguments:
        name = arguments.pop(0)
        if name in ("-h", "--help"):
            print(_USAGE.strip())
            sys.exit(0)
        if name not in _OPTIONS or not arguments:
            refuse("unknown or incomplete option %s; try --help" % name)
        value = arguments.pop(0)
        if name == "--server":
            _add_server(preferences, value)
        elif name in given:
            given[name] = value
        else:
            preferences[_OPTIONS[name]] = value == "yes" if KEYS[_OPTIONS[name]][0] is bool else value
    if not given["--port"].isdigit() or not 0 < int(given["--port"]) < 65536:
        refuse("--port takes a number from 1 to 65535")
    key = os.getenv("TSUMIKI_CHAT_KEY")
    if key:
        preferences["chat.key"] = key
    return given, preferences


def _add_server(preferences, value):
    name, equals, url = value.partition("=")
    if not equals or not name:
        refuse("--server takes NAME=URL")
    for key, one in (
        ("servers.names", name),
        ("servers.urls", url),
        ("servers.tokens", os.getenv("TSUMIKI_TOKEN_" + name) or ""),
    ):
        preferences.setdefault(key, []).append(one)


class Given:
    """Preferences of a file, and before them those of the command line, which are not kept."""

    on_change = None

    def __init__(self, given, kept):
        self._given = given
        self._kept = kept
        kept.on_change = self._changed

    def get(self, key):
        return self._given[key] if key in self._given else self._kept.get(key)

    def set(self, key, value):
        self._kept.set(key, value)

    def _changed(self, key):
        if self.on_change is not None:
            self.on_change(key)


class Console:
    """chat: `chat.companion.Companion`.  aloud: bool."""

    def __init__(self, chat, aloud):
        self._chat = chat
        self._aloud = aloud
        self._rest = b""
        self._buf = bytearray(512)

    async def run(self):
        """Until stdin ends, or /quit."""
        from net.stdio import stdio

        reader, _ = stdio(log)
        while True:
            sys.stdout.write("> ")
            self._chat.presence.listen()
            line = await self._line(reader)
            self._chat.presence.listen(False)
            if line is None or line == "/quit":
                print()
                return
            if line.startswith("/"):
                self._command(line)
            elif line:
                await self._post(line)

    # A line without its end, None at the end of all.
    async def _line(self, reader):
        while b"\n" not in self._rest:
            size = await reader.readinto(self._buf)
            if size == 0:
                rest, self._rest = self._rest, b""
                return rest.decode().strip() or None
            self._rest = (self._rest + bytes(self._buf[: size or 0]))[:_MOST]
            if len(self._rest) == _MOST and b"\n" not in self._rest:
                self._rest += b"\n"
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode().strip()

    async def _post(self, text):
        reply = await self._chat.post(text, False)
        for tool, why in reply.refusals:
            print("(%s: %s)" % (tool, why))
        print(reply.text if reply.ok else "(%s)" % (reply.detail or reply.reason))
        if reply.ok and self._aloud:
            await self._chat.presence.say(reply.text)

    def _command(self, line):
        chat = self._chat
        if line == "/tools":
            for name in sorted(chat.dialogue.tools):
                print("  %s: %s" % (name, chat.dialogue.tools[name].description))
        elif line == "/status":
            print(chat.state())
            for name, told in chat.servers.state().items():
                print("  %s: %s" % (name, told))
        elif line == "/clear":
            chat.dialogue.clear()
        else:
            print("/tools, /status, /clear or /quit")


def _absolute(path):
    return path if path.startswith("/") else os.getcwd() + "/" + path


async def main():
    given, told = options(sys.argv[1:])
    given["--home"] = _absolute(given["--home"])
    sys.path[:2] = [_absolute(path) for path in sys.path[:2]]  # Modules are imported late, and elsewhere.
    make_folder(given["--home"])
    preferences = Given(told, Preferences(given["--home"] + "/config.json", log))
    if not preferences.get("chat.model"):
        refuse("no model is named; try --help")
    app = App(Board(), preferences, host="127.0.0.1", port=int(given["--port"]))
    os.chdir(given["--home"])  # where the decisions are kept
    if app.chat.dialogue is None:
        refuse(app.chat.error, 1)
    if not await app.start():
        refuse(app.server.error + "; try --port", 1)
    print("page: http://127.0.0.1:%s/#%s" % (given["--port"], app.token))
    console = Console(app.chat, given["--silent"] != "yes")
    await console.run()
    await app.close()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
