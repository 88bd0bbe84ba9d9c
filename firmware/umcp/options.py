"""The options of a type, verified when it is built.  LocalError says which of them is wrong."""

try:
    from micropython import const
except ImportError:
    const = int

from .describe import keywords
from .errors import LocalError, Violation
from .kind import ABSENT

_UNBOUNDED = const(0x3FFFFFFF)  # of `String` and `Array`


def apply(kind, options):
    """Give a type its options, dict, which is used up."""
    enum = options.pop("enum", None)
    default = options.pop("default", ABSENT)
    own = [option for option, _ in keywords(kind)]
    limited = False
    for name, value in options.items():
        if name not in own and name not in ("title", "description", "optional", "nullable"):
            raise LocalError("%s has no option %s" % (type(kind).__name__, name))
        if value is not None:
            if name in ("title", "description") and not isinstance(value, str):
                raise LocalError("title, description: must be strings")
            setattr(kind, name, value)
            limited = limited or name in own
    if limited:
        _limit(kind)
    if enum is not None:
        kind.enum = _members(kind, enum)
    if default is not ABSENT:
        kind.default = _typed(kind, "default", default)
        kind.optional = True


def fresh(kind):
    """The default of a type, a container, for one call: the handler may change it."""
    return kind.check(_copy(kind.default))


def refuse_field(pair, names):
    """Say what is wrong with a field of an object."""
    if type(pair) in (tuple, list) and len(pair) == 2 and isinstance(pair[0], str) and pair[0] in names:
        raise LocalError("properties: a name comes twice")
    raise LocalError("properties: must be (name, type) pairs")


def _limit(kind):
    if kind.TYPE == "string":
        _verify_lengths("minLength", kind.min_length, "maxLength", kind.max_length)
        if kind.pattern is not None:
            from .pattern import compile, refusal

            kind._compiled = compile(kind.pattern)
            kind._refusals = (refusal,)
        if kind.format is not None:
            if kind.format != "uuid":
                raise LocalError("format: only uuid is checked")
            from .uuid import refusal

            kind._refusals += (refusal,)
    elif kind.TYPE == "array":
        _verify_lengths("minItems", kind.min_items, "maxItems", kind.max_items)
    elif kind.TYPE != "object":
        from .range import _refusals, verify

        verify(kind)
        kind._refusals = _refusals


def _verify_lengths(low_name, low, high_name, high):
    for name, limit in ((low_name, low), (high_name, high)):
        if type(limit) is not int or limit < 0:
            raise LocalError("%s: must be an integer from 0" % name)
    if high < low and high != _UNBOUNDED:
        raise LocalError("%s: is more than %s" % (low_name, high_name))


def _members(kind, enum):
    if not isinstance(enum, (list, tuple)):
        raise LocalError("enum: must be a list")
    members = tuple([_typed(kind, "enum", m) for m in enum if m is not None or not kind.nullable])
    if not members:
        raise LocalError("enum: must not be empty")
    if any(isinstance(m, (list, tuple, dict)) for m in members):
        raise LocalError("enum: takes strings, numbers, booleans and null only")
    return members


def _typed(kind, option, value):
    try:
        return kind.check(value, "", False)
    except Violation as e:
        raise LocalError("%s: %s%s" % (option, e.path + ": " if e.path else "", e.reason))


def _copy(value):
    # It shares no container with the value.
    if isinstance(value, dict):
        return {k: _copy(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_copy(v) for v in value]
    return value
