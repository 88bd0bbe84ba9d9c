"""Completion of what a user types: the arguments of prompts, the variables of resource templates (MCP: completion).

completion = Completion(server)    # looks at server.prompts and server.resources, either of which may be None
"""

from .codec import dumps
from .content import too_large
from .errors import INVALID_PARAMS, LocalError, RemoteError
from .handlers import call

try:
    from micropython import const
except ImportError:
    const = int

_MAX_VALUES = const(100)  # completion: response

_NOTHING = b'"completion":{"values":[],"total":0,"hasMore":false}'


class Completion:
    """server: `umcp.server.Server`.

    methods: dict of bytes -> function(message, session, peer): see `umcp.server`.
    """

    def __init__(self, server):
        self._server = server
        self.methods = {b"completion/complete": self._complete}

    def _complete(self, message, session, peer):
        params = message.params()
        name, value = _argument(params.get("argument"))
        others = _others(params.get("context"))
        found = _function(self._server, params.get("ref"), name)
        if found is None:
            return _NOTHING
        limit = self._server.max_result
        return call(self._server, "completion", found, (value, others), lambda values: _result(values, limit))


def _argument(given):
    if type(given) is dict and type(given.get("name")) is str and type(given.get("value")) is str:
        return given["name"], given["value"]
    raise RemoteError(INVALID_PARAMS, "argument must have a name and a value, strings")


# The arguments that the user has settled (2025-06-18: context).
def _others(context):
    if context is None:
        return {}
    others = context.get("arguments", {}) if type(context) is dict else None
    if type(others) is not dict or not all([type(value) is str for value in others.values()]):
        raise RemoteError(INVALID_PARAMS, "context.arguments must be an object of strings")
    return others


# What completes the argument of the reference, or None.
def _function(server, ref, name):
    if type(ref) is not dict:
        raise RemoteError(INVALID_PARAMS, "ref must be an object")
    kind = ref.get("type")
    if kind == "ref/prompt":
        one = _named(server.prompts, ref.get("name"))
        argument = one.argument(name)
        if argument is not None:
            return argument.complete
    elif kind == "ref/resource":
        one = _named(server.resources, ref.get("uri"))
        if name in one.variables:
            return one.complete.get(name)
    else:
        raise RemoteError(INVALID_PARAMS, "ref.type must be ref/prompt or ref/resource")
    raise RemoteError(INVALID_PARAMS, "Unknown argument: " + name[:64])


def _named(feature, name):
    one = feature.get(name) if feature is not None and type(name) is str else None
    if one is None:
        raise RemoteError(INVALID_PARAMS, "ref names nothing that is there")
    return one


def _result(values, limit):
    if not isinstance(values, (list, tuple)) or not all([type(value) is str for value in values]):
        raise LocalError("complete must return a list of str")
    total = len(values)
    raw = dumps(list(values[:_MAX_VALUES]))
    if len(raw) > limit:
        raise too_large(len(raw), limit)
    more = b"true" if total > _MAX_VALUES else b"false"
    return b'"completion":{"values":%s,"total":%d,"hasMore":%s}' % (raw, total, more)
