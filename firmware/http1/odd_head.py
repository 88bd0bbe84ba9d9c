"""A head that is too long, which is no reason to refuse it if that is for its cookies, or that is malformed."""

from .cookie import Cookies
from .errors import HTTPError


def check(reader, end):
    """Make room in a long head, which ends at `end` or, if that is 0, has not ended yet; returns where it ends now.

    Raises HTTPError: 400 if `end` is negative, for a bare LF; 431 for a head that is too long all the same.
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


def _drop_cookies(reader, end):
    reader.cookies = reader.cookies or Cookies()
    # As in `_refusal`, for `drop` may refuse.
    reader.request.method = ""
    stop = end if end > 0 else reader.begun
    kept = reader.cookies.drop(reader.buf, stop, reader.begun)
    reader.begun -= stop - kept
    return kept if end > 0 else end


# Its answer is none to a HEAD: that was the request before.
def _refusal(reader, status, reason):
    reader.request.method = ""
    return HTTPError(status, reason, close=True)
