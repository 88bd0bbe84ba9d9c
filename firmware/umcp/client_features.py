"""What a server may want of its client, answered by callbacks: the same ones in every era.

| callback | called with | returns |
|---|---|---|
| on_elicit | params (dict) of elicitation/create | content (dict), a whole result (dict with `action`), or None: no |
| on_sample | params (dict) of sampling/createMessage | the result (dict) |
| on_roots | nothing | a list of roots (dicts with `uri`) |
| on_progress | params (dict) of notifications/progress | |
| on_log | params (dict) of notifications/message | |
| on_change | method (str) and params (dict) of notifications/.../list_changed, notifications/resources/updated | |

Each is a plain function or a coroutine function. What it raises ends the call as CallbackFailed; a server that
waits for its answer is told -32603. A callback cannot call its own client.
"""

from . import codec
from .client_errors import CallbackFailed, ConfigError
from .errors import INTERNAL_ERROR, INVALID_PARAMS

# Callback to the capability that it stands for, and the methods that are for it.
_CALLBACKS = {
    "on_elicit": ("elicitation", ("elicitation/create",)),
    "on_sample": ("sampling", ("sampling/createMessage",)),
    "on_roots": ("roots", ("roots/list",)),
    "on_progress": (None, ("notifications/progress",)),
    "on_log": (None, ("notifications/message",)),
    "on_change": (
        None,
        (
            "notifications/tools/list_changed",
            "notifications/prompts/list_changed",
            "notifications/resources/list_changed",
            "notifications/resources/updated",
        ),
    ),
}

_ACTIONS = ("accept", "decline", "cancel")

# The requests that may take long enough to tell how far they are.
_LONG = (b"tools/call", b"prompts/get", b"resources/read")


def install(session, callbacks):
    """Give a session its callbacks, dict.  Raises ConfigError for one that there is not."""
    for name, call in callbacks.items():
        if name not in _CALLBACKS or not callable(call):
            raise ConfigError("no such callback: " + name)
        capability, methods = _CALLBACKS[name]
        if capability:
            session.capabilities[capability] = {}
        for method in methods:
            session.handled[method] = call


def with_token(session, method, params, id):
    """The params of a legacy request, with the token by which its progress is known."""
    if method not in _LONG:
        return params
    made = dict(params)
    made["_meta"] = {"progressToken": id}
    session.token = id
    return made


async def deal(session, message):
    """Have a callback deal with a message of the server (dict).

    Returns (body to POST or None, CallbackFailed or None, to be raised behind it).
    """
    method = message["method"]
    params = message.get("params", {})
    if not isinstance(params, dict):
        params = None
    if "id" not in message:
        await _notify(session, method, params)
        return None, None
    reply = {"jsonrpc": "2.0", "id": message["id"]}
    error = None
    if params is None or (method == "elicitation/create" and _mode(params) != "form"):
        reply["error"] = {"code": INVALID_PARAMS, "message": "Invalid params"}
    else:
        try:
            reply["result"] = await _result(session, method, params)
        except CallbackFailed as e:
            error = e
            reply["error"] = {"code": INTERNAL_ERROR, "message": "Internal error"}
    return codec.dumps(reply), error


async def fulfil(session, requests):
    """The results of the requests of an `input_required`: dict, of key to dict with method and params."""
    results = {}
    for key, request in requests.items():
        params = request.get("params", {})
        results[key] = await _result(session, request["method"], params if isinstance(params, dict) else {})
    return results


async def _notify(session, method, params):
    if params is None or (method == "notifications/progress" and not _is_mine(session, params)):
        return
    if method.endswith("list_changed") or method.endswith("updated"):
        await _called(session, method, method, params)
    else:
        await _called(session, method, params)


def _is_mine(session, params):
    token = params.get("progressToken")
    return type(token) is int and token == session.token


async def _result(session, method, params):
    if method == "roots/list":
        roots = await _called(session, method)
        return roots if isinstance(roots, dict) else {"roots": roots}
    if method == "sampling/createMessage":
        return _checked(await _called(session, method, params), method)
    if _mode(params) != "form":
        return {"action": "decline"}
    made = await _called(session, method, params)
    if made is None:
        return {"action": "decline"}
    if _checked(made, method).get("action") not in _ACTIONS:
        made = {"action": "accept", "content": made}
    if made["action"] == "accept":
        made = dict(made)
        made["content"] = _with_defaults(
            _checked(made.get("content", {}), method), params.get("requestedSchema")
        )
    return made


# 2025-11-25, client/elicitation: what has no mode is a form. We do not say that we can open URLs.
def _mode(params):
    return params.get("mode", "form")


# SEP-1034: a field that was left out has the value that the schema gives it.
def _with_defaults(content, schema):
    fields = schema.get("properties") if isinstance(schema, dict) else None
    made = dict(content)
    for name, field in fields.items() if isinstance(fields, dict) else ():
        if name not in made and isinstance(field, dict) and "default" in field:
            made[name] = field["default"]
    return made


async def _called(session, method, *args):
    try:
        value = session.handled[method](*args)
        return await value if hasattr(value, "send") else value
    except Exception as e:
        raise CallbackFailed(method, e)


def _checked(value, method):
    if not isinstance(value, dict):
        raise CallbackFailed(method, TypeError("not a dict"))
    return value
