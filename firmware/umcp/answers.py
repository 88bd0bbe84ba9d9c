"""What clients answer when they are asked: whether it is an answer at all (MCP: elicitation, sampling, roots)."""

from .errors import LocalError, Violation

_ACTIONS = ("accept", "decline", "cancel")


def fits(method, params, answer):
    """True if `answer` (JSON value) is a result for the request `method` with `params` (dict)."""
    if type(answer) is not dict:
        return False
    if method == "roots/list":
        return type(answer.get("roots")) is list
    if method == "sampling/createMessage":
        return answer.get("role") in ("user", "assistant") and type(answer.get("content")) in (dict, list)
    action = answer.get("action")
    if action != "accept" or "requestedSchema" not in params:
        return action in _ACTIONS
    return _has_form(params["requestedSchema"], answer.get("content"))


def _has_form(schema, content):
    from .schema import load

    try:
        load(schema).check(content, "", False)
    except Violation:
        return False
    except LocalError:  # A schema that we cannot check ourselves.
        return type(content) is dict
    return True
