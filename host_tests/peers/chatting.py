"""A dialogue of the robot under MicroPython with a provider outside: chatting.py PROVIDER URL MODEL CA SAID ...

Prints a line of JSON a turn, each a dialogue of its own: whether it went well, the text or the reason, the refusals,
and the tools that were called.
CA is a file, or "-". The robot offers two tools, unless TSUMIKI_TOOLS names others.
"""

import asyncio
import json
import os
import sys
import time

sys.path.append(__file__.rsplit("/", 1)[0] + "/..")
sys.path.append(__file__.rsplit("/", 1)[0] + "/../chat")

from robots import Log, Stepped, robot_of

from chat.dialogue import Dialogue
from chat.local_tools import create_local_chat_tools
from chat.model import Model
from chat.servers import read_ca

TOOLS = "set_emotion move_head"


async def main(provider, url, name, ca, *said):
    robot = robot_of(robot__tools=(os.getenv("TSUMIKI_TOOLS") or TOOLS).split())
    log = Log()
    ca = None if ca == "-" else read_ca(ca)
    model = Model(provider, name, url, "sk-robot", ca, lambda: time.gmtime()[0] > 2020)
    dialogue = Dialogue(model, create_local_chat_tools(robot, log), "You are a robot.", log=log)
    async with Stepped(robot):
        for text in said:
            called = len(robot.calls)
            reply = await dialogue.post(text)
            calls = [call[1] for call in robot.calls[called:]]
            told = reply.ok, reply.text if reply.ok else reply.detail, reply.refusals, calls
            print("@" + json.dumps(told))
            dialogue.clear()


asyncio.run(main(*sys.argv[1:]))
