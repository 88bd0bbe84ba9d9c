"""Cookies, which nothing here reads: a browser's may be longer than a whole head, so they are dropped as they arrive.

Only the value goes; the line stays, and whatever ends a value early (a NUL, a bare LF) stays for the check of fields.
"""

from .errors import HTTPError

try:
    from .scan_viper import value_end
except (ImportError, SyntaxError, ValueError):  # as in fields.py
    from .scan import value_end

MAX_COOKIES = 16384  # bytes that are dropped from one head

_NAME = b"\r\ncookie:"


class Cookies:
    """Those of one head."""

    def __init__(self):
        self._left = MAX_COOKIES

    def drop(self, buf, end, used):
        """Drop what has arrived of the values in buf[:end], and move buf[end:used] down; returns the new `end`.

        Raises HTTPError 431 for too many of them.
        """
        at = _next(buf, 0, end)
        while at:
            stop = value_end(buf, at, end)
            buf[at : used - (stop - at)] = buf[stop:used]
            used -= stop - at
            end -= stop - at
            self._left -= stop - at
            if self._left < 0:
                raise HTTPError(431, "cookies may have %d bytes" % MAX_COOKIES, close=True)
            at = _next(buf, at, end)
        return end


# Where the value of the next Cookie line starts, or 0.
def _next(buf, start, end):
    found = bytes(memoryview(buf)[start:end]).lower().find(_NAME)
    return start + found + len(_NAME) if found >= 0 else 0
