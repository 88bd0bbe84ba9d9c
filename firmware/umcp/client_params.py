"""Parameters of tools that are repeated in headers: `x-mcp-header` (2026-07-28, transports: custom headers)."""

from .sentinel import encode

_MARK = "x-mcp-header"
_TYPES = ("string", "integer", "boolean")
_MAX_SAFE = (1 << 53) - 1


def mirrored(schema):
    """What of the arguments goes into headers: a list of (path, name), path a tuple of str.

    schema: dict, the inputSchema of a tool. Returns None if an annotation does not hold; then the tool is not to be
    used: a mark on something else than a string, an integer or a boolean, at a place that is not reached by
    `properties` alone, with a name that is no field name, or a name twice.
    """
    found = []
    if not _walk(schema, (), True, found):
        return None
    names = [name.lower() for _, name in found]
    return None if len(set(names)) < len(names) else found


def lines_of(found, arguments):
    """The lines of the head: bytes.  found: as `mirrored` gives it.  arguments: dict."""
    lines = []
    for path, name in found:
        value = _text(_value(arguments, path))
        if value is not None:
            lines.append(("Mcp-Param-%s: %s\r\n" % (name, encode(value))).encode())
    return b"".join(lines)


# path: of the property that `schema` describes.  reached: bool, by `properties` alone.
def _walk(schema, path, reached, found):
    if isinstance(schema, list):
        return all([_walk(item, path, False, found) for item in schema])
    if not isinstance(schema, dict):
        return True
    if _MARK in schema:
        if not reached or not path or schema.get("type") not in _TYPES or not _is_token(schema[_MARK]):
            return False
        found.append((path, schema[_MARK]))
    for key, value in schema.items():
        if key == "properties" and isinstance(value, dict):
            if not all([_walk(item, path + (name,), reached, found) for name, item in value.items()]):
                return False
        elif key not in _LITERAL and not _walk(value, path, False, found):
            return False
    return True


# Under these keys are values, and no schemas.
_LITERAL = (_MARK, "const", "default", "enum", "examples")


# RFC 9110 section 5.6.2.
def _is_token(name):
    if not isinstance(name, str) or not name:
        return False
    return all(
        [48 <= c <= 57 or 65 <= c <= 90 or 97 <= c <= 122 or c in b"!#$%&'*+-.^_`|~" for c in name.encode()]
    )


def _value(arguments, path):
    for name in path:
        if not isinstance(arguments, dict):
            return None
        arguments = arguments.get(name)
    return arguments


# None for what has no header: nothing there, or no value of the type; the server will say so.
def _text(value):
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and abs(value) <= _MAX_SAFE and value == int(value):
        value = int(value)
    return str(value) if isinstance(value, int) and abs(value) <= _MAX_SAFE else None
