"""A board's whole firmware in one heap, as `device.main` runs it: small_board.py PORT [PROFILE]

The stand-ins of MicroPython's hardware modules are in the same heap; what they take is printed.
"""

import asyncio
import gc
import sys


def _used():
    gc.collect()
    return gc.mem_alloc()


before = _used()
import time  # noqa: E402, F401

import esp32  # noqa: E402, F401
import machine  # noqa: E402, F401
import network  # noqa: E402, F401

print("stand-ins: %d" % (_used() - before))

import device  # noqa: E402
from app import App, make_board  # noqa: E402
from config import KEYS  # noqa: E402

TOKEN = "a-token-of-a-small-board"


class _Preferences:
    """What an owner of a Basic has set."""

    def __init__(self, profile):
        self._values = {
            "mcp.token": TOKEN,
            "profile": profile,
            "serial.mcp": False,
            "wifi.names": ["home"],
            "wifi.passwords": ["a-password"],
            "servo.enabled": True,
            "servo.kind": "pwm",
        }

    def get(self, key):
        return self._values.get(key, KEYS[key][1])

    def set(self, key, value):
        pass


async def main():
    gc.threshold(4096)
    preferences = _Preferences(sys.argv[2] if sys.argv[2:] else "core")
    app = App(make_board(preferences), preferences, host="127.0.0.1", port=int(sys.argv[1]))
    run = asyncio.create_task(device.Device(app, preferences).run())
    while app.server.status != "running":
        await asyncio.sleep_ms(50)
    print("in use: %d" % _used())
    print("listening on 127.0.0.1:%s" % sys.argv[1])
    await run
