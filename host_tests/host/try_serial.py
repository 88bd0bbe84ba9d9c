"""A server on the process's own console as a board has it, under MicroPython: try_serial.py dummy|robot FOLDER [PORT]

Beside the tools of the dummy server or the robot there are a few for the tests; FOLDER/called counts `move`.
"""

import asyncio
import sys

sys.path.insert(0, __file__.rsplit("/", 3)[0] + "/examples")

from moves import offer

import app
from mcpserver import McpServer
from net.serial import Serial
from umcp import VERSION


async def dummy(folder):
    from dummy_tools import tools

    serial = Serial(app.log)
    server = McpServer("tsumiki-dummy", VERSION, tools(), log=serial.log, token="x", test_token=True)
    if folder != "-":
        offer(server, folder, serial.log)
    print("tsumiki %s: MCP on this line" % VERSION)
    while await serial.begun():
        await server.serve_lines(serial, serial, True)


async def robot(folder):
    from boards.unix.board import Board

    from config import Preferences

    preferences = Preferences(folder + "/config.json", app.log)
    one = app.App(Board(), preferences, host="127.0.0.1", port=int(sys.argv[3]), serial=True)
    offer(one.server, folder, one._log)
    assert await one.start(), one.server.error
    while True:
        await asyncio.sleep(3600)


asyncio.run({"dummy": dummy, "robot": robot}[sys.argv[1]](sys.argv[2]))
