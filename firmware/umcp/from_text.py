"""Values of clients that send everything as text, or an inner array or object as its JSON text.

Each function takes a value that is not of the type itself, and returns what it stands for, or raises Violation.
"""

from .characters import is_ascii
from .errors import RemoteError, Violation

_MAX_TEXT = 32


def number(value, path, coerce):
    """An int or a float, which may be infinite."""
    value = _number(value) if coerce and type(value) is str else None
    if value is None:
        raise Violation(path, "must be a number")
    return value


def integer(value, path, coerce):
    """An int."""
    value = _number(value) if coerce and type(value) is str else None
    if type(value) is not int:
        raise Violation(path, "must be an integer")
    return value


def container(value, path, coerce, kind):
    """A `kind`: dict or list."""
    if coerce and type(value) is str and value[:1] == ("{" if kind is dict else "["):
        from .codec import loads

        try:
            value = loads(value.encode())
        except (RemoteError, ValueError):
            pass
    if not isinstance(value, kind):
        raise Violation(path, "must be an object" if kind is dict else "must be an array")
    return value


def _number(text):
    # A number of JSON (RFC 8259 section 6), else None. Stricter than int() and float(), which take spaces,
    # underscores and other scripts' digits on CPython.
    if len(text) > _MAX_TEXT or not is_ascii(text):
        return None
    mantissa, e, exponent = text.replace("E", "e").partition("e")
    whole, dot, part = mantissa.partition(".")
    if whole[:1] == "-":
        whole = whole[1:]
    if exponent[:1] in ("+", "-"):
        exponent = exponent[1:]
    if not whole.isdigit() or (whole[0] == "0" and whole != "0"):
        return None
    if (dot and not part.isdigit()) or (e and not exponent.isdigit()):
        return None
    return float(text) if dot or e else int(text)
