"""The JSON files that a command is given: a fixture, a contract, rules, a report."""

from pathlib import Path

from .errors import Unreadable
from .exchanges import parse


class NoJson(Unreadable):
    """The file is there, and holds no JSON.  reason: str, without the file's name."""

    def __init__(self, path, reason):
        super().__init__("%s: %s" % (path, reason))
        self.reason = reason


def read(path):
    """The value in a file of UTF-8, which may begin with a byte order mark.  path: str or Path.

    Raises Unreadable, and `NoJson` for what `exchanges.parse` refuses.
    """
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except OSError as e:
        raise Unreadable("%s: %s" % (path, e.strerror)) from None
    except UnicodeDecodeError as e:
        raise NoJson(path, "no UTF-8 at byte %d" % e.start) from None
    try:
        return parse(text)
    except ValueError as e:
        raise NoJson(path, "no JSON: %s" % e) from None
