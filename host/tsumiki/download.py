"""Fetch one file over HTTP."""

import sys
import urllib.error
import urllib.request

from .errors import Failed

LIMIT = 16 * 1024 * 1024
_TIMEOUT_S = 30
_CHUNK = 64 * 1024


def download(url, limit=LIMIT, timeout_s=_TIMEOUT_S, out=None):
    """The file's bytes; progress goes to `out` (default stdout).

    Raises `Failed` if there are more than `limit`, or fewer than were promised.
    """
    out = out or sys.stdout
    print("fetching %s" % url, file=out)
    try:
        with urllib.request.urlopen(url, timeout=timeout_s) as answer:
            return _read(answer, url, limit, out)
    except urllib.error.HTTPError as e:
        raise Failed(
            "%s: the server says %d; is the release there? FIRMWARE=file takes your own" % (url, e.code)
        )
    except (OSError, ValueError) as e:
        why = getattr(e, "reason", e)
        raise Failed(
            "%s: %s; without a network, fetch it elsewhere and name it: FIRMWARE=file" % (url, why)
        ) from None


def _read(answer, url, limit, out):
    total = int(answer.headers.get("Content-Length") or 0)
    if total > limit:
        raise Failed("%s has %d bytes, more than the %d of an image: wrong address?" % (url, total, limit))
    data, told = bytearray(), 0
    while part := answer.read(_CHUNK):
        data += part
        if len(data) > limit:
            raise Failed("%s is longer than the %d bytes of an image: wrong address?" % (url, limit))
        if total and len(data) * 10 // total > told:
            told = len(data) * 10 // total
            print("  %d %%" % (told * 10), file=out, flush=True)
    if len(data) < total:
        raise Failed("%s broke off after %d of %d bytes: try again" % (url, len(data), total))
    return bytes(data)
