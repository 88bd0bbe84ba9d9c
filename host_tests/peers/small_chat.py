"""The whole app with a dialogue, on a board that only remembers: small_chat.py PORT MODEL-URL SERVER-URL SERVER-URL

As a module of a ROMFS image: see host_tests/from_rom.py. It talks by itself, and prints a line a turn, and how much
heap is in use. With `measure` behind the rest it tells of a robot without a dialogue first.
"""

import asyncio
import gc
import sys

from fake_board import Board

from app import App

TOKEN = "a-token-of-a-small-robot"
TURNS = 4


class _Preferences:
    def __init__(self, model, servers):
        self._given = {
            "mcp.token": TOKEN,
            "chat.model": "m",
            "chat.url": model,
            "servers.names": ["a", "b"],
            "servers.urls": servers,
            "servers.tokens": ["test-token", "test-token"],
        }

    def get(self, key):
        from config import KEYS

        return self._given[key] if key in self._given else KEYS[key][1]

    def set(self, key, value):
        pass


def _told(what):
    gc.collect()
    print("heap:", what, gc.mem_alloc())


def _without():
    preferences = _Preferences("", [])
    preferences._given = {"mcp.token": TOKEN}
    app = App(Board(), preferences, host="127.0.0.1", port=1)
    _told("without")
    return app


async def main():
    port, model, *servers = sys.argv[1:]
    if servers[2:]:
        _without()
    app = App(Board(), _Preferences(model, servers[:2]), host="127.0.0.1", port=int(port))
    if not await app.start():
        raise OSError(app.server.error)
    print("listening on 127.0.0.1:%s" % port)
    while [told["tools"] for told in app.chat.servers.state().values()] != [14, 14]:
        await asyncio.sleep_ms(50)
    _told("connected")
    for _ in range(TURNS):
        reply = await app.chat.post("Do something")
        print("turn:", reply.ok, reply.text or reply.detail, reply.calls, len(reply.refusals))
        _told("talked")
    print("done:", len(app.chat.dialogue.tools))
    while True:
        await asyncio.sleep(3600)
