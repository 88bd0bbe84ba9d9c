"""A robot that speaks with a server, and what the world hears of it; `net` and `robot` must be on the path."""

from boards.unix.outside import Outside
from boards.unix.parts import Speaker
from fake_board import Board
from fake_parts import Policy
from serving import TOKEN, Log, Preferences
from streaming import Streamed, call, modern
from wavs import square

from app import App
from harness import port
from net.http_post import HTTPPost

SOUND = square(500, 8000)
SPOKEN = {"duration_ms": 500, "complete": True, "finished": True}
# Of "aa".
BEEPED = {"duration_ms": 100, "complete": True, "finished": True}


class Speaks(Streamed):
    """An app whose robot speaks with a server.  said: list, what the world heard.  mouth: list of levels."""

    def __init__(self, peer, kind="openai", speaker=None, **preferences):
        self.log = Log()
        self.board = Board()
        self.outside = Outside()
        self.board.speaker = speaker or Speaker(self.outside)
        self.policy = Policy()
        self.options = {"port": port()}
        self._replies = []
        values = {"tts__kind": kind, "tts__url": peer.url, "tts__format": "wav"}
        values.update(preferences)
        self.preferences = Preferences(mcp__token=TOKEN, **values)
        self.app = App(
            self.board,
            self.preferences,
            host="127.0.0.1",
            port=self.options["port"],
            policy=self.policy,
            log=self.log,
        )
        self.server = self.app.server
        self.robot = self.app.robot
        self.voice = self.robot.voice
        self.mouth = []
        self.voice._mouth = self.mouth.append

    async def __aenter__(self):
        assert await self.app.start(), self.server.error
        return self

    async def __aexit__(self, *error):
        for reply in self._replies:
            await reply.close()
        self.voice.stop()
        await self.app.close()

    async def say(self, message="Hello there", wait=True):
        """The result of say_message, or the text of its refusal."""
        result = await self.result(modern("tools/call", call("say_message", message=message, wait=wait)))
        return result.get("structuredContent") or result["content"][0]["text"]

    @property
    def said(self):
        return self.outside.said

    def take(self):
        """What was said since the last call: "pcm", "beeps" or "", and the milliseconds of PCM."""
        lines = [line.split()[1:] for line in self.said]
        del self.said[:]
        pcm_ms = sum([int(words[2]) for words in lines if words[0] == "pcm"])
        beeps = [words for words in lines if words[0].isdigit()]
        assert not (pcm_ms and beeps), lines
        return "pcm" if pcm_ms else "beeps" if beeps else "", pcm_ms


class Impatient:
    """Within it, servers have 150 ms."""

    def __enter__(self):
        self._watch = watch = HTTPPost._watch

        def shorter(post):
            post._idle_ms = 150
            watch(post)

        HTTPPost._watch = shorter

    def __exit__(self, *error):
        HTTPPost._watch = self._watch
