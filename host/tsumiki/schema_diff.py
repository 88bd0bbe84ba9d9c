"""Two JSON Schemas of one thing: what has changed, and whom it breaks.

Of arguments, whatever was accepted must stay so; of a result, whatever was promised must. What cannot be compared
member by member (`not`, `if`, patterns of names) counts as breaking when it has changed at all.
"""

import copy
import json
from dataclasses import dataclass

from stub.canon import canon

BREAKING = "breaking"
ROUTING = "routing"
INFO = "info"
LEVELS = (BREAKING, ROUTING, INFO)

# What a change of each kind is worth: in arguments, in results.
_WORTH = {
    "type-changed": (BREAKING, BREAKING),
    "type-narrowed": (BREAKING, INFO),
    "type-widened": (INFO, BREAKING),
    "enum-narrowed": (BREAKING, INFO),
    "enum-widened": (INFO, BREAKING),
    "limit-tightened": (BREAKING, INFO),
    "limit-loosened": (INFO, INFO),
    "limit-changed": (BREAKING, BREAKING),
    "closed": (BREAKING, INFO),
    "opened": (INFO, INFO),
    "removed-refused": (BREAKING, BREAKING),
    "removed": (INFO, BREAKING),
    "added": (INFO, INFO),
    "added-required": (BREAKING, INFO),
    "required-gained": (BREAKING, INFO),
    "required-lost": (ROUTING, BREAKING),  # the model is told no more that it has to
    "alternative-lost": (BREAKING, INFO),
    "alternative-gained": (INFO, BREAKING),
    "words": (ROUTING, INFO),
    "hint": (INFO, INFO),
    "incomparable": (BREAKING, BREAKING),
}
_SIDES = ("arguments", "result")

_LOWER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_UPPER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_EXACT = ("pattern", "format", "multipleOf", "uniqueItems")
_WORDS = ("title", "description")
_HINTS = (
    "default",
    "examples",
    "deprecated",
    "$comment",
    "readOnly",
    "writeOnly",
    "$schema",
    "$id",
    "x-mcp-header",
)
_LOOKED_AT = (
    *_LOWER, *_UPPER, *_EXACT, *_WORDS, *_HINTS, "type", "enum", "const", "properties", "required", "items",
    "additionalProperties", "anyOf", "oneOf", "$ref", "$defs", "definitions", "nullable",
)  # fmt: skip
_MOST_PAIRS = 5000  # of schemas within schemas; a long one counts as several
_CHARACTERS = 4096
_MOST_BRANCHES = 64
_TYPES = frozenset(("null", "boolean", "integer", "number", "string", "array", "object"))


@dataclass(frozen=True)
class Change:
    """level: breaking, routing or info.  kind: a short stable word.  path: str, of what has changed.  text: str."""

    level: str
    kind: str
    path: str
    text: str

    def as_dict(self):
        return {"level": self.level, "kind": self.kind, "path": self.path, "message": self.text}


def compare(old, new, path, side="arguments"):
    """The changes from one schema to another: list of Change.  old, new: dict.  side: arguments or result."""
    found = _Comparison(old, new, _SIDES.index(side))
    found.schemas(old, new, path)
    return found.changes


def same(a, b):
    """True if two JSON values are equal: 1 is 1.0, and no boolean."""
    return canon(a) == canon(b)


def shown(value):
    """A JSON value for a line of text."""
    text = canon(value).decode("utf-8", "replace")
    return text if len(text) <= 80 else text[:77] + "..."


class _Comparison:
    def __init__(self, old, new, side):
        self.changes = []
        self._roots = old, new
        self._one_root = _text(old) == _text(new)
        self._side = side
        self._within = set()  # pairs that are being compared, as JSON: a schema may lead to itself
        self._left = [_MOST_PAIRS]

    def note(self, kind, path, text):
        self.changes.append(Change(_WORTH[kind][self._side], kind, path, text))

    def schemas(self, old, new, path):
        if self._left[0] <= 0:
            return self.note("incomparable", path, "too large to be compared")
        if (self._one_root or not (_has_ref(old) or _has_ref(new))) and _text(old) == _text(new):
            return
        pair = tuple(_key(*one) for one in zip((old, new), self._roots))
        self._left[0] -= 1 + (len(pair[0]) + len(pair[1])) // _CHARACTERS
        if pair in self._within:
            return
        before = self._within
        self._within = before | {pair}
        self._members(old, new, path)
        self._within = before

    def _members(self, old, new, path):
        was, now = (branches(*pair) for pair in zip((old, new), self._roots))
        if len(was) > 1 or len(now) > 1:
            return self._alternatives(was, now, old, new, path)
        old, new = was[0], now[0]
        self._types(old, new, path)
        self._enums(old, new, path)
        self._limits(old, new, path)
        self._words(old, new, path)
        self._object(old, new, path)
        self._items(old, new, path)
        for key in sorted((set(old) | set(new)) - set(_LOOKED_AT)):
            if not same([old.get(key)], [new.get(key)]):
                self.note("incomparable", path + "/" + key, "%s has changed" % key)

    def _types(self, old, new, path):
        was, now = types(old), types(new)
        if was == now:
            return
        text = "type was %s, is %s" % (_listed(was), _listed(now))
        kind = "type-widened" if was < now else "type-narrowed" if now < was else "type-changed"
        self.note(kind, path + "/type", text)

    def _enums(self, old, new, path):
        was, now = _members(old), _members(new)
        if was is None or now is None:
            if was is not None:
                self.note("enum-widened", path + "/enum", "any value is allowed now")
            elif now is not None:
                self.note("enum-narrowed", path + "/enum", "only %s now" % ", ".join(now))
            return
        lost = [one for one in was if one not in now]
        gained = [one for one in now if one not in was]
        if lost:
            self.note("enum-narrowed", path + "/enum", "no more: %s" % ", ".join(lost))
        if gained:
            self.note("enum-widened", path + "/enum", "new: %s" % ", ".join(gained))

    def _limits(self, old, new, path):
        for names, sign in ((_LOWER, 1), (_UPPER, -1)):
            for name in names:
                was, now = _number(old, name), _number(new, name)
                if was == now:
                    continue
                tightened = was is None or (now is not None and sign * (now - was) > 0)
                self._limit("limit-tightened" if tightened else "limit-loosened", path, name, was, now)
        for name in _EXACT:
            was, now = old.get(name), new.get(name)
            if not same([was], [now]):
                kind = (
                    "limit-tightened"
                    if was in (None, False)
                    else "limit-loosened"
                    if not now
                    else "limit-changed"
                )
                self._limit(kind, path, name, was, now)

    def _limit(self, kind, path, name, was, now):
        words = ["none" if value is None else shown(value) for value in (was, now)]
        self.note(kind, path + "/" + name, "%s was %s, is %s" % (name, *words))

    def _words(self, old, new, path):
        for names, kind in ((_WORDS, "words"), (_HINTS, "hint")):
            for name in names:
                if not same([old.get(name)], [new.get(name)]):
                    self.note(kind, path + "/" + name, "%s has changed" % name)

    def _object(self, old, new, path):
        was, now = _dict(old, "properties"), _dict(new, "properties")
        needed, needs = required(old), required(new)
        refuses = new.get("additionalProperties") is False
        for name in was:
            at = path + "/properties/" + name
            if name not in now:
                kind = "removed-refused" if refuses else "removed"
                self.note(kind, at, "%s is gone%s" % (name, ", and refused" if refuses else ""))
            else:
                self.schemas(was[name], now[name], at)
        for name in now:
            if name not in was:
                must = name in needs and name not in needed
                kind = "added-required" if must else "added"
                self.note(
                    kind,
                    path + "/properties/" + name,
                    "%s is new%s" % (name, ", and required" if must else ""),
                )
        for name in needs:
            if name not in needed and (name in was or name not in now):
                self.note("required-gained", path + "/required", "%s is required now" % name)
        for name in needed:
            if name not in needs and (name in now or self._side):
                self.note("required-lost", path + "/required", "%s is no longer required" % name)
        self._rest(old.get("additionalProperties", True), new.get("additionalProperties", True), path)

    def _rest(self, was, now, path):
        path += "/additionalProperties"
        if isinstance(was, dict) and isinstance(now, dict):
            self.schemas(was, now, path)
        elif not same(was, now):
            opened = was is False or (now is True and isinstance(was, dict))
            text = "other members are free now" if opened else "other members are refused, or bound, now"
            self.note("opened" if opened else "closed", path, text)

    def _items(self, old, new, path):
        was, now = old.get("items"), new.get("items")
        if isinstance(was, dict) and isinstance(now, dict):
            self.schemas(was, now, path + "/items")
        elif not same([was], [now]):
            kind = "limit-loosened" if now in (None, True) else "limit-tightened"
            self.note(kind, path + "/items", "what the array holds has changed")

    # Each alternative must have one in the other schema that takes as much.
    def _alternatives(self, was, now, old, new, path):
        for i, one in enumerate(was):
            if not any(self._takes(one, other) for other in now):
                self.note("alternative-lost", path, "no alternative takes what number %d took" % (i + 1))
        for i, one in enumerate(now):
            if not any(self._takes(one, other, True) for other in was):
                self.note("alternative-gained", path, "alternative %d is new" % (i + 1))
        self._words(*(resolved(*pair) for pair in zip((old, new), self._roots)), path)

    def _takes(self, one, other, swapped=False):
        inner = copy.copy(self)
        inner.changes, inner._side = [], 0
        if swapped:
            inner._roots = self._roots[::-1]
            inner._within = {pair[::-1] for pair in self._within}
        inner.schemas(one, other, "")
        return not any(change.level == BREAKING for change in inner.changes)


def _ref(schema):
    ref = schema.get("$ref") if isinstance(schema, dict) else None
    return ref if isinstance(ref, str) else None


def resolved(schema, root):
    """A schema as a dict, its local $ref followed.  root: dict, the schema that it stands in."""
    for _ in range(16):
        ref = _ref(schema)
        if ref is None or not ref.startswith("#"):
            break
        found = root
        for step in ref[1:].split("/")[1:]:
            name = step.replace("~1", "/").replace("~0", "~")
            found = found.get(name) if isinstance(found, dict) else None
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**found, **rest} if isinstance(found, dict) else {**rest, "not": {"$ref": ref}}
    if schema is False:
        return {"not": {}}
    return schema if isinstance(schema, dict) else {}


# What a schema says, wherever it stands.
def _key(schema, root):
    said = resolved(schema, root)
    return _text({name: value for name, value in said.items() if name not in ("$defs", "definitions")})


# Faster than `canon`, and good enough to find what need not be looked at.
def _text(value):
    return json.dumps(value, sort_keys=True)


def _has_ref(value):
    if isinstance(value, dict):
        return "$ref" in value or any(_has_ref(one) for one in value.values())
    return isinstance(value, list) and any(_has_ref(one) for one in value)


def types(schema):
    """The names of the types that a schema allows: frozenset; "number" holds "integer"."""
    given = schema.get("type")
    given = [given] if isinstance(given, str) else given if isinstance(given, list) else _TYPES
    names = {name for name in given if isinstance(name, str)}
    if schema.get("nullable") is True:
        names.add("null")
    return frozenset(names | {"integer"}) if "number" in names else frozenset(names)


def _listed(types):
    if types == _TYPES:
        return "any"
    return " or ".join(sorted(types - {"integer"} if "number" in types else types))


# What an enum allows, each as canonical JSON; None: anything.
def _members(schema):
    if "const" in schema:
        return [shown(schema["const"])]
    return [shown(one) for one in schema["enum"]] if isinstance(schema.get("enum"), list) else None


def branches(schema, root):
    """The alternatives of a schema, each with what they have in common, references followed: list of dict, of one if
    it has none.
    """
    found, waiting = [], [resolved(schema, root)]
    for _ in range(_MOST_BRANCHES):
        if not waiting:
            return found or [{"not": {}}]  # of an empty anyOf
        one = waiting.pop(0)
        key = next((key for key in ("anyOf", "oneOf") if isinstance(one.get(key), list)), None)
        if key is None:
            found.append(one)
            continue
        base = {name: value for name, value in one.items() if name not in (key, *_WORDS, *_HINTS)}
        waiting = [{**base, **resolved(each, root)} for each in one[key][:_MOST_BRANCHES]] + waiting
    return [*found, {"not": {"anyOf": "too many alternatives"}}]


def _number(schema, key):
    return schema[key] if isinstance(schema.get(key), (int, float)) else None


def _dict(schema, key):
    return schema[key] if isinstance(schema.get(key), dict) else {}


def required(schema):
    """The names in `required`: list of str."""
    names = schema.get("required")
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
