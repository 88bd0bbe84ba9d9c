"""Boots that failed, boots that did not, and what a safe start leaves alone."""

import os

from ram_flash import Flash
from test_device import Kept, Radio, Soc, World

import device as module
from device import Boots
from harness import eq


class made_up:
    @staticmethod
    def run():
        pass


class Interrupted:
    @staticmethod
    def run(work):
        raise KeyboardInterrupt


def test_boots_that_did_not_last_are_counted():
    flash = Flash()
    os.VfsLfs2.mkfs(flash)
    os.mount(os.VfsLfs2(flash), "/flash")
    try:
        eq([Boots("/flash/boots.txt").begin() for _ in range(4)], [0, 1, 2, 3])
        Boots("/flash/boots.txt").lasted()
        eq(Boots("/flash/boots.txt").begin(), 0)
        with open("/flash/boots.txt", "w") as f:
            f.write("what?")
        eq(Boots("/flash/boots.txt").begin(), 0)
        eq(Boots("/nowhere/boots.txt").begin(), 0)
    finally:
        os.umount("/flash")


async def test_a_restart_that_somebody_wants_is_no_failed_boot():
    soc = Soc(Radio())
    async with World(soc, safe=True) as run:
        run.boots.count = 4
        run.device._restart()
        eq((run.boots.count, soc.resets), (0, 1))


def test_a_safe_start_has_a_board_by_itself_and_after_five_none():
    made = []
    before = module.make_board
    module.make_board = lambda preferences: made.append(preferences) or "board"
    try:
        preferences = Kept(servo__enabled=True, board__leds=10)
        eq(module._board(preferences, False, 0), "board")
        eq(made.pop(), preferences)
        eq(module._board(preferences, True, 3), "board")
        eq((made[0].get("servo.enabled"), made.pop().get("board.leds")), (False, None))
        board = module._board(preferences, True, 5)
        eq((made, board.display, board.servos), ([], None, None))
        assert "safe mode" in board.missing["board"]
    finally:
        module.make_board = before


def test_ctrl_c_is_no_failed_boot():
    flash = Flash()
    os.VfsLfs2.mkfs(flash)
    os.mount(os.VfsLfs2(flash), "/flash")
    path = "/flash/boots.txt"
    saved = (module.App, module.Device, module.Boots, module.asyncio, module.Preferences)
    module.App = lambda *given, **options: None
    module.Device = lambda *given: made_up
    module.Boots = lambda: Boots(path)
    module.Preferences = lambda log: Kept()
    module.asyncio = Interrupted
    try:
        for _ in range(4):
            try:
                module.main()
            except KeyboardInterrupt:
                continue
            raise AssertionError("it goes on")
        eq(Boots(path).begin(), 0)
    finally:
        module.App, module.Device, module.Boots, module.asyncio, module.Preferences = saved
        os.umount("/flash")
