"""Stands in for MicroPython's `time` on a virtual board: a sleep that blocks takes the chips' time, and none of ours.

The ticks go on by what was slept. Who looks at them is interrupted, as anybody is on a board, by what is `due`.
"""

import utime
from board_pipe import tell
from utime import gmtime, localtime, mktime, ticks_add, ticks_cpu, ticks_diff, time, time_ns  # noqa: F401

due = []  # (ms, by `ticks_ms`; function of that)
_slept_us = [0]
_busy = []
_MOST = 100  # at one look


def sleep_us(us):
    _slept_us[0] += us
    tell(b"s", 0, us.to_bytes(4, "big"))


def sleep_ms(ms):
    sleep_us(ms * 1000)


def sleep(seconds):
    sleep_us(int(seconds * 1000000))


def ticks_us():
    return utime.ticks_add(utime.ticks_us(), _slept_us[0])


def ticks_ms():
    now_ms = utime.ticks_add(utime.ticks_ms(), _slept_us[0] // 1000)
    if due and not _busy:
        _busy.append(True)
        for _ in range(_MOST):
            if not due or ticks_diff(now_ms, due[0][0]) < 0:
                break
            at_ms, act = due.pop(0)
            act(at_ms)
        _busy.pop()
    return now_ms
