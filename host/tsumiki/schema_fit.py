"""Is what a contract writes of a schema still in it? Only what is written is looked at.

`type` and `enum`: all that is written must still be allowed. `required`: exactly those. `properties` and `items`: the
same of each. Every other keyword: the same value.
"""

from .schema_diff import branches, required, resolved, same, shown, types


def misfits(pinned, schema, path="", root=None):
    """list of (path, text).  pinned, schema: dicts."""
    root = schema if root is None else root
    if any(key in pinned for key in ("anyOf", "oneOf")):
        return _plain(pinned, resolved(schema, root), path, root)
    tried = [_plain(pinned, one, path, root) for one in branches(schema, root)]
    return min(tried, key=len)


def _plain(pinned, schema, path, root):
    wrong = []
    for key, value in pinned.items():
        look = _KEYWORDS.get(key, _other)
        wrong += look(key, value, schema, path, root)
    return wrong


def _type(key, value, schema, path, root):
    lost = types({"type": value}) - types(schema)
    return [(path + "/type", "%s is no longer allowed" % " or ".join(sorted(lost)))] if lost else []


def _enum(key, value, schema, path, root):
    now = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if not isinstance(now, list):
        return []
    lost = [one for one in value if not any(same(one, other) for other in now)]
    return [(path + "/enum", "no longer allowed: %s" % ", ".join(shown(one) for one in lost))] if lost else []


def _required(key, value, schema, path, root):
    now = required(schema)
    wrong = [(path + "/required", "%s is no longer required" % name) for name in value if name not in now]
    return wrong + [(path + "/required", "%s is required now" % name) for name in now if name not in value]


def _properties(key, value, schema, path, root):
    now = schema.get("properties")
    wrong = []
    for name, one in value.items():
        at = "%s/properties/%s" % (path, name)
        if not isinstance(now, dict) or name not in now:
            wrong.append((at, "%s is gone" % name))
        elif isinstance(one, dict):
            wrong += misfits(one, now[name], at, root)
    return wrong


def _items(key, value, schema, path, root):
    now = schema.get("items")
    if not isinstance(now, dict) or not isinstance(value, dict):
        return _other(key, value, schema, path, root)
    return misfits(value, now, path + "/items", root)


def _other(key, value, schema, path, root):
    if key in schema and same(schema[key], value):
        return []
    now = shown(schema[key]) if key in schema else "not there"
    return [(path + "/" + key, "%s is wanted, it is %s" % (shown(value), now))]


_KEYWORDS = {
    "type": _type,
    "enum": _enum,
    "required": _required,
    "properties": _properties,
    "items": _items,
}
