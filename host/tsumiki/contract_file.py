"""The file of a contract: what somebody relies on. What is not written in it may change.

    {"schema": "tsumiki/contract-v1",
     "tools": {"echo": {"required": ["text"], "args": {"text": {"type": "string"}},
                        "annotations": {"readOnlyHint": true}, "output": {...},
                        "calls": [{"args": {"text": "hello"}, "class": "ok",
                                   "content": [{"type": "text", "text": "hello"}], "structured": {...}},
                                  {"args": {}, "class": "tool_error"}]}},
     "resources": ["robot://log"], "templates": [], "prompts": {"greet": {"required": ["who"]}},
     "requests": [{"method": "no/such", "params": {}, "class": "rpc_error:-32601"}]}

A tool that is named must be there. `class` is an error class (exchanges.py); `tool_error` is one with any code, too.
"""

from . import json_file
from .errors import Unreadable
from .exchanges import is_class
from .schema_diff import branches, required

MARK = "tsumiki/contract-v1"

# Members by place, and their types. Any other is refused: a slip of the pen would pin nothing.
_TOP = {"schema": str, "tools": dict, "resources": list, "templates": list, "prompts": dict, "requests": list}
_TOOL = {"required": list, "args": dict, "annotations": dict, "output": dict, "calls": list}
_CALL = {"args": dict, "class": str, "content": list, "structured": dict}
_PROMPT = {"required": list}
_REQUEST = {"method": str, "params": dict, "class": str, "result": dict}


def load(path):
    """The contract in a file: dict.  Raises Unreadable, naming the place."""
    value = json_file.read(path)
    try:
        _check(value)
    except ValueError as e:
        raise Unreadable("%s: %s" % (path, e)) from None
    return value


def starting(surface):
    """A contract (dict) of what a `surface.Surface` shows: arguments, annotations, and of a cassette the answers."""
    found = {"schema": MARK, "tools": {name: _tool(tool) for name, tool in (surface.tools or {}).items()}}
    for key in ("resources", "templates"):
        if getattr(surface, key):
            found[key] = list(getattr(surface, key))
    if surface.prompts:
        found["prompts"] = {name: _prompt(prompt) for name, prompt in surface.prompts.items()}
    if surface.recording:
        _add_answers(found, surface.recording)
    return found


def _check(value):
    _members(value, _TOP, "")
    if value.get("schema") != MARK:
        raise ValueError("/schema must be %s" % MARK)
    for name, tool in value.get("tools", {}).items():
        path = "/tools/" + name
        _members(tool, _TOOL, path)
        for i, call in enumerate(tool.get("calls", ())):
            _members(call, _CALL, "%s/calls/%d" % (path, i))
            _class(call, "%s/calls/%d" % (path, i))
    for name, prompt in value.get("prompts", {}).items():
        _members(prompt, _PROMPT, "/prompts/" + name)
    for i, request in enumerate(value.get("requests", ())):
        _members(request, _REQUEST, "/requests/%d" % i)
        _class(request, "/requests/%d" % i)
        if "method" not in request:
            raise ValueError("/requests/%d/method is missing" % i)


def _members(value, table, path):
    if not isinstance(value, dict):
        raise ValueError("%s must be an object" % (path or "/"))
    for name, one in value.items():
        if name.startswith("x-"):
            continue
        if name not in table:
            raise ValueError("%s/%s is not known: %s" % (path, name, ", ".join(table)))
        if not isinstance(one, table[name]):
            raise ValueError("%s/%s is of the wrong type" % (path, name))


def _class(call, path):
    if not is_class(call.get("class", "ok")):
        raise ValueError("%s/class: no error class: %r" % (path, call["class"]))


def _tool(tool):
    found = {}
    schema = tool["inputSchema"] if isinstance(tool.get("inputSchema"), dict) else {}
    alternatives = branches(schema, schema)
    if len(alternatives) == 1:
        found["required"] = required(alternatives[0])
        properties = alternatives[0].get("properties")
        found["args"] = {
            name: _argument(branches(one, schema))
            for name, one in (properties.items() if isinstance(properties, dict) else ())
        }
    annotations = tool.get("annotations")
    if isinstance(annotations, dict) and annotations.get("readOnlyHint") is True:
        found["annotations"] = {"readOnlyHint": True}
    return found


def _argument(alternatives):
    one = alternatives[0] if len(alternatives) == 1 else {}
    found = {"type": one["type"]} if isinstance(one.get("type"), (str, list)) else {}
    if isinstance(one.get("enum"), list):
        found["enum"] = one["enum"]
    return found


def _prompt(prompt):
    return {"required": needed(prompt)}


def needed(prompt):
    """The names of the arguments that a prompt, as listed, cannot do without: list."""
    listed = prompt.get("arguments")
    given = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return [one["name"] for one in given if one.get("required") is True and isinstance(one.get("name"), str)]


def _add_answers(contract, tape):
    requests = []
    for exchange in tape.exchanges:
        params = exchange.params or {}
        if exchange.redacted["c2s"] or exchange.redacted["s2c"]:
            continue
        tool = contract["tools"].get(exchange.tool)
        arguments = params.get("arguments") or {}
        if tool is not None and isinstance(arguments, dict):
            call = {"args": arguments, "class": exchange.error_class}
            if call["class"] == "ok" and exchange.result.get("content"):
                call["content"] = exchange.result["content"]
            if is_class(call["class"]) and call not in tool.setdefault("calls", []):
                tool["calls"].append(call)
        elif exchange.error_class.startswith("rpc_error:") and exchange.method not in (
            "initialize",
            "server/discover",
        ):
            requests.append(
                {"method": exchange.method, "params": _asked(params), "class": exchange.error_class}
            )
    if requests:
        contract["requests"] = requests


def _asked(params):
    return {name: value for name, value in params.items() if name != "_meta"}
