"""Stands in for MicroPython's `time` on a virtual board: a sleep that blocks is the chips' time, and takes none of ours.

The ticks go on by what was slept.
"""

import utime
from board_pipe import tell
from utime import *

_slept_us = 0


def sleep_us(us):
    global _slept_us
    _slept_us += us
    tell(b"s", 0, us.to_bytes(4, "big"))


def sleep_ms(ms):
    sleep_us(ms * 1000)


def sleep(seconds):
    sleep_us(int(seconds * 1000000))


def ticks_us():
    return utime.ticks_add(utime.ticks_us(), _slept_us)


def ticks_ms():
    return utime.ticks_add(utime.ticks_ms(), _slept_us // 1000)
