"""What few heads have: empty lines before them, a bare LF, cookies, or more bytes than a head may have.

Nothing here reads cookies. A browser's may be longer than a whole head, so they are dropped as they arrive. Only the
value goes; the line stays, and whatever ends a value early (a NUL, a bare LF) stays for the check of fields.
"""

from .errors import HTTPError

try:
    from .scan_viper import value_end
except (ImportError, SyntaxError, ValueError):  # as in fields.py
    from .scan import value_end

MAX_COOKIES = 16384  # bytes that are dropped from one head

_NAME = b"\r\ncookie:"


def skip_empty_lines(reader):
    """Drop the empty lines at the start of a `Reader`'s buffer (RFC 9112 section 2.2)."""
    reader.stop = 0
    while reader.stop + 1 < reader.begun and reader.buf[reader.stop : reader.stop + 2] == b"\r\n":
        reader.stop += 2
    reader.done()


def check(reader, end):
    """Make room in a long head, which ends at `end` or, if that is 0, has not ended yet; returns where it ends now.

    Raises HTTPError: 400 if `end` is negative, for a bare LF; 431 for a head that is too long without its cookies too,
    or for too many of them.
    """
    if (
        reader.cookies
        or (not end and reader.begun == len(reader.buf))
        or (end or reader.begun) > reader.max_head
    ):
        end = _drop_cookies(reader, end)
    if end < 0:
        raise _refusal(reader, 400, "lines end with CR LF")
    if (end or reader.begun) > reader.max_head:
        raise _refusal(reader, 431, "the head may have %d bytes" % reader.max_head)
    return end


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


def _drop_cookies(reader, end):
    reader.cookies = reader.cookies or Cookies()
    # As in `_refusal`, for `drop` may refuse.
    _forget(reader)
    stop = end if end > 0 else reader.begun
    kept = reader.cookies.drop(reader.buf, stop, reader.begun)
    reader.begun -= stop - kept
    return kept if end > 0 else end


# Its answer is none to a HEAD, nor to a page: those were the request before.
def _refusal(reader, status, reason):
    _forget(reader)
    return HTTPError(status, reason, close=True)


def _forget(reader):
    # The head before must be parsed if it comes again, for `Repeat` would find it without what is forgotten here.
    reader.repeat.size = 0
    reader.request.method = ""
    reader.request.cors = b""
