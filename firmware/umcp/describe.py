"""The JSON Schema of a type, and which keyword is which option."""

from .kind import ABSENT

try:
    from collections import OrderedDict as ordered

    import micropython  # noqa: F401  A plain dict keeps its order on CPython only.
except ImportError:
    ordered = dict


# In the order in which they are listed. A type has the options that are attributes of its class.
_KEYWORDS = (
    "min=minimum above=exclusiveMinimum max=maximum below=exclusiveMaximum multiple_of=multipleOf "
    "min_length=minLength max_length=maxLength pattern=pattern format=format "
    "min_items=minItems max_items=maxItems extra=additionalProperties"
)


def keywords(kind):
    """The (option, keyword) pairs of a type or its class, without those that all types have."""
    pairs = [pair.split("=") for pair in _KEYWORDS.split()]
    return [pair for pair in pairs if hasattr(kind, pair[0])]


def describe(kind):
    """The schema, dict or OrderedDict, of a type that was not loaded from one."""
    told = kind.__dict__
    out = ordered()
    if kind.TYPE:
        out["type"] = [kind.TYPE, "null"] if kind.nullable else kind.TYPE
    for name in ("title", "description"):
        if name in told:
            out[name] = told[name]
    if kind.TYPE == "object":
        _describe_fields(kind, out)
    else:
        if told.get("_items") is not None:
            out["items"] = told["_items"].schema()
        for option, keyword in keywords(kind):
            if option in told:
                out[keyword] = told[option]
    if kind.enum is not None:
        out["enum"] = list(kind.enum) + ([None] if kind.nullable and None not in kind.enum else [])
    if kind.default is not ABSENT:
        out["default"] = kind.default
    return out


def _describe_fields(kind, out):
    fields = out["properties"] = ordered()
    required = []
    for name, field in kind.fields:
        fields[name] = field.schema()
        if not field.optional:
            required.append(name)
    if required:
        out["required"] = required
    # Allowed is JSON Schema's own default.
    if not kind.extra:
        out["additionalProperties"] = False
