"""The whole app on a board that only remembers, as a module of a ROMFS image: see host_tests/from_rom.py.

Its arguments: PORT [core]. `core` leaves out what a robot can do without.
"""

import asyncio
import sys

from fake_board import Board

from app import App

TOKEN = "a-token-of-a-small-robot"


class _Preferences:
    def get(self, key):
        from config import KEYS

        return TOKEN if key == "mcp.token" else KEYS[key][1]

    def set(self, key, value):
        pass


async def main():
    port = int(sys.argv[1])
    app = App(
        Board(), _Preferences(), host="127.0.0.1", port=port, profile=sys.argv[2] if sys.argv[2:] else None
    )
    if not await app.start():
        raise OSError(app.server.error)
    print("listening on 127.0.0.1:%d" % port)
    while True:
        await asyncio.sleep(3600)
