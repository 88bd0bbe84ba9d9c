"""A value that a JSON Schema takes: small, always the same, made without any chance.

What cannot be found out is left simple: of a combination the first branch, of a pattern the shortest text. A checker
tells where that does not conform (`tsumiki check`, FX012).
"""

from umcp.errors import LocalError

from .texts import text

try:
    from micropython import const
except ImportError:
    const = int

_MAX_DEPTH = const(12)
_MAX_ITEMS = const(64)


def example(schema, root=None, depth=0, turn=0):
    """A JSON value for a schema.

    schema: dict or bool.  root: dict, the document that `$ref` looks in.  turn: int, which of several that differ.
    """
    if root is None:
        root = schema
    if type(schema) is not dict or depth > _MAX_DEPTH:
        return None
    schema = _flat(schema, root, depth)
    for name, several in (("const", False), ("enum", True), ("default", False), ("examples", True)):
        if name in schema:
            value = schema[name]
            if not several:
                return value
            if type(value) is list and value:
                return value[turn % len(value)]
    make = _MAKERS.get(_type(schema))
    return make(schema, root, depth, turn) if make else None


def _type(schema):
    given = schema.get("type")
    if type(given) is list:
        others = [name for name in given if name != "null"]
        given = others[0] if others else "null"
    if given is None:
        for word, name in (
            ("properties", "object"),
            ("items", "array"),
            ("pattern", "string"),
            ("minimum", "number"),
        ):
            if word in schema:
                return name
        return "string"
    return given


# The schema without references and combinations.
def _flat(schema, root, depth):
    for _ in range(_MAX_DEPTH):
        more = []
        if type(schema.get("$ref")) is str:
            more.append(_referred(schema["$ref"], root))
        if type(schema.get("allOf")) is list:
            more.extend(schema["allOf"])
        for word in ("anyOf", "oneOf"):
            if type(schema.get(word)) is list and schema[word]:
                more.append(schema[word][0])
        if not more:
            break
        flat = {k: v for k, v in schema.items() if k not in ("$ref", "allOf", "anyOf", "oneOf")}
        for one in more:
            if type(one) is dict:
                _merge(flat, one)
        schema = flat
    return schema


def _merge(flat, one):
    for name, value in one.items():
        if name == "properties" and type(value) is dict and type(flat.get(name)) is dict:
            both = flat[name].copy()
            both.update(value)
            flat[name] = both
        elif name == "required" and type(value) is list and type(flat.get(name)) is list:
            flat[name] = flat[name] + value
        elif name not in flat:
            flat[name] = value


# Within the document only.
def _referred(reference, root):
    found = root
    if not reference.startswith("#"):
        return None
    for part in reference[1:].split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if type(found) is not dict or name not in found:
            return None
        found = found[name]
    return found


def _object(schema, root, depth, turn):
    properties = schema.get("properties")
    properties = properties if type(properties) is dict else {}
    required = schema.get("required")
    value = {}
    for name in required if type(required) is list else ():
        if type(name) is str:
            value[name] = example(properties[name], root, depth + 1, turn) if name in properties else "stub"
    return value


def _array(schema, root, depth, turn):
    first = schema.get("prefixItems")
    first = first if type(first) is list else []
    size = min(_MAX_ITEMS, _whole(schema, "minItems", 0))
    unique = schema.get("uniqueItems") is True
    value = []
    for i in range(size):
        one = first[i] if i < len(first) else schema.get("items", {})
        value.append(example(one if one is not True else {}, root, depth + 1, i if unique else 0))
    return value


def _string(schema, root, depth, turn):
    try:
        return text(schema, _whole(schema, "minLength", 0), _whole(schema, "maxLength", 1024), turn)
    except LocalError:  # a pattern that is not supported
        return "stub"


def _integer(schema, root, depth, turn):
    step = _whole(schema, "multipleOf", 1) or 1
    low, high = _bounds(schema)
    if low is not None:
        start = _ceil(low)
        if start == low and schema.get("exclusiveMinimum") == low:
            start += 1
        if start <= 0 and (high is None or high > 0):
            start = 0
        return (start + step - 1) // step * step + turn * step
    if high is not None and high <= 0:
        start = -_ceil(-high)
        if start == high and schema.get("exclusiveMaximum") == high:
            start -= 1
        return start // step * step - turn * step
    return turn * step


def _number(schema, root, depth, turn):
    step = schema.get("multipleOf")
    if type(step) is int or step is None:
        value = _integer(schema, root, depth, turn)
        if _inside(schema, value):
            return value
    low, high = _bounds(schema)
    if type(step) is float and step > 0 and low is not None:
        return (_ceil(low / step) + (1 if low == schema.get("exclusiveMinimum") else 0)) * step
    return (low + high) / 2 if low is not None and high is not None else 0


def _inside(schema, value):
    low, high = _bounds(schema)
    above = low is None or value > low or (value == low and schema.get("exclusiveMinimum") != low)
    return above and (
        high is None or value < high or (value == high and schema.get("exclusiveMaximum") != high)
    )


# The narrowest of the limits, inclusive or not; None for no limit.
def _bounds(schema):
    lows = [schema[k] for k in ("minimum", "exclusiveMinimum") if type(schema.get(k)) in (int, float)]
    highs = [schema[k] for k in ("maximum", "exclusiveMaximum") if type(schema.get(k)) in (int, float)]
    return max(lows) if lows else None, min(highs) if highs else None


def _ceil(value):
    whole = int(value)
    return whole + 1 if whole < value else whole


def _whole(schema, name, default):
    value = schema.get(name)
    return value if type(value) is int and value >= 0 else default


_MAKERS = {
    "object": _object,
    "array": _array,
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": lambda *rest: False,
}
