"""Types from JSON Schema (draft 2020-12), for schemas that come as data: fixtures, other servers' tools.

    kind = load({"type": "object", "properties": {"yaw": {"type": "number", "minimum": -90}}})
    kind.check({"yaw": "12.5"})  # {"yaw": 12.5}

A keyword that asserts something which is not checked here (anyOf, $ref, uniqueItems, ...) is refused, or with
`lenient` left unchecked. Annotations and unknown keywords are ignored (JSON Schema core, section 4.3.1).
"""

try:
    from micropython import const
except ImportError:
    const = int

from . import types
from .describe import keywords
from .errors import LocalError

_MAX_DEPTH = const(24)

_TYPES = "string integer number boolean array object null"
_UNCHECKED = (
    "$ref $dynamicRef $recursiveRef allOf anyOf oneOf not if then else dependentSchemas dependentRequired "
    "dependencies patternProperties propertyNames unevaluatedProperties minProperties maxProperties "
    "prefixItems additionalItems unevaluatedItems contains minContains maxContains uniqueItems"
)
# They say nothing of a value of another type, so that they need `type` beside them.
_TYPED = (
    "properties required additionalProperties items minItems maxItems minLength maxLength pattern "
    "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"
)


def load(schema, lenient=False):
    """The type (see `types.py`) that a JSON Schema describes; its `schema()` is that very dict.

    schema: dict.  lenient: bool, leave unchecked what this library does not check, instead of refusing it.
    `format` is checked for "uuid" only. Raises LocalError, with the JSON pointer of what is malformed or refused.
    """
    if not isinstance(schema, dict):
        _fail(None, "a schema must be an object")
    kind = _Loader(lenient).load(schema, None, 0)
    kind.loaded = schema
    return kind


def _fail(at, reason):
    # A place is (the place around it, its name), and becomes a JSON pointer only here.
    from .violations import pointer

    path = ""
    while at:
        at, name = at
        path = pointer(name) + path
    raise LocalError("%s: %s" % (path or "/", reason))


class _Loader:
    def __init__(self, lenient):
        self._lenient = lenient

    def load(self, schema, at, depth):
        if depth > _MAX_DEPTH:
            _fail(at, "is nested more than %d deep" % _MAX_DEPTH)
        if schema is False:
            self._unchecked(at, "false as a schema")
        if isinstance(schema, bool):
            return types.Any()
        if not isinstance(schema, dict):
            _fail(at, "a schema must be an object")
        for keyword in _UNCHECKED.split():
            if keyword in schema and not (keyword == "uniqueItems" and schema[keyword] is False):
                self._unchecked((at, keyword), keyword)
        name, nullable = self._type(schema, at)
        if name is None:
            for keyword in _TYPED.split():
                if keyword in schema:
                    self._unchecked((at, keyword), keyword + " without a type")
        return self._build(schema, at, depth, name, nullable)

    def _unchecked(self, at, what):
        if not self._lenient:
            _fail(at, what + " is not supported")

    def _type(self, schema, at):
        # The name of the type, None for any, and whether null is one more.
        given = schema.get("type")
        at = (at, "type")
        if given is None and "type" not in schema:
            return None, False
        names = given if isinstance(given, list) and given else [given]
        for name in names:
            if not isinstance(name, str) or name not in _TYPES.split():
                _fail(at, "must be a type or a list of types")
        others = [name for name in names if name != "null"]
        if not others:
            return "null", False
        if len(others) > 1:
            self._unchecked(at, "more than one type")
            return None, False
        return others[0], "null" in names

    def _build(self, schema, at, depth, name, nullable):
        make = types.Any if name in (None, "null") else getattr(types, name[0].upper() + name[1:])
        options = {"nullable": nullable}
        for option, keyword in keywords(make):
            if keyword in schema and self._checkable(keyword, schema[keyword], (at, keyword)):
                options[option] = schema[keyword]
        if name == "null":
            options["enum"] = [None]
        elif "enum" in schema or "const" in schema:
            self._take_enum(schema, at, options)
        if options.get("enum") == [None] and (options["nullable"] or make.TYPE is None):
            make, options = types.Any, {"enum": [None]}
        if "default" in schema:
            options["default"] = schema["default"]
        if make.TYPE == "array" and "items" in schema:
            options["items"] = self._items(schema["items"], (at, "items"), depth)
        if make.TYPE == "object":
            options["extra"] = self._extra(schema, (at, "additionalProperties"))
            options["fields"] = self._fields(schema, at, depth, options["extra"])
        try:
            return make(**options)
        except LocalError as e:
            _fail(at, e)

    def _checkable(self, keyword, value, at):
        if value is None:
            _fail(at, "must not be null")
        if keyword == "additionalProperties":
            return False
        if keyword == "format":
            return value == "uuid"
        if keyword == "multipleOf" and type(value) is float and value > 0:
            self._unchecked(at, "multipleOf with a fraction")
            return False
        if keyword == "pattern" and self._lenient:
            return _compiles(value)
        return True

    def _take_enum(self, schema, at, options):
        members = schema.get("enum", [schema.get("const")])
        if not isinstance(members, list):
            _fail((at, "enum"), "must be a list")
        if "const" in schema:
            const_ = schema["const"]
            members = [m for m in members if m == const_ and isinstance(m, bool) == isinstance(const_, bool)]
        if not members:
            _fail((at, "enum"), "must not be empty")
        if any(isinstance(m, (list, dict)) for m in members):
            return self._unchecked(at, "an array or object in enum or const")
        options["enum"] = members
        options["nullable"] = options["nullable"] and None in members

    def _items(self, items, at, depth):
        if isinstance(items, list):
            self._unchecked(at, "a list as items")
            return None
        return self.load(items, at, depth + 1)

    def _extra(self, schema, at):
        extra = schema.get("additionalProperties", True)
        if isinstance(extra, dict):
            if extra:
                self._unchecked(at, "a schema as additionalProperties")
            return True
        if not isinstance(extra, bool):
            _fail(at, "must be a boolean or a schema")
        return extra

    def _fields(self, schema, at, depth, extra):
        properties = schema.get("properties", {})
        required = schema.get("required", [])
        if not isinstance(properties, dict):
            _fail((at, "properties"), "must be an object")
        if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
            _fail((at, "required"), "must be a list of names")
        fields = []
        for name in sorted(properties):
            kind = self.load(properties[name], ((at, "properties"), name), depth + 1)
            kind.optional = name not in required
            fields.append((name, kind))
        for name in sorted(set(required)):
            if name not in properties:
                if not extra:
                    _fail((at, "required"), "names a field that is not in properties: " + name[:64])
                fields.append((name, types.Any()))
        return fields


def _compiles(pattern):
    from .pattern import compile

    try:
        compile(pattern)
        return True
    except LocalError:
        return False
