"""What all types share: options, their JSON Schema, enums, and JSON pointers.  The types are in `types.py`.

An option that is not given stays a class attribute, so that an instance holds only what it was told: the types
of twelve tools must fit an ESP32. A type is checked when it is built (LocalError), never during a call.
"""

from .errors import LocalError, Violation

try:
    from collections import OrderedDict as ordered

    import micropython  # noqa: F401  A plain dict keeps its order on CPython only.
except ImportError:
    ordered = dict

ABSENT = object()  # The default of a type that has none; None is a default.

_COMMON = ("title", "description", "default", "optional", "nullable", "enum")
_SHOWN = 120


class Kind:
    """The base of all types.

    Options of each: title, description: str.  default: a value of the type, which makes it optional too.
    optional: bool, may be missing from its object.  nullable: bool, None (null) is taken too.
    enum: tuple of the scalars that are taken.
    """

    title = description = enum = loaded = None
    optional = nullable = False
    default = ABSENT
    # Of each type: its JSON Schema name, and (option, keyword) pairs of what it can be told.
    TYPE = None
    KEYWORDS = ()

    def __init__(self, **options):
        enum = options.pop("enum", None)
        default = options.pop("default", ABSENT)
        for name, value in options.items():
            if name not in _COMMON and not any(name == option for option, _ in self.KEYWORDS):
                raise LocalError("%s has no option %s" % (type(self).__name__, name))
            if value is not None:
                setattr(self, name, value)
        for text in (self.title, self.description):
            if text is not None and not isinstance(text, str):
                raise LocalError("title, description: must be strings")
        self._verify()
        if enum is not None:
            self.enum = self._members(enum)
        if default is not ABSENT:
            self.default = self._typed("default", default)
            self.optional = True

    def check(self, value, path="", coerce=True):
        """The checked value, of a new container where it is one.

        path: str, the JSON pointer of the value, for errors.
        coerce: bool, True takes "12" for 12 where that is unambiguous, and fills in defaults.
        Raises Violation with the pointer of what is wrong, and a reason that never shows the value.
        """
        if self.enum is not None and not (value is None and self.nullable):
            return self._member(value, path, coerce)
        return value

    def schema(self):
        """The type as JSON Schema 2020-12; for a type from `schema.load`, the dict that it was loaded from.

        A dict on CPython, an OrderedDict on MicroPython: fields are listed in declared order on both.
        """
        if self.loaded is not None:
            return self.loaded
        out = ordered()
        if self.TYPE:
            out["type"] = [self.TYPE, "null"] if self.nullable else self.TYPE
        for name in ("title", "description"):
            if getattr(self, name) is not None:
                out[name] = getattr(self, name)
        self._describe(out)
        if self.enum is not None:
            out["enum"] = list(self.enum) + ([None] if self.nullable and None not in self.enum else [])
        if self.default is not ABSENT:
            out["default"] = self.default
        return out

    def fresh_default(self):
        """The default, for one call: the handler may change it."""
        if isinstance(self.default, (dict, list, tuple)):
            return self.check(copy(self.default))
        return self.default

    def _describe(self, out):
        for option, keyword in self.KEYWORDS:
            value = getattr(self, option)
            if value is not None:
                out[keyword] = value

    def _verify(self):
        pass

    def _typed(self, option, value):
        try:
            return self.check(value, "", False)
        except Violation as e:
            raise LocalError("%s: %s%s" % (option, e.path + ": " if e.path else "", e.reason))

    def _members(self, enum):
        if not isinstance(enum, (list, tuple)):
            raise LocalError("enum: must be a list")
        members = tuple([self._typed("enum", m) for m in enum if m is not None or not self.nullable])
        if not members:
            raise LocalError("enum: must not be empty")
        if any(isinstance(m, (list, tuple, dict)) for m in members):
            raise LocalError("enum: takes strings, numbers, booleans and null only")
        return members

    def _member(self, value, path, coerce):
        for m in self.enum:
            if m == value and same_kind(m, value):
                return m
        if coerce and type(value) is str:
            found = self._folded(value)
            if len(found) == 1:
                return found[0]
        raise Violation(path, "must be one of " + _listed(self.enum))

    def _folded(self, value):
        # ASCII only: the interpreters fold other letters differently.
        if not any(type(m) is str and len(m) == len(value) for m in self.enum) or not _ascii(value):
            return ()
        value = value.lower()
        return [m for m in self.enum if type(m) is str and _ascii(m) and m.lower() == value]


def same_kind(a, b):
    """Whether JSON could call two equal values the same: true is not 1."""
    return isinstance(a, bool) == isinstance(b, bool)


def copy(value):
    """A copy of a JSON value that shares no container with it."""
    if isinstance(value, dict):
        return {k: copy(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [copy(v) for v in value]
    return value


def pointer(name):
    """A field's part of a JSON pointer (RFC 6901), at most 64 characters of its name."""
    if len(name) > 64:
        name = name[:64] + "..."
    return "/" + name.replace("~", "~0").replace("/", "~1")


def counted(number, noun):
    """`1 item`, `2 items`."""
    return "%d %s%s" % (number, noun, "" if number == 1 else "s")


def is_length(value):
    """Whether a value can be a bound of a length: None, or an int from 0."""
    return value is None or (type(value) is int and value >= 0)


def _ascii(text):
    return all(c < "\x80" for c in text)


def _listed(members):
    out = ""
    for shown, m in enumerate(members):
        text = {None: "null", True: "true", False: "false"}[m] if m is None or type(m) is bool else str(m)
        if len(out) + len(text) > _SHOWN:
            return "%s... (%d in all)" % (out, len(members))
        out += ", " + text if shown else text
    return out
