"""What a client may ask for besides tools: resources, prompts, completion, log messages. Flows of a session."""

from .client_errors import ClientError, InvalidResponse, NotFound, RpcError
from .errors import LocalError

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")

_MAX_SUBSCRIPTIONS = 64

_NOT_FOUND = (-32002, -32602)


def list_resources(session):
    return session.listing(b"resources/list", "resources", "List resources failed")


def list_resource_templates(session):
    return session.listing(b"resources/templates/list", "resourceTemplates", "List resource templates failed")


def list_prompts(session):
    return session.listing(b"prompts/list", "prompts", "List prompts failed")


# -32002 until 2025-11-25, -32602 since (server/resources: error handling).
def read_resource(session, uri):
    try:
        result = yield from session.request(b"resources/read", {"uri": _text(uri)}, "Read resource failed")
    except RpcError as e:
        if e.code in _NOT_FOUND:
            raise NotFound("Read resource failed", e.code, e.message, e.data)
        raise
    return _list(result, "contents")


def subscribe(session, uri):
    watched = session.watched
    if _text(uri) not in watched:
        if len(watched) >= _MAX_SUBSCRIPTIONS:
            raise LocalError("subscribe: more than %d resources" % _MAX_SUBSCRIPTIONS)
        yield from _told(session, b"resources/subscribe", uri)
        session.watched = watched + (uri,)


def unsubscribe(session, uri):
    yield from _told(session, b"resources/unsubscribe", uri)
    session.watched = tuple([one for one in session.watched if one != uri])


def get_prompt(session, name, arguments=None):
    params = {"name": _text(name)}
    if arguments:
        params["arguments"] = arguments
    result = yield from session.request(b"prompts/get", params, "Get prompt failed")
    _list(result, "messages")
    return result


def complete(session, ref, name, value, context=None):
    params = {"ref": ref, "argument": {"name": _text(name), "value": _text(value)}}
    if context:
        params["context"] = {"arguments": context}
    result = yield from session.request(b"completion/complete", params, "Complete failed")
    completion = result.get("completion")
    if not isinstance(completion, dict):
        raise InvalidResponse("Invalid JSON-RPC response: completion")
    _list(completion, "values")
    return completion


# 2026-07-28 has no such request: each request says the level (server/utilities/logging).
def set_log_level(session, level):
    if level not in LEVELS:
        raise LocalError("no such level: " + str(level))
    yield from session.ready()
    if session.modern:
        session.log_level = level
        session.modern.render()
    else:
        yield from session.request(b"logging/setLevel", {"level": level}, "Set log level failed")
        session.log_level = level


def restore(session):
    """Flow: tell a new legacy session what the one before it knew, as far as it wants to know."""
    wanted = [(b"resources/subscribe", {"uri": uri}) for uri in session.watched]
    if session.log_level:
        wanted.append((b"logging/setLevel", {"level": session.log_level}))
    for method, params in wanted:
        try:
            yield from session.once(method, params, "Initialize failed", True)
        except ClientError:
            pass


# In the modern era `listen` says what is wanted.
def _told(session, method, uri):
    yield from session.ready()
    if not session.modern:
        yield from session.request(method, {"uri": uri}, "Subscribe failed")


def _text(value):
    if not isinstance(value, str):
        raise LocalError("must be a str")
    return value


def _list(result, key):
    found = result.get(key)
    if not isinstance(found, list) or not all([isinstance(i, (dict, str)) for i in found]):
        raise InvalidResponse("Invalid JSON-RPC response: " + key)
    return found
