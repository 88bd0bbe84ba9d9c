"""JSON-RPC messages of MCP as a relay looks at them: dicts, and the few places that matter to it."""

import json

INTERNAL_ERROR = -32603
PARSE_ERROR = -32700
INVALID_REQUEST = -32600

CALL = "tools/call"
CANCELLED = "notifications/cancelled"
DISCOVER = "server/discover"
INITIALIZE = "initialize"
INITIALIZED = "notifications/initialized"
LISTEN = "subscriptions/listen"
PROGRESS = "notifications/progress"
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"

_VERSION = "io.modelcontextprotocol/protocolVersion"
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


def dump(message):
    """bytes: the message as one line, with its end."""
    try:
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        return text.encode() + b"\n"
    except UnicodeEncodeError:  # half of a surrogate pair
        return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def load(line):
    """The message in a line (bytes): a dict, a list of them, or None for what is none."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, (dict, list)) else None


def is_request(message):
    return "method" in message and message.get("id") is not None


def params(message):
    """The params, {} if there are none."""
    found = message.get("params")
    return found if isinstance(found, dict) else {}


def meta(message):
    """`_meta` of the params or of the result, {} if there is none."""
    where = message.get("result") if "result" in message else message.get("params")
    found = where.get("_meta") if isinstance(where, dict) else None
    return found if isinstance(found, dict) else {}


def modern_version(message):
    """The version that a request of 2026-07-28 or later says it speaks, or None: then it belongs to a session."""
    found = meta(message).get(_VERSION)
    return found if isinstance(found, str) else None


def error(id, text, code=INTERNAL_ERROR):
    """The answer to a request that cannot be answered otherwise."""
    return {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text}}


def with_meta(message, **members):
    """A copy of the message, with members of `_meta` of its params or its result replaced; keys with `/` as `**`."""
    where = "result" if "result" in message else "params"
    changed = dict(message.get(where) or {})
    changed["_meta"] = dict(meta(message), **members)
    return dict(message, **{where: changed})


def notification(method, **members):
    """A notification with these params."""
    return {"jsonrpc": "2.0", "method": method, "params": members}
