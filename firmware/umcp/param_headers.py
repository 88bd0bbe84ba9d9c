"""Arguments that modern clients repeat in header fields (2026-07-28, tools: x-mcp-header).

A property says `"x-mcp-header": "Region"`, and a call with that argument must have the field `Mcp-Param-Region` with
the same value, so that what stands between can route by it.
"""

from .client_params import mirrored
from .errors import LocalError, RemoteError
from .sentinel import decode

_MISMATCH = -32020


def headers(tool):
    """The table that `check` goes by: a tuple of (field name in bytes, path of the property).

    Raises LocalError for an annotation that clients would refuse the tool for.
    """
    found = mirrored(tool.input.schema())
    if found is None:
        raise LocalError("tool %s has an x-mcp-header that clients refuse" % tool.name)
    return tuple([(b"mcp-param-" + name.lower().encode(), path) for path, name in found])


def check(table, arguments, peer):
    """Raise RemoteError -32020, status 400, unless the peer's fields say what `arguments` (dict) do."""
    for name, path in table:
        value = arguments
        for step in path:
            value = value.get(step) if type(value) is dict else None
        given = peer.header(name)
        if value is not None and (given is None or not _is_same(given, value)):
            raise RemoteError(
                _MISMATCH, "%s must repeat the argument %s" % (name.decode(), ".".join(path)), None, 400
            )


def _is_same(given, value):
    try:
        given = decode(given)
        if type(value) is bool:
            return given == (b"true" if value else b"false")
        if type(value) is int:
            return int(given) == value
    except ValueError:
        return False
    return type(value) is str and given == value.encode()
