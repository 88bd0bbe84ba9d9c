"""What is said of a value that its type refuses, and the last try before: an enum's member in another case."""

from .characters import is_ascii
from .errors import Violation

try:
    from micropython import const
except ImportError:
    const = int

_SHOWN = const(120)


def within(path, name, e):
    """The Violation of an object for that of its field `name`."""
    return Violation(path + pointer(name) + e.path, e.reason)


def unknown(path, value, fields):
    """The Violation for the first field of a dict that is not in `fields`."""
    for name in value:
        if not any(name == known for known, _ in fields):
            return Violation(path + (pointer(name) if isinstance(name, str) else ""), "is not a known field")


def length(path, size, min, max, what):
    """The Violation for a length that is not from `min` to `max`.  what: str, of which there are so many."""
    text, limit = ("must have at least %d %s%s", min) if size < min else ("must have at most %d %s%s", max)
    return Violation(path, text % (limit, what, "" if limit == 1 else "s"))


def folded(members, value, path, coerce):
    """The only member of an enum that differs from the text `value` in ASCII case alone, or Violation."""
    if coerce and type(value) is str:
        # ASCII only: the interpreters fold other letters differently.
        if any(type(m) is str and len(m) == len(value) for m in members) and is_ascii(value):
            value = value.lower()
            found = [m for m in members if type(m) is str and is_ascii(m) and m.lower() == value]
            if len(found) == 1:
                return found[0]
    raise Violation(path, "must be one of " + _listed(members))


def pointer(name):
    """A field's part of a JSON pointer (RFC 6901), at most 64 characters of its name."""
    if len(name) > 64:
        name = name[:64] + "..."
    return "/" + name.replace("~", "~0").replace("/", "~1")


def _listed(members):
    out = ""
    for shown, m in enumerate(members):
        text = {None: "null", True: "true", False: "false"}[m] if m is None or type(m) is bool else str(m)
        if len(out) + len(text) > _SHOWN:
            return "%s... (%d in all)" % (out, len(members))
        out += ", " + text if shown else text
    return out
