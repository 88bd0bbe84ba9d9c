"""What firmware/main.py runs on a board, but for its port and its folder: on_device.py PORT FOLDER"""

import asyncio
import sys

from board_pipe import call

from app import App, log, make_board
from config import Preferences
from device import Boots, Device


async def main(port, home):
    preferences = Preferences(home + "/config.json", log)
    board = make_board(preferences)
    call(0, "booted")
    app = App(board, preferences, host="127.0.0.1", port=port)
    task = asyncio.create_task(Device(app, preferences, boots=Boots(home + "/boots.txt")).run())
    while not app.server.listening:
        await asyncio.sleep_ms(10)
    print("listening on 127.0.0.1:%d" % port)
    await task


asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
