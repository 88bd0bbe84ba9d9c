"""Whole robots whose boards only remember, and preferences in a dict."""

import asyncio
import sys
import time

sys.path.append(__file__.rsplit("/", 1)[0] + "/../robot")

from fake_board import Board

from app import App
from config import KEYS
from harness import port
from robot.policy import Policy
from robot.robot import Robot

TOKEN = "a-token-of-a-robot"


class Preferences:
    """`__` for the dot: Preferences(chat__model="m")."""

    on_change = None

    def __init__(self, **values):
        self.values = {key.replace("__", "."): value for key, value in values.items()}

    def get(self, key):
        return self.values.get(key, KEYS[key][1])

    def set(self, key, value):
        assert key in KEYS, key
        self.values[key] = value
        if self.on_change is not None:
            self.on_change(key)


class Log:
    def __init__(self):
        self.lines = []

    def __call__(self, level, text, exception=None):
        self.lines.append((level, text))
        if exception is not None:
            sys.print_exception(exception)

    def texts(self, level):
        return [text for one, text in self.lines if one == level]


def robot_of(without=(), **preferences):
    """A `Robot`, which nobody steps."""
    preferences = Preferences(**preferences)
    robot = Robot(Board(without), Policy(preferences), lambda n: 0, time.ticks_ms, asyncio.sleep_ms)
    robot.preferences = preferences
    return robot


class Stepped:
    """A robot that goes on while the body runs."""

    def __init__(self, robot):
        self.robot = robot

    async def __aenter__(self):
        self._task = asyncio.create_task(self._step())
        return self.robot

    async def __aexit__(self, *error):
        self._task.cancel()

    async def _step(self):
        while True:
            self.robot.step(time.ticks_ms())
            await asyncio.sleep_ms(10)


class Running:
    """The whole app.  .app, .chat, .board, .log, .url; its preferences: mcp.token is TOKEN."""

    def __init__(self, at=None, profile=None, **preferences):
        self.log = Log()
        self.board = Board()
        self.preferences = Preferences(mcp__token=TOKEN, **preferences)
        self.port = at or port()
        self.url = "http://127.0.0.1:%d/mcp" % self.port
        self.app = App(
            self.board, self.preferences, host="127.0.0.1", port=self.port, profile=profile, log=self.log
        )
        self.chat = self.app.chat

    async def __aenter__(self):
        assert await self.app.start(), self.app.server.error
        return self

    async def __aexit__(self, *error):
        await self.app.close()


async def until(check, ms=5000):
    """Wait until `check()` is true."""
    for _ in range(ms // 10):
        if check():
            return
        await asyncio.sleep_ms(10)
    raise AssertionError("it did not happen")
