"""A line of a cassette, and what it may hold: whoever plays it puts some of it on the wire."""

from dataclasses import dataclass

from .errors import Unreadable

C2S = "c2s"
S2C = "s2c"


# What goes into a head of HTTP must not end its line.
def _is_field(value):
    return isinstance(value, str) and value.isascii() and value.isprintable()


def _is_number(value):
    return type(value) in (int, float) and 0 <= value <= _MOST


def _is_pointer(value):
    return isinstance(value, str) and (not value or value.startswith("/"))


_MOST = 1 << 53
# member -> (what it must be, whether it is)
_HTTP = {
    "status": ("a status", lambda value: type(value) is int and 100 <= value <= 599),
    "type": ("a line of ASCII", _is_field),
    "retryAfter": ("a line of ASCII", lambda value: type(value) is int or _is_field(value)),
    "authenticate": ("a line of ASCII", _is_field),
}
_ROW = {
    "seq": ("an integer", lambda value: type(value) is int),
    "t": ("a number from 0", _is_number),
    "ex": ("an integer", lambda value: type(value) is int),
    "http": ("an object", lambda value: isinstance(value, dict)),
    "redacted": (
        "an array of JSON pointers",
        lambda value: isinstance(value, list) and all(map(_is_pointer, value)),
    ),
    "scenario": ("a text", lambda value: isinstance(value, str)),
}
_HEADER = {
    **dict.fromkeys(
        ("server", "scenario", "transport", "era", "protocolVersion", "recordedAt"),
        ("a text", lambda value: isinstance(value, str)),
    ),
    "redaction": ("an object", lambda value: isinstance(value, dict)),
}
_REDACTION = {"count": ("a number from 0", lambda value: type(value) is int and value >= 0)}


@dataclass(slots=True)
class Row:
    """direction: "c2s" or "s2c".  raw: str.  The others are None where the line does not have them.

    section: int, counts the headers before it.  line: int, its line in the file, from 1.
    """

    direction: str
    raw: str
    seq: int = None
    t: float = None
    ex: int = None
    http: dict = None
    redacted: list = None
    scenario: str = None
    section: int = 0
    line: int = 0

    @property
    def data(self):
        """The message's bytes as they were sent."""
        return self.raw.encode("utf-8", "surrogateescape")

    def as_dict(self):
        """What the line holds."""
        found = {"direction": self.direction, "raw": self.raw}
        for name in _ROW:
            value = getattr(self, name)
            if value is not None:
                found[name] = value
        return found


def row_of(value, where, section, line):
    """The `Row` of a line's JSON value.  where: str, for people.  Raises Unreadable for what is none."""
    if not isinstance(value, dict) or value.get("direction") not in (C2S, S2C):
        raise Unreadable('%s: no row of a cassette: {"direction": "c2s" or "s2c", "raw": "..."}' % where)
    if not isinstance(value.get("raw"), str):
        raise Unreadable("%s: raw is no string" % where)
    if not _has_bytes(value["raw"]):
        raise Unreadable("%s: raw has half a character in it" % where)
    _look(value, _ROW, where)
    _look(value.get("http") or {}, _HTTP, where + ": http")
    row = Row(value["direction"], value["raw"], section=section, line=line)
    for name in _ROW:
        setattr(row, name, value.get(name))
    return row


def header_of(value, where):
    """A header as it is.  value: dict.  Raises Unreadable for members of other types."""
    _look(value, _HEADER, where)
    _look(value.get("redaction") or {}, _REDACTION, where + ": redaction")
    return value


def _has_bytes(raw):
    try:
        raw.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def _look(value, members, where):
    for name, (what, holds) in members.items():
        if value.get(name) is not None and not holds(value[name]):
            raise Unreadable("%s: %s must be %s" % (where, name, what))
